#include "runtime/kernel/kernel_registry.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "graph/op/node_types.h"
#include "graph/op/op_registry.h"
#include "runtime/device/device.h"
#include "runtime/device/gpu_platform.h"

namespace warpbeam {
namespace {

std::vector<const KernelDeclBuilder*>& PendingDecls() {
  static auto* pending = new std::vector<const KernelDeclBuilder*>;
  return *pending;
}

struct GpuKernelDecl {
  const char* op;
  KernelFactory factory;
  bool (*has_code)(const AttrMap&);
};
std::vector<GpuKernelDecl>& PendingGpuKernels() {
  static auto* pending = new std::vector<GpuKernelDecl>;
  return *pending;
}

std::string DescribeTypes(const char* device, const TypeConstraints& types) {
  std::string out = device;
  for (size_t i = 0; i < types.size(); ++i) {
    absl::StrAppend(&out, i == 0 ? ": " : ", ", types[i].first, " in ", types[i].second.ToString());
  }
  return out;
}

const std::optional<TypeConstraints>& TypesOn(const KernelDecl& decl, DeviceType type) {
  return type == DeviceType::kGpu ? decl.gpu : decl.cpu;
}

// What calls functions hands its arguments to their plans, which take them from host memory; so
// does a node whose op is a function. What stands for fused nodes has no kernel either, but it is
// an op, and its memory is its device's.
bool CallsFunctions(const OpSchema& schema, const KernelDecl* decl) {
  return (decl == nullptr && OpRegistry::Global().Find(schema.name) == nullptr) ||
         std::any_of(schema.attrs.begin(), schema.attrs.end(), [](const AttrSpec& attr) {
           return attr.type == "func" || attr.type == "list(func)";
         });
}

// Marks the tensors of each argument: host-only types and, on a GPU, the declared names.
void MarkHost(const std::vector<ArgSpec>& args, const AttrMap& attrs,
              const std::vector<DType>& types, const KernelDecl* decl, DeviceType type,
              std::vector<bool>* on_host) {
  on_host->assign(types.size(), type == DeviceType::kCpu);
  if (type == DeviceType::kCpu) return;
  for (size_t i = 0; i < types.size(); ++i) {
    if (IsHostOnly(types[i])) (*on_host)[i] = true;
  }
  auto sizes = ArgSizes(args, attrs);
  if (!sizes.ok() || decl == nullptr) return;
  size_t at = 0;
  for (size_t a = 0; a < args.size(); ++a) {
    const bool host = std::find(decl->gpu_host_memory.begin(), decl->gpu_host_memory.end(),
                                args[a].name) != decl->gpu_host_memory.end();
    for (int k = 0; k < (*sizes)[a] && at < types.size(); ++k, ++at) {
      if (host) (*on_host)[at] = true;
    }
  }
}

// Where an op has several declarations, one for GPUs alone is often that of what they have in host
// memory: objects, or arguments that it names.
bool TakesGpuKernel(const KernelDecl& decl, bool is_only_one) {
  if (!decl.gpu) return false;
  if (decl.cpu || is_only_one) return true;
  constexpr TypeSet kObjects = {DType::kString, DType::kResource, DType::kVariant};
  return decl.gpu_host_memory.empty() &&
         std::none_of(decl.gpu->begin(), decl.gpu->end(), [&](const auto& constraint) {
           return !(constraint.second & kObjects).empty();
         });
}

}  // namespace

KernelDeclBuilder::KernelDeclBuilder(absl::string_view op, KernelFactory factory) {
  decl_.op = std::string(op);
  decl_.factory = factory;
}
KernelDeclBuilder& KernelDeclBuilder::Cpu(TypeConstraints types) {
  decl_.cpu = std::move(types);
  return *this;
}
KernelDeclBuilder& KernelDeclBuilder::Gpu(TypeConstraints types) {
  decl_.gpu = std::move(types);
  return *this;
}
KernelDeclBuilder& KernelDeclBuilder::HostMemory(std::vector<std::string> args) {
  decl_.gpu_host_memory = std::move(args);
  return *this;
}
KernelDeclBuilder& KernelDeclBuilder::Cheap() {
  decl_.traits.cheap = true;
  return *this;
}
KernelDeclBuilder& KernelDeclBuilder::Async() {
  decl_.traits.async = true;
  return *this;
}
KernelDeclBuilder& KernelDeclBuilder::Unbounded() {
  decl_.traits.bounded = false;
  return *this;
}

KernelDeclBuilder& KernelDeclBuilder::WarmUp(KernelWarmUpFunction warm_up) {
  decl_.warm_up = warm_up;
  return *this;
}

KernelRegistration::KernelRegistration(const KernelDeclBuilder& builder) {
  PendingDecls().push_back(new KernelDeclBuilder(builder));
}

GpuKernelRegistration::GpuKernelRegistration(const char* op, KernelFactory factory,
                                             bool (*has_code)(const AttrMap&)) {
  PendingGpuKernels().push_back({op, factory, has_code});
}

KernelRegistry& KernelRegistry::Global() {
  static KernelRegistry* registry = [] {
    RegisteredGpuPlatform();  // a plug-in's kernels are there when it is
    auto* r = new KernelRegistry;
    for (const KernelDeclBuilder* builder : PendingDecls()) {
      r->Register(builder->decl());
      delete builder;
    }
    PendingDecls().clear();
    for (const GpuKernelDecl& kernel : PendingGpuKernels()) {
      const auto& decls = r->decls_[kernel.op];
      for (const auto& decl : decls) {
        if (!TakesGpuKernel(*decl, decls.size() == 1)) continue;
        decl->gpu_factory = kernel.factory;
        decl->has_gpu_code = kernel.has_code;
      }
    }
    PendingGpuKernels().clear();
    return r;
  }();
  return *registry;
}

void KernelRegistry::Register(KernelDecl decl) {
  auto& list = decls_[decl.op];
  list.push_back(std::make_unique<KernelDecl>(std::move(decl)));
}

const KernelDecl* KernelRegistry::Find(absl::string_view op, const AttrMap& attrs,
                                       DeviceType type) const {
  auto it = decls_.find(std::string(op));
  if (it == decls_.end()) return nullptr;
  for (const auto& decl : it->second) {
    const auto& types = TypesOn(*decl, type);
    if (types && Satisfies(*types, attrs)) return decl.get();
  }
  return nullptr;
}

StatusOr<const KernelDecl*> KernelRegistry::Get(const OpSchema& schema, const AttrMap& attrs,
                                                DeviceType type) const {
  if (const KernelDecl* decl = Find(schema.name, attrs, type)) return decl;
  std::vector<std::string> types;
  for (const AttrSpec& a : schema.attrs) {
    const AttrValue* v = a.type == "type" ? attrs.Find(a.name) : nullptr;
    if (v != nullptr) types.push_back(absl::StrCat(a.name, "=", v->ToString()));
  }
  const std::vector<std::string> known = Describe(schema.name);
  return NotFound(
      "no kernel of the op '", schema.name, "' on ", DeviceTypeName(type), " for ",
      types.empty() ? "its attributes" : absl::StrJoin(types, ", "), "; there ",
      known.empty() ? "is none at all" : absl::StrCat("are: ", absl::StrJoin(known, "; ")));
}

StatusOr<std::unique_ptr<Kernel>> KernelRegistry::Create(KernelInit& init) const {
  WB_ASSIGN_OR_RETURN(const KernelDecl* decl, Get(init.schema, init.attrs, init.device_type));
  const bool launches = init.device_type == DeviceType::kGpu && decl->gpu_factory != nullptr &&
                        (init.device == nullptr || init.device->runs_gpu_kernels());
  return launches ? decl->gpu_factory(init) : decl->factory(init);
}

bool KernelRegistry::Supports(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const {
  return Find(schema.name, attrs, type) != nullptr;
}

bool KernelRegistry::KnowsOp(absl::string_view op) const {
  return decls_.count(std::string(op)) > 0;
}

std::vector<std::string> KernelRegistry::Describe(absl::string_view op) const {
  std::vector<std::string> out;
  auto it = decls_.find(std::string(op));
  if (it == decls_.end()) return out;
  for (const auto& decl : it->second) {
    if (decl->cpu) out.push_back(DescribeTypes("CPU", *decl->cpu));
    if (decl->gpu) out.push_back(DescribeTypes("GPU", *decl->gpu));
  }
  return out;
}

MemoryPlaces KernelRegistry::Memory(const OpSchema& schema, const AttrMap& attrs,
                                    DeviceType type) const {
  MemoryPlaces places;
  const KernelDecl* decl = Find(schema.name, attrs, type);
  if (auto in = InputTypes(schema, attrs); in.ok()) {
    MarkHost(schema.inputs, attrs, *in, decl, type, &places.input_on_host);
  }
  if (auto out = OutputTypes(schema, attrs); out.ok()) {
    MarkHost(schema.outputs, attrs, *out, decl, type, &places.output_on_host);
  }
  if (CallsFunctions(schema, decl)) {
    places.input_on_host.assign(places.input_on_host.size(), true);
    places.output_on_host.assign(places.output_on_host.size(), true);
  }
  return places;
}

std::vector<const KernelDecl*> KernelRegistry::All() const {
  std::vector<const KernelDecl*> out;
  for (const auto& [op, list] : decls_) {
    for (const auto& decl : list) out.push_back(decl.get());
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const KernelDecl* a, const KernelDecl* b) { return a->op < b->op; });
  return out;
}

}  // namespace warpbeam
