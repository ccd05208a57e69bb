// HostContext: a context for host code in the place of a kernel's on a device with memory of its
// own: what is allocated through it, and its one output, lie in host memory.
//
//   HostContext host(ctx);                         // ctx: of a kernel on a GPU
//   WB_ASSIGN_OR_RETURN(Tensor t, host.context().AllocateTemp(DType::kFloat, Shape({2})));
//
// Ownership: the kernel's context outlives it. Thread safety: as KernelContext. Errors: none.
#ifndef WARPBEAM_RUNTIME_COMM_HOST_CONTEXT_H_
#define WARPBEAM_RUNTIME_COMM_HOST_CONTEXT_H_

#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

class HostContext {
 public:
  explicit HostContext(const KernelContext& kernel)
      : type_(kernel.output_type(0)), context_(&output_, info_, nullptr, kernel.step()) {
    info_.output_types = &type_;
    info_.num_outputs = 1;
  }
  HostContext(const HostContext&) = delete;
  HostContext& operator=(const HostContext&) = delete;

  KernelContext& context() { return context_; }

 private:
  const DType type_;
  Slot output_;
  KernelContext::NodeInfo info_ = {};
  KernelContext context_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_HOST_CONTEXT_H_
