#include "frontend/nn.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

// The losses of a batch as the op takes it: labels of one dimension, logits of two.
Output LossesOfRows(const Scope& scope, const Output& labels, const Output& logits) {
  return BuildOutput(scope, "SparseSoftmaxCrossEntropyWithLogits", {logits, labels});
}

Output LossesOfAnyRank(const Scope& scope, const Output& labels, const Output& logits,
                       const Output& labels_shape) {
  const PartialShape known = logits.shape();
  Output classes;
  if (known.has_rank() && known.dim(known.rank() - 1) >= 0) {
    classes =
        Constant(scope, std::vector<int32_t>{-1, static_cast<int>(known.dim(known.rank() - 1))});
  } else {
    const Output last = BuildOutput(scope, "Sub", {RankOf(scope, logits), 1});
    const Output count = BuildOutput(scope, "GatherV2", {ShapeOf(scope, logits), last, 0});
    classes = Stack(scope, {Constant(scope, -1), count});
  }
  const Output rows = Reshape(scope, logits, classes);
  const Output flat = Reshape(scope, labels, {-1});
  return Reshape(scope, LossesOfRows(scope, flat, rows), labels_shape);
}

}  // namespace

Output Relu(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "Relu", {x}); }

Output Softmax(ScopeRef scope, const Input& logits) {
  return BuildOutput(scope.scope(), "Softmax", {logits});
}

Output BiasAdd(ScopeRef scope, const Input& x, const Input& bias) {
  return BuildOutput(scope.scope(), "BiasAdd", {x, bias});
}

Output XwPlusB(ScopeRef scope_ref, const Input& x, const Input& weights, const Input& biases) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("xw_plus_b");
  return scope(BiasAdd(inside.Named(inside.name_scope()), MatMul(inside, x, weights), biases));
}

Output L2Loss(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "L2Loss", {x}); }

Output SparseSoftmaxCrossEntropyWithLogits(ScopeRef scope_ref, const Input& labels,
                                           const Input& logits) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseSoftmaxCrossEntropyWithLogits");
  const Output label_tensor = AsOutput(inside.Named("labels"), labels);
  const Output logit_tensor = AsOutput(inside.Named("logits"), logits);
  if (!scope.ok()) return Output();
  const DType dtype = logit_tensor.dtype();
  const bool narrow = dtype == DType::kHalf || dtype == DType::kBFloat16;
  const Output precise = narrow ? Cast(inside, logit_tensor, DType::kFloat) : logit_tensor;
  const Output shape = ShapeOf(inside, label_tensor);
  const Output losses = precise.shape().rank() == 2
                            ? LossesOfRows(inside, label_tensor, precise)
                            : LossesOfAnyRank(inside, label_tensor, precise, shape);
  return scope(narrow ? Cast(inside, losses, dtype) : losses);
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
