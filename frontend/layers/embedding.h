// Rows of a table by number (tf.nn.embedding_lookup, embedding_lookup_sparse), the table whole or
// cut into parts, each on a device of its own.
//
//   Variable words = GetVariable(scope, "words", {10000, 64});
//   Output x = nn::EmbeddingLookup(scope, {words}, ids);                      // ids.shape + [64]
//   Output y = nn::EmbeddingLookup(scope, {part0, part1}, ids, nn::PartitionStrategy::kDiv);
//
// kMod puts row i into part i mod n; kDiv gives each part a run of rows, the first ones a row more
// where it does not come out even. A part is read beside its variable, and its gradient touches
// only the rows that were read.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; ids beyond the
// table fail the step.
#ifndef WARPBEAM_FRONTEND_LAYERS_EMBEDDING_H_
#define WARPBEAM_FRONTEND_LAYERS_EMBEDDING_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "frontend/input.h"
#include "frontend/parsing.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

enum class PartitionStrategy { kMod, kDiv };

Output EmbeddingLookup(ScopeRef scope, const InputList& params, const Input& ids,
                       PartitionStrategy strategy = PartitionStrategy::kMod);

// Numbers in lists of different lengths: `values[i]` belongs to the list `indices[i][0]`, and these
// ascend.
struct SparseIds {
  Output indices;
  Output values;
};

// What becomes of the rows of one list: their sum; over the sum of the weights; or over the root of
// the sum of their squares.
enum class Combiner { kSum, kMean, kSqrtN };

// One row for each list. A weight for each of `ids.values`, or none: 1.
Output EmbeddingLookupSparse(ScopeRef scope, const InputList& params, const SparseIds& ids,
                             const std::optional<Input>& weights = std::nullopt,
                             Combiner combiner = Combiner::kMean,
                             PartitionStrategy strategy = PartitionStrategy::kMod);

struct SafeEmbeddingOptions {
  // A weight for each of the ids' values; one that is not positive takes the id out, but for kSum.
  SafeEmbeddingOptions& sparse_weights(Input value) {
    weights = std::move(value);
    return *this;
  }
  SafeEmbeddingOptions& combiner(Combiner value) {
    combiner_kind = value;
    return *this;
  }
  // The id of lists without any; else their row is zeros.
  SafeEmbeddingOptions& default_id(int64_t value) {
    id_of_empty = value;
    return *this;
  }
  SafeEmbeddingOptions& partition_strategy(PartitionStrategy value) {
    strategy = value;
    return *this;
  }

  std::optional<Input> weights;
  Combiner combiner_kind = Combiner::kMean;
  std::optional<int64_t> id_of_empty;
  PartitionStrategy strategy = PartitionStrategy::kDiv;
};
// EmbeddingLookupSparse of lists that may be empty or have ids below 0, which do not count. The
// lists are all dimensions of `sparse_ids` but the last.
Output SafeEmbeddingLookupSparse(ScopeRef scope, const InputList& embedding_weights,
                                 const SparseOutput& sparse_ids,
                                 const SafeEmbeddingOptions& options = SafeEmbeddingOptions());

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_EMBEDDING_H_
