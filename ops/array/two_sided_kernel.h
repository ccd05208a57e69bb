// Two-sided kernels: the kernels for CPU and GPU of an op that does its work by means that exist
// for both, such as strided copies (ops/array/strided_copier.h). What the op checks and computes of
// shapes is written once.
//
//   Status RunSlice(KernelContext& ctx, StridedCopier& copier) { … }
//   using SliceOnHost = KernelOnHost<FunctionOp<RunSlice>, HostCopier>;
//   using SliceOnGpu = KernelOnGpu<FunctionOp<RunSlice>, GpuCopier>;
//
// An op with attributes is a class with a static Create(KernelInit&), which returns the class, and
// Run(KernelContext&, Means&) const, which several threads may be in. The means of the host are
// made of the context, those of a GPU of the stream; the latter say whether this build has their
// code (HasCode) and enqueue in Finish what they have put off. On a GPU Run reads no tensor of the
// device by itself. An op whose Run counts how often it was called says so (kCountsCalls = true).
//
// Thread safety and errors: as Kernel.
#ifndef WARPBEAM_OPS_ARRAY_TWO_SIDED_KERNEL_H_
#define WARPBEAM_OPS_ARRAY_TWO_SIDED_KERNEL_H_

#include <memory>
#include <type_traits>
#include <utility>

#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

namespace internal {
template <class Op, class = void>
inline constexpr bool kCountsCalls = false;
template <class Op>
inline constexpr bool kCountsCalls<Op, std::void_t<decltype(Op::kCountsCalls)>> = Op::kCountsCalls;
}  // namespace internal

template <auto kRun>
class FunctionOp {
 public:
  static StatusOr<FunctionOp> Create(KernelInit&) { return FunctionOp(); }
  template <class Means>
  Status Run(KernelContext& ctx, Means& means) const {
    return kRun(ctx, means);
  }
};

template <class Op, class Means>
class KernelOnHost final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(Op op, Op::Create(init));
    return std::make_unique<KernelOnHost>(std::move(op));
  }
  explicit KernelOnHost(Op op) : op_(std::move(op)) {}
  Status Compute(KernelContext& ctx) override {
    Means means(ctx);
    return op_.Run(ctx, means);
  }

 private:
  const Op op_;
};

template <class Op, class Means>
class KernelOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(Op op, Op::Create(init));
    return std::make_unique<KernelOnGpu>(std::move(op));
  }
  static bool HasGpuCode(const AttrMap&) { return Means::HasCode(); }
  explicit KernelOnGpu(Op op) : op_(std::move(op)) {}
  bool is_replayable() const override { return !internal::kCountsCalls<Op>; }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    Means means(stream);
    WB_RETURN_IF_ERROR(op_.Run(ctx, means));
    return means.Finish();
  }

 private:
  const Op op_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_TWO_SIDED_KERNEL_H_
