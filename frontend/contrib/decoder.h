// Decoders (tf.contrib.seq2seq.BasicDecoder, dynamic_decode, and under the names TrainingInputs and
// GreedyEmbeddingInputs the helpers): sequences made step by step, from a cell and what decides on
// its next input.
//
//   auto inputs = std::make_shared<TrainingInputs>(targets, target_lengths);
//   const OutputLayer words = [](const Scope& s, const Output& x) {
//     return ::warpbeam::frontend::layers::Dense(s.Named("projection"), x, 1000);
//   };
//   Decoded out = DynamicDecode(scope, BasicDecoder(cell, inputs, start, words));
//   // out.rnn_output [batch, steps, 1000], out.sample_id [batch, steps], out.lengths [batch]
//
// The loop ends when all sequences have, or after `maximum_iterations`. Variables of the cell have
// contrib's names, below "decoder".
//
// Ownership: inputs and cells are shared. Thread safety: that of the Scope. Errors: kept in the
// scope; what is decoded is then not valid.
#ifndef WARPBEAM_FRONTEND_CONTRIB_DECODER_H_
#define WARPBEAM_FRONTEND_CONTRIB_DECODER_H_

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "frontend/control_flow/tensor_array.h"
#include "frontend/input.h"
#include "frontend/rnn/rnn_cell.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {

// Which sequences are at their end [batch], and the cell's next input [batch, depth].
struct InputStep {
  Output finished;
  Output inputs;
};

class DecoderInputs {
 public:
  virtual ~DecoderInputs() = default;
  // The first input; outside of the loop.
  virtual InputStep Initialize(const Scope& scope) = 0;
  // What was said, as numbers [batch], from the cell's outputs.
  virtual Output Sample(const Scope& scope, const Output& time, const Output& outputs) = 0;
  virtual InputStep NextInputs(const Scope& scope, const Output& time, const Output& outputs,
                               const Output& sample_ids) = 0;
};
using DecoderInputsPtr = std::shared_ptr<DecoderInputs>;

// The inputs are given: [batch, steps, depth], or with `time_major` [steps, batch, depth], of which
// each sequence has the first `sequence_length`.
class TrainingInputs final : public DecoderInputs {
 public:
  TrainingInputs(const Output& inputs, const Output& sequence_length, bool time_major = false)
      : inputs_(inputs), lengths_(sequence_length), is_time_major_(time_major) {}
  InputStep Initialize(const Scope& scope) override;
  Output Sample(const Scope& scope, const Output& time, const Output& outputs) override;
  InputStep NextInputs(const Scope& scope, const Output& time, const Output& outputs,
                       const Output& sample_ids) override;

 private:
  Output Step(const Scope& scope, const Output& time) const;

  const Output inputs_, lengths_;
  const bool is_time_major_;
  TensorArray steps_;
  Output last_;  // the number of the last step
};

// Each step is given what the one before found likeliest, until that is `end_token`.
class GreedyEmbeddingInputs final : public DecoderInputs {
 public:
  // `embedding` has a row for each token; start_tokens are [batch].
  GreedyEmbeddingInputs(const Input& embedding, const Output& start_tokens, int32_t end_token)
      : embedding_(embedding), start_tokens_(start_tokens), end_token_(end_token) {}
  InputStep Initialize(const Scope& scope) override;
  Output Sample(const Scope& scope, const Output& time, const Output& outputs) override;
  InputStep NextInputs(const Scope& scope, const Output& time, const Output& outputs,
                       const Output& sample_ids) override;

 private:
  const Input embedding_;
  const Output start_tokens_;
  const int32_t end_token_;
};

// Made of the cell's output before the inputs sees it, such as the logits of words. Called in the
// loop and once before it, which is where it makes its variables; they are reused in the loop.
using OutputLayer = std::function<Output(const Scope& scope, const Output& x)>;

struct BasicDecoder {
  BasicDecoder(nn::RNNCellPtr decoder_cell, DecoderInputsPtr decoder_inputs, nn::RNNState start,
               OutputLayer layer = nullptr)
      : cell(std::move(decoder_cell)),
        inputs(std::move(decoder_inputs)),
        initial_state(std::move(start)),
        output_layer(std::move(layer)) {}

  nn::RNNCellPtr cell;
  DecoderInputsPtr inputs;
  nn::RNNState initial_state;
  OutputLayer output_layer;
};

struct DynamicDecodeOptions {
  // Results are [steps, batch, …].
  DynamicDecodeOptions& output_time_major(bool value) { return time_major = value, *this; }
  // Zeros for sequences that are at their end, whose state stays what it was.
  DynamicDecodeOptions& impute_finished(bool value) { return imputes = value, *this; }
  DynamicDecodeOptions& maximum_iterations(const Input& value) { return most = value, *this; }
  DynamicDecodeOptions& parallel_iterations(int value) { return parallel = value, *this; }

  bool time_major = false;
  bool imputes = false;
  std::optional<Input> most;
  int parallel = 32;
};

struct Decoded {
  Output rnn_output;
  Output sample_id;
  nn::RNNState state;
  Output lengths;  // [batch], int32
  // [steps, batch, steps of the memory]: where each AttentionWrapper looked that was made with
  // `alignment_history`.
  OutputList alignment_history;
};

Decoded DynamicDecode(ScopeRef scope, const BasicDecoder& decoder,
                      const DynamicDecodeOptions& options = DynamicDecodeOptions());

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTRIB_DECODER_H_
