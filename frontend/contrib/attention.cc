#include "frontend/contrib/attention.h"

#include <cmath>
#include <limits>

#include "frontend/array.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/control_flow/selection.h"
#include "frontend/layers/dense.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "frontend/nn.h"
#include "frontend/variables/variable_scope.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {

AttentionMechanism::AttentionMechanism(const Scope& scope, int64_t num_units, const Output& memory,
                                       const Output& lengths)
    : units_(num_units) {
  if (!scope.ok()) return;
  const PartialShape shape = memory.shape();
  if (shape.rank() != 3 || shape.dim(2) < 0 || num_units < 1) {
    scope.Fail(InvalidArgument("attention needs a memory [batch, steps, depth] of known depth and ",
                               "units, got ", shape.ToString(), " and ", num_units));
    return;
  }
  values_ = memory;
  if (lengths.valid()) {
    const Output steps = ElementAt(scope, BuildOutput(scope, "Shape", {memory}), 1);
    is_there_ = SequenceMask(scope, lengths, steps, DType::kBool);
    const Output kept = ExpandDims(scope, Cast(scope, is_there_, memory.dtype()), -1);
    values_ = Multiply(scope, memory, kept);
    values_.set_shape(shape);
  }
  namespace core = ::warpbeam::frontend::layers;
  keys_ = core::Dense(scope.Named("memory_layer"), values_, num_units,
                      core::DenseOptions().use_bias(false));
  if (scope.ok()) depth_ = shape.dim(2);
}

Output AttentionMechanism::Alignments(const Scope& scope, const Output& query) const {
  Output score = Score(scope, query);
  if (is_there_.valid()) {
    const Output never = Constant(scope, -std::numeric_limits<double>::infinity(), query.dtype());
    score = BuildOutput(scope, "SelectV2", {is_there_, score, never});
  }
  return nn::Softmax(scope, score);
}

Output AttentionMechanism::Context(const Scope& scope, const Output& alignments) const {
  const Output row = ExpandDims(scope, alignments, 1);
  const Output context = BuildOutput(scope, "BatchMatMulV2", {row, values_});
  return BuildOutput(scope, "Squeeze", {context},
                     OpAttrs().Set("squeeze_dims", std::vector<int64_t>{1}));
}

BahdanauAttention::BahdanauAttention(ScopeRef scope, int64_t num_units, const Output& memory,
                                     const Output& memory_sequence_length, bool normalize)
    : AttentionMechanism(scope.scope(), num_units, memory, memory_sequence_length),
      normalizes_(normalize) {}

void BahdanauAttention::Build(const Scope& scope, int64_t depth, DType dtype) {
  if (v_.valid() || !scope.ok()) return;
  const Scope inside = scope.DefaultVariableScope("bahdanau_attention");
  const GetVariableOptions plain = GetVariableOptions().dtype(dtype);
  query_kernel_ =
      GetVariable(inside.VariableScope("query_layer"), "kernel", {depth, units_}, plain);
  v_ = GetVariable(inside, "attention_v", {units_}, plain);
  if (!normalizes_) return;
  const double length = std::sqrt(1.0 / static_cast<double>(units_));
  g_ = GetVariable(inside, "attention_g", {},
                   GetVariableOptions().dtype(dtype).initializer(ConstantInitializer(length)));
  b_ = GetVariable(inside, "attention_b", {units_},
                   GetVariableOptions().dtype(dtype).initializer(ZerosInitializer()));
}

Output BahdanauAttention::Score(const Scope& outer, const Output& query) const {
  const Scope scope = outer.NameScope("bahdanau_attention");
  const Output processed = ExpandDims(scope, MatMul(scope, query, query_kernel_), 1);
  Output sum = Add(scope, keys(), processed);
  Output v = AsOutput(scope, v_);
  if (normalizes_) {
    sum = Add(scope, sum, b_);
    const Output length = Rsqrt(scope, ReduceSum(scope, Square(scope, v_)));
    v = Multiply(scope, Multiply(scope, v_, g_), length);
  }
  return ReduceSum(scope, Multiply(scope, v, Tanh(scope, sum)), {2});
}

LuongAttention::LuongAttention(ScopeRef scope, int64_t num_units, const Output& memory,
                               const Output& memory_sequence_length, bool scale)
    : AttentionMechanism(scope.scope(), num_units, memory, memory_sequence_length),
      scales_(scale) {}

void LuongAttention::Build(const Scope& scope, int64_t depth, DType dtype) {
  if (depth != units_) {
    scope.Fail(InvalidArgument("Luong's attention compares queries of the depth ", depth,
                               " with keys of ", units_, " units; they must be as many"));
    return;
  }
  if (!scales_ || g_.valid() || !scope.ok()) return;
  g_ = GetVariable(scope.DefaultVariableScope("luong_attention"), "attention_g", {},
                   GetVariableOptions().dtype(dtype).initializer(OnesInitializer()));
}

Output LuongAttention::Score(const Scope& outer, const Output& query) const {
  const Scope scope = outer.NameScope("luong_attention");
  const Output products = BuildOutput(scope, "BatchMatMulV2", {ExpandDims(scope, query, 1), keys()},
                                      OpAttrs().Set("adj_y", true));
  const Output score = BuildOutput(scope, "Squeeze", {products},
                                   OpAttrs().Set("squeeze_dims", std::vector<int64_t>{1}));
  return scales_ ? Multiply(scope, g_, score) : score;
}

AttentionWrapper::AttentionWrapper(nn::RNNCellPtr cell, AttentionMechanismPtr mechanism,
                                   std::optional<int64_t> attention_layer_size,
                                   bool output_attention, bool alignment_history)
    : cell_(nn::WrappedCell(std::move(cell), "AttentionWrapper")),
      mechanism_(std::move(mechanism)),
      layer_size_(attention_layer_size),
      outputs_attention_(output_attention),
      keeps_alignments_(alignment_history) {}

int64_t AttentionWrapper::attention_size() const {
  return layer_size_.value_or(mechanism_ != nullptr ? mechanism_->depth() : -1);
}

bool AttentionWrapper::CheckMechanism(const Scope& scope) const {
  if (mechanism_ == nullptr) {
    scope.Fail(InvalidArgument("the mechanism that an AttentionWrapper was made with is null"));
  }
  return scope.ok();
}

std::vector<int64_t> AttentionWrapper::state_size() const {
  std::vector<int64_t> sizes = cell_->state_size();
  sizes.push_back(attention_size());
  if (keeps_alignments_) sizes.push_back(mechanism_ != nullptr ? mechanism_->steps() : -1);
  return sizes;
}

std::vector<size_t> AttentionWrapper::alignments() const {
  if (!keeps_alignments_) return {};
  return {cell_->state_size().size() + 1};
}

nn::RNNState AttentionWrapper::ZeroState(const Scope& scope, const Input& batch,
                                         DType dtype) const {
  nn::RNNState state = cell_->ZeroState(scope, batch, dtype);
  const Scope inside = scope.NameScope("AttentionWrapperZeroState");
  if (!CheckMechanism(inside)) return state;
  const auto zeros = [&](const Output& size, int64_t known) {
    const Output shape = Stack(inside, {batch, size});
    const Output made =
        BuildOutput(inside.Named("zeros"), "Fill", {shape, Constant(inside, 0, dtype)});
    if (made.valid()) made.set_shape({-1, known});
    return made;
  };
  const int64_t size = attention_size();
  state.push_back(zeros(Constant(inside, static_cast<int>(size)), size));
  if (!keeps_alignments_) return state;
  const Output shape = BuildOutput(inside, "Shape", {mechanism_->values()});
  state.push_back(zeros(ElementAt(inside, shape, 1), mechanism_->steps()));
  return state;
}

int64_t AttentionWrapper::output_size() const {
  return outputs_attention_ ? attention_size() : cell_->output_size();
}

void AttentionWrapper::Build(const Scope& scope, int64_t depth, DType dtype) {
  if (!CheckMechanism(scope)) return;
  if (attention_size() < 1) {
    scope.Fail(InvalidArgument("an AttentionWrapper needs an attention layer of a positive size, ",
                               "or a mechanism that was built"));
    return;
  }
  const Scope inside = scope.DefaultVariableScope("attention_wrapper");
  cell_->Build(inside, depth + attention_size(), dtype);
  mechanism_->Build(inside, cell_->output_size(), dtype);
  if (!layer_size_.has_value() || layer_kernel_.valid() || !scope.ok()) return;
  layer_kernel_ = GetVariable(inside.VariableScope("attention_layer"), "kernel",
                              {cell_->output_size() + mechanism_->depth(), *layer_size_},
                              GetVariableOptions().dtype(dtype));
}

nn::CellResult AttentionWrapper::Call(const Scope& outer, const Output& input,
                                      const nn::RNNState& state) {
  const Scope scope = outer.NameScope("attention_wrapper");
  if (!CheckMechanism(scope) || !CheckState(scope, state)) return {};
  const size_t number = cell_->state_size().size();
  const nn::RNNState of_cell(state.begin(), state.begin() + number);
  const Output inputs = Concat(scope, {input, state[number]}, 1);
  const nn::CellResult step = cell_->Call(scope, inputs, of_cell);
  const Output alignments = mechanism_->Alignments(scope, step.output);
  Output attention = mechanism_->Context(scope, alignments);
  if (layer_size_.has_value()) {
    const Output both = Concat(scope, {step.output, attention}, 1);
    attention = MatMul(scope.NameScope("attention_layer"), both, layer_kernel_);
  }
  nn::RNNState next = step.state;
  next.push_back(attention);
  if (keeps_alignments_) next.push_back(alignments);
  return {outputs_attention_ ? attention : step.output, next};
}

nn::RNNState AttentionWrapper::InitialState(ScopeRef scope_ref, const Input& batch,
                                            const nn::RNNState& cell_state, DType dtype) const {
  const Scope scope = scope_ref.scope();
  nn::RNNState state = ZeroState(scope, batch, dtype);
  if (cell_state.empty() || !scope.ok()) return state;
  const size_t number = cell_->state_size().size();
  if (cell_state.size() != number) {
    scope.Fail(InvalidArgument("the state of the cell inside is ", number, " tensors, got ",
                               cell_state.size()));
    return state;
  }
  std::copy(cell_state.begin(), cell_state.end(), state.begin());
  return state;
}

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
