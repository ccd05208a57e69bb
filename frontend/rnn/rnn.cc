#include "frontend/rnn/rnn.h"

#include <algorithm>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/tensor_array.h"
#include "frontend/control_flow/while_loop.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

Scope OpenNet(const Scope& scope, const char* fallback) {
  const std::string given = scope.OpNameOr("");
  return scope.VariableScope(given.empty() ? fallback : given);
}

// tf.shape(x)[axis], a constant where it is known.
Output ExtentOf(const Scope& scope, const Output& x, int axis) {
  const int64_t known = x.shape().dim(axis);
  if (known >= 0) return Constant(scope, static_cast<int>(known));
  const Output shape = BuildOutput(scope, "Shape", {x});
  return BuildOutput(scope, "GatherV2", {shape, axis, 0});
}

// Rank 3 (2 for one step), the depth known; makes the cell's weights.
bool BuildCell(const Scope& scope, const RNNCellPtr& cell, const Output& x, int rank) {
  if (!scope.ok()) return false;
  const PartialShape shape = x.shape();
  if (cell == nullptr || shape.rank() != rank || shape.dim(rank - 1) < 0 ||
      !IsFloating(x.dtype())) {
    scope.Fail(InvalidArgument("the recurrent net '", scope.variable_scope(),
                               "' needs a cell and inputs of ", rank,
                               " dimensions of a float type, the last one known; '", x.name(),
                               "' is ", DTypeName(x.dtype()), shape.ToString()));
    return false;
  }
  cell->Build(scope, shape.dim(rank - 1), x.dtype());
  return scope.ok();
}

bool FirstState(const Scope& scope, const RNNCell& cell, const RNNOptions& options,
                const Output& batch, DType dtype, RNNState* state) {
  *state = options.first_state.empty() ? cell.ZeroState(scope, batch, dtype) : options.first_state;
  if (!scope.ok()) return false;
  if (state->size() == cell.state_size().size()) return true;
  scope.Fail(InvalidArgument("the recurrent net '", scope.variable_scope(), "' has a state of ",
                             cell.state_size().size(), " tensors, got ", state->size()));
  return false;
}

// A step where `going` (of the examples) holds; elsewhere zeros, and the state as it was.
CellResult Masked(const Scope& scope, const Output& going, const RNNState& before,
                  const CellResult& step) {
  const auto select = [&](const Output& now, const Output& otherwise) {
    const Output chosen = BuildOutput(scope, "Select", {going, now, otherwise});
    if (chosen.valid()) chosen.set_shape(now.shape());
    return chosen;
  };
  CellResult masked;
  masked.output = select(step.output, ZerosLike(scope, step.output));
  for (size_t i = 0; i < before.size(); ++i) {
    masked.state.push_back(select(step.state[i], before[i]));
  }
  return masked;
}

// The loop over inputs [time, batch, depth].
RNNResult Loop(const Scope& scope, const RNNCellPtr& cell, const Output& x, const Output& lengths,
               const RNNState& first, const RNNOptions& options) {
  const Output steps = ExtentOf(scope, x, 0);
  TensorArrayOptions of_outputs;
  of_outputs.element_shape = PartialShape({x.shape().dim(1), cell->output_size()});
  const TensorArray inputs = TensorArray(scope, x.dtype(), steps).Unstack(scope, x);
  const TensorArray outputs(scope, x.dtype(), steps, of_outputs);
  if (!scope.ok()) return {};
  std::vector<Output> variables = {Constant(scope.Named("time"), 0), outputs.flow()};
  variables.insert(variables.end(), first.begin(), first.end());
  std::vector<PartialShape> invariants = {Shape(), PartialShape()};
  for (const int64_t size : cell->state_size()) {
    invariants.push_back(PartialShape({x.shape().dim(1), size}));
  }
  const auto condition = [&](const Scope& s, const std::vector<Output>& v) {
    return Less(s, v[0], steps);
  };
  const auto body = [&](const Scope& s, const std::vector<Output>& v) {
    const Output now = inputs.Read(s, v[0]);
    if (!s.ok()) return std::vector<Output>();
    now.set_shape({x.shape().dim(1), x.shape().dim(2)});
    const RNNState state(v.begin() + 2, v.end());
    CellResult step = cell->Call(s, now, state);
    if (!s.ok()) return std::vector<Output>();
    if (lengths.valid()) step = Masked(s, Less(s, v[0], lengths), state, step);
    if (!s.ok()) return std::vector<Output>();
    std::vector<Output> next = {Add(s, v[0], 1),
                                outputs.WithFlow(v[1]).Write(s, v[0], step.output).flow()};
    next.insert(next.end(), step.state.begin(), step.state.end());
    return next;
  };
  WhileLoopOptions loop;
  loop.parallel_iterations = options.iterations_at_once;
  loop.maximum_iterations = Input(steps);
  loop.shape_invariants = invariants;
  const std::vector<Output> last = WhileLoop(scope, condition, body, InputList(variables), loop);
  if (!scope.ok()) return {};
  RNNResult result;
  result.outputs = outputs.WithFlow(last[1]).Stack(scope);
  result.state.assign(last.begin() + 2, last.end());
  return result;
}

Output SwapBatchAndTime(const Scope& scope, const Output& x) {
  return x.valid() ? Transpose(scope, x, {1, 0, 2}) : x;
}

Output LengthsOf(const Scope& scope, const RNNOptions& options) {
  if (!options.lengths.has_value()) return Output();
  const Output given = AsOutput(scope.Named("sequence_length"), *options.lengths, DType::kInt32);
  return given.valid() ? Cast(scope, given, DType::kInt32) : given;
}

// `net` is the variable scope of the weights.
RNNResult Dynamic(const Scope& net, const RNNCellPtr& cell, const Output& inputs,
                  const RNNOptions& options) {
  if (!BuildCell(net, cell, inputs, 3)) return {};
  const Output x = options.is_time_major ? inputs : SwapBatchAndTime(net, inputs);
  if (!net.ok()) return {};
  const Output lengths = LengthsOf(net, options);
  RNNState first;
  if (!FirstState(net, *cell, options, ExtentOf(net, x, 1), x.dtype(), &first)) return {};
  RNNResult result = Loop(net, cell, x, lengths, first, options);
  if (!net.ok()) return {};
  result.outputs.set_shape({x.shape().dim(0), x.shape().dim(1), cell->output_size()});
  if (!options.is_time_major) result.outputs = SwapBatchAndTime(net, result.outputs);
  return result;
}

Output Reversed(const Scope& net, const Output& x, const RNNOptions& options) {
  const int time = options.is_time_major ? 0 : 1;
  if (!options.lengths.has_value()) {
    return BuildOutput(net, "ReverseV2", {x, Input(std::vector<int32_t>{time})});
  }
  return BuildOutput(net, "ReverseSequence", {x, LengthsOf(net, options)},
                     OpAttrs().Set("seq_dim", time).Set("batch_dim", 1 - time));
}

// The options of one direction of two; `state` are the tensors that belong to it.
RNNOptions OneWay(const RNNOptions& options, RNNState state) {
  RNNOptions one = options;
  one.first_state = std::move(state);
  return one;
}

struct Directions {
  RNNOptions forward, backward;
};

Directions Split(const RNNOptions& options, const RNNCellPtr& forward) {
  if (options.first_state.empty() || forward == nullptr) return {options, options};
  const size_t middle = std::min(forward->state_size().size(), options.first_state.size());
  const auto at = options.first_state.begin() + middle;
  return {OneWay(options, RNNState(options.first_state.begin(), at)),
          OneWay(options, RNNState(at, options.first_state.end()))};
}

StaticRNNResult Static(const Scope& net, const RNNCellPtr& cell, const std::vector<Output>& inputs,
                       const RNNOptions& options) {
  if (inputs.empty() && net.ok()) net.Fail(InvalidArgument("StaticRNN needs one step or more"));
  if (!net.ok() || !BuildCell(net, cell, inputs[0], 2)) return {};
  const Output lengths = LengthsOf(net, options);
  StaticRNNResult result;
  const Output batch = ExtentOf(net, inputs[0], 0);
  if (!FirstState(net, *cell, options, batch, inputs[0].dtype(), &result.state)) return {};
  for (size_t time = 0; time < inputs.size(); ++time) {
    CellResult step = cell->Call(net, inputs[time], result.state);
    if (!net.ok()) return {};
    if (lengths.valid()) {
      const Output going = Greater(net, lengths, static_cast<int>(time));
      step = Masked(net, going, result.state, step);
    }
    result.outputs.push_back(step.output);
    result.state = step.state;
  }
  return result;
}

// The steps in reverse, each sequence within its length.
std::vector<Output> ReversedSteps(const Scope& net, const std::vector<Output>& steps,
                                  const RNNOptions& options) {
  if (!options.lengths.has_value()) return std::vector<Output>(steps.rbegin(), steps.rend());
  RNNOptions time_first = options;
  time_first.is_time_major = true;
  const Output all = Reversed(net, Stack(net, steps), time_first);
  const int count = static_cast<int>(steps.size());
  return BuildOutputs(net, "Unpack", {all}, OpAttrs().Set("num", count).Set("axis", 0), count);
}

}  // namespace

RNNResult DynamicRNN(ScopeRef scope_ref, const RNNCellPtr& cell, const Input& inputs,
                     const RNNOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope net = OpenNet(scope, "rnn");
  return Dynamic(net, cell, AsOutput(net.Named("inputs"), inputs), options);
}

StaticRNNResult StaticRNN(ScopeRef scope_ref, const RNNCellPtr& cell,
                          const std::vector<Output>& inputs, const RNNOptions& options) {
  const Scope scope = scope_ref.scope();
  return Static(OpenNet(scope, "rnn"), cell, inputs, options);
}

BidirectionalResult BidirectionalDynamicRNN(ScopeRef scope_ref, const RNNCellPtr& forward,
                                            const RNNCellPtr& backward, const Input& inputs,
                                            const RNNOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope net = OpenNet(scope, "bidirectional_rnn");
  const Output x = AsOutput(net.Named("inputs"), inputs);
  if (!net.ok()) return {};
  const Directions directions = Split(options, forward);
  BidirectionalResult result;
  result.forward = Dynamic(net.VariableScope("fw"), forward, x, directions.forward);
  if (!net.ok()) return {};
  const Scope back = net.VariableScope("bw");
  result.backward = Dynamic(back, backward, Reversed(back, x, options), directions.backward);
  if (!net.ok()) return {};
  result.backward.outputs = Reversed(net, result.backward.outputs, options);
  return result;
}

StaticBidirectionalResult StaticBidirectionalRNN(ScopeRef scope_ref, const RNNCellPtr& forward,
                                                 const RNNCellPtr& backward,
                                                 const std::vector<Output>& inputs,
                                                 const RNNOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope net = OpenNet(scope, "bidirectional_rnn");
  const Directions directions = Split(options, forward);
  const StaticRNNResult ahead =
      Static(net.VariableScope("fw"), forward, inputs, directions.forward);
  if (!net.ok()) return {};
  const Scope back = net.VariableScope("bw");
  const StaticRNNResult behind =
      Static(back, backward, ReversedSteps(back, inputs, options), directions.backward);
  if (!net.ok()) return {};
  const std::vector<Output> in_order = ReversedSteps(net, behind.outputs, options);
  StaticBidirectionalResult result;
  for (size_t i = 0; i < in_order.size(); ++i) {
    result.outputs.push_back(Concat(net, {ahead.outputs[i], in_order[i]}, 1));
  }
  result.forward_state = ahead.state;
  result.backward_state = behind.state;
  return result;
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
