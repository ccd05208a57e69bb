#include "ops/nn/window/channels.h"

#include "ops/array/strided_copy.h"

namespace warpbeam {

void TransposeInner(const KernelContext& ctx, DType dtype, int64_t batch, int64_t rows,
                    int64_t columns, const void* from, void* to) {
  const int64_t matrix = rows * columns;
  StridedCopy(ctx, dtype, to, from,
              {{batch, matrix, matrix}, {columns, 1, rows}, {rows, columns, 1}});
}

bool CpuTakesChannelsFirst(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kBFloat16 || dtype == DType::kHalf;
}

Shape WithChannelsLast(const Shape& shape, const DataFormat& format) {
  if (!format.channels_first || shape.rank() < 2) return shape;
  auto moved = shape.Remove(1).Insert(shape.rank() - 1, shape.dim(1));
  return moved.ok() ? *std::move(moved) : shape;
}

Shape FromChannelsLast(const Shape& shape, const DataFormat& format) {
  if (!format.channels_first || shape.rank() < 2) return shape;
  auto moved = shape.Remove(shape.rank() - 1).Insert(1, shape.dim(shape.rank() - 1));
  return moved.ok() ? *std::move(moved) : shape;
}

StatusOr<Tensor> ChannelsLast(KernelContext& ctx, const Tensor& x, const DataFormat& format) {
  if (!format.channels_first || x.rank() < 2) return x;
  WB_ASSIGN_OR_RETURN(Tensor moved,
                      ctx.AllocateTemp(x.dtype(), WithChannelsLast(x.shape(), format)));
  if (x.num_elements() == 0) return moved;
  const int64_t batch = x.dim(0), channels = x.dim(1);
  TransposeInner(ctx, x.dtype(), batch, channels, x.num_elements() / (batch * channels),
                 x.raw_data(), moved.raw_data());
  return moved;
}

Status LastChannelsOutput::Allocate(const Shape& shape) {
  if (format_.channels_first) {
    WB_ASSIGN_OR_RETURN(temporary_, ctx_.AllocateTemp(ctx_.output_type(index_), shape));
    tensor_ = &temporary_;
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(tensor_, ctx_.Allocate(index_, shape));
  return OkStatus();
}

Status LastChannelsOutput::ForwardOrAllocate(int input, const Shape& shape) {
  if (format_.channels_first) return Allocate(shape);
  WB_ASSIGN_OR_RETURN(tensor_, ctx_.ForwardOrAllocate({input}, index_, shape));
  return OkStatus();
}

Status LastChannelsOutput::Finish() {
  if (!format_.channels_first) return OkStatus();
  const Tensor& x = temporary_;
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx_.Allocate(index_, FromChannelsLast(x.shape(), format_)));
  if (x.num_elements() == 0) return OkStatus();
  const int64_t batch = x.dim(0), channels = x.dim(x.rank() - 1);
  TransposeInner(ctx_, x.dtype(), batch, x.num_elements() / (batch * channels), channels,
                 x.raw_data(), y->raw_data());
  return OkStatus();
}

}  // namespace warpbeam
