// Candidate samplers (tf.nn.log_uniform_candidate_sampler and its kin): classes drawn for losses
// that look at some of many classes only (frontend/layers/sampled_losses.h).
//
//   nn::SampledClasses drawn =
//       nn::UniformCandidateSampler(scope, labels, /*num_true=*/1, /*num_sampled=*/64,
//                                   /*unique=*/true, /*range_max=*/50000);
//   Output loss = nn::NceLoss(scope, {weights}, {biases}, labels, x, 64, 50000,
//                             nn::SampledLossOptions().sampled_values(drawn));
//
// `true_classes` are int64 [batch, num_true]. With `unique` no class is drawn twice. With seeds of
// the graph or of their own they draw what TensorFlow draws.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_NN_CANDIDATE_SAMPLERS_H_
#define WARPBEAM_FRONTEND_NN_CANDIDATE_SAMPLERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

// The classes that were drawn, and how often a class is drawn in the mean: each of the right ones
// and each of the drawn ones.
struct SampledClasses {
  Output classes;
  Output true_expected_count;
  Output sampled_expected_count;
};

// Every class as likely as the others.
SampledClasses UniformCandidateSampler(ScopeRef scope, const Input& true_classes, int64_t num_true,
                                       int64_t num_sampled, bool unique, int64_t range_max,
                                       std::optional<int64_t> seed = std::nullopt);
// log((class + 2) / (class + 1)) / log(range_max + 1): for classes in the order of how frequent
// they are.
SampledClasses LogUniformCandidateSampler(ScopeRef scope, const Input& true_classes,
                                          int64_t num_true, int64_t num_sampled, bool unique,
                                          int64_t range_max,
                                          std::optional<int64_t> seed = std::nullopt);
// As often as the class was among the right ones so far.
SampledClasses LearnedUnigramCandidateSampler(ScopeRef scope, const Input& true_classes,
                                              int64_t num_true, int64_t num_sampled, bool unique,
                                              int64_t range_max,
                                              std::optional<int64_t> seed = std::nullopt);
// All classes, each once: `num_sampled` of them.
SampledClasses AllCandidateSampler(ScopeRef scope, const Input& true_classes, int64_t num_true,
                                   int64_t num_sampled, bool unique,
                                   std::optional<int64_t> seed = std::nullopt);

struct FixedUnigramOptions {
  // A file with a line for each class, whose last field is how frequent it is; or the list.
  FixedUnigramOptions& vocab_file(std::string value) {
    file = std::move(value);
    return *this;
  }
  FixedUnigramOptions& unigrams(std::vector<float> value) {
    counts = std::move(value);
    return *this;
  }
  // The power to which the counts are taken: 1 as they are, 0 all alike.
  FixedUnigramOptions& distortion(float value) {
    exponent = value;
    return *this;
  }
  // How many classes before those of the list are never drawn.
  FixedUnigramOptions& num_reserved_ids(int64_t value) {
    reserved = value;
    return *this;
  }
  // Of the classes those that leave `shard` when divided by `num_shards`.
  FixedUnigramOptions& num_shards(int64_t value) {
    shard_count = value;
    return *this;
  }
  FixedUnigramOptions& shard(int64_t value) {
    shard_index = value;
    return *this;
  }
  FixedUnigramOptions& seed(int64_t value) {
    op_seed = value;
    return *this;
  }

  std::string file;
  std::vector<float> counts;
  float exponent = 1;
  int64_t reserved = 0;
  int64_t shard_count = 1;
  int64_t shard_index = 0;
  std::optional<int64_t> op_seed;
};
// As often as the options say.
SampledClasses FixedUnigramCandidateSampler(ScopeRef scope, const Input& true_classes,
                                            int64_t num_true, int64_t num_sampled, bool unique,
                                            int64_t range_max, const FixedUnigramOptions& options);

// Where a drawn class is a right one of an example: the example, the place among the drawn ones,
// and next to minus infinity, to be added to its logit.
struct AccidentalHits {
  Output indices;
  Output ids;
  Output weights;
};
AccidentalHits ComputeAccidentalHits(ScopeRef scope, const Input& true_classes,
                                     const Input& sampled_candidates, int64_t num_true,
                                     std::optional<int64_t> seed = std::nullopt);

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NN_CANDIDATE_SAMPLERS_H_
