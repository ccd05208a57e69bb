#include "frontend/queue/accumulator.h"

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace {

Output Make(ScopeRef scope_ref, const char* name, const char* op, DType dtype,
            const PartialShape& shape, const AccumulatorOptions& options) {
  const Scope scope = scope_ref.scope();
  return BuildOutput(scope.Named(scope.OpNameOr(name)), op, {},
                     OpAttrs()
                         .Set("dtype", dtype)
                         .Set("shape", shape)
                         .Set("shared_name", options.shared)
                         .Set("reduction_type", options.reduction));
}

}  // namespace

Output ConditionalAccumulatorBase::NumAccumulated(ScopeRef scope) const {
  return BuildOutput(scope.scope(), "AccumulatorNumAccumulated", {ref_});
}

Operation ConditionalAccumulatorBase::SetGlobalStep(ScopeRef scope, const Input& step) const {
  return BuildOp(scope.scope(), "AccumulatorSetGlobalStep", {ref_, step});
}

ConditionalAccumulator::ConditionalAccumulator(ScopeRef scope, DType dtype,
                                               const PartialShape& shape,
                                               const AccumulatorOptions& options)
    : ConditionalAccumulatorBase(Make(scope.scope(), "conditional_accumulator",
                                      "ConditionalAccumulator", dtype, shape, options),
                                 dtype) {}

Operation ConditionalAccumulator::ApplyGrad(ScopeRef scope, const Input& gradient,
                                            const Input& local_step) const {
  return BuildOp(scope.scope(), "AccumulatorApplyGradient", {ref_, local_step, gradient});
}

Output ConditionalAccumulator::TakeGrad(ScopeRef scope, const Input& num_required) const {
  return BuildOutput(scope.scope(), "AccumulatorTakeGradient", {ref_, num_required},
                     OpAttrs().Set("dtype", dtype_));
}

SparseConditionalAccumulator::SparseConditionalAccumulator(ScopeRef scope, DType dtype,
                                                           const PartialShape& shape,
                                                           const AccumulatorOptions& options)
    : ConditionalAccumulatorBase(Make(scope.scope(), "sparse_conditional_accumulator",
                                      "SparseConditionalAccumulator", dtype, shape, options),
                                 dtype) {}

Operation SparseConditionalAccumulator::ApplyGrad(ScopeRef scope, const Input& indices,
                                                  const Input& values, const Input& shape,
                                                  const Input& local_step) const {
  return BuildOp(scope.scope(), "SparseAccumulatorApplyGradient",
                 {ref_, local_step, indices, values, shape},
                 OpAttrs().Set("has_known_shape", true));
}

Operation SparseConditionalAccumulator::ApplyIndexedSlicesGrad(ScopeRef scope_ref,
                                                               const IndexedSlices& gradient,
                                                               const Input& local_step) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  const auto as_int64 = [&](const Output& x) {
    if (x.dtype() == DType::kInt64) return x;
    return BuildOutput(scope.Named(""), "Cast", {x}, OpAttrs().Set("DstT", DType::kInt64));
  };
  const bool known = gradient.dense_shape.valid();
  const Output shape =
      known ? as_int64(gradient.dense_shape)
            : Constant(scope.Named(""), std::vector<int64_t>(), DType::kInt64, Shape({0}));
  return BuildOp(scope, "SparseAccumulatorApplyGradient",
                 {ref_, local_step, as_int64(gradient.indices), gradient.values, shape},
                 OpAttrs().Set("has_known_shape", known));
}

IndexedSlices SparseConditionalAccumulator::TakeGrad(ScopeRef scope,
                                                     const Input& num_required) const {
  const auto out = BuildOutputs(scope.scope(), "SparseAccumulatorTakeGradient",
                                {ref_, num_required}, OpAttrs().Set("dtype", dtype_), 3);
  return {out[1], out[0], out[2]};
}

IndexedSlices SparseConditionalAccumulator::TakeIndexedSlicesGrad(ScopeRef scope,
                                                                  const Input& num_required) const {
  return TakeGrad(scope.scope(), num_required);
}

}  // namespace frontend
}  // namespace warpbeam
