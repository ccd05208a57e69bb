// KernelRegistry: which kernels exist, for which device types, dtypes and host-memory arguments.
//
// A declaration is data and is present in every build: a CPU-only binary knows which ops could run
// on a GPU. The kernel class that a declaration names serves the cpu device and, where a GPU
// declaration exists, simulated GPUs; a class that launches code of GPUs is attached to it by
// `WB_GPU_KERNEL` (runtime/kernel/gpu_kernel.h) and serves real GPUs, and simulated ones where that
// is asked for (Device::runs_gpu_kernels).
//
//   WB_KERNEL("Softmax", SoftmaxKernel).Cpu({{"T", kFloatingTypes}}).Gpu({{"T", kFloatingTypes}});
//   WB_KERNEL("Reshape", ReshapeKernel).Cpu().Gpu().HostMemory({"shape"});
//   WB_KERNEL("Shape", ShapeKernel).Cpu().Gpu().HostMemory({"output"}).Cheap();
//
// Several declarations of one op are fine while no two accept the same dtypes on one device type.
// Without Gpu() the op has no GPU kernel. HostMemory names arguments whose tensors are in host
// memory on a GPU; strings, resources and variants always are.
//
// Thread safety: as OpRegistry. Errors: NOT_FOUND naming op, device type, dtypes and what exists.
#ifndef WARPBEAM_RUNTIME_KERNEL_KERNEL_REGISTRY_H_
#define WARPBEAM_RUNTIME_KERNEL_KERNEL_REGISTRY_H_

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "placement/kernel_catalog.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

using KernelFactory = StatusOr<std::unique_ptr<Kernel>> (*)(KernelInit& init);

// What the scheduler should know of a kernel.
struct KernelTraits {
  bool cheap = false;   // costs less than scheduling it: metadata, scalars
  bool bounded = true;  // ends by itself in bounded time (a queue's dequeue does not)
  bool async = false;   // is_async() holds for its kernels
};

// What a kernel's library does once in a process before it first computes. A session begins it in
// the background (runtime/session/kernel_warm_up.h); a kernel that is first waits for nothing.
using KernelWarmUpFunction = void (*)();

struct KernelDecl {
  std::string op;
  KernelFactory factory = nullptr;
  std::optional<TypeConstraints> cpu;
  std::optional<TypeConstraints> gpu;
  std::vector<std::string> gpu_host_memory;  // argument names
  KernelTraits traits;
  KernelWarmUpFunction warm_up = nullptr;
  // Of what WB_GPU_KERNEL has attached: the kernel, and whether this build has code of real GPUs
  // for a node with such attributes.
  KernelFactory gpu_factory = nullptr;
  bool (*has_gpu_code)(const AttrMap& attrs) = nullptr;
};

class KernelDeclBuilder {
 public:
  KernelDeclBuilder(absl::string_view op, KernelFactory factory);
  KernelDeclBuilder& Cpu(TypeConstraints types = {});
  KernelDeclBuilder& Gpu(TypeConstraints types = {});
  KernelDeclBuilder& HostMemory(std::vector<std::string> args);
  KernelDeclBuilder& Cheap();
  KernelDeclBuilder& Async();
  KernelDeclBuilder& Unbounded();
  KernelDeclBuilder& WarmUp(KernelWarmUpFunction warm_up);
  const KernelDecl& decl() const { return decl_; }

 private:
  KernelDecl decl_;
};

class KernelRegistry final : public KernelCatalog {
 public:
  static KernelRegistry& Global();

  void Register(KernelDecl decl);
  // The declaration for a node of `schema` with `attrs` on a device type; null when there is none.
  const KernelDecl* Find(absl::string_view op, const AttrMap& attrs, DeviceType type) const;
  StatusOr<const KernelDecl*> Get(const OpSchema& schema, const AttrMap& attrs,
                                  DeviceType type) const;
  StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) const;

  // KernelCatalog:
  bool Supports(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const override;
  bool KnowsOp(absl::string_view op) const override;
  std::vector<std::string> Describe(absl::string_view op) const override;
  MemoryPlaces Memory(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const override;
  std::vector<const KernelDecl*> All() const;

 private:
  std::unordered_map<std::string, std::vector<std::unique_ptr<KernelDecl>>> decls_;
};

struct KernelRegistration {
  KernelRegistration(const KernelDeclBuilder& builder);  // NOLINT: the macro needs the conversion
};
// Attaches to the declarations of the op that are for GPUs, but not to those for GPUs alone with
// arguments in host memory or of objects.
struct GpuKernelRegistration {
  GpuKernelRegistration(const char* op, KernelFactory factory, bool (*has_code)(const AttrMap&));
};

}  // namespace warpbeam

// `Class` has a static Create(KernelInit&).
#define WB_KERNEL(op, Class)                                                                      \
  static const ::warpbeam::KernelRegistration WB_CONCAT(wb_kernel_registration_, __COUNTER__) =   \
      ::warpbeam::KernelDeclBuilder(                                                              \
          op, [](::warpbeam::KernelInit& init) -> StatusOr<std::unique_ptr<::warpbeam::Kernel>> { \
            return Class::Create(init);                                                           \
          })

// `Class` is a GpuKernel with a static Create(KernelInit&) and a static HasGpuCode(const AttrMap&).
#define WB_GPU_KERNEL(op, Class)                                                          \
  static const ::warpbeam::GpuKernelRegistration WB_CONCAT(wb_gpu_kernel_, __COUNTER__)(  \
      op,                                                                                 \
      [](::warpbeam::KernelInit& init) -> StatusOr<std::unique_ptr<::warpbeam::Kernel>> { \
        return Class::Create(init);                                                       \
      },                                                                                  \
      &Class::HasGpuCode)

#endif  // WARPBEAM_RUNTIME_KERNEL_KERNEL_REGISTRY_H_
