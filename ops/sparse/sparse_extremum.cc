// SparseSparseMaximum, SparseSparseMinimum: element by element, what is not there being zero.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ExtremumShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape a, SparseInputShape(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape b, SparseInputShape(c, 3));
  // Operands of different ranks are the step's error: the graph with them can be loaded.
  const StatusOr<int64_t> merged = MergeExtents(a.dim(1), b.dim(1));
  const int64_t rank = merged.ok() ? *merged : -1;
  c.set_output(0, PartialShape({-1, rank}));
  c.set_output(1, PartialShape({-1}));
  return OkStatus();
}

template <bool kMaximum>
Status RunExtremum(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView a, ReadSparse(ctx, 0, "a"));
  WB_ASSIGN_OR_RETURN(const SparseView b, ReadSparse(ctx, 3, "b"));
  WB_RETURN_IF_ERROR(CheckSameShape(a, b));
  WB_RETURN_IF_ERROR(CheckBounds(a));
  WB_RETURN_IF_ERROR(CheckBounds(b));
  std::vector<std::pair<int64_t, int64_t>> rows;
  MergeRows(a, b, [&](int64_t i, int64_t j) { rows.emplace_back(i, j); });
  const int64_t count = static_cast<int64_t>(rows.size());
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({count, a.rank})));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({count})));
  int64_t* to = indices->data<int64_t>();
  for (const auto& [i, j] : rows) to = std::copy_n(i < 0 ? b.row(j) : a.row(i), a.rank, to);
  return DispatchTypes(RealTypeList{}, values->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T* out = values->data<T>();
    for (const auto& [i, j] : rows) {
      const T x = i < 0 ? T(0) : a.values->data<T>()[i];
      const T y = j < 0 ? T(0) : b.values->data<T>()[j];
      *out++ = (kMaximum ? y > x : y < x) ? y : x;
    }
    return OkStatus();
  });
}

Status ExtremumGradient(GradContext&) {
  return Unimplemented(
      "the extremum of two sparse tensors has no gradient; make one of them dense and use Maximum "
      "or Minimum");
}

WB_OP("SparseSparseMaximum")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}")
    .Shape(ExtremumShape);
WB_KERNEL("SparseSparseMaximum", FunctionKernel<RunExtremum<true>>).Cpu({{"T", kRealTypes}});
WB_GRADIENT("SparseSparseMaximum", ExtremumGradient);

WB_OP("SparseSparseMinimum")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
    .Shape(ExtremumShape);
WB_KERNEL("SparseSparseMinimum", FunctionKernel<RunExtremum<false>>).Cpu({{"T", kRealTypes}});
WB_GRADIENT("SparseSparseMinimum", ExtremumGradient);

}  // namespace
}  // namespace warpbeam
