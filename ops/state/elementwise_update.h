// to += from and to -= from over whole variables, split over threads.
//
//   WB_RETURN_IF_ERROR(UpdateElementwise(ctx, ScatterOp::kAdd, value, delta));
//   class AssignAddKernel : public Kernel, public BlockUpdate<ScatterOp::kAdd> { … };
//
// Thread safety: uses the context's threads; the caller holds the variable's lock. Errors:
// INVALID_ARGUMENT for shapes or dtypes that differ, UNIMPLEMENTED for a dtype without arithmetic.
#ifndef WARPBEAM_OPS_STATE_ELEMENTWISE_UPDATE_H_
#define WARPBEAM_OPS_STATE_ELEMENTWISE_UPDATE_H_

#include <mutex>
#include <utility>

#include "graph/types/errors.h"
#include "ops/array/index/scatter_rows.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

inline Status CheckElementwiseUpdate(const Tensor& to, const Tensor& from) {
  if (to.shape() != from.shape()) {
    return InvalidArgument("cannot update a variable of shape ", to.shape().ToString(),
                           " with a tensor of shape ", from.shape().ToString(),
                           "; shapes must be equal");
  }
  if (to.dtype() != from.dtype()) {
    return InvalidArgument("cannot update a variable of ", DTypeName(to.dtype()), " with ",
                           DTypeName(from.dtype()));
  }
  return OkStatus();
}

inline Status UpdateElementwise(const KernelContext& ctx, ScatterOp op, Tensor& to,
                                const Tensor& from) {
  WB_RETURN_IF_ERROR(CheckElementwiseUpdate(to, from));
  std::mutex mutex;
  Status status;
  ctx.ParallelFor(to.num_elements(), 1, [&](int64_t begin, int64_t end) {
    const int64_t row = 0;
    Status s = ScatterRows(op, to.dtype(), Advance(to.raw_data(), to.dtype(), begin),
                           MakeConstSpan(&row, 1), end - begin,
                           {Advance(from.raw_data(), to.dtype(), begin)});
    if (!s.ok()) {
      std::lock_guard<std::mutex> lock(mutex);
      status = std::move(s);
    }
  });
  return status;
}

// The block side of kernels that add to a variable, or subtract from it.
template <ScatterOp op>
class BlockUpdate : public BlockKernel {
 public:
  explicit BlockUpdate(DType dtype) : dtype_(dtype) {}
  int num_variables() const override { return 1; }
  int picoseconds() const override { return 250; }
  bool RunBlock(const BlockCall& call) const override {
    if (call.scalars != 0) return false;
    if (call.outputs[0] != call.inputs[0]) {
      CopyElements(dtype_, call.outputs[0], call.inputs[0], call.count);
    }
    const int64_t row = 0;
    return ScatterRows(op, dtype_, call.outputs[0], MakeConstSpan(&row, 1), call.count,
                       {call.inputs[1]})
        .ok();
  }

 private:
  const DType dtype_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_ELEMENTWISE_UPDATE_H_
