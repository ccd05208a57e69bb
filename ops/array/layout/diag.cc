// Diag, DiagPart: a tensor as the diagonal of one of twice its rank.
// MatrixBandPart: all but a band of matrices set to zero.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/layout/band.h"
#include "ops/array/moving_kernel.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status DiagShape(ShapeContext &c) {
  WB_ASSIGN_OR_RETURN(PartialShape in, c.WithRankAtLeast(0, 1));
  if (!in.has_rank()) return OkStatus();
  std::vector<int64_t> dims = in.dims();
  dims.insert(dims.end(), in.dims().begin(), in.dims().end());
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

// The shape of the diagonal: both halves of the input's dimensions must be
// equal.
StatusOr<PartialShape> HalfOf(const PartialShape &in) {
  if (in.rank() == 0 || in.rank() % 2 != 0) {
    return InvalidArgument("the input must have an even rank above 0, not the shape ",
                           in.ToString());
  }
  const auto middle = in.dims().begin() + in.rank() / 2;
  return PartialShape::Merge(PartialShape(std::vector<int64_t>(in.dims().begin(), middle)),
                             PartialShape(std::vector<int64_t>(middle, in.dims().end())));
}

Status DiagPartShape(ShapeContext &c) {
  if (!c.input(0).has_rank()) return OkStatus();
  WB_ASSIGN_OR_RETURN(PartialShape out, HalfOf(c.input(0)));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status RunDiag(KernelContext &ctx, StridedCopier &copier) {
  const Tensor &x = ctx.input(0);
  if (x.rank() == 0) return InvalidArgument("the diagonal must be at least a vector");
  Dims dims(x.shape().dims().begin(), x.shape().dims().end());
  dims.insert(dims.end(), x.shape().dims().begin(), x.shape().dims().end());
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  WB_RETURN_IF_ERROR(copier.Zero(y->dtype(), y->raw_data(), y->num_elements()));
  const int64_t n = x.num_elements();
  return copier.Copy(x.dtype(), y->raw_data(), x.raw_data(), {{n, 1, n + 1}});
}

Status RunDiagPart(KernelContext &ctx, StridedCopier &copier) {
  const Tensor &x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(PartialShape half, HalfOf(x.shape()));
  WB_ASSIGN_OR_RETURN(Shape shape, half.AsShape());
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  const int64_t n = shape.num_elements();
  return copier.Copy(x.dtype(), y->raw_data(), x.raw_data(), {{n, n + 1, 1}});
}

Status BandShape(ShapeContext &c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status RunBandPart(KernelContext &ctx) {
  const Tensor &x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const Band band, Band::Read(ctx));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
  if (x.num_elements() == 0) return OkStatus();
  return DispatchPlainElements(x.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T *from = static_cast<const T *>(x.raw_data());
    T *to = static_cast<T *>(y->raw_data());
    ctx.ParallelFor(
        x.num_elements() / band.cols, band.cols / 4 + 1, [&](int64_t begin, int64_t end) {
          const int64_t cols = band.cols;
          for (int64_t r = begin; r < end; ++r) {
            const int64_t row = r % band.rows;
            const int64_t first = std::min(cols, std::max<int64_t>(0, row - band.below));
            const int64_t last = std::max(first, std::min(cols, row + band.above + 1));
            std::fill(to + r * cols, to + r * cols + first, T());
            if (from != to)
              std::copy(from + r * cols + first, from + r * cols + last, to + r * cols + first);
            std::fill(to + r * cols + last, to + (r + 1) * cols, T());
          }
        });
    return OkStatus();
  });
}

Status DiagGradient(GradContext &c) {
  c.set_dx(0, c.Emit("DiagPart", {c.dy(0)}));
  return OkStatus();
}
Status DiagPartGradient(GradContext &c) {
  c.set_dx(0, c.Emit("Diag", {c.dy(0)}));
  return OkStatus();
}
Status BandGradient(GradContext &c) {
  c.set_dx(0, c.Emit("MatrixBandPart", {c.dy(0), c.x(1), c.x(2)}));
  return OkStatus();
}

WB_OP("Diag")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr(
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}")
    .Shape(DiagShape);
WB_KERNEL("Diag", MovingKernel<FunctionOp<RunDiag>>)
    .Cpu({{"T",
           kComplexTypes | kIndexTypes | TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}})
    .Gpu({{"T",
           kComplexTypes | kIndexTypes | TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}});
WB_GPU_KERNEL("Diag", MovingKernelOnGpu<FunctionOp<RunDiag>>);

WB_GRADIENT("Diag", DiagGradient);

WB_OP("DiagPart")
    .Input("input: T")
    .Output("diagonal: T")
    .Attr(
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}")
    .Shape(DiagPartShape);
WB_KERNEL("DiagPart", MovingKernel<FunctionOp<RunDiagPart>>)
    .Cpu({{"T",
           kComplexTypes | kIndexTypes | TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}})
    .Gpu({{"T",
           kComplexTypes | kIndexTypes | TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}});
WB_GPU_KERNEL("DiagPart", MovingKernelOnGpu<FunctionOp<RunDiagPart>>);

WB_GRADIENT("DiagPart", DiagPartGradient);

WB_OP("MatrixBandPart")
    .Input("input: T")
    .Input("num_lower: Tindex")
    .Input("num_upper: Tindex")
    .Output("band: T")
    .Attr("T: type")
    .Attr("Tindex: {int32, int64} = int64")
    .Shape(BandShape);
WB_KERNEL("MatrixBandPart", FunctionKernel<RunBandPart>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}})
    .HostMemory({"num_lower", "num_upper"});

WB_GRADIENT("MatrixBandPart", BandGradient);

// Its name before MatrixBandPart.
WB_OP("BatchMatrixBandPart")
    .Input("input: T")
    .Input("num_lower: int64")
    .Input("num_upper: int64")
    .Output("band: T")
    .Attr("T: type")
    .Deprecated(14, "use MatrixBandPart")
    .Shape(BandShape);
WB_KERNEL("BatchMatrixBandPart", FunctionKernel<RunBandPart>)
    .Cpu({{"T", kNumberTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"num_lower", "num_upper"});

}  // namespace
}  // namespace warpbeam
