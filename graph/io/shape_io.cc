#include "graph/io/tensor_io.h"
#include "proto/tensor_shape.pb.h"

namespace warpbeam {

absl::StatusOr<PartialShape> ShapeFromProto(const tensorflow::TensorShapeProto& proto) {
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

}  // namespace warpbeam
