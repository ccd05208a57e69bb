// SparseReshape: the same elements, counted row by row, under another dense shape.
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ReshapeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(0, 2));
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(2, 1));
  c.set_output(0, PartialShape({indices.dim(0), shape.dim(0)}));
  c.set_output(1, PartialShape({shape.dim(0)}));
  return OkStatus();
}

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

// Indices out of bounds stay so; sums of theirs wrap around instead of overflowing.
void MoveRow(const int64_t* from, const Dims& from_strides, const Dims& to_strides, int64_t* to) {
  uint64_t flat = 0;
  for (size_t d = 0; d < from_strides.size(); ++d) {
    flat += static_cast<uint64_t>(from[d]) * static_cast<uint64_t>(from_strides[d]);
  }
  int64_t rest = static_cast<int64_t>(flat);
  for (size_t d = 0; d < to_strides.size(); ++d) {
    to[d] = rest / to_strides[d];
    rest %= to_strides[d];
  }
}

Dims Strides(Span<const int64_t> dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) strides[d] = stride;
  return strides;
}

Status RunReshape(KernelContext& ctx) {
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
  WB_ASSIGN_OR_RETURN(const Shape from, ReadShape(ctx.input(1), "input_shape"));
  WB_ASSIGN_OR_RETURN(Dims asked, ReadIndices(wanted, "new_shape"));
  WB_ASSIGN_OR_RETURN(const Dims to, Resolve(std::move(asked), from));
  if (from.num_elements() == 0 && x.count > 0) {
    return InvalidArgument("there are ", x.count, " values in a dense shape without elements, ",
                           from.ToString());
  }
  const int64_t rank = wanted.dim(0);
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(1, Shape({rank})));
  WB_RETURN_IF_ERROR(WriteIndices(to, shape));
  if (Span<const int64_t>(to) == from.dims()) {
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({x.count, rank})));
  if (x.count == 0) return OkStatus();
  const Dims from_strides = Strides(from.dims()), to_strides = Strides(to);
  ctx.ParallelFor(x.count, 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      MoveRow(x.row(i), from_strides, to_strides, indices->data<int64_t>() + i * rank);
    }
  });
  return OkStatus();
}

WB_OP("SparseReshape")
    .Input("input_indices: int64")
    .Input("input_shape: int64")
    .Input("new_shape: int64")
    .Output("output_indices: int64")
    .Output("output_shape: int64")
    .Shape(ReshapeShape);
WB_KERNEL("SparseReshape", FunctionKernel<RunReshape>)
    .Cpu()
    .Gpu()
    .HostMemory({"input_shape", "new_shape", "output_shape"});

}  // namespace
}  // namespace warpbeam
