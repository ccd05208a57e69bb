// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_CANDIDATE_SAMPLING_OPS_H_
#define WARPBEAM_FRONTEND_OPS_CANDIDATE_SAMPLING_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class AllCandidateSamplerAttrs : public OpAttrs {
 public:
  AllCandidateSamplerAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  AllCandidateSamplerAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
struct AllCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation op;
};
// (true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
//     sampled_expected_count: float)
AllCandidateSamplerOutputs AllCandidateSampler(ScopeRef scope, const Input& true_classes,
    int64_t num_true, int64_t num_sampled, bool unique,
    const AllCandidateSamplerAttrs& attrs = AllCandidateSamplerAttrs());

class ComputeAccidentalHitsAttrs : public OpAttrs {
 public:
  ComputeAccidentalHitsAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  ComputeAccidentalHitsAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
struct ComputeAccidentalHitsOutputs {
  Output indices;
  Output ids;
  Output weights;
  Operation op;
};
// (true_classes: int64, sampled_candidates: int64) -> (indices: int32, ids: int64, weights: float)
ComputeAccidentalHitsOutputs ComputeAccidentalHits(ScopeRef scope, const Input& true_classes,
    const Input& sampled_candidates, int64_t num_true,
    const ComputeAccidentalHitsAttrs& attrs = ComputeAccidentalHitsAttrs());

class FixedUnigramCandidateSamplerAttrs : public OpAttrs {
 public:
  FixedUnigramCandidateSamplerAttrs& vocab_file(const std::string& value) {
    Set("vocab_file", value);
    return *this;
  }
  FixedUnigramCandidateSamplerAttrs& distortion(float value) {
    Set("distortion", value);
    return *this;
  }
  FixedUnigramCandidateSamplerAttrs& num_reserved_ids(int64_t value) {
    Set("num_reserved_ids", value);
    return *this;
  }
  FixedUnigramCandidateSamplerAttrs& num_shards(int64_t value) {
    Set("num_shards", value);
    return *this;
  }
  FixedUnigramCandidateSamplerAttrs& shard(int64_t value) {
    Set("shard", value);
    return *this;
  }
  FixedUnigramCandidateSamplerAttrs& unigrams(const std::vector<float>& value) {
    Set("unigrams", value);
    return *this;
  }
  FixedUnigramCandidateSamplerAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  FixedUnigramCandidateSamplerAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
struct FixedUnigramCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation op;
};
// (true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
//     sampled_expected_count: float)
FixedUnigramCandidateSamplerOutputs FixedUnigramCandidateSampler(ScopeRef scope,
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    int64_t range_max,
    const FixedUnigramCandidateSamplerAttrs& attrs = FixedUnigramCandidateSamplerAttrs());

class LearnedUnigramCandidateSamplerAttrs : public OpAttrs {
 public:
  LearnedUnigramCandidateSamplerAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  LearnedUnigramCandidateSamplerAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
struct LearnedUnigramCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation op;
};
// (true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
//     sampled_expected_count: float)
LearnedUnigramCandidateSamplerOutputs LearnedUnigramCandidateSampler(ScopeRef scope,
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    int64_t range_max,
    const LearnedUnigramCandidateSamplerAttrs& attrs = LearnedUnigramCandidateSamplerAttrs());

class LogUniformCandidateSamplerAttrs : public OpAttrs {
 public:
  LogUniformCandidateSamplerAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  LogUniformCandidateSamplerAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
struct LogUniformCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation op;
};
// (true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
//     sampled_expected_count: float)
LogUniformCandidateSamplerOutputs LogUniformCandidateSampler(ScopeRef scope,
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    int64_t range_max,
    const LogUniformCandidateSamplerAttrs& attrs = LogUniformCandidateSamplerAttrs());

class ThreadUnsafeUnigramCandidateSamplerAttrs : public OpAttrs {
 public:
  ThreadUnsafeUnigramCandidateSamplerAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  ThreadUnsafeUnigramCandidateSamplerAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
struct ThreadUnsafeUnigramCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation op;
};
// (true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
//     sampled_expected_count: float)
ThreadUnsafeUnigramCandidateSamplerOutputs ThreadUnsafeUnigramCandidateSampler(ScopeRef scope,
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    int64_t range_max,
    const ThreadUnsafeUnigramCandidateSamplerAttrs& attrs = ThreadUnsafeUnigramCandidateSamplerAttrs());

class UniformCandidateSamplerAttrs : public OpAttrs {
 public:
  UniformCandidateSamplerAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  UniformCandidateSamplerAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
struct UniformCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation op;
};
// (true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
//     sampled_expected_count: float)
UniformCandidateSamplerOutputs UniformCandidateSampler(ScopeRef scope, const Input& true_classes,
    int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const UniformCandidateSamplerAttrs& attrs = UniformCandidateSamplerAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_CANDIDATE_SAMPLING_OPS_H_
