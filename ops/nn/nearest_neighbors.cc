// NearestNeighbors: for each point the k nearest of the centers, nearest first, and the squares of
// their distances. Of centers that are equally near, the first comes first.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

using Neighbor = std::pair<float, int64_t>;  // square of the distance, center

// NaN is further away than everything.
bool IsNearer(const Neighbor& a, const Neighbor& b) {
  const bool a_is_nan = std::isnan(a.first), b_is_nan = std::isnan(b.first);
  if (a_is_nan != b_is_nan) return b_is_nan;
  return !a_is_nan && a.first != b.first ? a.first < b.first : a.second < b.second;
}

float SquaredDistance(const float* a, const float* b, int64_t n) {
  float sums[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int64_t k = 0; k < 8; ++k) sums[k] += (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]);
  }
  for (; i < n; ++i) sums[i % 8] += (a[i] - b[i]) * (a[i] - b[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

class NearestNeighborsKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<NearestNeighborsKernel>();
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor &points = ctx.input(0), &centers = ctx.input(1);
    WB_RETURN_IF_ERROR(Check(points, centers, ctx.input(2)));
    const int64_t rows = points.dim(0), n = points.dim(1), count = centers.dim(0);
    const int64_t k = std::min(ctx.input(2).scalar<int64_t>(), count);
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({rows, k}));
    WB_ASSIGN_OR_RETURN(Tensor * nearest, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor * distances, ctx.Allocate(1, shape));
    if (k == 0) return OkStatus();
    if (n == 0) {
      // Points without coordinates, of which there may be any number: all are in one place.
      for (int64_t i = 0; i < rows * k; ++i) {
        distances->data<float>()[i] = 0;
        nearest->data<int64_t>()[i] = i % k;
      }
      return OkStatus();
    }
    StoppableFor(ctx, rows, count * (n / 4 + 5), [&](int64_t begin, int64_t end) {
      std::vector<Neighbor> all(static_cast<size_t>(count));
      for (int64_t row = begin; row < end; ++row) {
        const float* point = points.data<float>() + row * n;
        for (int64_t c = 0; c < count; ++c) {
          all[c] = {SquaredDistance(point, centers.data<float>() + c * n, n), c};
        }
        std::partial_sort(all.begin(), all.begin() + k, all.end(), IsNearer);
        for (int64_t i = 0; i < k; ++i) {
          distances->data<float>()[row * k + i] = all[i].first;
          nearest->data<int64_t>()[row * k + i] = all[i].second;
        }
      }
    });
    return OkStatus();
  }

 private:
  static Status Check(const Tensor& points, const Tensor& centers, const Tensor& k) {
    if (points.rank() != 2) {
      return InvalidArgument("Input points should be a matrix, not of shape ",
                             points.shape().ToString());
    }
    if (centers.rank() != 2) {
      return InvalidArgument("Input centers should be a matrix, not of shape ",
                             centers.shape().ToString());
    }
    if (k.rank() != 0) {
      return InvalidArgument("Input k should be a scalar, not of shape ", k.shape().ToString());
    }
    if (k.scalar<int64_t>() < 0) {
      return InvalidArgument("k must not be negative, but is ", k.scalar<int64_t>());
    }
    if (points.dim(0) < 1) return InvalidArgument("Expected points.rows() > 0.");
    if (points.dim(1) != centers.dim(1)) {
      return InvalidArgument("Expected point_dimensions == center_dimensions: ", points.dim(1),
                             " vs ", centers.dim(1), ".");
    }
    return OkStatus();
  }
};

Status NearestShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape points, c.WithRank(0, 2));
  WB_RETURN_IF_ERROR(c.WithRank(1, 2).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  for (const int i : {0, 1}) c.set_output(i, PartialShape({points.dim(0), -1}));
  return OkStatus();
}

WB_OP("NearestNeighbors")
    .Input("points: float")
    .Input("centers: float")
    .Input("k: int64")
    .Output("nearest_center_indices: int64")
    .Output("nearest_center_distances: float")
    .Shape(NearestShape);
WB_KERNEL("NearestNeighbors", NearestNeighborsKernel).Cpu();

}  // namespace
}  // namespace warpbeam
