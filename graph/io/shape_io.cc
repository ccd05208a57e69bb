#include "graph/io/tensor_io.h"
#include "proto/tensor_shape.pb.h"

namespace warpbeam {

StatusOr<PartialShape> ShapeFromProto(const tensorflow::TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() > 0) {
      return InvalidArgument("a shape of unknown rank must list no dimensions, got ",
                             proto.dim_size());
    }
    return PartialShape::Unknown();
  }
  std::vector<int64_t> dims;
  dims.reserve(static_cast<size_t>(proto.dim_size()));
  for (const auto& dim : proto.dim()) dims.push_back(dim.size());
  return PartialShape::Make(dims);
}

void ShapeToProto(const PartialShape& shape, tensorflow::TensorShapeProto* proto) {
  proto->Clear();
  if (!shape.has_rank()) {
    proto->set_unknown_rank(true);
    return;
  }
  for (int64_t extent : shape.dims()) proto->add_dim()->set_size(extent);
}

StatusOr<PartialShape> ParseShape(absl::string_view wire_form) {
  tensorflow::TensorShapeProto proto;
  if (wire_form.size() > INT32_MAX ||
      !proto.ParseFromArray(wire_form.data(), static_cast<int>(wire_form.size()))) {
    return InvalidArgument("these ", wire_form.size(), " bytes are no serialized shape");
  }
  return ShapeFromProto(proto);
}

std::string SerializeShape(const PartialShape& shape) {
  tensorflow::TensorShapeProto proto;
  ShapeToProto(shape, &proto);
  return proto.SerializeAsString();
}

}  // namespace warpbeam
