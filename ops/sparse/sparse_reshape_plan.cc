#include "ops/sparse/sparse_reshape_plan.h"

#include <utility>

#include "ops/sparse/sparse_tensor.h"

namespace warpbeam {
namespace {

// The extents asked for, with the one that is left open filled in.
StatusOr<Dims> Resolve(Dims wanted, const Shape& from) {
  int open = -1;
  int64_t product = 1;
  for (size_t d = 0; d < wanted.size(); ++d) {
    if (wanted[d] == -1) {
      if (open >= 0) {
        return InvalidArgument("only one output dimension may be -1, not both ", open, " and ", d);
      }
      open = static_cast<int>(d);
    } else if (wanted[d] < 0) {
      return InvalidArgument("size ", d, " must be non-negative, not ", wanted[d]);
    } else if (__builtin_mul_overflow(product, wanted[d], &product)) {
      return InvalidArgument("'new_shape' has too many elements to count");
    }
  }
  const int64_t elements = from.num_elements();
  if (open >= 0) {
    if (product == 0 && elements == 0) {
      return InvalidArgument("the open extent ", open,
                             " of 'new_shape' can be anything, as another one is 0");
    }
    if (product == 0 || elements % product != 0) {
      return InvalidArgument("Input to reshape is a SparseTensor with ", elements,
                             " dense values, but the requested shape requires a multiple of ",
                             product, ". input_shape=", from.ToString());
    }
    wanted[static_cast<size_t>(open)] = elements / product;
    product = elements;
  }
  if (product != elements) {
    return InvalidArgument("Input to reshape is a tensor with ", elements,
                           " dense values, but the requested shape has ", product,
                           ". input_shape=", from.ToString());
  }
  return wanted;
}

Dims Strides(Span<const int64_t> dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) strides[d] = stride;
  return strides;
}

}  // namespace

StatusOr<SparseReshapePlan> SparseReshapePlan::Read(const KernelContext& ctx) {
  SparseReshapePlan plan;
  const Tensor& wanted = ctx.input(2);
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadRows(ctx.input(0), "input_indices"));
  if (ctx.input(1).rank() != 1 || wanted.rank() != 1) {
    return InvalidArgument("'input_shape' and 'new_shape' must be vectors, but have shapes ",
                           ctx.input(1).shape().ToString(), " and ", wanted.shape().ToString());
  }
  if (ctx.input(1).dim(0) != x.rank) {
    return InvalidArgument("'input_shape' has ", ctx.input(1).dim(0), " extents for indices of ",
                           x.rank, " columns");
  }
  if (wanted.dim(0) > kMaxRank) {
    return InvalidArgument("'new_shape' has ", wanted.dim(0), " extents, more than ", kMaxRank);
  }
  WB_ASSIGN_OR_RETURN(plan.from, ReadShape(ctx.input(1), "input_shape"));
  WB_ASSIGN_OR_RETURN(Dims asked, ReadIndices(wanted, "new_shape"));
  WB_ASSIGN_OR_RETURN(plan.to, Resolve(std::move(asked), plan.from));
  if (plan.from.num_elements() == 0 && x.count > 0) {
    return InvalidArgument("there are ", x.count, " values in a dense shape without elements, ",
                           plan.from.ToString());
  }
  plan.count = x.count;
  if (x.count == 0) return plan;  // extents without elements may be too many for strides
  plan.from_strides = Strides(plan.from.dims());
  plan.to_strides = Strides(plan.to);
  return plan;
}

bool SparseReshapePlan::IsIdentity() const { return Span<const int64_t>(to) == from.dims(); }

}  // namespace warpbeam
