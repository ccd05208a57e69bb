// Shape functions that the ops on tables share; input 0 is the handle, input 1 keys.
//
//   WB_ASSIGN_OR_RETURN(const TableShapes table, ReadTableShapes(c, "Tin", "Tout"));
//   c.set_output(0, ValuesShape(c.input(1), table));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for a handle that is none, and for keys or values
// of other dtypes than the table's.
#ifndef WARPBEAM_OPS_TABLE_LOOKUP_SHAPES_H_
#define WARPBEAM_OPS_TABLE_LOOKUP_SHAPES_H_

#include "graph/op/shape_context.h"

namespace warpbeam {

struct TableShapes {
  bool is_known = false;
  PartialShape key;
  PartialShape value;
};

// The handle's own shape; for ops without outputs.
Status CheckHandle(ShapeContext& c);
// What the handle says, checked against the dtypes in these attributes.
StatusOr<TableShapes> ReadTableShapes(ShapeContext& c, absl::string_view key_attr,
                                      absl::string_view value_attr);
// The shape of the values of keys of this shape.
PartialShape ValuesShape(const PartialShape& keys, const TableShapes& table);
// For ops with keys and values and no output.
Status ChangeShape(ShapeContext& c);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_TABLE_LOOKUP_SHAPES_H_
