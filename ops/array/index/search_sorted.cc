// LowerBound, UpperBound: where values belong in sorted rows. UnravelIndex:
// flat indices as tuples.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/index/sorted_search.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status SearchShape(ShapeContext &c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  WB_ASSIGN_OR_RETURN(PartialShape values, c.WithRank(1, 2));
  c.set_output(0, std::move(values));
  return OkStatus();
}

template <typename T, typename Index>
void SearchRows(KernelContext &ctx, const Tensor &sorted, const Tensor &values, bool upper,
                Tensor *y) {
  using V = ComputeType<T>;
  const int64_t width = sorted.dim(1), per_row = values.dim(1);
  ctx.ParallelFor(values.num_elements(), 20, [&](int64_t begin, int64_t end) {
    const auto less = [](T a, T b) { return static_cast<V>(a) < static_cast<V>(b); };
    for (int64_t i = begin; i < end; ++i) {
      const T *row = sorted.data<T>() + i / per_row * width;
      const T value = values.data<T>()[i];
      const T *at = upper ? std::upper_bound(row, row + width, value, less)
                          : std::lower_bound(row, row + width, value, less);
      y->data<Index>()[i] = static_cast<Index>(at - row);
    }
  });
}

template <bool upper>
Status RunSearch(KernelContext &ctx) {
  const Tensor &sorted = ctx.input(0);
  const Tensor &values = ctx.input(1);
  WB_RETURN_IF_ERROR(CheckSortedSearch(sorted.shape(), values.shape(), ctx.output_type(0)));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, values.shape()));
  return DispatchTypes(RealTypeList{}, sorted.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return DispatchIndex(ctx.output_type(0), [&](auto index_tag) -> Status {
      SearchRows<T, typename decltype(index_tag)::type>(ctx, sorted, values, upper, y);
      return OkStatus();
    });
  });
}

Status UnravelShape(ShapeContext &c) {
  const PartialShape &indices = c.input(0);
  WB_ASSIGN_OR_RETURN(PartialShape dims, c.WithRank(1, 1));
  if (!indices.has_rank()) return OkStatus();
  if (indices.rank() == 0) {
    c.set_output(0, std::move(dims));
  } else {
    c.set_output(0, PartialShape({dims.dim(0), indices.num_elements()}));
  }
  return OkStatus();
}

// How many elements there are, counted in the indices' type.
StatusOr<int64_t> ProductOf(const Dims &dims, DType index_type) {
  const int64_t most = index_type == DType::kInt32 ? INT32_MAX : INT64_MAX;
  int64_t total = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) {
      return InvalidArgument(
          "Input dims cannot contain a dim of zero, but dims contains zero at index ", i);
    }
    if (dims[i] < 0) {
      return InvalidArgument("Input dims cannot be negative. Got dim = ", dims[i], " at index ", i);
    }
    if (__builtin_mul_overflow(total, dims[i], &total) || total > most) {
      return InvalidArgument("Input dims product is causing integer overflow: (",
                             absl::StrJoin(dims, ","), ")");
    }
  }
  return total;
}

Status RunUnravel(KernelContext &ctx) {
  const Tensor &indices = ctx.input(0);
  if (indices.rank() > 1) {
    return InvalidArgument("The indices can only be scalar or vector, got \"",
                           indices.shape().ToString(), "\"");
  }
  if (ctx.input(1).rank() != 1) {
    return InvalidArgument("'dims' must be a vector, not of shape ",
                           ctx.input(1).shape().ToString());
  }
  if (indices.num_elements() == 0) {
    return InvalidArgument("received empty tensor indices of shape ", indices.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims flat, ReadIndices(indices, "indices"));
  WB_ASSIGN_OR_RETURN(Dims dims, ReadIndices(ctx.input(1), "dims"));
  WB_ASSIGN_OR_RETURN(const int64_t total, ProductOf(dims, indices.dtype()));
  const int64_t count = static_cast<int64_t>(flat.size());
  Dims tuples(flat.size() * dims.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = flat[static_cast<size_t>(i)];
    if (rest < 0 || rest >= total) {
      return InvalidArgument("index is out of bound as with dims: ", rest, " of ", total,
                             " elements");
    }
    for (size_t d = dims.size(); d-- > 0;) {
      tuples[d * flat.size() + static_cast<size_t>(i)] = rest % dims[d];
      rest /= dims[d];
    }
  }
  const int64_t rank = static_cast<int64_t>(dims.size());
  WB_ASSIGN_OR_RETURN(Tensor * y,
                      ctx.Allocate(0, indices.rank() == 0 ? Shape({rank}) : Shape({rank, count})));
  return WriteIndices(tuples, y);
}

WB_OP("LowerBound")
    .Input("sorted_inputs: T")
    .Input("values: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .Shape(SearchShape);
WB_KERNEL("LowerBound", FunctionKernel<RunSearch<false>>)
    .Cpu({{"T", kRealTypes}, {"out_type", kIndexTypes}})
    .Gpu({{"T", kRealTypes}, {"out_type", kIndexTypes}});

WB_OP("UpperBound")
    .Input("sorted_inputs: T")
    .Input("values: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .Shape(SearchShape);
WB_KERNEL("UpperBound", FunctionKernel<RunSearch<true>>)
    .Cpu({{"T", kRealTypes}, {"out_type", kIndexTypes}})
    .Gpu({{"T", kRealTypes}, {"out_type", kIndexTypes}});

WB_OP("UnravelIndex")
    .Input("indices: Tidx")
    .Input("dims: Tidx")
    .Output("output: Tidx")
    .Attr("Tidx: {int32, int64} = int32")
    .Shape(UnravelShape);
WB_KERNEL("UnravelIndex", FunctionKernel<RunUnravel>).Cpu({{"Tidx", kIndexTypes}});

}  // namespace
}  // namespace warpbeam
