// Moving channels: kernels compute on data whose channels come last; data with channels first
// (NCHW) is turned around before and after.
//
//   WB_ASSIGN_OR_RETURN(const Tensor x, ChannelsLast(ctx, ctx.input(0), format));
//   LastChannelsOutput y(ctx, 0, format);
//   WB_RETURN_IF_ERROR(y.Allocate(shape_with_channels_last));
//   … y.tensor() …
//   return y.Finish();
//
// Ownership: with channels last, results share the given buffers. Thread safety: one kernel call.
// Errors: RESOURCE_EXHAUSTED when there is no memory for the copies.
#ifndef WARPBEAM_OPS_NN_WINDOW_CHANNELS_H_
#define WARPBEAM_OPS_NN_WINDOW_CHANNELS_H_

#include "ops/nn/window/window.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// Whether the CPU takes data of this type with its channels first. So does TensorFlow's default
// build: its kernels for such data are oneDNN's, which know floats of 32 and 16 bits.
bool CpuTakesChannelsFirst(DType dtype);

// The tensor with its channels last: itself, or a copy.
StatusOr<Tensor> ChannelsLast(KernelContext& ctx, const Tensor& x, const DataFormat& format);

// to[i, c, r] = from[i, r, c], of dense data: takes channels from one side of the pixels to the
// other.
void TransposeInner(const KernelContext& ctx, DType dtype, int64_t batch, int64_t rows,
                    int64_t columns, const void* from, void* to);

// The shape with the channels last, and back.
Shape WithChannelsLast(const Shape& shape, const DataFormat& format);
Shape FromChannelsLast(const Shape& shape, const DataFormat& format);

// An output that is computed with its channels last.
class LastChannelsOutput {
 public:
  LastChannelsOutput(KernelContext& ctx, int index, const DataFormat& format)
      : ctx_(ctx), index_(index), format_(format) {}

  // `shape` has the channels last.
  Status Allocate(const Shape& shape);
  // May take over the buffer of input `input`, of the same shape, when channels are last.
  Status ForwardOrAllocate(int input, const Shape& shape);
  Tensor& tensor() { return *tensor_; }
  // Puts the channels where they belong; after it the output is whole.
  Status Finish();

 private:
  KernelContext& ctx_;
  const int index_;
  const DataFormat format_;
  Tensor temporary_;
  Tensor* tensor_ = nullptr;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_WINDOW_CHANNELS_H_
