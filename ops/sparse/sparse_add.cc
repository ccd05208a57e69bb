// SparseAdd: the sum of two sparse tensors without elements below a threshold. SparseAddGrad: which
// elements of the sum each operand's elements went into.
#include <cmath>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using AddTypes = ConcatTypes<TypeList<float, double>, SignedTypeList, ComplexTypeList>;
constexpr TypeSet kAddTypes = TypeSetOf(AddTypes{});

template <typename T>
struct Real {
  using type = T;
};
template <typename T>
struct Real<std::complex<T>> {
  using type = T;
};

template <typename T>
auto Magnitude(T x) {
  if constexpr (kIsComplex<T>) {
    return std::abs(x);
  } else {
    return host_pass::Abs(x);
  }
}

Status AddShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  WB_RETURN_IF_ERROR(SparseInputShape(c, 3).status());
  WB_RETURN_IF_ERROR(c.WithRank(6, 0).status());
  WB_ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(2, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(5, 1));
  WB_ASSIGN_OR_RETURN(const int64_t rank, MergeExtents(a.dim(0), b.dim(0)));
  SetSparseOutput(c, 0, -1, rank);
  return OkStatus();
}

// The rows of the sum: which row of each operand, or -1, and the value.
template <typename T>
struct Sum {
  std::vector<std::pair<int64_t, int64_t>> rows;
  std::vector<T> values;
};

template <typename T>
Sum<T> AddRows(const SparseView& a, const SparseView& b, typename Real<T>::type threshold) {
  const T *x = a.values->data<T>(), *y = b.values->data<T>();
  Sum<T> sum;
  MergeRows(a, b, [&](int64_t i, int64_t j) {
    const T value = i < 0 ? y[j] : j < 0 ? x[i] : host_pass::Plus(x[i], y[j]);
    if (!(Magnitude(value) >= threshold)) return;
    sum.rows.emplace_back(i, j);
    sum.values.push_back(value);
  });
  return sum;
}

Status RunAdd(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView a, ReadSparse(ctx, 0, "a"));
  WB_ASSIGN_OR_RETURN(const SparseView b, ReadSparse(ctx, 3, "b"));
  WB_RETURN_IF_ERROR(CheckSameShape(a, b));
  const Tensor& threshold = ctx.input(6);
  if (a.rank == 0) return InvalidArgument("sparse tensors without dimensions cannot be added");
  if (threshold.rank() != 0) {
    return InvalidArgument("'thresh' must be a scalar, but has shape ",
                           threshold.shape().ToString());
  }
  return DispatchTypes(AddTypes{}, a.values->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    using R = typename Real<T>::type;
    if (threshold.dtype() != DTypeOf<R>::value) {
      return InvalidArgument("'thresh' must be ", DTypeName(DTypeOf<R>::value), " for values of ",
                             DTypeName(a.values->dtype()), ", but is ",
                             DTypeName(threshold.dtype()));
    }
    const Sum<T> sum = AddRows<T>(a, b, threshold.scalar<R>());
    const int64_t count = static_cast<int64_t>(sum.rows.size());
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({count, a.rank})));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({count})));
    int64_t* to = indices->data<int64_t>();
    for (const auto& [i, j] : sum.rows) to = std::copy_n(i < 0 ? b.row(j) : a.row(i), a.rank, to);
    std::copy(sum.values.begin(), sum.values.end(), values->data<T>());
    ctx.set_output(2, ctx.input(2));
    return OkStatus();
  });
}

Status AddGradShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(3, 2).status());
  for (int i = 0; i < 2; ++i) {
    WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(i + 1, 2));
    c.set_output(i, PartialShape({indices.dim(0)}));
  }
  return OkStatus();
}

Status RunAddGrad(KernelContext& ctx) {
  const Tensor& dy = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const SparseView a, ReadRows(ctx.input(1), "a_indices"));
  WB_ASSIGN_OR_RETURN(const SparseView b, ReadRows(ctx.input(2), "b_indices"));
  WB_ASSIGN_OR_RETURN(const SparseView sum, ReadRows(ctx.input(3), "sum_indices"));
  if (a.rank != sum.rank || b.rank != sum.rank) {
    return InvalidArgument("'a_indices', 'b_indices' and 'sum_indices' must have equally many ",
                           "columns, but have ", a.rank, ", ", b.rank, " and ", sum.rank);
  }
  if (dy.rank() != 1 || dy.dim(0) != sum.count) {
    return InvalidArgument("'backprop_val_grad' must be a vector of one value for each of ",
                           sum.count, " rows of 'sum_indices', but has shape ",
                           dy.shape().ToString());
  }
  return DispatchTypes(AddTypes{}, dy.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    for (int k = 0; k < 2; ++k) {
      const SparseView& x = k == 0 ? a : b;
      WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(k, Shape({x.count})));
      T* to = dx->data<T>();
      std::fill_n(to, x.count, T(0));
      MergeRows(x, sum, [&](int64_t i, int64_t j) {
        if (i >= 0 && j >= 0) to[i] = dy.data<T>()[j];
      });
    }
    return OkStatus();
  });
}

Status AddGradient(GradContext& c) {
  const std::vector<OutputRef> dx = c.EmitAll("SparseAddGrad", {c.dy(1), c.x(0), c.x(3), c.y(0)});
  if (dx.size() != 2) return c.status();
  c.set_dx(1, dx[0]);
  c.set_dx(4, dx[1]);
  return OkStatus();
}

#define WB_ADD_NUMBERS                                                                      \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, " \
  "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"

WB_OP("SparseAdd")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Input("thresh: Treal")
    .Output("sum_indices: int64")
    .Output("sum_values: T")
    .Output("sum_shape: int64")
    .Attr(WB_ADD_NUMBERS)
    .Attr(
        "Treal: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
        "uint32, uint64}")
    .Shape(AddShape);
WB_KERNEL("SparseAdd", FunctionKernel<RunAdd>).Cpu({{"T", kAddTypes}});
WB_GRADIENT("SparseAdd", AddGradient);

WB_OP("SparseAddGrad")
    .Input("backprop_val_grad: T")
    .Input("a_indices: int64")
    .Input("b_indices: int64")
    .Input("sum_indices: int64")
    .Output("a_val_grad: T")
    .Output("b_val_grad: T")
    .Attr(WB_ADD_NUMBERS)
    .Shape(AddGradShape);
WB_KERNEL("SparseAddGrad", FunctionKernel<RunAddGrad>).Cpu({{"T", kAddTypes}});
WB_NO_GRADIENT("SparseAddGrad");

}  // namespace
}  // namespace warpbeam
