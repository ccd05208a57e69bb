// Shape functions and arguments that random ops share.
//
//   WB_OP("RandomUniform").Input("shape: T").Output("output: dtype").Shape(RandomShape);
//   WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for inputs of the wrong rank.
#ifndef WARPBEAM_OPS_RANDOM_RANDOM_SHAPES_H_
#define WARPBEAM_OPS_RANDOM_RANDOM_SHAPES_H_

#include <initializer_list>

#include "graph/op/shape_context.h"

namespace warpbeam {

// Output 0 has the shape that input 0 holds.
inline Status RandomShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// The same, and the inputs listed must be scalars.
inline Status RandomShapeWithScalars(ShapeContext& c, std::initializer_list<int> scalars) {
  for (int i : scalars) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return RandomShape(c);
}

// Input `i` is a vector of `extent` elements.
inline Status CheckVector(const ShapeContext& c, int i, int64_t extent) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(i, 1));
  return PartialShape::Merge(shape, PartialShape({extent})).status();
}

// Output 0: the shape that input 0 holds, then the shape of input 1 (one sample set per parameter).
inline Status SamplesOfParametersShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  const PartialShape& parameters = c.input(1);
  if (!shape.has_rank() || !parameters.has_rank()) return OkStatus();
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.end(), parameters.dims().begin(), parameters.dims().end());
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_RANDOM_SHAPES_H_
