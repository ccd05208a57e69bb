// What the SparseSegment ops share: rows picked from a tensor, joined by their segment's number.
//
//   WB_ASSIGN_OR_RETURN(const SegmentRows rows, ReadSegmentRows(ctx.input(1), ctx.input(2)));
//   const double w = SegmentWeight<SegmentJoin::kMean>(4);              // 0.25
//
// Ownership: the numbers are copies. Thread safety: pure. Errors: INVALID_ARGUMENT for arguments
// that are no vectors of one length, for segments out of order, and for rows and segments that are
// not there.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_SEGMENT_ROWS_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_SEGMENT_ROWS_H_

#include <cmath>

#include "graph/types/tensor.h"
#include "ops/array/index/index_argument.h"

namespace warpbeam {

enum class SegmentJoin { kSum, kMean, kSqrtN };

struct SegmentRows {
  Dims indices;   // of rows of the data
  Dims segments;  // as many
};

inline Status CheckSegmentRows(const Tensor& indices, const Tensor& segments) {
  if (indices.rank() != 1 || segments.rank() != 1 || indices.dim(0) != segments.dim(0)) {
    return InvalidArgument(
        "'indices' and 'segment_ids' must be vectors of one length, but have shapes ",
        indices.shape().ToString(), " and ", segments.shape().ToString());
  }
  return OkStatus();
}

inline StatusOr<SegmentRows> ReadSegmentRows(const Tensor& indices, const Tensor& segments) {
  WB_RETURN_IF_ERROR(CheckSegmentRows(indices, segments));
  SegmentRows rows;
  WB_ASSIGN_OR_RETURN(rows.indices, ReadIndices(indices, "indices"));
  WB_ASSIGN_OR_RETURN(rows.segments, ReadIndices(segments, "segment_ids"));
  return rows;
}

// Of the forward ops: how many segments there are, by the last row, whose number has the type
// `dtype`. They are as many as that says: none may be beyond it, or before its forerunner.
StatusOr<int64_t> CountSegments(const Dims& segments, DType dtype);
// The rows are those of data of so many.
Status CheckRowIndices(const Dims& indices, int64_t height);
// Of the gradients: there are so many segments, and the data has so many rows.
Status CheckGradientRows(const SegmentRows& rows, int64_t segments, int64_t height);

// 'num_segments'.
inline StatusOr<int64_t> ReadSegmentCount(const Tensor& t) {
  if (t.rank() != 0) {
    return InvalidArgument("num_segments should be a scalar, not of shape ", t.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const int64_t count, ReadIndex(t, "num_segments"));
  if (count < 0) return InvalidArgument("'num_segments' must not be negative, but is ", count);
  return count;
}

// The gradients' number of rows, an int32.
inline StatusOr<int64_t> ReadRowCount(const Tensor& t) {
  if (t.rank() != 0) {
    return InvalidArgument("the number of rows must be a scalar, but has shape ",
                           t.shape().ToString());
  }
  const int64_t rows = t.scalar<int32_t>();
  if (rows < 0) return InvalidArgument("the number of rows must not be negative, but is ", rows);
  return rows;
}

// What the sum of `count` rows is multiplied with.
template <SegmentJoin kJoin>
double SegmentWeight(int64_t count) {
  if constexpr (kJoin == SegmentJoin::kMean) {
    return 1.0 / static_cast<double>(count);
  } else if constexpr (kJoin == SegmentJoin::kSqrtN) {
    return 1.0 / std::sqrt(static_cast<double>(count));
  } else {
    return 1.0;
  }
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_SEGMENT_ROWS_H_
