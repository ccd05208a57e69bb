// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/ctc_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

CTCBeamSearchDecoderOutputs CTCBeamSearchDecoder(ScopeRef scope, const Input& inputs,
    const Input& sequence_length, int64_t beam_width, int64_t top_paths,
    const CTCBeamSearchDecoderAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "CTCBeamSearchDecoder", {inputs, sequence_length},
      OpAttrs(attrs)
          .Set("beam_width", beam_width)
          .Set("top_paths", top_paths));
  CTCBeamSearchDecoderOutputs outputs;
  outputs.decoded_indices = OutputsOf(here, built, "decoded_indices");
  outputs.decoded_values = OutputsOf(here, built, "decoded_values");
  outputs.decoded_shape = OutputsOf(here, built, "decoded_shape");
  outputs.log_probability = OutputOf(here, built, "log_probability");
  outputs.op = built;
  return outputs;
}

CTCGreedyDecoderOutputs CTCGreedyDecoder(ScopeRef scope, const Input& inputs,
    const Input& sequence_length, const CTCGreedyDecoderAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "CTCGreedyDecoder", {inputs, sequence_length},
      attrs);
  CTCGreedyDecoderOutputs outputs;
  outputs.decoded_indices = OutputOf(here, built, "decoded_indices");
  outputs.decoded_values = OutputOf(here, built, "decoded_values");
  outputs.decoded_shape = OutputOf(here, built, "decoded_shape");
  outputs.log_probability = OutputOf(here, built, "log_probability");
  outputs.op = built;
  return outputs;
}

CTCLossOutputs CTCLoss(ScopeRef scope, const Input& inputs, const Input& labels_indices,
    const Input& labels_values, const Input& sequence_length, const CTCLossAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "CTCLoss", {inputs, labels_indices, labels_values, sequence_length},
      attrs);
  CTCLossOutputs outputs;
  outputs.loss = OutputOf(here, built, "loss");
  outputs.gradient = OutputOf(here, built, "gradient");
  outputs.op = built;
  return outputs;
}

CTCLossV2Outputs CTCLossV2(ScopeRef scope, const Input& inputs, const Input& labels_indices,
    const Input& labels_values, const Input& sequence_length, const CTCLossV2Attrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "CTCLossV2", {inputs, labels_indices, labels_values, sequence_length},
      attrs);
  CTCLossV2Outputs outputs;
  outputs.loss = OutputOf(here, built, "loss");
  outputs.gradient = OutputOf(here, built, "gradient");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
