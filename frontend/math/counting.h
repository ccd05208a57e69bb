// Counting values: bins, histograms, confusion matrices, values that differ (tf.math.bincount,
// tf.histogram_fixed_width, tf.confusion_matrix, tf.unique…).
//
//   Output counts = Bincount(scope, words);
//   const auto ten = ConfusionMatrixOptions().num_classes(10);
//   Output matrix = ConfusionMatrix(scope, labels, predictions, ten);
//   UniqueValues unique = Unique(scope, ids);        // unique.y[unique.idx[i]] == ids[i]
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; labels out of range
// are errors of the step.
#ifndef WARPBEAM_FRONTEND_MATH_COUNTING_H_
#define WARPBEAM_FRONTEND_MATH_COUNTING_H_

#include <optional>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct BincountOptions {
  // What each value counts for, one for each of the array's elements; 1 by default.
  BincountOptions& weights(const Output& value) {
    weight_of_each = value;
    return *this;
  }
  // At least, and at most, so many bins. Values beyond the last bin are left out.
  BincountOptions& minlength(const Input& value) {
    least = value;
    return *this;
  }
  BincountOptions& maxlength(const Input& value) {
    most = value;
    return *this;
  }
  // Of the counts; with weights it is theirs.
  BincountOptions& dtype(DType value) {
    count_type = value;
    return *this;
  }

  Output weight_of_each;
  std::optional<Input> least, most;
  DType count_type = DType::kInt32;
};
// How often each number from 0 to the greatest one stands in `array`, which is int32 and not
// negative.
Output Bincount(ScopeRef scope, const Output& array,
                const BincountOptions& options = BincountOptions());

struct ConfusionMatrixOptions {
  // By default one more than the greatest label or prediction.
  ConfusionMatrixOptions& num_classes(const Input& value) {
    classes = value;
    return *this;
  }
  ConfusionMatrixOptions& dtype(DType value) {
    count_type = value;
    return *this;
  }
  ConfusionMatrixOptions& weights(const Input& value) {
    weight_of_each = value;
    return *this;
  }

  std::optional<Input> classes, weight_of_each;
  DType count_type = DType::kInt32;
};
// How many examples of each label (rows) were predicted as each class (columns).
Output ConfusionMatrix(ScopeRef scope, const Input& labels, const Input& predictions,
                       const ConfusionMatrixOptions& options = ConfusionMatrixOptions());

// How many values lie in each of `bins` parts of the range [least, greatest); those outside count
// in the first and the last one.
Output HistogramFixedWidth(ScopeRef scope, const Input& values, const Input& value_range,
                           const Input& bins = 100, DType dtype = DType::kInt32);
// The number of the part that each value lies in.
Output HistogramFixedWidthBins(ScopeRef scope, const Output& values, const Input& value_range,
                               int bins = 100, DType dtype = DType::kInt32);

struct UniqueValues {
  Output y;    // in the order of their first places
  Output idx;  // for each element, where its value is in y
};
UniqueValues Unique(ScopeRef scope, const Input& x, DType index_type = DType::kInt32);

struct UniqueValuesWithCounts {
  Output y;
  Output idx;
  Output count;
};
UniqueValuesWithCounts UniqueWithCounts(ScopeRef scope, const Input& x,
                                        DType index_type = DType::kInt32);

struct ListDifference {
  Output out;  // what is in x but not in y
  Output idx;  // and where
};
ListDifference Setdiff1D(ScopeRef scope, const Input& x, const Input& y,
                         DType index_type = DType::kInt32);

// The permutation that undoes x.
Output InvertPermutation(ScopeRef scope, const Input& x);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MATH_COUNTING_H_
