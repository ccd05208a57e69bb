// Losses of many classes that look at some of them only (tf.nn.nce_loss, sampled_softmax_loss): at
// the right ones of each example, and at `num_sampled` wrong ones that all examples share.
//
//   Output loss = ReduceMean(scope, nn::NceLoss(scope, {weights}, {biases}, labels, embedded,
//                                               /*num_sampled=*/64, /*num_classes=*/50000));
//
// `weights` are [classes, dim], whole or cut into parts (frontend/layers/embedding.h), `biases`
// [classes], `labels` int64 [batch, how many are right], `inputs` [batch, dim]. The wrong classes
// are drawn by a log-uniform distribution, which fits classes ordered by how frequent they are. The
// loss is one number for each example, and is for training: to evaluate, take all classes.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_LAYERS_SAMPLED_LOSSES_H_
#define WARPBEAM_FRONTEND_LAYERS_SAMPLED_LOSSES_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "frontend/layers/embedding.h"
#include "frontend/nn/candidate_samplers.h"

namespace warpbeam {
namespace frontend {
namespace nn {

struct SampledLossOptions {
  // How many classes of each example are right.
  SampledLossOptions& num_true(int64_t value) {
    true_classes = value;
    return *this;
  }
  // Instead of those of the log-uniform sampler (frontend/nn/candidate_samplers.h).
  SampledLossOptions& sampled_values(SampledClasses value) {
    sampled = std::move(value);
    return *this;
  }
  // Whether a sampled class that is a right one of an example does not count for it. By default it
  // counts with NceLoss, and not with SampledSoftmaxLoss.
  SampledLossOptions& remove_accidental_hits(bool value) {
    removes_hits = value;
    return *this;
  }
  SampledLossOptions& partition_strategy(PartitionStrategy value) {
    strategy = value;
    return *this;
  }
  // The seed of the sampler.
  SampledLossOptions& seed(int64_t value) {
    op_seed = value;
    return *this;
  }

  int64_t true_classes = 1;
  std::optional<SampledClasses> sampled;
  std::optional<bool> removes_hits;
  PartitionStrategy strategy = PartitionStrategy::kMod;
  std::optional<int64_t> op_seed;
};

// Each class for itself: whether it is a right one.
Output NceLoss(ScopeRef scope, const InputList& weights, const InputList& biases,
               const Input& labels, const Input& inputs, int64_t num_sampled, int64_t num_classes,
               const SampledLossOptions& options = SampledLossOptions());

// The softmax over the right classes and the sampled ones.
Output SampledSoftmaxLoss(ScopeRef scope, const InputList& weights, const InputList& biases,
                          const Input& labels, const Input& inputs, int64_t num_sampled,
                          int64_t num_classes,
                          const SampledLossOptions& options = SampledLossOptions());

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_SAMPLED_LOSSES_H_
