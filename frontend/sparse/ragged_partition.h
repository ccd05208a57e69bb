// RaggedPartition: how the values of a feature are cut into rows (tf.io.RaggedFeature.RowSplits and
// its kin): by whole numbers that another feature of the same message has, or by one length.
//
//   RaggedFeature words(DType::kString, "words", {RaggedPartition::RowLengths("sentences")});
//
// Ownership: values. Thread safety: that of the Scope. Errors: a length below 1, kept in the scope;
// numbers that do not fit the values are found by the ops that read the rows.
#ifndef WARPBEAM_FRONTEND_SPARSE_RAGGED_PARTITION_H_
#define WARPBEAM_FRONTEND_SPARSE_RAGGED_PARTITION_H_

#include <cstdint>
#include <string>
#include <utility>

#include "frontend/sparse/ragged_tensor.h"

namespace warpbeam {
namespace frontend {

struct RaggedPartition {
  enum class Kind { kRowSplits, kRowLengths, kRowStarts, kRowLimits, kValueRowIds, kUniform };

  static RaggedPartition RowSplits(std::string key) {
    return {Kind::kRowSplits, std::move(key), 0};
  }
  static RaggedPartition RowLengths(std::string key) {
    return {Kind::kRowLengths, std::move(key), 0};
  }
  static RaggedPartition RowStarts(std::string key) {
    return {Kind::kRowStarts, std::move(key), 0};
  }
  static RaggedPartition RowLimits(std::string key) {
    return {Kind::kRowLimits, std::move(key), 0};
  }
  static RaggedPartition ValueRowIds(std::string key) {
    return {Kind::kValueRowIds, std::move(key), 0};
  }
  static RaggedPartition UniformRowLength(int64_t length) { return {Kind::kUniform, "", length}; }

  Kind kind;
  std::string key;  // the feature that has the numbers
  int64_t length;
};

// `rows` has a row for each message; its values of each become rows themselves. `numbers` are the
// int64 values of the partition's feature, a row for each message, too.
RaggedTensor CutRows(const Scope& scope, const RaggedTensor& rows, const RaggedPartition& partition,
                     const RaggedTensor& numbers);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SPARSE_RAGGED_PARTITION_H_
