// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_CTC_OPS_H_
#define WARPBEAM_FRONTEND_OPS_CTC_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class CTCBeamSearchDecoderAttrs : public OpAttrs {
 public:
  CTCBeamSearchDecoderAttrs& merge_repeated(bool value) {
    Set("merge_repeated", value);
    return *this;
  }
};
struct CTCBeamSearchDecoderOutputs {
  std::vector<Output> decoded_indices;
  std::vector<Output> decoded_values;
  std::vector<Output> decoded_shape;
  Output log_probability;
  Operation op;
};
// (inputs: T, sequence_length: int32) -> (decoded_indices: top_paths * int64, decoded_values:
//     top_paths * int64, decoded_shape: top_paths * int64, log_probability: T)
CTCBeamSearchDecoderOutputs CTCBeamSearchDecoder(ScopeRef scope, const Input& inputs,
    const Input& sequence_length, int64_t beam_width, int64_t top_paths,
    const CTCBeamSearchDecoderAttrs& attrs = CTCBeamSearchDecoderAttrs());

class CTCGreedyDecoderAttrs : public OpAttrs {
 public:
  CTCGreedyDecoderAttrs& merge_repeated(bool value) {
    Set("merge_repeated", value);
    return *this;
  }
  CTCGreedyDecoderAttrs& blank_index(int64_t value) {
    Set("blank_index", value);
    return *this;
  }
};
struct CTCGreedyDecoderOutputs {
  Output decoded_indices;
  Output decoded_values;
  Output decoded_shape;
  Output log_probability;
  Operation op;
};
// (inputs: T, sequence_length: int32) -> (decoded_indices: int64, decoded_values: int64,
//     decoded_shape: int64, log_probability: T)
CTCGreedyDecoderOutputs CTCGreedyDecoder(ScopeRef scope, const Input& inputs,
    const Input& sequence_length, const CTCGreedyDecoderAttrs& attrs = CTCGreedyDecoderAttrs());

class CTCLossAttrs : public OpAttrs {
 public:
  CTCLossAttrs& preprocess_collapse_repeated(bool value) {
    Set("preprocess_collapse_repeated", value);
    return *this;
  }
  CTCLossAttrs& ctc_merge_repeated(bool value) {
    Set("ctc_merge_repeated", value);
    return *this;
  }
  CTCLossAttrs& ignore_longer_outputs_than_inputs(bool value) {
    Set("ignore_longer_outputs_than_inputs", value);
    return *this;
  }
};
struct CTCLossOutputs {
  Output loss;
  Output gradient;
  Operation op;
};
// (inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32) -> (loss: T,
//     gradient: T)
CTCLossOutputs CTCLoss(ScopeRef scope, const Input& inputs, const Input& labels_indices,
    const Input& labels_values, const Input& sequence_length,
    const CTCLossAttrs& attrs = CTCLossAttrs());

class CTCLossV2Attrs : public OpAttrs {
 public:
  CTCLossV2Attrs& preprocess_collapse_repeated(bool value) {
    Set("preprocess_collapse_repeated", value);
    return *this;
  }
  CTCLossV2Attrs& ctc_merge_repeated(bool value) {
    Set("ctc_merge_repeated", value);
    return *this;
  }
  CTCLossV2Attrs& ignore_longer_outputs_than_inputs(bool value) {
    Set("ignore_longer_outputs_than_inputs", value);
    return *this;
  }
};
struct CTCLossV2Outputs {
  Output loss;
  Output gradient;
  Operation op;
};
// (inputs: float, labels_indices: int64, labels_values: int32, sequence_length: int32) -> (loss:
//     float, gradient: float)
CTCLossV2Outputs CTCLossV2(ScopeRef scope, const Input& inputs, const Input& labels_indices,
    const Input& labels_values, const Input& sequence_length,
    const CTCLossV2Attrs& attrs = CTCLossV2Attrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_CTC_OPS_H_
