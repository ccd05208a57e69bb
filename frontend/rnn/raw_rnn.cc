#include "frontend/rnn/raw_rnn.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/while_loop.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

// The loop's variables are time, finished, input, the flow of the outputs, the cell's state and the
// loop's own.
constexpr size_t kFirstState = 4;

class RawLoopBuilder {
 public:
  RawLoopBuilder(const Scope& net, const RNNCellPtr& cell, const RawLoop& loop)
      : net_(net), cell_(cell), loop_(loop) {}

  RawRNNResult Build(int parallel_iterations) {
    RawMoment begin;
    begin.time = Constant(net_.Named("time"), 0);
    const RawStep first = loop_(net_, begin);
    if (!Begin(first)) return {};
    std::vector<Output> variables = {begin.time, first.finished, first.input, outputs_.flow()};
    variables.insert(variables.end(), first.state.begin(), first.state.end());
    variables.insert(variables.end(), first.loop_state.begin(), first.loop_state.end());
    WhileLoopOptions options;
    options.parallel_iterations = parallel_iterations;
    const std::vector<Output> last = WhileLoop(
        net_,
        [](const Scope& s, const std::vector<Output>& v) {
          const Output all = BuildOutput(s, "All", {v[1], Input(std::vector<int32_t>{0})});
          return BuildOutput(s, "LogicalNot", {all});
        },
        [this](const Scope& s, const std::vector<Output>& v) { return Body(s, v); },
        InputList(variables), options);
    if (!net_.ok()) return {};
    const auto after_state = last.begin() + kFirstState + states_;
    return {outputs_.WithFlow(last[3]), RNNState(last.begin() + kFirstState, after_state),
            std::vector<Output>(after_state, last.end())};
  }

 private:
  // Makes the cell's weights and the array of outputs.
  bool Begin(const RawStep& first) {
    if (!net_.ok()) return false;
    const PartialShape input = first.input.shape();
    if (!first.finished.valid() || input.rank() != 2 || input.dim(1) < 0) {
      net_.Fail(InvalidArgument("RawRNN: the loop gives which sequences are finished, and inputs ",
                                "[batch, depth] of a known depth; '", first.input.name(), "' is ",
                                input.ToString()));
      return false;
    }
    states_ = cell_->state_size().size();
    own_ = first.loop_state.size();
    cell_->Build(net_, input.dim(1), first.input.dtype());
    if (!net_.ok() || !CheckSizes(first)) return false;
    PartialShape emitted({cell_->output_size()});
    DType dtype = first.state.empty() ? first.input.dtype() : first.state[0].dtype();
    if (first.emitted.valid()) {
      emitted = first.emitted.shape();
      dtype = first.emitted.dtype();
    }
    const StatusOr<Shape> shape = emitted.AsShape();
    if (!shape.ok()) {
      net_.Fail(InvalidArgument("RawRNN: the shape of what a sequence emits must be known, '",
                                first.emitted.name(), "' is ", emitted.ToString()));
      return false;
    }
    MakeOutputs(first.input, *shape, dtype);
    return net_.ok();
  }

  void MakeOutputs(const Output& input, const Shape& emitted, DType dtype) {
    const int64_t batch = input.shape().dim(0);
    std::vector<int64_t> dims = {batch};
    dims.insert(dims.end(), emitted.dims().begin(), emitted.dims().end());
    TensorArrayOptions options;
    options.dynamic_size = true;
    options.element_shape = PartialShape(dims);
    outputs_ = TensorArray(net_.Named("rnn_output_0"), dtype, 0, options);
    const Output count =
        batch >= 0
            ? Constant(net_, std::vector<int64_t>{batch}, DType::kInt32)
            : BuildOutput(net_, "Slice",
                          {ShapeOf(net_, input), std::vector<int32_t>{0}, std::vector<int32_t>{1}});
    const Output rest = Constant(
        net_, std::vector<int64_t>(emitted.dims().begin(), emitted.dims().end()), DType::kInt32);
    zeros_ = BuildOutput(net_.Named("zeros"), "Fill",
                         {Concat(net_, {count, rest}, 0), Constant(net_, 0, dtype)});
  }

  bool CheckSizes(const RawStep& step) const {
    if (step.state.size() == states_ && step.loop_state.size() == own_) return true;
    net_.Fail(InvalidArgument("RawRNN: the loop gives ", states_, " tensors of the cell's state ",
                              "and ", own_, " of its own in every call, got ", step.state.size(),
                              " and ", step.loop_state.size()));
    return false;
  }

  std::vector<Output> Body(const Scope& s, const std::vector<Output>& v) {
    const auto after_state = v.begin() + kFirstState + states_;
    const RNNState state(v.begin() + kFirstState, after_state);
    const CellResult result = cell_->Call(s, v[2], state);
    if (!s.ok()) return {};
    RawMoment now;
    now.time = Add(s, v[0], 1);
    now.cell_output = result.output;
    now.cell_state = result.state;
    now.loop_state.assign(after_state, v.end());
    const RawStep next = loop_(s, now);
    if (!s.ok() || !CheckSizes(next)) return {};
    if (!next.emitted.valid() || !next.finished.valid() || !next.input.valid()) {
      net_.Fail(InvalidArgument("RawRNN: the loop gives inputs, what is finished and what is ",
                                "emitted in every call but the first"));
      return {};
    }
    const auto unless_finished = [&](const Output& before, const Output& after) {
      if (after.shape().rank() == 0) return after;
      const Output chosen = BuildOutput(s, "Select", {v[1], before, after});
      if (chosen.valid()) chosen.set_shape(after.shape());
      return chosen;
    };
    const Output emitted = unless_finished(zeros_, next.emitted);
    const Output finished = BuildOutput(s, "LogicalOr", {v[1], next.finished});
    std::vector<Output> variables = {now.time, finished, next.input,
                                     outputs_.WithFlow(v[3]).Write(s, v[0], emitted).flow()};
    for (size_t i = 0; i < states_; ++i) {
      variables.push_back(unless_finished(state[i], next.state[i]));
    }
    variables.insert(variables.end(), next.loop_state.begin(), next.loop_state.end());
    return variables;
  }

  const Scope& net_;
  const RNNCellPtr& cell_;
  const RawLoop& loop_;
  size_t states_ = 0, own_ = 0;
  TensorArray outputs_;
  Output zeros_;
};

}  // namespace

RawRNNResult RawRNN(ScopeRef scope_ref, const RNNCellPtr& cell, const RawLoop& loop,
                    int parallel_iterations) {
  const Scope scope = scope_ref.scope();
  if (cell == nullptr || loop == nullptr) {
    scope.Fail(InvalidArgument("RawRNN needs a cell and a loop"));
    return {};
  }
  const std::string given = scope.OpNameOr("");
  const Scope net = scope.VariableScope(given.empty() ? "rnn" : given);
  return RawLoopBuilder(net, cell, loop).Build(parallel_iterations);
}

StaticRNNResult StaticStateSavingRNN(ScopeRef scope_ref, const RNNCellPtr& cell,
                                     const std::vector<Output>& inputs, StateSaver& state_saver,
                                     const std::vector<std::string>& state_names,
                                     const RNNOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope unnamed = scope.Named("");
  if (cell != nullptr && cell->state_size().size() != state_names.size()) {
    scope.Fail(InvalidArgument("StaticStateSavingRNN needs a name for each of the ",
                               cell->state_size().size(), " tensors of the cell's state, got ",
                               state_names.size()));
  }
  if (!scope.ok()) return {};
  RNNOptions with_state = options;
  with_state.first_state.clear();
  for (const std::string& name : state_names) {
    with_state.first_state.push_back(state_saver.State(unnamed, name));
  }
  StaticRNNResult result = StaticRNN(scope, cell, inputs, with_state);
  if (!scope.ok()) return {};
  std::vector<Operation> saved;
  for (size_t i = 0; i < state_names.size(); ++i) {
    saved.push_back(state_saver.SaveState(unnamed, state_names[i], result.state[i]));
  }
  const Scope after = unnamed.ControlDependencies(saved);
  result.outputs.back() = Identity(after, result.outputs.back());
  for (Output& tensor : result.state) tensor = Identity(after, tensor);
  return result;
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
