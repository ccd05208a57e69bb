// Sums, means and extremes of the rows that belong to one segment (tf.segment_sum,
// tf.unsorted_segment_mean, tf.sparse_segment_sqrt_n…).
//
//   Output sums = SegmentSum(scope, rows, {0, 0, 1});            // ids must not fall
//   Output means = UnsortedSegmentMean(scope, rows, ids, 10);    // ids below 0 are left out
//   Output bags = SparseSegmentSum(scope, table, words, documents);
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; ids out of range
// are errors of the step.
#ifndef WARPBEAM_FRONTEND_MATH_SEGMENTS_H_
#define WARPBEAM_FRONTEND_MATH_SEGMENTS_H_

#include <optional>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

Output SegmentSum(ScopeRef scope, const Input& data, const Input& segment_ids);
Output SegmentMean(ScopeRef scope, const Input& data, const Input& segment_ids);
Output SegmentProd(ScopeRef scope, const Input& data, const Input& segment_ids);
Output SegmentMin(ScopeRef scope, const Input& data, const Input& segment_ids);
Output SegmentMax(ScopeRef scope, const Input& data, const Input& segment_ids);

Output UnsortedSegmentSum(ScopeRef scope, const Input& data, const Input& segment_ids,
                          const Input& num_segments);
Output UnsortedSegmentProd(ScopeRef scope, const Input& data, const Input& segment_ids,
                           const Input& num_segments);
Output UnsortedSegmentMin(ScopeRef scope, const Input& data, const Input& segment_ids,
                          const Input& num_segments);
Output UnsortedSegmentMax(ScopeRef scope, const Input& data, const Input& segment_ids,
                          const Input& num_segments);
// A segment without rows is 0.
Output UnsortedSegmentMean(ScopeRef scope, const Output& data, const Output& segment_ids,
                           const Input& num_segments);
// The sum divided by the root of how many rows there are.
Output UnsortedSegmentSqrtN(ScopeRef scope, const Output& data, const Output& segment_ids,
                            const Input& num_segments);

// Of the rows that `indices` name. Without `num_segments` there are as many as the last id says.
Output SparseSegmentSum(ScopeRef scope, const Input& data, const Input& indices,
                        const Input& segment_ids,
                        const std::optional<Input>& num_segments = std::nullopt);
Output SparseSegmentMean(ScopeRef scope, const Input& data, const Input& indices,
                         const Input& segment_ids,
                         const std::optional<Input>& num_segments = std::nullopt);
Output SparseSegmentSqrtN(ScopeRef scope, const Input& data, const Input& indices,
                          const Input& segment_ids,
                          const std::optional<Input>& num_segments = std::nullopt);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MATH_SEGMENTS_H_
