// Connectionist temporal classification (tf.nn.ctc_loss, ctc_greedy_decoder…): labels of sequences
// whose alignment with the inputs is not known. A. Graves et al., ICML 2006.
//
//   Output losses = nn::CtcLoss(scope, labels, logits, lengths);       // one for each sequence
//   nn::CtcDecoded best = nn::CtcGreedyDecoder(scope, logits, lengths);
//   Output classes = best.decoded[0].values;                           // of all sequences
//
// Logits are [time, batch, classes]; the last class is the blank. Labels are a sparse int32 matrix
// [batch, place] (frontend/parsing.h), sequence lengths int32 [batch].
//
// Nodes are those that TensorFlow's functions of the same name make, but for those of CtcLossV2
// with dense labels, which gives the same numbers by the operation of CtcLoss.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; labels that do not
// fit into their sequence fail the step.
#ifndef WARPBEAM_FRONTEND_NN_CTC_H_
#define WARPBEAM_FRONTEND_NN_CTC_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/input.h"
#include "frontend/parsing.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

struct CtcLossOptions {
  // Makes one of labels that repeat themselves before the loss is computed.
  CtcLossOptions& preprocess_collapse_repeated(bool value) {
    collapses_labels = value;
    return *this;
  }
  // Whether repeated classes without a blank between them are one label.
  CtcLossOptions& ctc_merge_repeated(bool value) {
    merges_repeated = value;
    return *this;
  }
  // Sequences that are too short for their labels get a loss of 0 instead of failing the step.
  CtcLossOptions& ignore_longer_outputs_than_inputs(bool value) {
    ignores_longer = value;
    return *this;
  }
  // `false`: logits are [batch, time, classes].
  CtcLossOptions& time_major(bool value) {
    is_time_major = value;
    return *this;
  }

  bool collapses_labels = false;
  bool merges_repeated = true;
  bool ignores_longer = false;
  bool is_time_major = true;
};

Output CtcLoss(ScopeRef scope, const SparseOutput& labels, const Input& inputs,
               const Input& sequence_length, const CtcLossOptions& options = CtcLossOptions());

// With any class as the blank; a negative one counts from the end.
Output CtcLossV2(ScopeRef scope, const SparseOutput& labels, const Input& logits,
                 const Input& logit_length, int64_t blank_index, bool logits_time_major = true);
// With labels [batch, the most labels], of which `label_length` count.
Output CtcLossV2(ScopeRef scope, const Input& labels, const Input& logits,
                 const Input& label_length, const Input& logit_length, int64_t blank_index = 0,
                 bool logits_time_major = true);

struct CtcDecoded {
  // The labels of all sequences, the likeliest first.
  std::vector<SparseOutput> decoded;
  // [batch, paths]: of the greedy decoder the negative sum of the largest logits.
  Output log_probabilities;
};

// The likeliest class of each moment.
CtcDecoded CtcGreedyDecoder(ScopeRef scope, const Input& inputs, const Input& sequence_length,
                            bool merge_repeated = true,
                            std::optional<int64_t> blank_index = std::nullopt);
// The `top_paths` best of the `beam_width` that are followed.
CtcDecoded CtcBeamSearchDecoder(ScopeRef scope, const Input& inputs, const Input& sequence_length,
                                int64_t beam_width = 100, int64_t top_paths = 1,
                                bool merge_repeated = true);
// The same without merging (tf.nn.ctc_beam_search_decoder_v2).
CtcDecoded CtcBeamSearchDecoderV2(ScopeRef scope, const Input& inputs, const Input& sequence_length,
                                  int64_t beam_width = 100, int64_t top_paths = 1);

struct CollapsedLabels {
  Output labels;
  Output lengths;
};
// Labels [batch, place] without those that repeat the one before, up to `seq_length` each.
CollapsedLabels CollapseRepeated(ScopeRef scope, const Input& labels, const Input& seq_length);

struct UniqueLabels {
  Output labels;   // int64 [batch, place]: each once, then zeros
  Output indices;  // which of them a label is
};
UniqueLabels CtcUniqueLabels(ScopeRef scope, const Input& labels);

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NN_CTC_H_
