// Crosses of features: for each row of a batch, every combination of one feature of each column, as
// a text or as a number made of the features' hashes.
//
//   std::vector<FeatureColumn> columns = {FeatureColumn::Dense(matrix)};
//   WB_ASSIGN_OR_RETURN(const CrossPlan plan, PlanCrosses(columns, batch));
//   CrossTexts(ctx, columns, plan, "_X_", out->data<std::string>());      // plan.total() of them
//
// Combinations come in the order of the columns, the last one's features changing fastest. A row in
// which some column has no feature has no cross.
//
// Ownership: a column borrows its values, strings or int64. Thread safety: values. Errors:
// INVALID_ARGUMENT when there are more crosses than can be counted.
#ifndef WARPBEAM_OPS_SPARSE_FEATURE_CROSS_H_
#define WARPBEAM_OPS_SPARSE_FEATURE_CROSS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/span.h"
#include "graph/types/tensor.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

class FeatureColumn {
 public:
  struct Run {
    int64_t begin = 0, count = 0;
  };

  // Each row of a matrix is that row's features.
  static FeatureColumn Dense(const Tensor& values);
  // Row i has the values [splits[i], splits[i + 1]).
  static FeatureColumn Ragged(const Tensor& values, std::vector<int64_t> splits);
  // Row rows[k] has the values [starts[k], starts[k + 1]), a row that is not listed none. The rows
  // increase.
  static FeatureColumn Sparse(const Tensor& values, std::vector<int64_t> rows,
                              std::vector<int64_t> starts);

  const Tensor& values() const { return *values_; }
  bool is_dense() const { return width_ >= 0; }
  bool is_sparse() const { return is_sparse_; }
  // The rows that may have features: only of a sparse column.
  Span<const int64_t> rows() const { return rows_; }
  Run At(int64_t row) const;

 private:
  const Tensor* values_ = nullptr;
  int64_t width_ = -1;
  bool is_sparse_ = false;
  std::vector<int64_t> rows_;
  std::vector<int64_t> starts_;
};

// Which rows have crosses, and where in the output.
struct CrossPlan {
  std::vector<int64_t> rows;
  std::vector<int64_t> begins = {0};  // of rows[i] from begins[i] to begins[i + 1]
  int64_t longest = 0;                // the most crosses of one row
  int64_t total() const { return begins.back(); }
};
StatusOr<CrossPlan> PlanCrosses(const std::vector<FeatureColumn>& columns, int64_t batch);

// Features joined by `separator`, numbers in decimal.
void CrossTexts(const KernelContext& ctx, const std::vector<FeatureColumn>& columns,
                const CrossPlan& plan, absl::string_view separator, std::string* out);

// The hash of each value of one column, in the order of its values.
using FeatureHashes = std::vector<uint64_t>;
// Strings by FarmHash's fingerprint; numbers are their own hash.
FeatureHashes PlainHashes(const Tensor& values);

// How the hashes of a cross become one number.
struct HashCross {
  bool has_first = false;  // the chain begins with `first`, else with the first column's feature
  uint64_t first = 0;
  int64_t buckets = 0;  // the results are below it; 0 or less: below 2^63 - 1
};
void CrossHashes(const KernelContext& ctx, const std::vector<FeatureColumn>& columns,
                 const std::vector<FeatureHashes>& hashes, const CrossPlan& plan,
                 const HashCross& how, int64_t* out);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_FEATURE_CROSS_H_
