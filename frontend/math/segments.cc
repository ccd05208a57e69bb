#include "frontend/math/segments.h"

#include <string>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace {

// How many rows each segment has, at least 1, with dimensions to divide rows by.
Output RowCounts(const Scope& inside, const Output& data, const Output& segment_ids,
                 const Input& num_segments) {
  const Output ids_shape = BuildOutput(inside, "Shape", {segment_ids});
  const Output ones =
      BuildOutput(inside.Named("ones"), "Fill",
                  {ids_shape, Constant(inside.Named("ones/Const"), 1, data.dtype())});
  const Output counts = UnsortedSegmentSum(inside, ones, segment_ids, num_segments);
  const Output rank = BuildOutput(inside, "Rank", {data});
  const Output ids_rank = BuildOutput(inside, "Rank", {segment_ids});
  const Output more = BuildOutput(inside.Named("sub"), "Sub", {rank, ids_rank});
  const Output number =
      AsOutput(inside, num_segments, num_segments.adapts() ? DType::kInt32 : DType::kInvalid);
  const Output ones_behind = BuildOutput(
      inside.Named("ones_1"), "Fill",
      {Stack(inside.Named("ones_1/packed"), {more}), Constant(inside.Named("ones_1/Const"), 1)});
  const Output first = Reshape(inside, Cast(inside, number, DType::kInt32), {1});
  const Output shape = Concat(inside, {first, ones_behind}, 0);
  return Maximum(inside, Reshape(inside, counts, shape), 1);
}

Output SparseSegment(ScopeRef scope, const std::string& op, const Input& data, const Input& indices,
                     const Input& segment_ids, const std::optional<Input>& num_segments) {
  if (!num_segments.has_value()) {
    return BuildOutput(scope.scope(), op.c_str(), {data, indices, segment_ids});
  }
  return BuildOutput(scope.scope(), (op + "WithNumSegments").c_str(),
                     {data, indices, segment_ids, *num_segments});
}

}  // namespace

#define WB_SEGMENT(Name)                                                     \
  Output Name(ScopeRef scope, const Input& data, const Input& segment_ids) { \
    return BuildOutput(scope.scope(), #Name, {data, segment_ids});           \
  }
WB_SEGMENT(SegmentSum)
WB_SEGMENT(SegmentMean)
WB_SEGMENT(SegmentProd)
WB_SEGMENT(SegmentMin)
WB_SEGMENT(SegmentMax)
#undef WB_SEGMENT

#define WB_UNSORTED_SEGMENT(Name)                                                \
  Output Name(ScopeRef scope, const Input& data, const Input& segment_ids,       \
              const Input& num_segments) {                                       \
    return BuildOutput(scope.scope(), #Name, {data, segment_ids, num_segments}); \
  }
WB_UNSORTED_SEGMENT(UnsortedSegmentSum)
WB_UNSORTED_SEGMENT(UnsortedSegmentProd)
WB_UNSORTED_SEGMENT(UnsortedSegmentMin)
WB_UNSORTED_SEGMENT(UnsortedSegmentMax)
#undef WB_UNSORTED_SEGMENT

Output UnsortedSegmentMean(ScopeRef scope_ref, const Output& data, const Output& segment_ids,
                           const Input& num_segments) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("UnsortedSegmentMean");
  const Output counts = RowCounts(inside, data, segment_ids, num_segments);
  const Output sums = UnsortedSegmentSum(inside, data, segment_ids, num_segments);
  return scope(Divide(inside, sums, counts));
}

Output UnsortedSegmentSqrtN(ScopeRef scope_ref, const Output& data, const Output& segment_ids,
                            const Input& num_segments) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("UnsortedSegmentSqrtN");
  const Output counts = RowCounts(inside, data, segment_ids, num_segments);
  const Output sums = UnsortedSegmentSum(inside, data, segment_ids, num_segments);
  return scope(Divide(inside, sums, BuildOutput(inside, "Sqrt", {counts})));
}

#define WB_SPARSE_SEGMENT(Name)                                                                  \
  Output Name(ScopeRef scope, const Input& data, const Input& indices, const Input& segment_ids, \
              const std::optional<Input>& num_segments) {                                        \
    return SparseSegment(scope, #Name, data, indices, segment_ids, num_segments);                \
  }
WB_SPARSE_SEGMENT(SparseSegmentSum)
WB_SPARSE_SEGMENT(SparseSegmentMean)
WB_SPARSE_SEGMENT(SparseSegmentSqrtN)
#undef WB_SPARSE_SEGMENT

}  // namespace frontend
}  // namespace warpbeam
