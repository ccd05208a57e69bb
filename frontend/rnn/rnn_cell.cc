#include "frontend/rnn/rnn_cell.h"

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "frontend/variables/variable_scope.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

Output Activate(const Scope& scope, const CellActivation& activation, const Output& x) {
  if (!x.valid()) return x;
  return activation ? activation(scope, x) : Tanh(scope, x);
}

CellWeights MakeWeights(const Scope& scope, int64_t inputs, int64_t outputs, DType dtype,
                        const Initializer& of_bias = ZerosInitializer(),
                        const Initializer& of_kernel = Initializer()) {
  CellWeights weights;
  weights.kernel = GetVariable(scope, "kernel", {inputs, outputs},
                               GetVariableOptions().dtype(dtype).initializer(of_kernel));
  weights.bias =
      GetVariable(scope, "bias", {outputs}, GetVariableOptions().dtype(dtype).initializer(of_bias));
  return weights;
}

Output Affine(const Scope& scope, const Output& x, const Output& h, const CellWeights& weights) {
  const Output both = Concat(scope, {x, h}, 1);
  return BiasAdd(scope, MatMul(scope, both, weights.kernel), weights.bias);
}

Output Clip(const Scope& scope, const Output& x, const std::optional<double>& bound) {
  if (!bound.has_value()) return x;
  const Scope inside = scope.NameScope("clip_by_value");
  return Maximum(inside, Minimum(inside, x, *bound), -*bound);
}

// Stands where a wrapper was given no cell.
class MissingCell final : public RNNCell {
 public:
  explicit MissingCell(const char* owner) : owner_(owner) {}
  std::vector<int64_t> state_size() const override { return {}; }
  int64_t output_size() const override { return 0; }
  void Build(const Scope& scope, int64_t, DType) override {
    scope.Fail(InvalidArgument("the cell that a ", owner_, " was made with is null"));
  }
  CellResult Call(const Scope& scope, const Output&, const RNNState&) override {
    Build(scope, 0, DType::kFloat);
    return {};
  }

 private:
  const char* const owner_;
};

}  // namespace

RNNCellPtr WrappedCell(RNNCellPtr cell, const char* owner) {
  return cell != nullptr ? std::move(cell) : std::make_shared<MissingCell>(owner);
}

bool RNNCell::CheckState(const Scope& scope, const RNNState& state) const {
  const size_t wanted = state_size().size();
  if (state.size() == wanted) return scope.ok();
  scope.Fail(InvalidArgument("the cell in '", scope.name_scope(), "' has a state of ", wanted,
                             " tensors, got ", state.size()));
  return false;
}

RNNState RNNCell::ZeroState(const Scope& scope, const Input& batch, DType dtype) const {
  const Scope inside = scope.NameScope("ZeroState");
  RNNState state;
  for (const int64_t size : state_size()) {
    const Output shape = Stack(inside, {batch, Constant(inside, static_cast<int>(size))});
    state.push_back(
        BuildOutput(inside.Named("zeros"), "Fill", {shape, Constant(inside, 0, dtype)}));
    if (!state.back().valid()) continue;
    state.back().set_shape({-1, size});
  }
  return state;
}

void BasicRNNCell::Build(const Scope& scope, int64_t depth, DType dtype) {
  if (weights_.kernel.valid()) return;
  const Scope inside = scope.DefaultVariableScope("basic_rnn_cell");
  weights_ = MakeWeights(inside, depth + units_, units_, dtype);
}

CellResult BasicRNNCell::Call(const Scope& outer, const Output& input, const RNNState& state) {
  const Scope scope = outer.NameScope("basic_rnn_cell");
  if (!CheckState(scope, state)) return {};
  const Output h = Activate(scope, activation_, Affine(scope, input, state[0], weights_));
  return {h, {h}};
}

void GRUCell::Build(const Scope& scope, int64_t depth, DType dtype) {
  if (gates_.kernel.valid()) return;
  const Scope inside = scope.DefaultVariableScope("gru_cell");
  gates_ = MakeWeights(inside.VariableScope("gates"), depth + units_, 2 * units_, dtype,
                       OnesInitializer());
  candidate_ = MakeWeights(inside.VariableScope("candidate"), depth + units_, units_, dtype);
}

CellResult GRUCell::Call(const Scope& outer, const Output& input, const RNNState& state) {
  const Scope scope = outer.NameScope("gru_cell");
  if (!CheckState(scope, state)) return {};
  const Output h = state[0];
  const std::vector<Output> gates =
      Split(scope, Sigmoid(scope, Affine(scope, input, h, gates_)), 2, 1);
  if (!scope.ok()) return {};
  const Output reset = gates[0], update = gates[1];
  const Output remembered = Multiply(scope, reset, h);
  const Output candidate =
      Activate(scope, activation_, Affine(scope, input, remembered, candidate_));
  const Output next = Add(scope, Multiply(scope, update, h),
                          Multiply(scope, Subtract(scope, 1, update), candidate));
  return {next, {next}};
}

void BasicLSTMCell::Build(const Scope& scope, int64_t depth, DType dtype) {
  if (weights_.kernel.valid()) return;
  const Scope inside = scope.DefaultVariableScope("basic_lstm_cell");
  weights_ = MakeWeights(inside, depth + units_, 4 * units_, dtype);
}

CellResult BasicLSTMCell::Call(const Scope& outer, const Output& input, const RNNState& state) {
  const Scope scope = outer.NameScope("basic_lstm_cell");
  if (!CheckState(scope, state)) return {};
  const std::vector<Output> gates = Split(scope, Affine(scope, input, state[1], weights_), 4, 1);
  if (!scope.ok()) return {};
  // Input gate, new input, forget gate, output gate.
  const Output forget = Sigmoid(scope, Add(scope, gates[2], forget_bias_));
  const Output kept = Multiply(scope, state[0], forget);
  const Output gate = Sigmoid(scope, gates[0]);
  const Output added = Multiply(scope, gate, Activate(scope, activation_, gates[1]));
  const Output c = Add(scope, kept, added);
  const Output shown = Activate(scope, activation_, c);
  const Output h = Multiply(scope, shown, Sigmoid(scope, gates[3]));
  return {h, {c, h}};
}

void LSTMCell::Build(const Scope& scope, int64_t depth, DType dtype) {
  if (weights_.kernel.valid()) return;
  const Scope inside = scope.DefaultVariableScope("lstm_cell");
  const Initializer& initializer = options_.initializer_of_weights;
  weights_ = MakeWeights(inside, depth + output_size(), 4 * units_, dtype, ZerosInitializer(),
                         initializer);
  const GetVariableOptions plain = GetVariableOptions().dtype(dtype).initializer(initializer);
  if (options_.peepholes) {
    forget_diagonal_ = GetVariable(inside, "w_f_diag", {units_}, plain);
    input_diagonal_ = GetVariable(inside, "w_i_diag", {units_}, plain);
    output_diagonal_ = GetVariable(inside, "w_o_diag", {units_}, plain);
  }
  if (options_.projection_size.has_value()) {
    projection_ =
        GetVariable(inside.VariableScope("projection"), "kernel", {units_, output_size()}, plain);
  }
}

CellResult LSTMCell::Call(const Scope& outer, const Output& input, const RNNState& state) {
  const Scope scope = outer.NameScope("lstm_cell");
  if (!CheckState(scope, state)) return {};
  const std::vector<Output> gates = Split(scope, Affine(scope, input, state[1], weights_), 4, 1);
  if (!scope.ok()) return {};
  const auto peep = [&](const Output& gate, const Variable& diagonal, const Output& cell) {
    if (!options_.peepholes) return gate;
    return Add(scope, gate, Multiply(scope, diagonal, cell));
  };
  const Output forget_sum = Add(scope, gates[2], options_.bias_of_forget_gate);
  const Output forget = Sigmoid(scope, peep(forget_sum, forget_diagonal_, state[0]));
  const Output gate = Sigmoid(scope, peep(gates[0], input_diagonal_, state[0]));
  const Output kept = Multiply(scope, forget, state[0]);
  const Output added = Multiply(scope, gate, Activate(scope, options_.cell_activation, gates[1]));
  const Output c = Clip(scope, Add(scope, kept, added), options_.clip_of_cell);
  if (!scope.ok()) return {};
  const Output shown_part = Sigmoid(scope, peep(gates[3], output_diagonal_, c));
  Output m = Multiply(scope, shown_part, Activate(scope, options_.cell_activation, c));
  if (projection_.valid()) {
    m = Clip(scope, MatMul(scope, m, projection_), options_.clip_of_projection);
  }
  return {m, {c, m}};
}

MultiRNNCell::MultiRNNCell(std::vector<RNNCellPtr> cells) : cells_(std::move(cells)) {
  for (RNNCellPtr& cell : cells_) cell = WrappedCell(std::move(cell), "MultiRNNCell");
}

std::vector<int64_t> MultiRNNCell::state_size() const {
  std::vector<int64_t> sizes;
  for (const RNNCellPtr& cell : cells_) {
    for (const int64_t size : cell->state_size()) sizes.push_back(size);
  }
  return sizes;
}

RNNState MultiRNNCell::ZeroState(const Scope& scope, const Input& batch, DType dtype) const {
  if (alignments().empty()) return RNNCell::ZeroState(scope, batch, dtype);
  RNNState state;
  for (const RNNCellPtr& cell : cells_) {
    const RNNState of_cell = cell->ZeroState(scope, batch, dtype);
    state.insert(state.end(), of_cell.begin(), of_cell.end());
  }
  return state;
}

std::vector<size_t> MultiRNNCell::alignments() const {
  std::vector<size_t> all;
  size_t first = 0;
  for (const RNNCellPtr& cell : cells_) {
    for (const size_t i : cell->alignments()) all.push_back(first + i);
    first += cell->state_size().size();
  }
  return all;
}

void MultiRNNCell::Build(const Scope& scope, int64_t depth, DType dtype) {
  if (cells_.empty()) {
    scope.Fail(InvalidArgument("a MultiRNNCell needs one cell or more"));
    return;
  }
  const Scope inside = scope.DefaultVariableScope("multi_rnn_cell");
  int64_t size = depth;
  for (size_t i = 0; i < cells_.size(); ++i) {
    cells_[i]->Build(inside.VariableScope(absl::StrCat("cell_", i)), size, dtype);
    size = cells_[i]->output_size();
  }
}

CellResult MultiRNNCell::Call(const Scope& outer, const Output& input, const RNNState& state) {
  const Scope scope = outer.NameScope("multi_rnn_cell");
  if (!CheckState(scope, state)) return {};
  CellResult result{input, {}};
  auto next = state.begin();
  for (size_t i = 0; i < cells_.size(); ++i) {
    const size_t size = cells_[i]->state_size().size();
    const RNNState of_cell(next, next + size);
    next += size;
    const CellResult step =
        cells_[i]->Call(scope.NameScope(absl::StrCat("cell_", i)), result.output, of_cell);
    if (!scope.ok()) return {};
    result.output = step.output;
    result.state.insert(result.state.end(), step.state.begin(), step.state.end());
  }
  return result;
}

void DropoutWrapper::Build(const Scope& scope, int64_t depth, DType dtype) {
  for (const double probability : {input_keep_, output_keep_, state_keep_}) {
    if (probability > 0 && probability <= 1) continue;
    scope.Fail(InvalidArgument(
        "a DropoutWrapper keeps with a probability above 0 and up to 1, got ", probability));
    return;
  }
  cell_->Build(scope, depth, dtype);
}

Output DropoutWrapper::Keep(const Scope& scope, const Output& x, double probability) const {
  if (probability >= 1 || !x.valid()) return x;
  DropoutOptions options;
  options.op_seed = seed_;
  return Dropout(scope, x, probability, options);
}

CellResult DropoutWrapper::Call(const Scope& scope, const Output& input, const RNNState& state) {
  CellResult step = cell_->Call(scope, Keep(scope, input, input_keep_), state);
  if (!scope.ok()) return {};
  // An LSTM has two tensors; its memory, which comes first, is not dropped.
  for (size_t i = step.state.size() == 2 ? 1 : 0; i < step.state.size(); ++i) {
    step.state[i] = Keep(scope, step.state[i], state_keep_);
  }
  step.output = Keep(scope, step.output, output_keep_);
  return step;
}

void ResidualWrapper::Build(const Scope& scope, int64_t depth, DType dtype) {
  cell_->Build(scope, depth, dtype);
}

CellResult ResidualWrapper::Call(const Scope& scope, const Output& input, const RNNState& state) {
  CellResult result = cell_->Call(scope, input, state);
  if (!scope.ok()) return {};
  if (residual_) {
    result.output = residual_(scope, input, result.output);
  } else if (!input.shape().IsCompatibleWith(result.output.shape())) {
    scope.Fail(InvalidArgument("ResidualWrapper adds the input to the output: '", input.name(),
                               "' of ", input.shape().ToString(), " does not fit '",
                               result.output.name(), "' of ", result.output.shape().ToString()));
    return {};
  } else {
    result.output = BuildOutput(scope.Named("add"), "AddV2", {input, result.output});
  }
  return result;
}

void DeviceWrapper::Build(const Scope& scope, int64_t depth, DType dtype) {
  cell_->Build(scope.Device(device_), depth, dtype);
}

CellResult DeviceWrapper::Call(const Scope& scope, const Output& input, const RNNState& state) {
  return cell_->Call(scope.Device(device_), input, state);
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
