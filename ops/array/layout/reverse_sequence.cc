// ReverseSequence: the first seq_lengths[b] steps of each sequence reversed, the rest left alone.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

absl::Status CheckDimensions(int64_t seq_dim, int64_t batch_dim, int rank) {
  if (seq_dim < 0 || seq_dim >= rank) {
    return InvalidArgument("seq_dim must be < input rank and not negative: ", seq_dim, " against ",
                           rank);
  }
  if (batch_dim < 0 || batch_dim >= rank) {
    return InvalidArgument("batch_dim must be < input rank and not negative: ", batch_dim,
                           " against ", rank);
  }
  return absl::OkStatus();
}

absl::Status ReverseSequenceShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape lengths, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(int64_t seq_dim, c.attr<int64_t>("seq_dim"));
  WB_ASSIGN_OR_RETURN(int64_t batch_dim, c.attr<int64_t>("batch_dim"));
  PartialShape x = c.input(0);
  if (x.has_rank()) {
    WB_RETURN_IF_ERROR(CheckDimensions(seq_dim, batch_dim, x.rank()));
    const int b = static_cast<int>(batch_dim);
    WB_ASSIGN_OR_RETURN(int64_t batch, MergeExtents(x.dim(b), lengths.dim(0)));
    x.set_dim(b, batch);
  }
  c.set_output(0, std::move(x));
  return absl::OkStatus();
}

class ReverseSequenceKernel final : public Kernel {
 public:
  ReverseSequenceKernel(int64_t seq_dim, int64_t batch_dim)
      : seq_dim_(seq_dim), batch_dim_(batch_dim) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(int64_t seq_dim, init.attr<int64_t>("seq_dim"));
    WB_ASSIGN_OR_RETURN(int64_t batch_dim, init.attr<int64_t>("batch_dim"));
    return std::make_unique<ReverseSequenceKernel>(seq_dim, batch_dim);
  }

  absl::Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Dims lengths, ReadIndices(ctx.input(1), "seq_lengths"));
    WB_RETURN_IF_ERROR(Check(x, ctx.input(1), lengths));
    const int seq = static_cast<int>(seq_dim_), batch = static_cast<int>(batch_dim_);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    const auto strides = RowMajorStrides(x.shape());
    const int64_t seq_stride = strides[static_cast<size_t>(seq)];
    for (size_t b = 0; b < lengths.size(); ++b) {
      CopyDims dims;
      for (int i = 0; i < x.rank(); ++i) {
        const int64_t stride = strides[static_cast<size_t>(i)];
        if (i != batch && i != seq) dims.push_back({x.dim(i), stride, stride});
      }
      const int64_t start = static_cast<int64_t>(b) * strides[static_cast<size_t>(batch)];
      const int64_t length = lengths[b];
      CopyDims reversed = dims;
      reversed.push_back({length, -seq_stride, seq_stride});
      if (length > 0) {
        StridedCopy(ctx, x.dtype(), Advance(y->raw_data(), x.dtype(), start),
                    Advance(x.raw_data(), x.dtype(), start + (length - 1) * seq_stride), reversed);
      }
      dims.push_back({x.dim(seq) - length, seq_stride, seq_stride});
      const int64_t rest = start + length * seq_stride;
      StridedCopy(ctx, x.dtype(), Advance(y->raw_data(), x.dtype(), rest),
                  Advance(x.raw_data(), x.dtype(), rest), dims);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Check(const Tensor& x, const Tensor& lengths_input, const Dims& lengths) const {
    if (batch_dim_ == seq_dim_) {
      return InvalidArgument(
          "batch_dim == seq_dim: sequences lie along other dimensions than the "
          "one they are in; both are ",
          seq_dim_);
    }
    WB_RETURN_IF_ERROR(CheckDimensions(seq_dim_, batch_dim_, x.rank()));
    if (lengths_input.rank() != 1 ||
        lengths_input.num_elements() != x.dim(static_cast<int>(batch_dim_))) {
      return InvalidArgument("'seq_lengths' must be a vector of one length for each of ",
                             x.dim(static_cast<int>(batch_dim_)), " sequences, not of shape ",
                             lengths_input.shape().ToString());
    }
    for (int64_t length : lengths) {
      if (length < 0 || length > x.dim(static_cast<int>(seq_dim_))) {
        return InvalidArgument("a sequence length must be in [0, ",
                               x.dim(static_cast<int>(seq_dim_)), "], but is ", length);
      }
    }
    return absl::OkStatus();
  }

  const int64_t seq_dim_, batch_dim_;
};

WB_OP("ReverseSequence")
    .Input("input: T")
    .Input("seq_lengths: Tlen")
    .Output("output: T")
    .Attr("seq_dim: int")
    .Attr("batch_dim: int = 0")
    .Attr("T: type")
    .Attr("Tlen: {int32, int64} = int64")
    .Shape(ReverseSequenceShape);
WB_KERNEL("ReverseSequence", ReverseSequenceKernel)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kString}}, {"Tlen", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | TypeSet{DType::kBool}}, {"Tlen", kIndexTypes}});

absl::Status ReverseSequenceGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(int64_t seq_dim, c.attr<int64_t>("seq_dim"));
  c.set_dx(0, c.Emit("ReverseSequence", {c.dy(0), c.x(1)},
                     {{"seq_dim", seq_dim}, {"batch_dim", c.attr_or<int64_t>("batch_dim", 0)}}));
  return absl::OkStatus();
}
WB_GRADIENT("ReverseSequence", ReverseSequenceGradient);

}  // namespace
}  // namespace warpbeam
