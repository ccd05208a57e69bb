// Losses with weights (tf.losses): each is one number for a batch, added to GraphKeys::kLosses.
//
//   losses::SparseSoftmaxCrossEntropy(scope, labels, logits);
//   losses::MeanSquaredError(scope, targets, outputs, losses::LossOptions().weights(importance));
//   Output total = losses::GetTotalLoss(scope);        // with the regularizers'
//
// Weights are a number, or a tensor of the rank of the loss of each element whose dimensions are
// the loss's or 1. Unless told otherwise the weighted sum is divided by how many elements have a
// weight other than zero.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; shapes that do not
// fit each other are named with the loss.
#ifndef WARPBEAM_FRONTEND_LOSSES_LOSSES_H_
#define WARPBEAM_FRONTEND_LOSSES_LOSSES_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/collections.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace losses {

enum class Reduction {
  kNone,                 // the weighted loss of each element
  kSum,                  // their sum
  kSumOverBatchSize,     // by how many elements there are
  kMean,                 // by the sum of the weights
  kSumByNonzeroWeights,  // by how many weights are not zero
};

struct LossOptions {
  LossOptions& weights(Input value) {
    loss_weights = std::move(value);
    return *this;
  }
  LossOptions& reduction(Reduction value) {
    loss_reduction = value;
    return *this;
  }
  // "" for none.
  LossOptions& loss_collection(std::string value) {
    collection = std::move(value);
    return *this;
  }

  Input loss_weights = 1.0f;
  Reduction loss_reduction = Reduction::kSumByNonzeroWeights;
  std::string collection = GraphKeys::kLosses;
};

// Losses of elements, weighted and reduced as above (tf.losses.compute_weighted_loss).
Output ComputeWeightedLoss(ScopeRef scope, const Input& losses,
                           const LossOptions& options = LossOptions());

// |predictions - labels|, and its square.
Output AbsoluteDifference(ScopeRef scope, const Input& labels, const Input& predictions,
                          const LossOptions& options = LossOptions());
Output MeanSquaredError(ScopeRef scope, const Input& labels, const Input& predictions,
                        const LossOptions& options = LossOptions());

// The mean over all pairs of elements of one example of ((a - b) - (c - d))², where a and b are
// predictions and c and d their labels: of differences, whatever all have in common.
Output MeanPairwiseSquaredError(ScopeRef scope, const Input& labels, const Input& predictions,
                                const Input& weights = 1.0f,
                                const std::string& loss_collection = GraphKeys::kLosses);

// Labels are distributions over the last dimension; `label_smoothing` moves them towards an even
// one.
Output SoftmaxCrossEntropy(ScopeRef scope, const Input& onehot_labels, const Input& logits,
                           const LossOptions& options = LossOptions(), double label_smoothing = 0);
// Labels are the numbers of the classes.
Output SparseSoftmaxCrossEntropy(ScopeRef scope, const Input& labels, const Input& logits,
                                 const LossOptions& options = LossOptions());
// Each class is there or not by itself.
Output SigmoidCrossEntropy(ScopeRef scope, const Input& multi_class_labels, const Input& logits,
                           const LossOptions& options = LossOptions(), double label_smoothing = 0);

// max(0, 1 - y * logits) with y = -1 for label 0 and 1 for label 1.
Output HingeLoss(ScopeRef scope, const Input& labels, const Input& logits,
                 const LossOptions& options = LossOptions());
// Half the square up to `delta`, linear beyond.
Output HuberLoss(ScopeRef scope, const Input& labels, const Input& predictions,
                 const LossOptions& options = LossOptions(), double delta = 1);
// -labels * log(predictions + epsilon) - (1 - labels) * log(1 - predictions + epsilon).
Output LogLoss(ScopeRef scope, const Input& labels, const Input& predictions,
               const LossOptions& options = LossOptions(), double epsilon = 1e-7);
// 1 - the scalar product along `axis`; both are taken to be of length 1.
Output CosineDistance(ScopeRef scope, const Input& labels, const Input& predictions, int axis,
                      const LossOptions& options = LossOptions());

void AddLoss(const Scope& scope, const Output& loss,
             const std::string& collection = GraphKeys::kLosses);
// The losses, and the regularizers', whose names begin with `filter`.
OutputList GetLosses(const Scope& scope, const std::string& filter = "",
                     const std::string& collection = GraphKeys::kLosses);
OutputList GetRegularizationLosses(const Scope& scope, const std::string& filter = "");
// Their sums: "total_regularization_loss" (0 without regularizers), "total_loss".
Output GetRegularizationLoss(ScopeRef scope, const std::string& filter = "");
Output GetTotalLoss(ScopeRef scope, bool add_regularization_losses = true,
                    const std::string& filter = "");

}  // namespace losses

namespace nn {

// The sum of the losses of examples, each times its weight, over how many examples there are.
Output ComputeAverageLoss(ScopeRef scope, const Input& per_example_loss,
                          const std::optional<Input>& sample_weight = std::nullopt,
                          const std::optional<Input>& global_batch_size = std::nullopt);
// The sum of the penalties over the number of replicas that all add it.
Output ScaleRegularizationLoss(ScopeRef scope, const Input& regularization_loss,
                               int num_replicas = 1);

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LOSSES_LOSSES_H_
