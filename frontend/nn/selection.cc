#include "frontend/nn/selection.h"

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

ValuesAndIndices ApproxTopK(const Scope& scope, const Input& operand, int64_t k,
                            const ApproxTopKOptions& options, bool is_max) {
  const std::vector<Output> results =
      BuildOutputs(scope, "ApproxTopK", {operand},
                   OpAttrs()
                       .Set("k", k)
                       .Set("reduction_dimension", options.dimension)
                       .Set("recall_target", options.recall)
                       .Set("is_max_k", is_max)
                       .Set("reduction_input_size_override", options.input_size)
                       .Set("aggregate_to_topk", options.aggregates),
                   2);
  return {results[0], results[1]};
}

}  // namespace

ValuesAndIndices TopK(ScopeRef scope, const Input& input, const Input& k, bool sorted,
                      DType index_type) {
  const std::vector<Output> results =
      BuildOutputs(scope.scope(), "TopKV2", {input, k},
                   OpAttrs().Set("sorted", sorted).Set("index_type", index_type), 2);
  return {results[0], results[1]};
}

ValuesAndIndices ApproxMaxK(ScopeRef scope, const Input& operand, int64_t k,
                            const ApproxTopKOptions& options) {
  return ApproxTopK(scope.scope(), operand, k, options, true);
}

ValuesAndIndices ApproxMinK(ScopeRef scope, const Input& operand, int64_t k,
                            const ApproxTopKOptions& options) {
  return ApproxTopK(scope.scope(), operand, k, options, false);
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
