#include "runtime/kernel/gpu_catalog.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "graph/op/op_schema.h"

namespace warpbeam {
namespace {

std::vector<GpuCodeSource>& Sources() {
  static auto* const sources = new std::vector<GpuCodeSource>;
  return *sources;
}

// Whether an op of the role gives what it is given, or what was made before the step.
bool OnlyHandsOn(OpRole role) {
  switch (role) {
    case OpRole::kCompute:
    case OpRole::kCall:
    case OpRole::kDataset:
    case OpRole::kQueue:
    case OpRole::kGradientArray:
    case OpRole::kCollective:
      return false;
    case OpRole::kConstant:
    case OpRole::kVariable:
    case OpRole::kPlaceholder:
    case OpRole::kArgument:
    case OpRole::kResult:
    case OpRole::kHandOn:
    case OpRole::kNothing:
    case OpRole::kTrigger:
    case OpRole::kSwitch:
    case OpRole::kSwitchN:
    case OpRole::kMerge:
    case OpRole::kEnter:
    case OpRole::kExit:
    case OpRole::kNextIteration:
    case OpRole::kLoopCond:
      return true;
  }
  return false;
}

// Whether an op's outputs are its inputs, in other shapes perhaps. One that checks may look at what
// they hold.
bool OnlyHandsOn(PassOn what) {
  switch (what) {
    case PassOn::kValue:
    case PassOn::kDefault:
    case PassOn::kReshaped:
    case PassOn::kEach:
      return true;
    case PassOn::kNothing:
    case PassOn::kChecked:
    case PassOn::kOneOf:
    case PassOn::kHandle:
      return false;
  }
  return false;
}

bool All(const std::vector<bool>& values) {
  return std::all_of(values.begin(), values.end(), [](bool value) { return value; });
}

}  // namespace

bool TouchesNoDeviceMemory(const OpSchema& schema, bool inputs_on_host, bool outputs_on_host) {
  if (OnlyHandsOn(schema.role) || OnlyHandsOn(schema.passes_on)) return true;
  return outputs_on_host && (schema.reads_shapes_only || inputs_on_host);
}

GpuCodeRegistration::GpuCodeRegistration(GpuCodeSource source) { Sources().push_back(source); }

const GpuCatalog& GpuCatalog::Global() {
  static const auto* const catalog = new GpuCatalog(KernelRegistry::Global());
  return *catalog;
}

bool GpuCatalog::Supports(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const {
  const KernelDecl* const decl = registry_.Find(schema.name, attrs, type);
  if (decl == nullptr || type != DeviceType::kGpu) return decl != nullptr;
  if (decl->has_gpu_code != nullptr) return decl->has_gpu_code(attrs);
  const MemoryPlaces memory = registry_.Memory(schema, attrs, type);
  return TouchesNoDeviceMemory(schema, All(memory.input_on_host), All(memory.output_on_host)) ||
         std::any_of(Sources().begin(), Sources().end(),
                     [&](GpuCodeSource source) { return source(schema, attrs); });
}

std::vector<std::string> GpuCatalog::Describe(absl::string_view op) const {
  std::vector<std::string> lines = registry_.Describe(op);
  for (std::string& line : lines) {
    if (absl::StartsWith(line, "GPU")) line += ", as far as this build has code for it";
  }
  return lines;
}

}  // namespace warpbeam
