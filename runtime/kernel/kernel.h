// Kernel: HOW one node computes. A kernel is built once for a node of a compiled plan and then runs
// many times, possibly from several threads at once.
//
//   class SquareKernel final : public Kernel {
//    public:
//     static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
//       return std::make_unique<SquareKernel>();
//     }
//     Status Compute(KernelContext& ctx) override {
//       const Tensor& x = ctx.input(0);
//       WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
//       …
//       return OkStatus();
//     }
//   };
//
// Attributes are read in Create, never in Compute. State that outlives a step (a variable, a random
// stream's position) belongs to the kernel or to the ResourceStore and is locked by its owner.
//
// Errors: Create and Compute return a status without the node's name; the caller adds node, op and
// device. Nothing throws.
#ifndef WARPBEAM_RUNTIME_KERNEL_KERNEL_H_
#define WARPBEAM_RUNTIME_KERNEL_KERNEL_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/op/op_schema.h"
#include "graph/types/errors.h"
#include "placement/device_name.h"

namespace warpbeam {

class Device;
class KernelContext;
class ResourceStore;
class FunctionRunner;

// What a kernel may look at while it is built.
struct KernelInit {
  const std::string& node_name;
  const OpSchema& schema;
  const AttrMap& attrs;
  const std::vector<DType>& input_types;
  const std::vector<DType>& output_types;
  DeviceType device_type;
  Device* device;             // the device that it will run on; may be null in tests
  ResourceStore* resources;   // of the session; may be null in tests
  FunctionRunner* functions;  // calls library functions; may be null where there are none

  template <typename T>
  StatusOr<T> attr(absl::string_view name) const {
    return attrs.Get<T>(StdView(name));
  }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Status Compute(KernelContext& ctx) = 0;

  // An asynchronous kernel may return from ComputeAsync before it has finished and must then call
  // `done` exactly once, from any thread. It never holds a thread while it waits.
  using Done = std::function<void(Status)>;
  virtual bool is_async() const { return false; }
  virtual void ComputeAsync(KernelContext& ctx, Done done);
};

class AsyncKernel : public Kernel {
 public:
  bool is_async() const final { return true; }
  // Blocks until ComputeAsync is done; for callers outside the executor.
  Status Compute(KernelContext& ctx) override;
  void ComputeAsync(KernelContext& ctx, Done done) override = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_KERNEL_H_
