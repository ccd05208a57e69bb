// The launcher of GpuPrograms: which op is which function, and the launch.
#include "ops/fused/fused_block.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/kernel/fused_launcher.h"
#endif

namespace warpbeam::WB_PASS {

WB_GPU_FUNCTION(FusedBlock);

#if WB_HOST_PASS
namespace {

struct Function {
  FusedKind kind;
  size_t inputs;
  const char* ops;
};
constexpr Function kFunctions[] = {
#define WB_ENTRY(kind, Fn, inputs, ops) {FusedKind::kind, inputs, ops},
    WB_FUSED_FUNCTIONS(WB_ENTRY)
#undef WB_ENTRY
};
constexpr const char* kUpdates[] = {
#define WB_ENTRY(Rule, ops) ops,
    WB_FUSED_UPDATES(WB_ENTRY)
#undef WB_ENTRY
};
constexpr int kNumFunctions = static_cast<int>(std::size(kFunctions));

#define WB_CHECK_STATE(kind, Fn, inputs, ops) static_assert(sizeof(Fn) <= GpuProgram::kStateBytes);
WB_FUSED_FUNCTIONS(WB_CHECK_STATE)
#undef WB_CHECK_STATE

constexpr TypeSet kNumbers = {DType::kFloat, DType::kHalf, DType::kBFloat16};
constexpr TypeSet kStored = kNumbers | TypeSet{DType::kBool};

bool TakesTypes(FusedKind kind, Span<const DType> inputs, DType output) {
  const DType last = inputs[inputs.size() - 1];
  const size_t first = kind == FusedKind::kChoice ? 1 : 0;
  for (size_t i = first; i < inputs.size(); ++i) {
    if (inputs[i] != last) return false;
  }
  switch (kind) {
    case FusedKind::kNumbers:
      return kNumbers.contains(last) && output == last;
    case FusedKind::kPredicate:
      return kNumbers.contains(last) && output == DType::kBool;
    case FusedKind::kLogic:
      return last == DType::kBool && output == DType::kBool;
    case FusedKind::kChoice:
      return inputs[0] == DType::kBool && kStored.contains(last) && output == last;
    case FusedKind::kConversion:
      return kStored.contains(last) && kStored.contains(output);
  }
  return false;
}

bool IsListed(const char* ops, absl::string_view op) {
  const std::vector<absl::string_view> listed = absl::StrSplit(ops, ' ');
  return std::find(listed.begin(), listed.end(), op) != listed.end();
}

// "Adam" of ApplyAdam and ResourceApplyAdam, "AssignAdd" of AssignAdd and AssignAddVariableOp.
absl::string_view UpdateOf(absl::string_view op) {
  if (absl::StartsWith(op, "Assign")) {
    absl::ConsumeSuffix(&op, "VariableOp");
    return op;
  }
  absl::ConsumePrefix(&op, "Resource");
  return absl::ConsumePrefix(&op, "Apply") ? op : absl::string_view();
}

int UpdateFunctionOf(absl::string_view op, Span<const DType> inputs) {
  const absl::string_view update = UpdateOf(op);
  const DType dtype = inputs[inputs.size() - 1];
  if (update.empty() || !kNumbers.contains(dtype)) return -1;
  for (const DType input : inputs) {
    if (input != DType::kResource && BaseType(input) != dtype) return -1;
  }
  for (size_t u = 0; u < std::size(kUpdates); ++u) {
    if (update == kUpdates[u]) return kNumFunctions + static_cast<int>(u);
  }
  return -1;
}

class FusedBlockLauncher final : public FusedLauncher {
 public:
  int FunctionOf(absl::string_view op, const AttrMap& attrs, Span<const DType> inputs,
                 Span<const DType> outputs) const override {
    if (inputs.empty()) return -1;
    if (outputs.size() != 1 || IsRef(outputs[0])) return UpdateFunctionOf(op, inputs);
    if (op == "Cast") {
      // Bits that are cut off are not rounded.
      if (attrs.GetOr<bool>("Truncate", false)) return -1;
      if (outputs[0] == DType::kBool) op = "CastToBool";
    }
    for (int f = 0; f < kNumFunctions; ++f) {
      const Function& function = kFunctions[f];
      if (function.inputs != inputs.size()) continue;
      if (!IsListed(function.ops, op)) continue;
      return TakesTypes(function.kind, inputs, outputs[0]) ? f : -1;
    }
    return -1;
  }
  Status Launch(GpuStream& stream, const GpuProgram& program) const override {
    return host_pass::Launch(stream, FusedBlock::Grid(program), FusedBlock(program));
  }
};

struct LauncherRegistration {
  LauncherRegistration() {
    static const FusedBlockLauncher launcher;
    RegisterFusedLauncher(&launcher);
  }
};
const LauncherRegistration launcher_registration;

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS
