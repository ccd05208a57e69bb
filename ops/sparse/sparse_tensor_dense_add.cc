// SparseTensorDenseAdd: a dense tensor with the elements of a sparse one of its shape added.
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

Status AddShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  c.set_output(0, c.input(3));
  return OkStatus();
}

Status CheckOperands(const Tensor& indices, const Tensor& values, const Tensor& shape,
                     const Tensor& b) {
  if (indices.rank() != 2 || values.rank() != 1 || values.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "'a_indices' must be a matrix and 'a_values' a vector of one value per row of it, but they "
        "have shapes ",
        indices.shape().ToString(), " and ", values.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const Shape dense, ReadShape(shape, "a_shape"));
  if (dense != b.shape()) {
    return InvalidArgument("'a_shape' is ", dense.ToString(), ", but 'b' has shape ",
                           b.shape().ToString());
  }
  if (indices.dim(1) != b.rank()) {
    return InvalidArgument("'a_indices' has ", indices.dim(1), " columns for ", b.rank(),
                           " dimensions");
  }
  if (b.rank() == 0) return InvalidArgument("'b' must have dimensions, but is a scalar");
  return OkStatus();
}

template <typename T, typename Index>
Status AddValues(const Tensor& indices, const Tensor& values, Tensor* y) {
  const Index* row = indices.data<Index>();
  const int rank = y->rank();
  const auto strides = RowMajorStrides(y->shape());
  for (int64_t i = 0; i < values.dim(0); ++i, row += rank) {
    int64_t at = 0;
    for (int d = 0; d < rank; ++d) {
      if (row[d] < 0 || row[d] >= y->dim(d)) {
        return InvalidArgument("Sparse tensor has an invalid index on dimension ", d,
                               ": a_indices(", i, ",", d, ") = ", row[d], " is not in [0, ",
                               y->dim(d), ")");
      }
      at += row[d] * strides[d];
    }
    T& to = y->data<T>()[at];
    to = host_pass::Plus(to, values.data<T>()[i]);
  }
  return OkStatus();
}

Status RunAdd(KernelContext& ctx) {
  const Tensor &indices = ctx.input(0), &values = ctx.input(1), &b = ctx.input(3);
  WB_RETURN_IF_ERROR(CheckOperands(indices, values, ctx.input(2), b));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({3}, 0, b.shape()));
  if (y->raw_data() != b.raw_data()) {
    CopyRange(ctx, y->dtype(), y->raw_data(), b.raw_data(), b.num_elements());
  }
  return DispatchTypes(NumberTypeList{}, y->dtype(), [&](auto tag) {
    return DispatchIndex(indices.dtype(), [&](auto index_tag) {
      return AddValues<typename decltype(tag)::type, typename decltype(index_tag)::type>(indices,
                                                                                         values, y);
    });
  });
}

Status AddGradient(GradContext& c) {
  c.set_dx(1, c.Emit("GatherNd", {c.dy(0), c.x(0)}));
  c.set_dx(3, c.dy(0));
  return OkStatus();
}

WB_OP("SparseTensorDenseAdd")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: Tindices")
    .Input("b: T")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .Shape(AddShape);
WB_KERNEL("SparseTensorDenseAdd", FunctionKernel<RunAdd>)
    .Cpu({{"T", kNumberTypes}, {"Tindices", kIndexTypes}});
WB_GRADIENT("SparseTensorDenseAdd", AddGradient);

}  // namespace
}  // namespace warpbeam
