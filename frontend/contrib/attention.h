// Attention over a memory (tf.contrib.seq2seq.BahdanauAttention, LuongAttention, AttentionWrapper):
// a cell that, in each step, looks at the states of an encoder.
//
//   auto mechanism = std::make_shared<contrib::seq2seq::BahdanauAttention>(
//       scope, 128, encoder_outputs, encoder_lengths);
//   auto cell = std::make_shared<contrib::seq2seq::AttentionWrapper>(
//       std::make_shared<nn::BasicLSTMCell>(128), mechanism, 128);
//   nn::RNNState start = cell->InitialState(scope, batch_size, encoder_state);
//
// The memory is [batch, steps, depth]. The cell's state is that of the cell inside, the last
// attention and, with `alignment_history`, the last alignments, which decoders keep of all steps.
// Variables have contrib's names: "memory_layer/kernel" where the mechanism is made,
// "attention_wrapper/bahdanau_attention/query_layer/kernel", "…/attention_v",
// "attention_wrapper/attention_layer/kernel" where the cell is built.
//
// Ownership: mechanisms and cells are shared; their weights belong to the graph. Thread safety:
// that of the Scope. Errors: a memory of other than three dimensions or of unknown depth, no cell
// or mechanism; kept in the scope.
#ifndef WARPBEAM_FRONTEND_CONTRIB_ATTENTION_H_
#define WARPBEAM_FRONTEND_CONTRIB_ATTENTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "frontend/input.h"
#include "frontend/rnn/rnn_cell.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {

class AttentionMechanism {
 public:
  virtual ~AttentionMechanism() = default;

  // How much of the attention goes to each step of the memory: [batch, steps], sums of 1.
  Output Alignments(const Scope& scope, const Output& query) const;
  // The values that get it, together: [batch, depth].
  Output Context(const Scope& scope, const Output& alignments) const;
  // Makes the weights for queries [batch, depth], the first time.
  virtual void Build(const Scope& scope, int64_t depth, DType dtype) = 0;

  // The memory, zeros beyond the lengths, and what queries are compared with.
  const Output& values() const { return values_; }
  const Output& keys() const { return keys_; }
  // The memory's depth; -1 after an error.
  int64_t depth() const { return depth_; }
  // How many steps the memory has; -1 where only a run knows.
  int64_t steps() const { return depth_ < 0 ? -1 : values_.shape().dim(1); }

 protected:
  AttentionMechanism(const Scope& scope, int64_t num_units, const Output& memory,
                     const Output& lengths);
  // [batch, steps]
  virtual Output Score(const Scope& scope, const Output& query) const = 0;

  const int64_t units_;

 private:
  Output values_, keys_;
  Output is_there_;  // [batch, steps]; not valid where all steps are
  int64_t depth_ = -1;
};
using AttentionMechanismPtr = std::shared_ptr<AttentionMechanism>;

// The sum of v * tanh(keys + query * kernel): D. Bahdanau et al., arXiv:1409.0473.
class BahdanauAttention final : public AttentionMechanism {
 public:
  // `memory_sequence_length` [batch]: the steps beyond get no attention. With `normalize` v has a
  // length of its own ("attention_g") and a bias is added ("attention_b").
  BahdanauAttention(ScopeRef scope, int64_t num_units, const Output& memory,
                    const Output& memory_sequence_length = Output(), bool normalize = false);
  void Build(const Scope& scope, int64_t depth, DType dtype) override;

 private:
  Output Score(const Scope& scope, const Output& query) const override;

  const bool normalizes_;
  Variable query_kernel_, v_, g_, b_;
};

// The products of queries and keys, with `scale` times "attention_g": M. Luong et al.,
// arXiv:1508.04025. Queries have the depth `num_units`.
class LuongAttention final : public AttentionMechanism {
 public:
  LuongAttention(ScopeRef scope, int64_t num_units, const Output& memory,
                 const Output& memory_sequence_length = Output(), bool scale = false);
  void Build(const Scope& scope, int64_t depth, DType dtype) override;

 private:
  Output Score(const Scope& scope, const Output& query) const override;

  const bool scales_;
  Variable g_;
};

// A cell whose input is extended by the attention of the step before, and whose output is the
// attention (or, with output_attention off, its own).
class AttentionWrapper final : public nn::RNNCell {
 public:
  // With an `attention_layer_size` the attention is a product of the cell's output and the context,
  // else the context itself.
  AttentionWrapper(nn::RNNCellPtr cell, AttentionMechanismPtr mechanism,
                   std::optional<int64_t> attention_layer_size = std::nullopt,
                   bool output_attention = true, bool alignment_history = false);

  std::vector<int64_t> state_size() const override;
  int64_t output_size() const override;
  nn::RNNState ZeroState(const Scope& scope, const Input& batch,
                         DType dtype = DType::kFloat) const override;
  std::vector<size_t> alignments() const override;
  void Build(const Scope& scope, int64_t depth, DType dtype) override;
  nn::CellResult Call(const Scope& scope, const Output& input, const nn::RNNState& state) override;
  // No attention, and the cell inside in the state that an encoder has left, or zeros.
  nn::RNNState InitialState(ScopeRef scope, const Input& batch,
                            const nn::RNNState& cell_state = nn::RNNState(),
                            DType dtype = DType::kFloat) const;

 private:
  int64_t attention_size() const;
  // Whether there is a mechanism; else that is an error of the scope.
  bool CheckMechanism(const Scope& scope) const;

  const nn::RNNCellPtr cell_;
  const AttentionMechanismPtr mechanism_;
  const std::optional<int64_t> layer_size_;
  const bool outputs_attention_, keeps_alignments_;
  Variable layer_kernel_;
};

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTRIB_ATTENTION_H_
