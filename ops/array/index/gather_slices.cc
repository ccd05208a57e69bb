#include "ops/array/index/gather_slices.h"

#include <algorithm>
#include <atomic>

#include "ops/array/index/element_position.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

struct Extents {
  int64_t outer = 1;    // dimensions between the batch and the axis
  int64_t limit = 1;    // of the axis
  int64_t inner = 1;    // a slice
  int64_t indices = 1;  // per batch
};

// Copies the slices [begin, end) of the output; returns the position of a bad index, or -1.
template <typename T, typename Index>
int64_t CopySlices(const Extents& e, const T* params, const Index* indices, T* out, int64_t begin,
                   int64_t end) {
  int64_t block = begin / e.indices;  // of batch and outer
  int64_t i = begin % e.indices;
  for (int64_t s = begin; s < end; ++s) {
    const int64_t position = block / e.outer * e.indices + i;
    const int64_t at = static_cast<int64_t>(indices[position]);
    if (at < 0 || at >= e.limit) return position;
    const T* from = params + (block * e.limit + at) * e.inner;
    if (e.inner == 1) {
      out[s] = *from;
    } else {
      std::copy_n(from, e.inner, out + s * e.inner);
    }
    if (++i == e.indices) {
      i = 0;
      ++block;
    }
  }
  return -1;
}

}  // namespace

StatusOr<Shape> GatherShape(const Shape& params, const Shape& indices, int axis, int batch_dims) {
  Dims dims(params.dims().begin(), params.dims().begin() + axis);
  for (int i = 0; i < batch_dims; ++i) {
    if (params.dim(i) != indices.dim(i)) {
      return InvalidArgument("params and indices must agree in batch dimension ", i, ": ",
                             params.ToString(), " and ", indices.ToString());
    }
  }
  dims.insert(dims.end(), indices.dims().begin() + batch_dims, indices.dims().end());
  dims.insert(dims.end(), params.dims().begin() + axis + 1, params.dims().end());
  return Shape::Make(dims);
}

Status GatherSlices(const KernelContext& ctx, const Tensor& params, const Tensor& indices, int axis,
                    int batch_dims, Tensor* out) {
  if (out->num_elements() == 0) return OkStatus();
  const Extents e{ElementsOf(params.shape(), batch_dims, axis), params.dim(axis),
                  ElementsOf(params.shape(), axis + 1, params.rank()),
                  ElementsOf(indices.shape(), batch_dims, indices.rank())};
  std::atomic<int64_t> bad{-1};
  auto run = [&](auto element, auto index) -> Status {
    using T = typename decltype(element)::type;
    using Index = typename decltype(index)::type;
    const int64_t cost = 2 + e.inner * static_cast<int64_t>(sizeof(T)) / 8;
    StoppableFor(ctx, out->num_elements() / e.inner, cost, [&](int64_t begin, int64_t end) {
      const int64_t position =
          CopySlices(e, static_cast<const T*>(params.raw_data()), indices.data<Index>(),
                     static_cast<T*>(out->raw_data()), begin, end);
      if (position >= 0) bad.store(position, std::memory_order_relaxed);
    });
    if (bad < 0) return OkStatus();
    return InvalidArgument("indices[", PositionText(indices.shape().dims(), bad.load()),
                           "] = ", static_cast<int64_t>(indices.data<Index>()[bad.load()]),
                           " is not in [0, ", e.limit, ")");
  };
  return DispatchElements(params.dtype(), [&](auto element) {
    return DispatchTypes<int16_t, int32_t, int64_t>(
        indices.dtype(), [&](auto index) { return run(element, index); });
  });
}

StatusOr<PartialShape> GatherPartialShape(const PartialShape& params, const PartialShape& indices,
                                          std::optional<int64_t> axis, int64_t batch_dims) {
  if (!params.has_rank() || !indices.has_rank()) return PartialShape();
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims >= params.rank()) {
    return InvalidArgument("'batch_dims' is out of range: ", batch_dims, " for params of shape ",
                           params.ToString(), " and indices of shape ", indices.ToString());
  }
  const int batch = static_cast<int>(batch_dims);
  const int rank = params.rank() - 1 + indices.rank() - batch;
  if (!axis) return PartialShape::UnknownOfRank(rank);
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(*axis, params.rank()));
  if (a < batch) return InvalidArgument("axis ", a, " is below 'batch_dims' ", batch);
  std::vector<int64_t> dims;
  for (int i = 0; i < a; ++i) {
    int64_t extent = params.dim(i);
    if (i < batch) {
      WB_ASSIGN_OR_RETURN(extent, MergeExtents(extent, indices.dim(i)));
    }
    dims.push_back(extent);
  }
  for (int i = batch; i < indices.rank(); ++i) dims.push_back(indices.dim(i));
  for (int i = a + 1; i < params.rank(); ++i) dims.push_back(params.dim(i));
  return PartialShape(std::move(dims));
}

StatusOr<PartialShape> GatherNdPartialShape(const PartialShape& params,
                                            const PartialShape& indices) {
  if (!params.has_rank() || !indices.has_rank()) return PartialShape();
  if (params.rank() < 1 || indices.rank() < 1) {
    return InvalidArgument("params and indices must be at least vectors, not of shapes ",
                           params.ToString(), " and ", indices.ToString());
  }
  const int batch = indices.rank() - 1;
  const int64_t k = indices.dim(batch);
  if (k < 0) return PartialShape();
  if (k > params.rank()) {
    return InvalidArgument("index tuples have ", k, " entries, more than the rank of params ",
                           params.ToString());
  }
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().begin() + batch);
  dims.insert(dims.end(), params.dims().begin() + k, params.dims().end());
  return PartialShape(std::move(dims));
}

StatusOr<Shape> GatherNdShape(const Shape& params, const Shape& indices) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, GatherNdPartialShape(params, indices));
  return shape.AsShape();
}

Status CheckHasSlices(const Shape& params, const Shape& indices, BadIndex bad) {
  const int depth = indices.rank() - 1;
  const int64_t tuples = ElementsOf(indices, 0, depth);
  if (bad != BadIndex::kError || tuples == 0) return OkStatus();
  if (ElementsOf(params, 0, static_cast<int>(indices.dim(depth))) > 0) return OkStatus();
  return InvalidArgument("Requested more than 0 entries, but params is empty.  Params shape: ",
                         params.ToString());
}

Status GatherNdSlices(const KernelContext& ctx, const Tensor& params, const Tensor& indices,
                      BadIndex bad, Tensor* out) {
  WB_ASSIGN_OR_RETURN(std::vector<int64_t> rows,
                      FlattenIndices(indices, params.shape(), bad, "param shape"));
  const int k = static_cast<int>(indices.dim(indices.rank() - 1));
  const int64_t width = ElementsOf(params.shape(), k, params.rank());
  return DispatchElements(params.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(params.raw_data());
    T* to = static_cast<T*>(out->raw_data());
    const int64_t cost = 4 + width * static_cast<int64_t>(sizeof(T)) / 8;
    StoppableFor(ctx, static_cast<int64_t>(rows.size()), cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = rows[static_cast<size_t>(i)];
        if (row < 0) {
          std::fill_n(to + i * width, width, T());
        } else {
          std::copy_n(from + row * width, width, to + i * width);
        }
      }
    });
    return OkStatus();
  });
}

}  // namespace warpbeam
