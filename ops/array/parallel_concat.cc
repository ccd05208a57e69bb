// ParallelConcat: rows written into one tensor, each as soon as it is there. Here they are all
// there when the kernel runs; the result is the same.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ParallelConcatShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  if (!shape.IsFullyDefined()) {
    return InvalidArgument("shape attr must be fully defined, not ", shape.ToString());
  }
  if (shape.rank() < 1) return InvalidArgument("shape attr must have at least 1 dimension");
  PartialShape row = shape;
  row.set_dim(0, 1);
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialShape& x = c.input(i);
    if (x.has_rank() && (x.rank() == 0 || (x.dim(0) >= 0 && x.dim(0) != 1))) {
      return InvalidArgument("Size of first dimension must be 1, but input ", i, " has shape ",
                             x.ToString());
    }
    auto merged = PartialShape::Merge(row, x);
    if (!merged.ok()) {
      return Annotate(merged.status(), absl::StrCat("input ", i, " is no row of the result"));
    }
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

class ParallelConcat {
 public:
  static StatusOr<ParallelConcat> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PartialShape partial, init.attr<PartialShape>("shape"));
    WB_ASSIGN_OR_RETURN(Shape shape, partial.AsShape());
    if (shape.rank() < 1) return InvalidArgument("'shape' must have a rank of at least 1");
    return ParallelConcat(std::move(shape));
  }
  explicit ParallelConcat(Shape shape) : shape_(std::move(shape)) {}

  Status Run(KernelContext& ctx, StridedCopier& copier) const {
    const int64_t rows = shape_.dim(0);
    WB_ASSIGN_OR_RETURN(const Shape row, shape_.WithDim(0, 1));
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).shape() != row) {
        return InvalidArgument("input ", i, " must be one row of ", shape_.ToString(),
                               ", but has shape ", ctx.input(i).shape().ToString());
      }
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape_));
    if (shape_.num_elements() == 0) return OkStatus();
    const int64_t width = row.num_elements();
    if (rows > ctx.num_inputs()) {
      WB_RETURN_IF_ERROR(copier.Zero(y->dtype(), y->raw_data(), y->num_elements()));
    }
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (i > 0 && i % rows == 0) WB_RETURN_IF_ERROR(copier.Then());  // the last one stays
      WB_RETURN_IF_ERROR(copier.Copy(y->dtype(),
                                     Advance(y->raw_data(), y->dtype(), i % rows * width),
                                     ctx.input(i).raw_data(), {{width, 1, 1}}));
    }
    return OkStatus();
  }

 private:
  Shape shape_;
};

WB_OP("ParallelConcat")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("shape: shape")
    .Shape(ParallelConcatShape);
WB_KERNEL("ParallelConcat", MovingKernel<ParallelConcat>)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kString}}})
    .Gpu({{"T", kFloatingTypes}});
WB_GPU_KERNEL("ParallelConcat", MovingKernelOnGpu<ParallelConcat>);

}  // namespace
}  // namespace warpbeam
