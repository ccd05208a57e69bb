#include "ops/table/lookup_shapes.h"

namespace warpbeam {

Status CheckHandle(ShapeContext& c) {
  const bool is_reference = c.schema().inputs[0].is_ref;
  WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(0, is_reference ? 1 : 0));
  if (is_reference && shape.dim(0) >= 0 && shape.dim(0) != 2) {
    return InvalidArgument("a handle is two strings, not ", shape.dim(0));
  }
  return OkStatus();
}

StatusOr<TableShapes> ReadTableShapes(ShapeContext& c, absl::string_view key_attr,
                                      absl::string_view value_attr) {
  TableShapes shapes;
  const HandleShapes& handle = c.input_handle(0);
  if (handle.size() != 2) return shapes;
  for (int i = 0; i < 2; ++i) {
    WB_ASSIGN_OR_RETURN(const DType wanted, c.attr<DType>(i == 0 ? key_attr : value_attr));
    if (wanted != handle[i].dtype) {
      return InvalidArgument("Trying to read value with wrong dtype. Expected ",
                             DTypeName(handle[i].dtype), " got ", DTypeName(wanted));
    }
  }
  shapes.is_known = true;
  shapes.key = handle[0].shape;
  shapes.value = handle[1].shape;
  return shapes;
}

PartialShape ValuesShape(const PartialShape& keys, const TableShapes& table) {
  if (!table.is_known || !keys.has_rank() || !table.key.has_rank() || !table.value.has_rank() ||
      keys.rank() < table.key.rank()) {
    return PartialShape();
  }
  std::vector<int64_t> dims(keys.dims().begin(), keys.dims().end() - table.key.rank());
  dims.insert(dims.end(), table.value.dims().begin(), table.value.dims().end());
  return PartialShape(std::move(dims));
}

Status ChangeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckHandle(c));
  return ReadTableShapes(c, "Tin", "Tout").status();
}

}  // namespace warpbeam
