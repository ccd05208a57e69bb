// Conditional random fields over sequences of tags (tf.contrib.crf): how likely tags are, given a
// score for each tag of each step and for each pair of tags that follow each other, and which are
// the best.
//
//   auto crf = contrib::crf::CrfLogLikelihood(scope, scores, tags, lengths);  // "transitions"
//   Output loss = Negative(scope, ReduceMean(scope, crf.log_likelihood));
//   auto best = contrib::crf::CrfDecode(scope, scores, crf.transition_params, lengths);
//
// Scores are [batch, steps, tags], tags int32 [batch, steps], lengths integers [batch]; what is
// beyond a sequence's length does not count. transition_params[i, j] is the score of tag j after
// tag i.
//
// J. Lafferty et al., "Conditional random fields", ICML 2001.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope: scores that are not
// of three dimensions, or whose tags or steps are not known.
#ifndef WARPBEAM_FRONTEND_CONTRIB_CRF_H_
#define WARPBEAM_FRONTEND_CONTRIB_CRF_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace crf {

// The score of the given tags: of each sequence, the sum over its steps and its transitions.
Output CrfSequenceScore(ScopeRef scope, const Output& inputs, const Input& tag_indices,
                        const Input& sequence_lengths, const Input& transition_params);
// The same of the steps alone, and of the transitions alone.
Output CrfUnaryScore(ScopeRef scope, const Input& tag_indices, const Input& sequence_lengths,
                     const Output& inputs);
Output CrfBinaryScore(ScopeRef scope, const Output& tag_indices, const Input& sequence_lengths,
                      const Input& transition_params);
// The logarithm of the sum of exp(score) over all tags that a sequence may have; 0 of an empty one.
Output CrfLogNorm(ScopeRef scope, const Output& inputs, const Input& sequence_lengths,
                  const Input& transition_params);

struct CrfResult {
  Output log_likelihood;     // [batch]
  Output transition_params;  // [tags, tags]
};
// Without transition_params they are the variable "transitions" (GetVariable).
CrfResult CrfLogLikelihood(ScopeRef scope, const Output& inputs, const Output& tag_indices,
                           const Input& sequence_lengths,
                           const std::optional<Input>& transition_params = std::nullopt);

struct CrfDecoded {
  Output decode_tags;  // int32 [batch, steps]; 0 beyond a sequence's length
  Output best_score;   // [batch]
};
CrfDecoded CrfDecode(ScopeRef scope, const Output& potentials, const Input& transition_params,
                     const Input& sequence_length);

// The best tags of one sequence outside of a graph: of float tensors [steps, tags], [tags, tags].
struct ViterbiDecoded {
  std::vector<int32_t> viterbi;
  float viterbi_score = 0;
};
// INVALID_ARGUMENT for tensors of other types or shapes, or without a step.
StatusOr<ViterbiDecoded> ViterbiDecode(const Tensor& score, const Tensor& transition_params);

}  // namespace crf
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTRIB_CRF_H_
