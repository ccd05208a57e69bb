// Cells of recurrent nets (tf.nn.rnn_cell): one step from an input and a state to an output and the
// next state.
//
//   auto cell = std::make_shared<nn::BasicLSTMCell>(128);
//   nn::RNNResult result = nn::DynamicRNN(scope, cell, inputs);   // "rnn/basic_lstm_cell/kernel"
//   auto deep = std::make_shared<nn::MultiRNNCell>(std::vector<nn::RNNCellPtr>{cell0, cell1});
//
// A state is a list of tensors [batch, size]: one for a basic cell and a GRU, cell and hidden state
// (c, h) for an LSTM, those of all layers for a MultiRNNCell. A cell makes its weights when it is
// built and uses them in every step from then on, also in other scopes.
//
// Ownership: cells are shared; their weights belong to the graph. Thread safety: that of the Scope.
// Errors: kept in the scope: a state of other than state_size() tensors, a wrapper around no cell.
#ifndef WARPBEAM_FRONTEND_RNN_RNN_CELL_H_
#define WARPBEAM_FRONTEND_RNN_RNN_CELL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/scope.h"
#include "frontend/variables/initializers.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace nn {

using RNNState = OutputList;

struct CellResult {
  Output output;
  RNNState state;
};

class RNNCell {
 public:
  virtual ~RNNCell() = default;

  // The sizes of the state's tensors, and of the output.
  virtual std::vector<int64_t> state_size() const = 0;
  virtual int64_t output_size() const = 0;
  // Makes the weights for inputs [batch, depth] in the scope's variable scope, the first time.
  virtual void Build(const Scope& scope, int64_t depth, DType dtype) = 0;
  // One step; Build() comes before.
  virtual CellResult Call(const Scope& scope, const Output& input, const RNNState& state) = 0;

  // `batch` is a number or a scalar.
  virtual RNNState ZeroState(const Scope& scope, const Input& batch,
                             DType dtype = DType::kFloat) const;
  // Which of the state's tensors say where an attention looked, which decoders keep
  // (contrib::seq2seq::AttentionWrapper); none for other cells.
  virtual std::vector<size_t> alignments() const { return {}; }

 protected:
  // Whether the state has as many tensors as the cell's; else that is an error of the scope.
  bool CheckState(const Scope& scope, const RNNState& state) const;
};
using RNNCellPtr = std::shared_ptr<RNNCell>;

// The cell that `owner` wraps. In the place of a null one stands a cell without a state whose use
// is an error of the scope, which names the owner.
RNNCellPtr WrappedCell(RNNCellPtr cell, const char* owner);

// nn::Tanh and its kin, or a lambda; none: tanh.
using CellActivation = std::function<Output(const Scope& scope, const Output& x)>;

// A kernel and a bias: [x, h] * kernel + bias.
struct CellWeights {
  Variable kernel;
  Variable bias;
};

// output = h = activation([x, h] * kernel + bias).
class BasicRNNCell final : public RNNCell {
 public:
  explicit BasicRNNCell(int64_t units, CellActivation activation = nullptr)
      : units_(units), activation_(std::move(activation)) {}
  std::vector<int64_t> state_size() const override { return {units_}; }
  int64_t output_size() const override { return units_; }
  void Build(const Scope& scope, int64_t depth, DType dtype) override;
  CellResult Call(const Scope& scope, const Output& input, const RNNState& state) override;

 private:
  const int64_t units_;
  const CellActivation activation_;
  CellWeights weights_;
};

// A gated recurrent unit: "gru_cell/gates/kernel", "gru_cell/candidate/kernel".
class GRUCell final : public RNNCell {
 public:
  explicit GRUCell(int64_t units, CellActivation activation = nullptr)
      : units_(units), activation_(std::move(activation)) {}
  std::vector<int64_t> state_size() const override { return {units_}; }
  int64_t output_size() const override { return units_; }
  void Build(const Scope& scope, int64_t depth, DType dtype) override;
  CellResult Call(const Scope& scope, const Output& input, const RNNState& state) override;

 private:
  const int64_t units_;
  const CellActivation activation_;
  CellWeights gates_, candidate_;
};

class BasicLSTMCell final : public RNNCell {
 public:
  explicit BasicLSTMCell(int64_t units, double forget_bias = 1, CellActivation activation = nullptr)
      : units_(units), forget_bias_(forget_bias), activation_(std::move(activation)) {}
  std::vector<int64_t> state_size() const override { return {units_, units_}; }
  int64_t output_size() const override { return units_; }
  void Build(const Scope& scope, int64_t depth, DType dtype) override;
  CellResult Call(const Scope& scope, const Output& input, const RNNState& state) override;

 private:
  const int64_t units_;
  const double forget_bias_;
  const CellActivation activation_;
  CellWeights weights_;
};

struct LSTMOptions {
  // Gates that see the cell state, too: "w_f_diag", "w_i_diag", "w_o_diag".
  LSTMOptions& use_peepholes(bool value) {
    peepholes = value;
    return *this;
  }
  // The size of the output: "projection/kernel".
  LSTMOptions& num_proj(int64_t value) {
    projection_size = value;
    return *this;
  }
  LSTMOptions& cell_clip(double value) {
    clip_of_cell = value;
    return *this;
  }
  LSTMOptions& proj_clip(double value) {
    clip_of_projection = value;
    return *this;
  }
  LSTMOptions& forget_bias(double value) {
    bias_of_forget_gate = value;
    return *this;
  }
  LSTMOptions& initializer(Initializer value) {
    initializer_of_weights = std::move(value);
    return *this;
  }
  LSTMOptions& activation(CellActivation value) {
    cell_activation = std::move(value);
    return *this;
  }

  bool peepholes = false;
  std::optional<int64_t> projection_size;
  std::optional<double> clip_of_cell;
  std::optional<double> clip_of_projection;
  double bias_of_forget_gate = 1;
  Initializer initializer_of_weights;
  CellActivation cell_activation;
};

class LSTMCell final : public RNNCell {
 public:
  explicit LSTMCell(int64_t units, LSTMOptions options = LSTMOptions())
      : units_(units), options_(std::move(options)) {}
  std::vector<int64_t> state_size() const override { return {units_, output_size()}; }
  int64_t output_size() const override { return options_.projection_size.value_or(units_); }
  void Build(const Scope& scope, int64_t depth, DType dtype) override;
  CellResult Call(const Scope& scope, const Output& input, const RNNState& state) override;

 private:
  const int64_t units_;
  const LSTMOptions options_;
  CellWeights weights_;
  Variable forget_diagonal_, input_diagonal_, output_diagonal_, projection_;
};

// Cells on top of each other: "multi_rnn_cell/cell_0/…".
class MultiRNNCell final : public RNNCell {
 public:
  explicit MultiRNNCell(std::vector<RNNCellPtr> cells);
  std::vector<int64_t> state_size() const override;
  int64_t output_size() const override { return cells_.empty() ? 0 : cells_.back()->output_size(); }
  RNNState ZeroState(const Scope& scope, const Input& batch,
                     DType dtype = DType::kFloat) const override;
  std::vector<size_t> alignments() const override;
  void Build(const Scope& scope, int64_t depth, DType dtype) override;
  CellResult Call(const Scope& scope, const Output& input, const RNNState& state) override;

 private:
  std::vector<RNNCellPtr> cells_;
};

// Keeps elements of the input, the output and the state with these probabilities in every step.
class DropoutWrapper final : public RNNCell {
 public:
  explicit DropoutWrapper(RNNCellPtr cell, double input_keep_prob = 1, double output_keep_prob = 1,
                          double state_keep_prob = 1, std::optional<int64_t> seed = std::nullopt)
      : cell_(WrappedCell(std::move(cell), "DropoutWrapper")),
        input_keep_(input_keep_prob),
        output_keep_(output_keep_prob),
        state_keep_(state_keep_prob),
        seed_(seed) {}
  std::vector<int64_t> state_size() const override { return cell_->state_size(); }
  int64_t output_size() const override { return cell_->output_size(); }
  RNNState ZeroState(const Scope& scope, const Input& batch,
                     DType dtype = DType::kFloat) const override {
    return cell_->ZeroState(scope, batch, dtype);
  }
  std::vector<size_t> alignments() const override { return cell_->alignments(); }
  void Build(const Scope& scope, int64_t depth, DType dtype) override;
  CellResult Call(const Scope& scope, const Output& input, const RNNState& state) override;

 private:
  Output Keep(const Scope& scope, const Output& x, double probability) const;

  const RNNCellPtr cell_;
  const double input_keep_, output_keep_, state_keep_;
  const std::optional<int64_t> seed_;
};

// Adds the input to the output.
class ResidualWrapper final : public RNNCell {
 public:
  // What the output becomes, instead.
  using Residual = std::function<Output(const Scope&, const Output& input, const Output& output)>;
  explicit ResidualWrapper(RNNCellPtr cell, Residual residual_fn = nullptr)
      : cell_(WrappedCell(std::move(cell), "ResidualWrapper")), residual_(std::move(residual_fn)) {}
  std::vector<int64_t> state_size() const override { return cell_->state_size(); }
  int64_t output_size() const override { return cell_->output_size(); }
  RNNState ZeroState(const Scope& scope, const Input& batch,
                     DType dtype = DType::kFloat) const override {
    return cell_->ZeroState(scope, batch, dtype);
  }
  std::vector<size_t> alignments() const override { return cell_->alignments(); }
  void Build(const Scope& scope, int64_t depth, DType dtype) override;
  CellResult Call(const Scope& scope, const Output& input, const RNNState& state) override;

 private:
  const RNNCellPtr cell_;
  const Residual residual_;
};

// Runs the cell on a device: what it computes and its weights.
class DeviceWrapper final : public RNNCell {
 public:
  DeviceWrapper(RNNCellPtr cell, std::string device)
      : cell_(WrappedCell(std::move(cell), "DeviceWrapper")), device_(std::move(device)) {}
  std::vector<int64_t> state_size() const override { return cell_->state_size(); }
  int64_t output_size() const override { return cell_->output_size(); }
  RNNState ZeroState(const Scope& scope, const Input& batch,
                     DType dtype = DType::kFloat) const override {
    return cell_->ZeroState(scope, batch, dtype);
  }
  std::vector<size_t> alignments() const override { return cell_->alignments(); }
  void Build(const Scope& scope, int64_t depth, DType dtype) override;
  CellResult Call(const Scope& scope, const Output& input, const RNNState& state) override;

 private:
  const RNNCellPtr cell_;
  const std::string device_;
};

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_RNN_RNN_CELL_H_
