// ReverseSequence: the first seq_lengths[b] steps of each sequence reversed, the rest left alone.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/layout/sequence_dims.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ReverseSequenceShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape lengths, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(const SequenceDims dims, SequenceDims::FromAttrs(c.attrs()));
  PartialShape x = c.input(0);
  if (x.has_rank()) {
    WB_RETURN_IF_ERROR(dims.CheckRank(x.rank()));
    const int b = static_cast<int>(dims.batch);
    WB_ASSIGN_OR_RETURN(int64_t batch, MergeExtents(x.dim(b), lengths.dim(0)));
    x.set_dim(b, batch);
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

class ReverseSequenceKernel final : public Kernel {
 public:
  explicit ReverseSequenceKernel(const SequenceDims& dims) : dims_(dims) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const SequenceDims dims, SequenceDims::FromAttrs(init.attrs));
    return std::make_unique<ReverseSequenceKernel>(dims);
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_RETURN_IF_ERROR(dims_.Check(x.shape(), ctx.input(1).shape()));
    WB_ASSIGN_OR_RETURN(Dims lengths, ReadIndices(ctx.input(1), "seq_lengths"));
    const int seq = static_cast<int>(dims_.seq), batch = static_cast<int>(dims_.batch);
    for (int64_t length : lengths) {
      if (length < 0 || length > x.dim(seq)) {
        return InvalidArgument("a sequence length must be in [0, ", x.dim(seq), "], but is ",
                               length);
      }
    }
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
    return OkStatus();
  }

 private:
  const SequenceDims dims_;
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

Status ReverseSequenceGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(int64_t seq_dim, c.attr<int64_t>("seq_dim"));
  c.set_dx(0, c.Emit("ReverseSequence", {c.dy(0), c.x(1)},
                     {{"seq_dim", seq_dim}, {"batch_dim", c.attr_or<int64_t>("batch_dim", 0)}}));
  return OkStatus();
}
WB_GRADIENT("ReverseSequence", ReverseSequenceGradient);

}  // namespace
}  // namespace warpbeam
