#include "frontend/contrib/decoder.h"

#include <utility>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/contrib/decoder_loop.h"
#include "frontend/layers/embedding.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {
namespace {

Output Likeliest(const Scope& scope, const Output& outputs) {
  return BuildOutput(scope, "ArgMax", {outputs, -1}, OpAttrs().Set("output_type", DType::kInt32));
}

Output Or(const Scope& scope, const Input& a, const Input& b) {
  return BuildOutput(scope, "LogicalOr", {a, b});
}

// A row for each sequence: what `finished` says, of [batch] and [batch, …].
Output Where(const Scope& scope, const Output& finished, const Output& then, const Output& other) {
  Output chosen = finished;
  for (int i = 1; i < then.rank(); ++i) chosen = ExpandDims(scope, chosen, -1);
  return BuildOutput(scope, "SelectV2", {chosen, then, other});
}

class BasicDecoding {
 public:
  BasicDecoding(const Scope& scope, const BasicDecoder& decoder,
                const DynamicDecodeOptions& options)
      : scope_(scope),
        decoder_(decoder),
        options_(options),
        first_(decoder.inputs->Initialize(scope)),
        cell_(scope, "DynamicDecode", decoder.cell, decoder.output_layer, first_.inputs,
              decoder.initial_state.size()),
        alignments_(decoder.cell->alignments()) {}

  Decoded Run() {
    if (!scope_.ok()) return Decoded();
    DecoderLoop loop;
    loop.finished = first_.finished;
    loop.carried = {first_.inputs};
    loop.carried.insert(loop.carried.end(), decoder_.initial_state.begin(),
                        decoder_.initial_state.end());
    loop.results = {{cell_.dtype(), PartialShape({-1, cell_.width()})},
                    {DType::kInt32, PartialShape({-1})}};
    for (const size_t i : alignments_) {
      const Output& start = decoder_.initial_state[i];
      loop.results.emplace_back(start.dtype(), start.shape());
    }
    loop.step = [this](const Scope& s, const DecoderMoment& now) { return Step(s, now); };
    const DecoderRun run = RunDecoderLoop(scope_, loop, options_);
    if (!scope_.ok()) return Decoded();
    Decoded decoded;
    decoded.rnn_output = run.results[0];
    decoded.sample_id = run.results[1];
    if (!options_.time_major) {
      decoded.rnn_output = SwapBatchAndSteps(scope_, decoded.rnn_output);
      decoded.sample_id = SwapBatchAndSteps(scope_, decoded.sample_id);
    }
    decoded.lengths = run.lengths;
    decoded.state.assign(run.carried.begin() + 1, run.carried.end());
    decoded.alignment_history.assign(run.results.begin() + 2, run.results.end());
    return decoded;
  }

 private:
  DecoderStep Step(const Scope& s, const DecoderMoment& now) const {
    const nn::RNNState before(now.carried.begin() + 1, now.carried.end());
    nn::CellResult cell = cell_.Call(s, now.carried[0], before);
    if (!s.ok()) return DecoderStep();
    Output outputs = cell.output;
    Output ids = decoder_.inputs->Sample(s, now.time, outputs);
    const InputStep next = decoder_.inputs->NextInputs(s, now.time, outputs, ids);
    DecoderStep step;
    for (const size_t i : alignments_) step.results.push_back(cell.state[i]);
    if (options_.imputes) {
      const auto zeros = [&](const Output& x) { return BuildOutput(s, "ZerosLike", {x}); };
      outputs = Where(s, now.finished, zeros(outputs), outputs);
      ids = Where(s, now.finished, zeros(ids), ids);
      for (size_t i = 0; i < before.size(); ++i) {
        cell.state[i] = Where(s, now.finished, before[i], cell.state[i]);
      }
    }
    step.results.insert(step.results.begin(), {outputs, ids});
    step.finished = Or(s, next.finished, now.finished);
    step.carried = {next.inputs};
    step.carried.insert(step.carried.end(), cell.state.begin(), cell.state.end());
    return step;
  }

  const Scope& scope_;
  const BasicDecoder& decoder_;
  const DynamicDecodeOptions& options_;
  const InputStep first_;
  const DecoderCell cell_;
  const std::vector<size_t> alignments_;  // which of the state's tensors
};

}  // namespace

InputStep TrainingInputs::Initialize(const Scope& scope) {
  if (!scope.ok()) return InputStep();
  if (inputs_.rank() != 3) {
    scope.Fail(InvalidArgument("TrainingInputs takes inputs of three dimensions, got ",
                               inputs_.shape().ToString()));
    return InputStep();
  }
  const Output rows = is_time_major_ ? inputs_ : SwapBatchAndSteps(scope, inputs_);
  const Output count = ElementAt(scope, BuildOutput(scope, "Shape", {rows}), 0);
  // The last step is read again when all sequences have ended, by an iteration that nobody makes.
  TensorArrayOptions options;
  options.clear_after_read = false;
  steps_ = TensorArray(scope, inputs_.dtype(), count, options).Unstack(scope, rows);
  last_ = Subtract(scope, count, 1);
  return {LessEqual(scope, lengths_, 0), Step(scope, Constant(scope, 0))};
}

Output TrainingInputs::Step(const Scope& scope, const Output& time) const {
  const Output read = steps_.Read(scope, Minimum(scope, time, last_));
  const PartialShape shape = inputs_.shape();
  read.set_shape({shape.dim(is_time_major_ ? 1 : 0), shape.dim(2)});
  return read;
}

Output TrainingInputs::Sample(const Scope& scope, const Output&, const Output& outputs) {
  return Likeliest(scope, outputs);
}

InputStep TrainingInputs::NextInputs(const Scope& scope, const Output& time, const Output&,
                                     const Output&) {
  const Output next = Add(scope, time, 1);
  return {GreaterEqual(scope, next, Cast(scope, lengths_, DType::kInt32)), Step(scope, next)};
}

InputStep GreedyEmbeddingInputs::Initialize(const Scope& scope) {
  if (!scope.ok()) return InputStep();
  const Output finished =
      Cast(scope, BuildOutput(scope, "ZerosLike", {start_tokens_}), DType::kBool);
  return {finished, frontend::nn::EmbeddingLookup(scope, {embedding_}, start_tokens_)};
}

Output GreedyEmbeddingInputs::Sample(const Scope& scope, const Output&, const Output& outputs) {
  return Likeliest(scope, outputs);
}

InputStep GreedyEmbeddingInputs::NextInputs(const Scope& scope, const Output&, const Output&,
                                            const Output& sample_ids) {
  return {Equal(scope, sample_ids, end_token_),
          frontend::nn::EmbeddingLookup(scope, {embedding_}, sample_ids)};
}

Decoded DynamicDecode(ScopeRef scope_ref, const BasicDecoder& decoder,
                      const DynamicDecodeOptions& options) {
  const Scope scope = scope_ref.scope();
  if (decoder.cell == nullptr || decoder.inputs == nullptr) {
    scope.Fail(InvalidArgument("DynamicDecode: a decoder needs a cell and inputs"));
  }
  if (!scope.ok()) return Decoded();
  const Scope inside = scope.VariableScope(scope.OpNameOr("decoder"));
  Decoded decoded = BasicDecoding(inside, decoder, options).Run();
  if (!scope.ok()) return Decoded();
  decoded.rnn_output = scope(decoded.rnn_output);
  decoded.sample_id = scope(decoded.sample_id);
  decoded.lengths = scope(decoded.lengths);
  for (Output& part : decoded.state) part = scope(part);
  for (Output& history : decoded.alignment_history) history = scope(history);
  return decoded;
}

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
