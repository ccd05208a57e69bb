#include "runtime/checkpoint/slice_io.h"

#include "graph/types/errors.h"
#include "proto/tensor_slice.pb.h"

namespace warpbeam {

StatusOr<TensorSlice> SliceFromProto(const tensorflow::TensorSliceProto& proto) {
  if (proto.extent_size() > kMaxRank) {
    return DataLoss("a slice of ", proto.extent_size(), " dimensions; at most ", kMaxRank);
  }
  std::vector<TensorSlice::Extent> extents;
  for (const auto& e : proto.extent()) {
    TensorSlice::Extent extent;
    if (e.has_length_hack_case() == tensorflow::TensorSliceProto::Extent::kLength) {
      extent = {e.start(), e.length()};
      if (extent.start < 0 || extent.length < 0) {
        return DataLoss("a slice that starts at ", extent.start, " with length ", extent.length);
      }
    }
    extents.push_back(extent);
  }
  return TensorSlice(std::move(extents));
}

void SliceToProto(const TensorSlice& slice, tensorflow::TensorSliceProto* proto) {
  proto->Clear();
  for (const TensorSlice::Extent& e : slice.extents()) {
    auto* extent = proto->add_extent();
    if (e.is_whole()) continue;
    extent->set_start(e.start);
    extent->set_length(e.length);
  }
}

}  // namespace warpbeam
