#include "frontend/sparse/ragged_partition.h"

#include <limits>

#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/math/reductions.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

using Kind = RaggedPartition::Kind;

Output Whole(const Scope& scope, const Input& value) {
  return AsOutput(scope, value, DType::kInt64);
}

// 0, and the sums of the lengths up to each one.
Output SplitsOfLengths(const Scope& scope, const Output& lengths) {
  return Concat(scope, {Whole(scope, {0}), Cumsum(scope, lengths, 0)}, 0);
}

Output LengthsOfSplits(const Scope& scope, const Output& splits) {
  return Subtract(scope, ElementsFrom(scope, splits, 1),
                  StridedSlice(scope, splits, {0}, {-1}, {1}));
}

// 0, 1, … up to `count` and with it.
Output UpTo(const Scope& scope, const Output& count) {
  return Range(scope, Whole(scope, 0), Add(scope, count, Whole(scope, 1)), Whole(scope, 1));
}

Output CountOf(const Scope& scope, const Output& x) {
  return Cast(scope, ElementAt(scope, ShapeOf(scope, x), 0), DType::kInt64);
}

// The partition of a batch of rows.
class Cut {
 public:
  Cut(const Scope& scope, const RaggedTensor& rows) : scope_(scope), values_(rows.values) {
    splits_ = rows.outer_row_splits;
    splits_.push_back(rows.row_splits);
  }

  RaggedTensor Evenly(int64_t length) {
    const Output count = Whole(scope_, length);
    if (splits_.size() == 1) {
      const Output rest = ElementsFrom(scope_, ShapeOf(scope_, values_), 1);
      const Output front = Constant(scope_, {int64_t{-1}, length}, DType::kInt32);
      values_ = Reshape(scope_, values_, Concat(scope_, {front, rest}, 0));
    } else {
      const Output rows = Subtract(scope_, CountOf(scope_, splits_[1]), Whole(scope_, 1));
      const Output parts = BuildOutput(scope_, "FloorDiv", {rows, count});
      splits_.insert(splits_.begin() + 1, Multiply(scope_, UpTo(scope_, parts), count));
    }
    splits_[0] = BuildOutput(scope_, "FloorDiv", {splits_[0], count});
    return Result();
  }

  RaggedTensor By(Kind kind, const RaggedTensor& numbers) {
    Output given = numbers.values, of_batch = numbers.row_splits;
    // In which message each number is.
    const Output positions =
        Range(scope_, Whole(scope_, 0), CountOf(scope_, given), Whole(scope_, 1));
    Output message = Searchsorted(scope_, ElementsFrom(scope_, of_batch, 1), positions,
                                  SearchSide::kRight, DType::kInt64);
    if (kind == Kind::kRowSplits) {
      // Without the 0 that each message begins with these are limits.
      const Output begins = Gather(scope_, of_batch, message);
      const Output kept = NotEqual(scope_, positions, begins);
      given = BooleanMask(scope_, given, kept);
      message = BooleanMask(scope_, message, kept);
      const Output fewer = Subtract(scope_, LengthsOfSplits(scope_, of_batch), Whole(scope_, 1));
      of_batch = SplitsOfLengths(scope_, Maximum(scope_, fewer, Whole(scope_, 0)));
    }
    const Output shifted = Add(scope_, given, Gather(scope_, splits_[0], message));
    Output inner;
    if (kind == Kind::kRowLengths) {
      inner = SplitsOfLengths(scope_, given);
    } else if (kind == Kind::kRowStarts) {
      inner = Concat(scope_, {shifted, ElementsFrom(scope_, splits_[0], -1)}, 0);
    } else if (kind == Kind::kValueRowIds) {
      inner = SplitsOfIds(given, message, &of_batch);
    } else {
      inner = Concat(scope_, {Whole(scope_, {0}), shifted}, 0);
    }
    splits_[0] = of_batch;
    splits_.insert(splits_.begin() + 1, inner);
    return Result();
  }

 private:
  // Of the number of its row for each value; `of_batch` becomes the rows of each message.
  Output SplitsOfIds(const Output& ids, const Output& message, Output* of_batch) {
    const Output messages = Subtract(scope_, CountOf(scope_, *of_batch), Whole(scope_, 1));
    const Output most = BuildOutput(scope_, "UnsortedSegmentMax",
                                    {Add(scope_, ids, Whole(scope_, 1)), message, messages});
    const Output rows = Maximum(scope_, most, Whole(scope_, 0));
    *of_batch = SplitsOfLengths(scope_, rows);
    const Output shifted = Add(scope_, ids, Gather(scope_, *of_batch, message));
    return Searchsorted(scope_, shifted, UpTo(scope_, ReduceSum(scope_, rows)), SearchSide::kLeft,
                        DType::kInt64);
  }

  RaggedTensor Result() const {
    RaggedTensor result;
    result.values = values_;
    result.row_splits = splits_.back();
    result.outer_row_splits.assign(splits_.begin(), splits_.end() - 1);
    return result;
  }

  const Scope& scope_;
  Output values_;
  OutputList splits_;  // the outermost first
};

}  // namespace

RaggedTensor CutRows(const Scope& scope, const RaggedTensor& rows, const RaggedPartition& partition,
                     const RaggedTensor& numbers) {
  if (!scope.ok()) return {};
  if (partition.kind != Kind::kUniform) return Cut(scope, rows).By(partition.kind, numbers);
  if (partition.length >= 1 && partition.length <= std::numeric_limits<int32_t>::max()) {
    return Cut(scope, rows).Evenly(partition.length);
  }
  scope.Fail(InvalidArgument("UniformRowLength of ", partition.length));
  return {};
}

}  // namespace frontend
}  // namespace warpbeam
