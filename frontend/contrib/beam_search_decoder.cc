#include "frontend/contrib/beam_search_decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "frontend/array.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/contrib/decoder_loop.h"
#include "frontend/control_flow/cond.h"
#include "frontend/layers/embedding.h"
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

// [batch, beams, …] of [batch * beams, …].
Output SplitBeams(const Scope& scope, const Output& x, const Output& batch, int64_t beams) {
  const Output shape = BuildOutput(scope, "Shape", {x});
  const Output rest = StridedSlice(scope, shape, {1}, {0}, {1}, StridedSliceOptions().end_mask(1));
  const Output front = Stack(scope, {batch, static_cast<int32_t>(beams)});
  const Output split = Reshape(scope, x, Concat(scope, {front, rest}, 0));
  if (!scope.ok()) return Output();
  std::vector<int64_t> dims = {-1, beams};
  for (int i = 1; i < x.rank(); ++i) dims.push_back(x.shape().dim(i));
  if (x.rank() >= 1) split.set_shape(PartialShape(dims));
  return split;
}

// The other way round, of rank 3 with a known last dimension or one that only a run knows.
Output MergeBeams(const Scope& scope, const Output& x) {
  const Output shape = BuildOutput(scope, "Shape", {x});
  const Output rest = StridedSlice(scope, shape, {2}, {0}, {1}, StridedSliceOptions().end_mask(1));
  const Output merged = Reshape(scope, x, Concat(scope, {Constant(scope, {-1}), rest}, 0));
  if (!scope.ok()) return Output();
  std::vector<int64_t> dims = {-1};
  for (int i = 2; i < x.rank(); ++i) dims.push_back(x.shape().dim(i));
  if (x.rank() >= 2) merged.set_shape(PartialShape(dims));
  return merged;
}

// Of each batch the beams [batch, beams] that `places` names.
Output BeamsAt(const Scope& scope, const Output& x, const Output& places) {
  const Output taken =
      BuildOutput(scope, "GatherV2", {x, places, 1}, OpAttrs().Set("batch_dims", 1));
  if (taken.valid()) taken.set_shape(x.shape());
  return taken;
}

// The least number of a float type.
double Lowest(DType dtype) {
  if (dtype == DType::kDouble) return std::numeric_limits<double>::lowest();
  if (dtype == DType::kHalf) return -65504;
  if (dtype == DType::kBFloat16) return -0x1.fep127;
  return std::numeric_limits<float>::lowest();
}

// The beams after a step, and what the step chose.
struct Chosen {
  BeamSearchDecoderState state;
  Output scores, ids, parents;
};

class BeamSearch {
 public:
  BeamSearch(const Scope& scope, const BeamSearchDecoder& decoder,
             const DynamicDecodeOptions& options)
      : scope_(scope),
        decoder_(decoder),
        options_(options),
        beams_(decoder.beam_width),
        alignments_(decoder.cell->alignments()),
        covers_(decoder.options.of_coverage != 0),
        batch_(ElementAt(scope, BuildOutput(scope, "Shape", {decoder.start_tokens}), 0)),
        first_inputs_(Embedded(scope, TileBatch(scope, decoder.start_tokens, beams_))),
        cell_(scope, "BeamSearchDecoder", decoder.cell, decoder.output_layer, first_inputs_,
              decoder.initial_state.size()) {}

  BeamDecoded Run() {
    DecoderLoop loop;
    if (!Begin(&loop)) return BeamDecoded();
    loop.step = [this](const Scope& s, const DecoderMoment& now) { return Step(s, now); };
    const DecoderRun run = RunDecoderLoop(scope_, loop, options_);
    if (!scope_.ok()) return BeamDecoded();
    return Finish(run);
  }

 private:
  // What the loop carries: the inputs, the log probabilities, the lengths, the sums of attention
  // and the cell's state; `finished` is the loop's own.
  static constexpr size_t kLogProbs = 1, kLengths = 2, kAttention = 3;
  size_t FirstOfCell() const { return covers_ ? kAttention + 1 : kAttention; }

  Output Embedded(const Scope& scope, const Output& ids) const {
    return frontend::nn::EmbeddingLookup(scope, {decoder_.embedding}, ids);
  }

  bool Begin(DecoderLoop* loop) {
    if (!scope_.ok()) return false;
    if (cell_.width() < 1 || !IsFloating(cell_.dtype())) {
      scope_.Fail(
          InvalidArgument("BeamSearchDecoder: the cell or its output layer must give floats ",
                          "for a known number of words, they give ", DTypeName(cell_.dtype()),
                          " for ", cell_.width()));
      return false;
    }
    if (beams_ > std::numeric_limits<int32_t>::max() / cell_.width()) {
      scope_.Fail(InvalidArgument("BeamSearchDecoder: ", beams_, " beams of ", cell_.width(),
                                  " words each are more than can be counted"));
      return false;
    }
    if (covers_ && alignments_.empty()) {
      scope_.Fail(InvalidArgument("BeamSearchDecoder: a coverage penalty needs a cell that is an ",
                                  "AttentionWrapper with alignment_history"));
      return false;
    }
    const Output row = Stack(scope_, {batch_, static_cast<int32_t>(beams_)});
    const auto all = [&](const Input& first, const Input& others, DType dtype) {
      const Output none = Constant(scope_, others, dtype);
      const Output places = Range(scope_, 0, static_cast<int>(beams_), 1);
      const Output one = BuildOutput(
          scope_, "SelectV2", {Equal(scope_, places, 0), Constant(scope_, first, dtype), none});
      const Output made = BuildOutput(scope_, "BroadcastTo", {one, row});
      if (made.valid()) made.set_shape({-1, beams_});
      return made;
    };
    // Only the first beam begins, so that the others do not find the same sequences.
    const double never = -std::numeric_limits<double>::infinity();
    loop->finished = all(false, true, DType::kBool);
    loop->carried = {SplitBeams(scope_, first_inputs_, batch_, beams_),
                     all(0.0, never, cell_.dtype()), all(0, 0, DType::kInt64)};
    nn::RNNState state;
    for (const Output& tensor : decoder_.initial_state) {
      state.push_back(SplitBeams(scope_, tensor, batch_, beams_));
    }
    if (covers_) loop->carried.push_back(Attention(scope_, state));
    loop->carried.insert(loop->carried.end(), state.begin(), state.end());
    const PartialShape of_step({-1, beams_});
    loop->results = {{cell_.dtype(), of_step}, {DType::kInt32, of_step}, {DType::kInt32, of_step}};
    for (const size_t i : alignments_) {
      loop->results.emplace_back(state[i].dtype(), state[i].shape());
    }
    return scope_.ok();
  }

  // Where all mechanisms of the cell look, beside each other.
  Output Attention(const Scope& s, const nn::RNNState& state) const {
    std::vector<Output> all;
    for (const size_t i : alignments_) all.push_back(state[i]);
    return all.size() == 1 ? all[0] : Concat(s, InputList(all), 2);
  }

  // What follows a beam at its end is its end token, for certain.
  Output StepLogProbs(const Scope& s, const Output& logits, const Output& finished) const {
    const Output words = Range(s, 0, static_cast<int>(cell_.width()), 1);
    const double lowest = Lowest(cell_.dtype());
    const Output only_end =
        BuildOutput(s, "SelectV2",
                    {Equal(s, words, decoder_.end_token), Constant(s, 0.0, cell_.dtype()),
                     Constant(s, lowest, cell_.dtype())});
    return BuildOutput(s, "SelectV2",
                       {ExpandDims(s, finished, 2), only_end, frontend::nn::LogSoftmax(s, logits)});
  }

  // [batch, beams, words]: what decides, from the probabilities and lengths that would be.
  Output Scores(const Scope& s, const Output& log_probs, const Output& lengths,
                const Output& finished, const Output& attention) const {
    Output scores = log_probs;
    const BeamSearchOptions& weights = decoder_.options;
    if (weights.of_length != 0) {
      const Output words = Add(s, Cast(s, lengths, cell_.dtype()), 5.0);
      const Output grown = BuildOutput(s, "Pow", {words, weights.of_length});
      scores = Divide(s, scores, Multiply(s, grown, 1 / std::pow(6.0, weights.of_length)));
    }
    if (!covers_) return scores;
    const Output covered = ReduceSum(s, Log(s, Minimum(s, attention, 1.0)), {2});
    // Where nothing was looked at the logarithm is infinite, which 0 cannot be multiplied by.
    const Output of_beam = BuildOutput(
        s, "SelectV2",
        {finished, Multiply(s, covered, weights.of_coverage), Constant(s, 0.0, cell_.dtype())});
    return Add(s, scores, ExpandDims(s, of_beam, 2));
  }

  Chosen Choose(const Scope& s, const Output& logits, const nn::RNNState& next,
                const DecoderMoment& now) const {
    const Output going = BuildOutput(s, "LogicalNot", {now.finished});
    const Output words = Range(s, 0, static_cast<int>(cell_.width()), 1);
    const Output total =
        Add(s, ExpandDims(s, now.carried[kLogProbs], 2), StepLogProbs(s, logits, now.finished));
    // A word other than the end token makes a sequence longer.
    const Output goes_on = BuildOutput(
        s, "LogicalAnd", {ExpandDims(s, going, 2), NotEqual(s, words, decoder_.end_token)});
    const Output would_be =
        Add(s, ExpandDims(s, now.carried[kLengths], 2), Cast(s, goes_on, DType::kInt64));
    Output attention;
    if (covers_) {
      const Output looked = Attention(s, next);
      const Output of_those = Cast(s, ExpandDims(s, going, 2), looked.dtype());
      attention = Add(s, now.carried[kAttention], Multiply(s, looked, of_those));
    }
    const Output scores = Scores(s, total, would_be, now.finished, attention);
    const auto flat = [&](const Output& x) {
      return Reshape(s, x, Stack(s, {batch_, static_cast<int32_t>(beams_ * cell_.width())}));
    };
    const auto best =
        BuildOutputs(s, "TopKV2", {flat(scores), static_cast<int32_t>(beams_)}, OpAttrs(), 2);
    const int32_t width = static_cast<int32_t>(cell_.width());
    Chosen chosen;
    chosen.scores = best[0];
    chosen.ids = BuildOutput(s, "FloorMod", {best[1], width});
    chosen.parents = BuildOutput(s, "FloorDiv", {best[1], width});
    chosen.state.log_probs =
        BuildOutput(s, "GatherV2", {flat(total), best[1], 1}, OpAttrs().Set("batch_dims", 1));
    const Output finished = BeamsAt(s, now.finished, chosen.parents);
    chosen.state.finished =
        BuildOutput(s, "LogicalOr", {finished, Equal(s, chosen.ids, decoder_.end_token)});
    const Output grows = Cast(s, BuildOutput(s, "LogicalNot", {finished}), DType::kInt64);
    chosen.state.lengths = Add(s, BeamsAt(s, now.carried[kLengths], chosen.parents), grows);
    if (covers_) {
      chosen.state.accumulated_attention_probs = BeamsAt(s, attention, chosen.parents);
    }
    for (const Output& tensor : next) {
      chosen.state.cell_state.push_back(BeamsAt(s, tensor, chosen.parents));
    }
    return chosen;
  }

  DecoderStep Step(const Scope& s, const DecoderMoment& now) const {
    nn::RNNState state;
    for (size_t i = FirstOfCell(); i < now.carried.size(); ++i) {
      state.push_back(MergeBeams(s, now.carried[i]));
    }
    const nn::CellResult cell = cell_.Call(s, MergeBeams(s, now.carried[0]), state);
    if (!s.ok() || cell.state.size() != state.size()) return DecoderStep();
    nn::RNNState next;
    for (const Output& tensor : cell.state) next.push_back(SplitBeams(s, tensor, batch_, beams_));
    const Output logits = SplitBeams(s, cell.output, batch_, beams_);
    if (!s.ok()) return DecoderStep();
    const Chosen chosen = Choose(s, logits, next, now);
    DecoderStep step;
    step.finished = chosen.state.finished;
    step.results = {chosen.scores, chosen.ids, chosen.parents};
    for (const size_t i : alignments_) step.results.push_back(chosen.state.cell_state[i]);
    step.carried = {Embedded(s, chosen.ids), chosen.state.log_probs, chosen.state.lengths};
    if (covers_) step.carried.push_back(chosen.state.accumulated_attention_probs);
    step.carried.insert(step.carried.end(), chosen.state.cell_state.begin(),
                        chosen.state.cell_state.end());
    return step;
  }

  BeamDecoded Finish(const DecoderRun& run) const {
    BeamDecoded decoded;
    BeamSearchDecoderState& state = decoded.state;
    state.finished = run.finished;
    state.log_probs = run.carried[kLogProbs];
    state.lengths = run.carried[kLengths];
    if (covers_) state.accumulated_attention_probs = run.carried[kAttention];
    state.cell_state.assign(run.carried.begin() + FirstOfCell(), run.carried.end());
    decoded.lengths = run.lengths;
    const Output& parents = run.results[2];
    const Output most = ReduceMax(scope_, state.lengths, 1);
    const auto turned = [&](const Output& x) {
      return options_.time_major ? x : SwapBatchAndSteps(scope_, x);
    };
    BeamSearchDecoderOutput& chosen = decoded.outputs.beam_search_decoder_output;
    chosen = {turned(run.results[0]), turned(run.results[1]), turned(parents)};
    decoded.outputs.predicted_ids =
        turned(GatherTree(scope_, run.results[1], parents, most, decoder_.end_token));
    for (size_t i = 3; i < run.results.size(); ++i) {
      const Output& history = run.results[i];
      decoded.alignment_history.push_back(
          decoder_.options.reorders ? GatherTreeFromArray(scope_, history, parents, state.lengths)
                                    : history);
    }
    return decoded;
  }

  const Scope& scope_;
  const BeamSearchDecoder& decoder_;
  const DynamicDecodeOptions& options_;
  const int64_t beams_;
  const std::vector<size_t> alignments_;  // which of the cell's state
  const bool covers_;
  const Output batch_;
  const Output first_inputs_;  // [batch * beams, depth]
  const DecoderCell cell_;
};

}  // namespace

BeamSearchDecoder::BeamSearchDecoder(nn::RNNCellPtr decoder_cell, const Input& token_embedding,
                                     const Output& first_tokens, int32_t last_token,
                                     nn::RNNState start, int64_t width, OutputLayer layer,
                                     const BeamSearchOptions& search)
    : cell(std::move(decoder_cell)),
      embedding(token_embedding),
      start_tokens(first_tokens),
      end_token(last_token),
      initial_state(std::move(start)),
      beam_width(width),
      output_layer(std::move(layer)),
      options(search) {}

BeamDecoded DynamicDecode(ScopeRef scope_ref, const BeamSearchDecoder& decoder,
                          const DynamicDecodeOptions& options) {
  const Scope scope = scope_ref.scope();
  if (decoder.cell == nullptr || decoder.beam_width < 1) {
    scope.Fail(InvalidArgument("BeamSearchDecoder needs a cell and one beam or more, got ",
                               decoder.beam_width));
  } else if (options.imputes) {
    scope.Fail(InvalidArgument("DynamicDecode: beams at their end keep their place by what they ",
                               "write, so impute_finished cannot be with a BeamSearchDecoder"));
  }
  if (!scope.ok()) return BeamDecoded();
  const Scope inside = scope.VariableScope(scope.OpNameOr("decoder"));
  BeamDecoded decoded = BeamSearch(inside, decoder, options).Run();
  if (!scope.ok()) return BeamDecoded();
  BeamSearchDecoderOutput& chosen = decoded.outputs.beam_search_decoder_output;
  BeamSearchDecoderState& state = decoded.state;
  for (Output* output : {&decoded.outputs.predicted_ids, &chosen.scores, &chosen.predicted_ids,
                         &chosen.parent_ids, &state.log_probs, &state.finished, &state.lengths,
                         &state.accumulated_attention_probs, &decoded.lengths}) {
    if (output->valid()) *output = scope(*output);
  }
  for (Output& tensor : state.cell_state) tensor = scope(tensor);
  for (Output& history : decoded.alignment_history) history = scope(history);
  return decoded;
}

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
