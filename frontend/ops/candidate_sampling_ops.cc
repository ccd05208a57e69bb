// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/candidate_sampling_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

AllCandidateSamplerOutputs AllCandidateSampler(ScopeRef scope, const Input& true_classes,
    int64_t num_true, int64_t num_sampled, bool unique, const AllCandidateSamplerAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "AllCandidateSampler", {true_classes},
      OpAttrs(attrs)
          .Set("num_true", num_true)
          .Set("num_sampled", num_sampled)
          .Set("unique", unique));
  AllCandidateSamplerOutputs outputs;
  outputs.sampled_candidates = OutputOf(here, built, "sampled_candidates");
  outputs.true_expected_count = OutputOf(here, built, "true_expected_count");
  outputs.sampled_expected_count = OutputOf(here, built, "sampled_expected_count");
  outputs.op = built;
  return outputs;
}

ComputeAccidentalHitsOutputs ComputeAccidentalHits(ScopeRef scope, const Input& true_classes,
    const Input& sampled_candidates, int64_t num_true, const ComputeAccidentalHitsAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ComputeAccidentalHits", {true_classes, sampled_candidates},
      OpAttrs(attrs)
          .Set("num_true", num_true));
  ComputeAccidentalHitsOutputs outputs;
  outputs.indices = OutputOf(here, built, "indices");
  outputs.ids = OutputOf(here, built, "ids");
  outputs.weights = OutputOf(here, built, "weights");
  outputs.op = built;
  return outputs;
}

FixedUnigramCandidateSamplerOutputs FixedUnigramCandidateSampler(ScopeRef scope,
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    int64_t range_max, const FixedUnigramCandidateSamplerAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "FixedUnigramCandidateSampler", {true_classes},
      OpAttrs(attrs)
          .Set("num_true", num_true)
          .Set("num_sampled", num_sampled)
          .Set("unique", unique)
          .Set("range_max", range_max));
  FixedUnigramCandidateSamplerOutputs outputs;
  outputs.sampled_candidates = OutputOf(here, built, "sampled_candidates");
  outputs.true_expected_count = OutputOf(here, built, "true_expected_count");
  outputs.sampled_expected_count = OutputOf(here, built, "sampled_expected_count");
  outputs.op = built;
  return outputs;
}

LearnedUnigramCandidateSamplerOutputs LearnedUnigramCandidateSampler(ScopeRef scope,
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    int64_t range_max, const LearnedUnigramCandidateSamplerAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "LearnedUnigramCandidateSampler", {true_classes},
      OpAttrs(attrs)
          .Set("num_true", num_true)
          .Set("num_sampled", num_sampled)
          .Set("unique", unique)
          .Set("range_max", range_max));
  LearnedUnigramCandidateSamplerOutputs outputs;
  outputs.sampled_candidates = OutputOf(here, built, "sampled_candidates");
  outputs.true_expected_count = OutputOf(here, built, "true_expected_count");
  outputs.sampled_expected_count = OutputOf(here, built, "sampled_expected_count");
  outputs.op = built;
  return outputs;
}

LogUniformCandidateSamplerOutputs LogUniformCandidateSampler(ScopeRef scope,
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    int64_t range_max, const LogUniformCandidateSamplerAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "LogUniformCandidateSampler", {true_classes},
      OpAttrs(attrs)
          .Set("num_true", num_true)
          .Set("num_sampled", num_sampled)
          .Set("unique", unique)
          .Set("range_max", range_max));
  LogUniformCandidateSamplerOutputs outputs;
  outputs.sampled_candidates = OutputOf(here, built, "sampled_candidates");
  outputs.true_expected_count = OutputOf(here, built, "true_expected_count");
  outputs.sampled_expected_count = OutputOf(here, built, "sampled_expected_count");
  outputs.op = built;
  return outputs;
}

ThreadUnsafeUnigramCandidateSamplerOutputs ThreadUnsafeUnigramCandidateSampler(ScopeRef scope,
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    int64_t range_max, const ThreadUnsafeUnigramCandidateSamplerAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ThreadUnsafeUnigramCandidateSampler", {true_classes},
      OpAttrs(attrs)
          .Set("num_true", num_true)
          .Set("num_sampled", num_sampled)
          .Set("unique", unique)
          .Set("range_max", range_max));
  ThreadUnsafeUnigramCandidateSamplerOutputs outputs;
  outputs.sampled_candidates = OutputOf(here, built, "sampled_candidates");
  outputs.true_expected_count = OutputOf(here, built, "true_expected_count");
  outputs.sampled_expected_count = OutputOf(here, built, "sampled_expected_count");
  outputs.op = built;
  return outputs;
}

UniformCandidateSamplerOutputs UniformCandidateSampler(ScopeRef scope, const Input& true_classes,
    int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const UniformCandidateSamplerAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "UniformCandidateSampler", {true_classes},
      OpAttrs(attrs)
          .Set("num_true", num_true)
          .Set("num_sampled", num_sampled)
          .Set("unique", unique)
          .Set("range_max", range_max));
  UniformCandidateSamplerOutputs outputs;
  outputs.sampled_candidates = OutputOf(here, built, "sampled_candidates");
  outputs.true_expected_count = OutputOf(here, built, "true_expected_count");
  outputs.sampled_expected_count = OutputOf(here, built, "sampled_expected_count");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
