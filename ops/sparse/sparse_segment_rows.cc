#include "ops/sparse/sparse_segment_rows.h"

#include <limits>

namespace warpbeam {
namespace {

Status CheckSegmentOrder(const Dims& segments) {
  const int64_t last = segments.empty() ? 0 : segments.back();
  if (last < 0) return InvalidArgument("segment ids must be >= 0, but the last is ", last);
  if (last == std::numeric_limits<int64_t>::max()) {
    return InvalidArgument("segment id ", last, " is too large");
  }
  for (size_t i = 0; i < segments.size(); ++i) {
    if (i > 0 && segments[i] < segments[i - 1]) {
      return InvalidArgument("segment ids are not increasing: number ", i, " is ", segments[i],
                             " after ", segments[i - 1]);
    }
    const bool ends = i + 1 == segments.size() || segments[i + 1] > segments[i];
    if (ends && (segments[i] < 0 || segments[i] > last)) {
      return InvalidArgument("Segment id ", segments[i], " out of range [0, ", last + 1,
                             "), possibly because 'segment_ids' input is not sorted: it is number ",
                             i);
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<int64_t> CountSegments(const Dims& segments, DType dtype) {
  WB_RETURN_IF_ERROR(CheckSegmentOrder(segments));
  const int64_t largest = dtype == DType::kInt32 ? std::numeric_limits<int32_t>::max()
                                                 : std::numeric_limits<int64_t>::max();
  if (!segments.empty() && segments.back() == largest) {
    return InvalidArgument("segment id ", largest, " is too large");
  }
  return segments.empty() ? 0 : segments.back() + 1;
}

Status CheckRowIndices(const Dims& indices, int64_t height) {
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= height) {
      return InvalidArgument("indices[", i, "] == ", indices[i], " out of range [0, ", height, ")");
    }
  }
  return OkStatus();
}

Status CheckGradientRows(const SegmentRows& rows, int64_t segments, int64_t height) {
  if (!rows.segments.empty() && rows.segments.back() >= segments && segments > 0) {
    return InvalidArgument("Invalid number of segments: the last segment id is ",
                           rows.segments.back(), ", 'grad' has ", segments, " rows");
  }
  for (size_t i = 0; i < rows.indices.size(); ++i) {
    if (rows.indices[i] < 0 || rows.indices[i] >= height) {
      return InvalidArgument("Index ", rows.indices[i], " out of range [0, ", height,
                             "): it is number ", i);
    }
    if (rows.segments[i] < 0 || rows.segments[i] >= segments) {
      return InvalidArgument("Segment id ", rows.segments[i], " out of range [0, ", segments,
                             "): it is number ", i);
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
