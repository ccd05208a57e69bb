#include "ops/array/index/gather_gradient.h"

namespace warpbeam {
namespace {

// The extents after the first, when they are known and none is zero.
std::optional<std::vector<int32_t>> RowExtents(const PartialShape& shape) {
  if (!shape.has_rank() || shape.rank() < 1) return std::nullopt;
  std::vector<int32_t> extents;
  for (int i = 1; i < shape.rank(); ++i) {
    if (shape.dim(i) <= 0) return std::nullopt;
    extents.push_back(static_cast<int32_t>(shape.dim(i)));
  }
  return extents;
}

}  // namespace

GradientValue RowSlices(GradContext& c, OutputRef dy, OutputRef indices, const PartialShape& known,
                        OutputRef params_shape) {
  OutputRef shape;
  if (const auto extents = RowExtents(known)) {
    std::vector<int32_t> dims = {-1};
    dims.insert(dims.end(), extents->begin(), extents->end());
    shape = c.Constant(Tensor::Vector<int32_t>(dims));
  } else {
    const OutputRef count = c.Reshape(c.SizeOf(indices), c.Ints({1}));
    const OutputRef row = c.Emit(
        "StridedSlice", {params_shape, c.Ints({1}), c.Ints({0}), c.Ints({1})}, {{"end_mask", 1}});
    shape = c.Emit("ConcatV2", {{count, row}, c.Scalar<int32_t>(0)});
  }
  return GradientValue::Slices(c.Reshape(dy, shape), c.Reshape(indices, c.Ints({-1})),
                               params_shape);
}

GradientValue TupleGradient(GradContext& c, OutputRef dy, OutputRef indices,
                            OutputRef params_shape) {
  const PartialShape& shape = c.shape(indices);
  if (shape.has_rank() && shape.rank() == 2 && shape.dim(1) == 1) {
    return GradientValue::Slices(dy, c.Reshape(indices, c.Ints({-1})),
                                 c.Cast(params_shape, DType::kInt32));
  }
  return GradientValue::Dense(c.Emit("ScatterNd", {indices, dy, params_shape}));
}

}  // namespace warpbeam
