#include "ops/signal/real_transform.h"

#include <utility>

#include "ops/signal/lines.h"

namespace warpbeam {

StatusOr<TransformLengths> TransformLengths::Read(const KernelContext& ctx, int rank,
                                                  bool spectrum_is_input) {
  const Tensor &x = ctx.input(0), &lengths = ctx.input(1);
  if (x.rank() < rank) {
    return InvalidArgument("the input must have a rank of at least ", rank, "; it is of shape ",
                           x.shape().ToString());
  }
  if (lengths.rank() != 1 || lengths.dim(0) != rank) {
    return InvalidArgument("'fft_length' must be of shape [", rank, "], not ",
                           lengths.shape().ToString());
  }
  TransformLengths result;
  for (int i = 0; i < rank; ++i) {
    const int64_t length = lengths.data<int32_t>()[i];
    if (length < 0) return InvalidArgument("fft_length[", i, "] must not be negative: ", length);
    result.lengths_.push_back(length);
    const int64_t given = x.dim(x.rank() - rank + i);
    const int64_t least = spectrum_is_input && i == rank - 1 ? SpectrumOf(length) : length;
    if (given != 0 && given < least) {
      return InvalidArgument("fft_length[", i, "] of ", length, " takes at least ", least,
                             " values along dimension ", x.rank() - rank + i,
                             " of the input; it is of shape ", x.shape().ToString());
    }
  }
  WB_RETURN_IF_ERROR(CheckLengths(result.lengths_));
  return result;
}

StatusOr<Shape> TransformLengths::WithLast(const Shape& input, int64_t last) const {
  const Span<const int64_t> dims = input.dims();
  std::vector<int64_t> all(dims.begin(), dims.end() - rank());
  all.insert(all.end(), lengths_.begin(), lengths_.end() - 1);
  all.push_back(last);
  return Shape::Make(all);
}

int64_t TransformLengths::Batches(const Shape& input) const {
  int64_t batches = 1;
  for (int i = 0; i < input.rank() - rank(); ++i) batches *= input.dim(i);
  return batches;
}

int64_t TransformLengths::Lines(const Shape& input) const {
  int64_t lines = Batches(input);
  for (int i = 0; i < rank() - 1; ++i) lines *= length(i);
  return lines;
}

int64_t TransformLengths::InputLine(const Shape& input, int64_t line) const {
  int64_t result = 0, stride = 1;
  for (int i = rank() - 2; i >= 0; --i) {
    const int64_t at = line % length(i), extent = input.dim(input.rank() - rank() + i);
    if (at >= extent) return -1;
    result += at * stride;
    stride *= extent;
    line /= length(i);
  }
  return result + line * stride;
}

Status RealTransformShape(ShapeContext& c, int rank, bool to_spectrum) {
  WB_ASSIGN_OR_RETURN(PartialShape out, c.WithRankAtLeast(0, rank));
  WB_ASSIGN_OR_RETURN(const PartialShape given, c.WithRank(1, 1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(given, PartialShape({rank})).status());
  if (!out.has_rank()) return OkStatus();
  const std::optional<Tensor> lengths = c.ConstantInput(1);
  for (int i = 0; i < rank; ++i) {
    int64_t length = lengths ? lengths->data<int32_t>()[i] : -1;
    if (lengths && length < 0) {
      return InvalidArgument("fft_length[", i, "] must not be negative: ", length);
    }
    if (to_spectrum && length > 0 && i == rank - 1) length = TransformLengths::SpectrumOf(length);
    out.set_dim(out.rank() - rank + i, length);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status CheckPrecision(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const DType real, init.attr<DType>("Treal"));
  WB_ASSIGN_OR_RETURN(const DType complex, init.attr<DType>("Tcomplex"));
  if ((real == DType::kDouble) == (complex == DType::kComplex128)) return OkStatus();
  return InvalidArgument("Treal and Tcomplex must have one precision: float and complex64, or ",
                         "double and complex128");
}

OutputRef PadTo(GradContext& c, OutputRef x, OutputRef shape) {
  const OutputRef missing = c.Sub(shape, c.ShapeOf(x));
  const OutputRef paddings = c.Emit("Pack", {{c.ZerosLike(missing), missing}}, {{"axis", 1}});
  return c.Emit("Pad", {x, paddings});
}

}  // namespace warpbeam
