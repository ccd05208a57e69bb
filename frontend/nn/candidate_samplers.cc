#include "frontend/nn/candidate_samplers.h"

#include "frontend/build.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

OpAttrs SeededAttrs(const Scope& scope, const std::optional<int64_t>& seed) {
  const auto seeds = scope.state().NextSeeds(seed.has_value() ? &*seed : nullptr);
  return OpAttrs().Set("seed", seeds.first).Set("seed2", seeds.second);
}

SampledClasses Sampled(const Scope& scope, const char* op, const Input& true_classes,
                       int64_t num_true, int64_t num_sampled, bool unique, OpAttrs attrs) {
  attrs.Set("num_true", num_true).Set("num_sampled", num_sampled).Set("unique", unique);
  const std::vector<Output> drawn = BuildOutputs(scope, op, {true_classes}, attrs, 3);
  return {drawn[0], drawn[1], drawn[2]};
}

SampledClasses SampledBelow(ScopeRef scope_ref, const char* op, const Input& true_classes,
                            int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
                            const std::optional<int64_t>& seed) {
  const Scope scope = scope_ref.scope();
  OpAttrs attrs = SeededAttrs(scope, seed);
  attrs.Set("range_max", range_max);
  return Sampled(scope, op, true_classes, num_true, num_sampled, unique, attrs);
}

}  // namespace

SampledClasses UniformCandidateSampler(ScopeRef scope, const Input& true_classes, int64_t num_true,
                                       int64_t num_sampled, bool unique, int64_t range_max,
                                       std::optional<int64_t> seed) {
  return SampledBelow(scope, "UniformCandidateSampler", true_classes, num_true, num_sampled, unique,
                      range_max, seed);
}

SampledClasses LogUniformCandidateSampler(ScopeRef scope, const Input& true_classes,
                                          int64_t num_true, int64_t num_sampled, bool unique,
                                          int64_t range_max, std::optional<int64_t> seed) {
  return SampledBelow(scope, "LogUniformCandidateSampler", true_classes, num_true, num_sampled,
                      unique, range_max, seed);
}

SampledClasses LearnedUnigramCandidateSampler(ScopeRef scope, const Input& true_classes,
                                              int64_t num_true, int64_t num_sampled, bool unique,
                                              int64_t range_max, std::optional<int64_t> seed) {
  return SampledBelow(scope, "LearnedUnigramCandidateSampler", true_classes, num_true, num_sampled,
                      unique, range_max, seed);
}

SampledClasses AllCandidateSampler(ScopeRef scope_ref, const Input& true_classes, int64_t num_true,
                                   int64_t num_sampled, bool unique, std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  return Sampled(scope, "AllCandidateSampler", true_classes, num_true, num_sampled, unique,
                 SeededAttrs(scope, seed));
}

SampledClasses FixedUnigramCandidateSampler(ScopeRef scope_ref, const Input& true_classes,
                                            int64_t num_true, int64_t num_sampled, bool unique,
                                            int64_t range_max, const FixedUnigramOptions& options) {
  const Scope scope = scope_ref.scope();
  OpAttrs attrs = SeededAttrs(scope, options.op_seed);
  attrs.Set("range_max", range_max)
      .Set("vocab_file", options.file)
      .Set("distortion", options.exponent)
      .Set("num_reserved_ids", options.reserved)
      .Set("num_shards", options.shard_count)
      .Set("shard", options.shard_index)
      .Set("unigrams", options.counts);
  return Sampled(scope, "FixedUnigramCandidateSampler", true_classes, num_true, num_sampled, unique,
                 attrs);
}

AccidentalHits ComputeAccidentalHits(ScopeRef scope_ref, const Input& true_classes,
                                     const Input& sampled_candidates, int64_t num_true,
                                     std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  OpAttrs attrs = SeededAttrs(scope, seed);
  attrs.Set("num_true", num_true);
  const std::vector<Output> hits =
      BuildOutputs(scope, "ComputeAccidentalHits", {true_classes, sampled_candidates}, attrs, 3);
  return {hits[0], hits[1], hits[2]};
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
