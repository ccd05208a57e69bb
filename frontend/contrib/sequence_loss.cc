#include "frontend/contrib/sequence_loss.h"

#include "frontend/array.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "frontend/math/reductions.h"
#include "frontend/nn.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {
namespace {

Status Check(const Output& logits, const Output& targets, const Output& weights,
             const SequenceLossOptions& options) {
  const auto has_rank = [](const Output& x, int rank) {
    return x.valid() && x.shape().rank() == rank;
  };
  if (!has_rank(logits, 3) || !has_rank(targets, 2) || !has_rank(weights, 2)) {
    return InvalidArgument(
        "SequenceLoss takes logits [batch, steps, classes], targets and weights [batch, steps]");
  }
  if ((options.averages_steps || options.averages_batch) &&
      (options.sums_steps || options.sums_batch)) {
    return InvalidArgument("SequenceLoss either averages or sums; set average_across_timesteps ",
                           "and average_across_batch to false to sum");
  }
  return OkStatus();
}

}  // namespace

Output SequenceLoss(ScopeRef scope_ref, const Output& logits, const Output& targets,
                    const Output& weights, const SequenceLossOptions& options) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (const Status checked = Check(logits, targets, weights, options); !checked.ok()) {
    scope.Fail(checked);
    return Output();
  }
  const Scope inside = scope.OpenScope("sequence_loss");
  const Output shape = ShapeOf(inside, logits);
  const Output rows = Stack(inside, {Constant(inside, -1), ElementAt(inside, shape, 2)});
  const Output flat = Reshape(inside, logits, rows);
  const Output labels = Reshape(inside, targets, std::vector<int32_t>{-1});
  const Output each = options.loss_function
                          ? options.loss_function(inside, labels, flat)
                          : nn::SparseSoftmaxCrossEntropyWithLogits(inside, labels, flat);
  Output loss = Multiply(inside, each, Reshape(inside, weights, std::vector<int32_t>{-1}));
  const bool averages = options.averages_steps || options.averages_batch;
  const bool steps = options.averages_steps || options.sums_steps;
  const bool batch = options.averages_batch || options.sums_batch;
  const Output by_step = Slice(inside, shape, {0}, {2});
  if (!inside.ok()) return Output();
  if (!(steps && batch)) loss = Reshape(inside, loss, by_step);
  if (!steps && !batch) return scope(loss);
  // Where all weights are 0, so is the loss.
  if (steps && batch) {
    const Output size = averages ? ReduceSum(inside, weights)
                                 : Cast(inside, CountNonzero(inside, weights), loss.dtype());
    return scope(DivNoNan(inside, ReduceSum(inside, loss), size));
  }
  const int axis = batch ? 0 : 1;
  const Output size = averages ? ReduceSum(inside, weights, axis)
                               : Cast(inside, CountNonzero(inside, weights, axis), loss.dtype());
  return scope(DivNoNan(inside, ReduceSum(inside, loss, axis), size));
}

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
