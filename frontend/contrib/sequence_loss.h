// The loss of sequences of classes (tf.contrib.seq2seq.sequence_loss): the cross entropy of each
// step, weighted, and averaged over steps and sequences.
//
//   Output mask = SequenceMask(scope, lengths, std::nullopt, DType::kFloat);
//   Output loss = contrib::seq2seq::SequenceLoss(scope, logits, labels, mask);
//
// logits are [batch, steps, classes], targets integers [batch, steps], weights [batch, steps].
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope: other ranks, and
// options that exclude each other.
#ifndef WARPBEAM_FRONTEND_CONTRIB_SEQUENCE_LOSS_H_
#define WARPBEAM_FRONTEND_CONTRIB_SEQUENCE_LOSS_H_

#include <functional>
#include <utility>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {

struct SequenceLossOptions {
  // The sum over the steps divided by the sum of their weights, and the same over the batch.
  SequenceLossOptions& average_across_timesteps(bool value) {
    averages_steps = value;
    return *this;
  }
  SequenceLossOptions& average_across_batch(bool value) {
    averages_batch = value;
    return *this;
  }
  // The same, divided by the number of weights that are not 0. Not together with the averages.
  SequenceLossOptions& sum_over_timesteps(bool value) {
    sums_steps = value;
    return *this;
  }
  SequenceLossOptions& sum_over_batch(bool value) {
    sums_batch = value;
    return *this;
  }
  // Instead of SparseSoftmaxCrossEntropyWithLogits: of labels [n] and logits [n, classes].
  SequenceLossOptions& softmax_loss_function(
      std::function<Output(const Scope& scope, const Output& labels, const Output& logits)> value) {
    loss_function = std::move(value);
    return *this;
  }

  bool averages_steps = true;
  bool averages_batch = true;
  bool sums_steps = false;
  bool sums_batch = false;
  std::function<Output(const Scope&, const Output&, const Output&)> loss_function;
};

// A scalar; without one of the averages [batch] or [steps], without both [batch, steps].
Output SequenceLoss(ScopeRef scope, const Output& logits, const Output& targets,
                    const Output& weights,
                    const SequenceLossOptions& options = SequenceLossOptions());

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTRIB_SEQUENCE_LOSS_H_
