#include "frontend/contrib/decoder.h"

#include <set>
#include <string>
#include <utility>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/while_loop.h"
#include "frontend/graph_state.h"
#include "frontend/layers/embedding.h"
#include "frontend/math.h"
#include "frontend/math/reductions.h"
#include "frontend/variables/variable_scope.h"
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

// [batch, steps, …] of [steps, batch, …], and the other way round.
Output Turned(const Scope& scope, const Output& x) {
  std::vector<int32_t> order = {1, 0};
  for (int i = 2; i < x.rank(); ++i) order.push_back(i);
  return Transpose(scope, x, order);
}

// A row for each sequence: what `finished` says, of [batch] and [batch, …].
Output Where(const Scope& scope, const Output& finished, const Output& then, const Output& other) {
  Output chosen = finished;
  for (int i = 1; i < then.rank(); ++i) chosen = ExpandDims(scope, chosen, -1);
  return BuildOutput(scope, "SelectV2", {chosen, then, other});
}

// What a step of the decoder gives.
struct DecoderStep {
  Output outputs, sample_ids, finished, inputs;
  nn::RNNState state;
};

class Decoding {
 public:
  Decoding(const Scope& scope, const BasicDecoder& decoder, const DynamicDecodeOptions& options)
      : scope_(scope), decoder_(decoder), options_(options) {}

  Decoded Run() {
    const InputStep first = decoder_.inputs->Initialize(scope_);
    if (!Prepare(first)) return Decoded();
    const TensorArray outputs = Results(dtype_, width_), ids = Results(DType::kInt32, Shape());
    Output finished = first.finished;
    if (options_.most.has_value()) {
      finished = Or(scope_, finished, LessEqual(scope_, *options_.most, 0));
    }
    const Output lengths =
        Cast(scope_, BuildOutput(scope_, "ZerosLike", {finished}), DType::kInt32);
    std::vector<Output> variables = {Constant(scope_, 0), outputs.flow(), ids.flow(),
                                     first.inputs,        finished,       lengths};
    variables.insert(variables.end(), decoder_.initial_state.begin(), decoder_.initial_state.end());
    WhileLoopOptions loop;
    loop.parallel_iterations = options_.parallel;
    if (options_.most.has_value()) loop.maximum_iterations = options_.most;
    const std::vector<Output> last = WhileLoop(
        scope_,
        [](const Scope& s, const std::vector<Output>& v) {
          return BuildOutput(s, "LogicalNot", {ReduceAll(s, v[4])});
        },
        [&](const Scope& s, const std::vector<Output>& v) { return Body(s, v, outputs, ids); },
        InputList(variables), loop);
    if (!scope_.ok() || last.size() != variables.size()) return Decoded();
    Decoded decoded;
    decoded.rnn_output = outputs.WithFlow(last[1]).Stack(scope_);
    decoded.sample_id = ids.WithFlow(last[2]).Stack(scope_);
    decoded.rnn_output.set_shape({-1, -1, width_.rank() == 1 ? width_.dim(0) : -1});
    if (!options_.time_major) {
      decoded.rnn_output = Turned(scope_, decoded.rnn_output);
      decoded.sample_id = Turned(scope_, decoded.sample_id);
    }
    decoded.lengths = last[5];
    decoded.state.assign(last.begin() + kState, last.end());
    return decoded;
  }

 private:
  // The number of variables of the loop before the state's.
  static constexpr int kState = 6;

  // Makes all variables, which a loop's body cannot.
  bool Prepare(const InputStep& first) {
    if (!scope_.ok()) return false;
    const int64_t depth = first.inputs.rank() == 2 ? first.inputs.shape().dim(1) : -1;
    if (depth < 0) {
      scope_.Fail(InvalidArgument("DynamicDecode: the cell's inputs must be [batch, depth] of a ",
                                  "known depth, they are ", first.inputs.shape().ToString()));
      return false;
    }
    if (decoder_.initial_state.size() != decoder_.cell->state_size().size()) {
      scope_.Fail(InvalidArgument("DynamicDecode: the cell's state is ",
                                  decoder_.cell->state_size().size(), " tensors, the initial one ",
                                  decoder_.initial_state.size()));
      return false;
    }
    dtype_ = first.inputs.dtype();
    decoder_.cell->Build(scope_, depth, dtype_);
    width_ = PartialShape({decoder_.cell->output_size()});
    if (decoder_.output_layer == nullptr || !scope_.ok()) return scope_.ok();
    const Output batch = ElementAt(scope_, BuildOutput(scope_, "Shape", {first.inputs}), 0);
    const Output size = Constant(scope_, static_cast<int32_t>(decoder_.cell->output_size()));
    const Output none =
        BuildOutput(scope_, "Fill", {Stack(scope_, {batch, size}), Constant(scope_, 0, dtype_)});
    none.set_shape({-1, decoder_.cell->output_size()});
    opened_ = scope_.context().variables->opened;
    const Output made = decoder_.output_layer(scope_, none);
    if (!scope_.ok()) return false;
    dtype_ = made.dtype();
    width_ = PartialShape({made.rank() == 2 ? made.shape().dim(1) : -1});
    return true;
  }

  TensorArray Results(DType dtype, const PartialShape& width) const {
    std::vector<int64_t> dims = {-1};
    dims.insert(dims.end(), width.dims().begin(), width.dims().end());
    TensorArrayOptions options;
    options.dynamic_size = true;
    options.element_shape = PartialShape(dims);
    return TensorArray(scope_, dtype, 0, options);
  }

  DecoderStep Next(const Scope& s, const Output& time, const Output& inputs,
                   const nn::RNNState& state) const {
    const nn::CellResult cell = decoder_.cell->Call(s, inputs, state);
    DecoderStep step;
    step.state = cell.state;
    step.outputs = cell.output;
    if (decoder_.output_layer != nullptr) {
      // The same layers by the same names, those without a name of their own too.
      const Scope again = s.SameVariableScope(VariableScopeOptions().reuse(true));
      again.context().variables->opened = opened_;
      step.outputs = decoder_.output_layer(again, cell.output);
    }
    step.sample_ids = decoder_.inputs->Sample(s, time, step.outputs);
    const InputStep next = decoder_.inputs->NextInputs(s, time, step.outputs, step.sample_ids);
    step.finished = next.finished;
    step.inputs = next.inputs;
    return step;
  }

  std::vector<Output> Body(const Scope& s, const std::vector<Output>& v, const TensorArray& outputs,
                           const TensorArray& ids) const {
    const Output& time = v[0];
    const Output& finished = v[4];
    const nn::RNNState before(v.begin() + kState, v.end());
    DecoderStep step = Next(s, time, v[3], before);
    if (!s.ok() || step.state.size() != before.size()) return std::vector<Output>(v.size());
    if (options_.imputes) {
      const auto zeros = [&](const Output& x) { return BuildOutput(s, "ZerosLike", {x}); };
      step.outputs = Where(s, finished, zeros(step.outputs), step.outputs);
      step.sample_ids = Where(s, finished, zeros(step.sample_ids), step.sample_ids);
      for (size_t i = 0; i < before.size(); ++i) {
        step.state[i] = Where(s, finished, before[i], step.state[i]);
      }
    }
    const Output after = Add(s, time, 1);
    const Output lengths = BuildOutput(s, "SelectV2", {finished, v[5], after});
    const Output ends = Or(s, step.finished, finished);
    step.inputs.set_shape(v[3].shape());
    ends.set_shape(finished.shape());
    lengths.set_shape(v[5].shape());
    std::vector<Output> next = {after,
                                outputs.WithFlow(v[1]).Write(s, time, step.outputs).flow(),
                                ids.WithFlow(v[2]).Write(s, time, step.sample_ids).flow(),
                                step.inputs,
                                ends,
                                lengths};
    for (size_t i = 0; i < before.size(); ++i) {
      step.state[i].set_shape(before[i].shape());
      next.push_back(step.state[i]);
    }
    return next;
  }

  const Scope& scope_;
  const BasicDecoder& decoder_;
  const DynamicDecodeOptions& options_;
  DType dtype_ = DType::kFloat;
  PartialShape width_;
  // The variable scopes that were there before the output layer's.
  std::set<std::string> opened_;
};

}  // namespace

InputStep TrainingInputs::Initialize(const Scope& scope) {
  if (!scope.ok()) return InputStep();
  if (inputs_.rank() != 3) {
    scope.Fail(InvalidArgument("TrainingInputs takes inputs of three dimensions, got ",
                               inputs_.shape().ToString()));
    return InputStep();
  }
  const Output rows = is_time_major_ ? inputs_ : Turned(scope, inputs_);
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
    scope.Fail(InvalidArgument("DynamicDecode: a decoder needs a cell and a inputs"));
  }
  if (!scope.ok()) return Decoded();
  const Scope inside = scope.VariableScope(scope.OpNameOr("decoder"));
  Decoded decoded = Decoding(inside, decoder, options).Run();
  if (!scope.ok()) return Decoded();
  decoded.rnn_output = scope(decoded.rnn_output);
  decoded.sample_id = scope(decoded.sample_id);
  decoded.lengths = scope(decoded.lengths);
  for (Output& part : decoded.state) part = scope(part);
  return decoded;
}

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
