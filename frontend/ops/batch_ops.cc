// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/batch_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

BatchOutputs Batch(ScopeRef scope, const InputList& in_tensors, int64_t num_batch_threads,
    int64_t max_batch_size, int64_t batch_timeout_micros, int64_t grad_timeout_micros,
    const BatchAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "Batch", {in_tensors},
      OpAttrs(attrs)
          .Set("num_batch_threads", num_batch_threads)
          .Set("max_batch_size", max_batch_size)
          .Set("batch_timeout_micros", batch_timeout_micros)
          .Set("grad_timeout_micros", grad_timeout_micros));
  BatchOutputs outputs;
  outputs.batched_tensors = OutputsOf(here, built, "batched_tensors");
  outputs.batch_index = OutputOf(here, built, "batch_index");
  outputs.id = OutputOf(here, built, "id");
  outputs.op = built;
  return outputs;
}

std::vector<Output> BatchFunction(ScopeRef scope, const InputList& in_tensors,
    const InputList& captured_tensors, const FunctionRef& f, int64_t num_batch_threads,
    int64_t max_batch_size, int64_t batch_timeout_micros, const std::vector<DType>& Tout,
    const BatchFunctionAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "BatchFunction", {in_tensors, captured_tensors},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("num_batch_threads", num_batch_threads)
          .Set("max_batch_size", max_batch_size)
          .Set("batch_timeout_micros", batch_timeout_micros)
          .Set("Tout", Tout));
}

Output Unbatch(ScopeRef scope, const Input& batched_tensor, const Input& batch_index,
    const Input& id, int64_t timeout_micros, const UnbatchAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Unbatch", {batched_tensor, batch_index, id},
      OpAttrs(attrs)
          .Set("timeout_micros", timeout_micros));
}

Output UnbatchGrad(ScopeRef scope, const Input& original_input, const Input& batch_index,
    const Input& grad, const Input& id, const UnbatchGradAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "UnbatchGrad", {original_input, batch_index, grad, id},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
