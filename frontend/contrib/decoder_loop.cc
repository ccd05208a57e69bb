#include "frontend/contrib/decoder_loop.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/tensor_array.h"
#include "frontend/control_flow/while_loop.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "frontend/math/reductions.h"
#include "frontend/variables/variable_scope.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {
namespace {

// The loop's variables are time, finished, lengths, the flows of the arrays and what is carried.
constexpr size_t kFirstFlow = 3;

std::vector<TensorArray> MakeArrays(const Scope& scope, const DecoderLoop& loop) {
  std::vector<TensorArray> arrays;
  for (const auto& [dtype, shape] : loop.results) {
    TensorArrayOptions options;
    options.dynamic_size = true;
    options.element_shape = shape;
    arrays.emplace_back(scope, dtype, 0, options);
  }
  return arrays;
}

std::vector<Output> LoopBody(const Scope& s, const DecoderLoop& loop,
                             const std::vector<TensorArray>& arrays, const std::vector<Output>& v) {
  const auto first_carried = v.begin() + kFirstFlow + arrays.size();
  DecoderMoment now{v[0], v[1], OutputList(first_carried, v.end())};
  DecoderStep step = loop.step(s, now);
  if (!s.ok()) return {};
  if (step.carried.size() != now.carried.size() || step.results.size() != arrays.size()) {
    s.Fail(InvalidArgument("a step of the decoder leaves ", step.carried.size(),
                           " tensors, the one before ", now.carried.size()));
    return {};
  }
  const Output after = Add(s, now.time, 1);
  const Output lengths = BuildOutput(s, "SelectV2", {now.finished, v[2], after});
  if (!s.ok()) return {};
  step.finished.set_shape(now.finished.shape());
  lengths.set_shape(v[2].shape());
  std::vector<Output> next = {after, step.finished, lengths};
  for (size_t i = 0; i < arrays.size(); ++i) {
    const TensorArray array = arrays[i].WithFlow(v[kFirstFlow + i]);
    next.push_back(array.Write(s, now.time, step.results[i]).flow());
  }
  for (size_t i = 0; i < step.carried.size() && s.ok(); ++i) {
    step.carried[i].set_shape(now.carried[i].shape());
    next.push_back(step.carried[i]);
  }
  return next;
}

}  // namespace

Output SwapBatchAndSteps(const Scope& scope, const Output& x) {
  std::vector<int32_t> order = {1, 0};
  for (int i = 2; i < x.rank(); ++i) order.push_back(i);
  return Transpose(scope, x, order);
}

DecoderRun RunDecoderLoop(const Scope& scope, const DecoderLoop& loop,
                          const DynamicDecodeOptions& options) {
  const std::vector<TensorArray> arrays = MakeArrays(scope, loop);
  Output finished = loop.finished;
  if (options.most.has_value()) {
    finished = BuildOutput(scope, "LogicalOr", {finished, LessEqual(scope, *options.most, 0)});
  }
  const Output none = Cast(scope, BuildOutput(scope, "ZerosLike", {finished}), DType::kInt32);
  std::vector<Output> variables = {Constant(scope, 0), finished, none};
  for (const TensorArray& array : arrays) variables.push_back(array.flow());
  variables.insert(variables.end(), loop.carried.begin(), loop.carried.end());
  WhileLoopOptions of_loop;
  of_loop.parallel_iterations = options.parallel;
  if (options.most.has_value()) of_loop.maximum_iterations = options.most;
  const OutputList last = WhileLoop(
      scope,
      [](const Scope& s, const std::vector<Output>& v) {
        return BuildOutput(s, "LogicalNot", {ReduceAll(s, v[1])});
      },
      [&](const Scope& s, const std::vector<Output>& v) { return LoopBody(s, loop, arrays, v); },
      InputList(variables), of_loop);
  DecoderRun run;
  run.results.resize(arrays.size());
  run.carried.resize(loop.carried.size());
  if (!scope.ok()) return run;
  for (size_t i = 0; i < arrays.size(); ++i) {
    run.results[i] = arrays[i].WithFlow(last[kFirstFlow + i]).Stack(scope);
    std::vector<int64_t> dims = {-1};
    const PartialShape& shape = loop.results[i].second;
    dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
    run.results[i].set_shape(PartialShape(dims));
  }
  run.carried.assign(last.begin() + kFirstFlow + arrays.size(), last.end());
  run.finished = last[1];
  run.lengths = last[2];
  return run;
}

DecoderCell::DecoderCell(const Scope& scope, const char* who, nn::RNNCellPtr cell,
                         OutputLayer layer, const Output& inputs, size_t state_size)
    : cell_(std::move(cell)), layer_(std::move(layer)) {
  if (!scope.ok()) return;
  const int64_t depth = inputs.rank() == 2 ? inputs.shape().dim(1) : -1;
  if (depth < 0) {
    scope.Fail(InvalidArgument(who, ": the cell's inputs must be [batch, depth] of a known depth, ",
                               "they are ", inputs.shape().ToString()));
    return;
  }
  dtype_ = inputs.dtype();
  cell_->Build(scope, depth, dtype_);
  if (!scope.ok()) return;
  if (state_size != cell_->state_size().size()) {
    scope.Fail(InvalidArgument(who, ": the cell's state is ", cell_->state_size().size(),
                               " tensors, the initial one ", state_size));
    return;
  }
  width_ = cell_->output_size();
  if (layer_ != nullptr) MakeLayer(scope, inputs);
}

void DecoderCell::MakeLayer(const Scope& scope, const Output& inputs) {
  const Output batch = ElementAt(scope, BuildOutput(scope, "Shape", {inputs}), 0);
  const Output size = Constant(scope, static_cast<int32_t>(width_));
  const Output none =
      BuildOutput(scope, "Fill", {Stack(scope, {batch, size}), Constant(scope, 0, dtype_)});
  if (!scope.ok()) return;
  none.set_shape({-1, width_});
  opened_ = scope.context().variables->opened;
  const Output made = layer_(scope, none);
  if (!scope.ok()) return;
  dtype_ = made.dtype();
  width_ = made.rank() == 2 ? made.shape().dim(1) : -1;
}

nn::CellResult DecoderCell::Call(const Scope& scope, const Output& inputs,
                                 const nn::RNNState& state) const {
  nn::CellResult result = cell_->Call(scope, inputs, state);
  if (layer_ == nullptr || !scope.ok()) return result;
  // The same layers by the same names, those without a name of their own too.
  const Scope again = scope.SameVariableScope(VariableScopeOptions().reuse(true));
  again.context().variables->opened = opened_;
  result.output = layer_(again, result.output);
  return result;
}

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
