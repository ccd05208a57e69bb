#include "ops/list/list_shapes.h"

#include <utility>

namespace warpbeam {

StatusOr<PartialShape> ListElementShape(const ShapeContext& c, int list) {
  WB_RETURN_IF_ERROR(c.WithRank(list, 0).status());
  const HandleShapes& known = c.input_handle(list);
  if (known.size() != 1) return PartialShape();
  const DType wanted = c.attrs().GetOr<DType>("element_dtype", known[0].dtype);
  // A list of another type is the step's error: the graph with such a node can be loaded.
  if (wanted != known[0].dtype && known[0].dtype != DType::kInvalid) return PartialShape();
  return known[0].shape;
}

StatusOr<PartialShape> ListElementShape(const ShapeContext& c, int list, int shape) {
  WB_ASSIGN_OR_RETURN(const PartialShape known, ListElementShape(c, list));
  WB_ASSIGN_OR_RETURN(const PartialShape asked, c.ShapeFromInput(shape));
  return PartialShape::Merge(asked, known);
}

Status SetListOutput(ShapeContext& c, PartialShape element_shape) {
  WB_ASSIGN_OR_RETURN(const DType dtype, c.attr<DType>("element_dtype"));
  c.set_output(0, PartialShape(Shape()));
  c.set_output_handle(0, {{dtype, std::move(element_shape)}});
  return OkStatus();
}

Status SameList(ShapeContext& c) {
  c.set_output(0, PartialShape(Shape()));
  if (!c.input_handle(0).empty()) c.set_output_handle(0, c.input_handle(0));
  return OkStatus();
}

StatusOr<PartialShape> RowShape(const ShapeContext& c, int i) {
  WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRankAtLeast(i, 1));
  if (!shape.has_rank()) return PartialShape();
  return PartialShape(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
}

}  // namespace warpbeam
