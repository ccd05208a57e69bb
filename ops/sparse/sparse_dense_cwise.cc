// SparseDenseCwiseAdd, …Mul, …Div: a dense tensor, spread to the sparse one's shape, combined with
// the elements that the sparse one has.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

enum class Combine { kAdd, kMul, kDiv };

Status CwiseShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, SparseInputShape(c, 0));
  c.set_output(0, PartialShape({indices.dim(0)}));
  return OkStatus();
}

// Strides of the dense tensor for each dimension of the sparse one, zero where it is spread.
StatusOr<Dims> DenseStrides(const SparseView& x, const Shape& dense) {
  const int skip = x.rank - dense.rank();
  bool spreads = skip >= 0;
  for (int d = 0; spreads && d < dense.rank(); ++d) {
    spreads = dense.dim(d) == 1 || dense.dim(d) == x.dims[d + skip];
  }
  if (!spreads) {
    return InvalidArgument("it broadcasts dense to sparse only; got incompatible shapes: ",
                           RowToString(x.dims.data(), x.rank), " vs. ", dense.ToString());
  }
  const auto strides = RowMajorStrides(dense);
  Dims out(static_cast<size_t>(x.rank), 0);
  for (int d = 0; d < dense.rank(); ++d) {
    if (dense.dim(d) != 1) out[d + skip] = strides[d];
  }
  return out;
}

template <Combine kCombine, typename T>
Status CombineValues(const SparseView& x, const Dims& strides, const T* dense, T* out) {
  const T* values = x.values->data<T>();
  for (int64_t i = 0; i < x.count; ++i) {
    int64_t at = 0;
    for (int d = 0; d < x.rank; ++d) at += x.row(i)[d] * strides[d];
    const T a = values[i], b = dense[at];
    if constexpr (kCombine == Combine::kAdd) {
      out[i] = host_pass::Plus(a, b);
    } else if constexpr (kCombine == Combine::kMul) {
      out[i] = host_pass::Times(a, b);
    } else if constexpr (std::is_integral_v<T>) {
      if (b == 0) return InvalidArgument("Integer division by zero at element ", i);
      // The quotient of the least number by -1 wraps, as its negation does.
      out[i] = std::is_signed_v<T> && b == static_cast<T>(-1) ? host_pass::Minus(T(0), a)
                                                              : static_cast<T>(a / b);
    } else {
      out[i] = a / b;
    }
  }
  return OkStatus();
}

template <Combine kCombine>
Status RunCwise(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0, "sp"));
  const Tensor& dense = ctx.input(3);
  WB_ASSIGN_OR_RETURN(const Dims strides, DenseStrides(x, dense.shape()));
  WB_RETURN_IF_ERROR(CheckBounds(x));
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({x.count})));
  return DispatchTypes(RealTypeList{}, dense.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return CombineValues<kCombine>(x, strides, dense.data<T>(), out->data<T>());
  });
}

Status CwiseAddGradient(GradContext&) {
  return Unimplemented("SparseDenseCwiseAdd has no gradient; SparseTensorDenseAdd has one");
}

// Each element's place in the dense tensor is its place in the sparse one, divided by how many
// times the dense tensor is spread.
Status ProductGradient(GradContext& c, bool divides) {
  const OutputRef zero = c.Scalar<int32_t>(0);
  const OutputRef y_shape = c.ShapeOf(c.x(3), DType::kInt64);
  const OutputRef added = c.Sub(c.SizeOf(c.x(2)), c.SizeOf(y_shape));
  const OutputRef added_vector = c.Emit("ExpandDims", {added, zero});
  const OutputRef ones = c.Emit("Fill", {added_vector, c.Scalar<int64_t>(1)});
  const OutputRef full = c.Emit("ConcatV2", {{ones, y_shape}, zero});
  const OutputRef spread = c.Emit("FloorDiv", {c.x(2), full});
  const OutputRef places = c.Emit("FloorDiv", {c.x(0), spread});
  const OutputRef begin = c.Emit("ConcatV2", {{c.Ints({0}), added_vector}, zero});
  const OutputRef dense_places = c.Emit("Slice", {places, begin, c.Ints({-1, -1})});
  const OutputRef dense = c.Emit("GatherNd", {c.x(3), dense_places});
  OutputRef dy;
  if (divides) {
    c.set_dx(1, c.Div(c.dy(0), dense));
    dy = c.Mul(c.dy(0), c.Div(c.Neg(c.x(1)), c.Mul(dense, dense)));
  } else {
    c.set_dx(1, c.Mul(c.dy(0), dense));
    dy = c.Mul(c.dy(0), c.x(1));
  }
  c.set_dx(3, c.Emit("SparseTensorDenseAdd", {dense_places, dy, y_shape, c.ZerosLike(c.x(3))}));
  return OkStatus();
}
Status CwiseMulGradient(GradContext& c) { return ProductGradient(c, false); }
Status CwiseDivGradient(GradContext& c) { return ProductGradient(c, true); }

#define WB_SPARSE_DENSE_CWISE(op, combine, gradient)                                        \
  WB_OP(op)                                                                                 \
      .Input("sp_indices: int64")                                                           \
      .Input("sp_values: T")                                                                \
      .Input("sp_shape: int64")                                                             \
      .Input("dense: T")                                                                    \
      .Output("output: T")                                                                  \
      .Attr(                                                                                \
          "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, " \
          "qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")   \
      .Shape(CwiseShape);                                                                   \
  WB_KERNEL(op, FunctionKernel<RunCwise<combine>>).Cpu({{"T", kRealTypes}});                \
  WB_GRADIENT(op, gradient)

WB_SPARSE_DENSE_CWISE("SparseDenseCwiseAdd", Combine::kAdd, CwiseAddGradient);
WB_SPARSE_DENSE_CWISE("SparseDenseCwiseMul", Combine::kMul, CwiseMulGradient);
WB_SPARSE_DENSE_CWISE("SparseDenseCwiseDiv", Combine::kDiv, CwiseDivGradient);

}  // namespace
}  // namespace warpbeam
