// Recurrent nets (tf.nn.static_rnn, dynamic_rnn and their bidirectional forms): a cell over the
// steps of a sequence.
//
//   auto cell = std::make_shared<nn::BasicLSTMCell>(128);
//   nn::RNNOptions options;
//   options.sequence_length(lengths);                              // [batch]
//   nn::RNNResult result = nn::DynamicRNN(scope, cell, inputs, options);
//   Output last = result.state[1];                                 // h after each one's last step
//
// StaticRNN builds the cell once for each step of a list; DynamicRNN builds a loop over [batch,
// time, depth], however long the sequences of a step are. Beyond the length of a sequence its
// outputs are zero and its state stays what it was. Weights: "rnn/basic_lstm_cell/kernel"… (Named()
// for another variable scope), of a bidirectional net "bidirectional_rnn/fw/…" and "…/bw/…".
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; inputs of a shape
// that does not fit are named with it.
#ifndef WARPBEAM_FRONTEND_RNN_RNN_H_
#define WARPBEAM_FRONTEND_RNN_RNN_H_

#include <optional>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/rnn/rnn_cell.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

struct RNNOptions {
  // How many steps each sequence of the batch has: integers [batch].
  RNNOptions& sequence_length(Input value) {
    lengths = std::move(value);
    return *this;
  }
  // Instead of zeros.
  RNNOptions& initial_state(RNNState value) {
    first_state = std::move(value);
    return *this;
  }
  // DynamicRNN: inputs and outputs are [time, batch, depth].
  RNNOptions& time_major(bool value) {
    is_time_major = value;
    return *this;
  }
  RNNOptions& parallel_iterations(int value) {
    iterations_at_once = value;
    return *this;
  }

  std::optional<Input> lengths;
  RNNState first_state;
  bool is_time_major = false;
  int iterations_at_once = 32;
};

struct RNNResult {
  Output outputs;  // [batch, time, output size], or time first
  RNNState state;
};

struct StaticRNNResult {
  OutputList outputs;  // one for each step
  RNNState state;
};

RNNResult DynamicRNN(ScopeRef scope, const RNNCellPtr& cell, const Input& inputs,
                     const RNNOptions& options = RNNOptions());
StaticRNNResult StaticRNN(ScopeRef scope, const RNNCellPtr& cell, const std::vector<Output>& inputs,
                          const RNNOptions& options = RNNOptions());

struct BidirectionalResult {
  RNNResult forward;
  RNNResult backward;  // its outputs in the order of the inputs
};

// initial_state of the options: the forward cell's tensors, then the backward cell's.
BidirectionalResult BidirectionalDynamicRNN(ScopeRef scope, const RNNCellPtr& forward,
                                            const RNNCellPtr& backward, const Input& inputs,
                                            const RNNOptions& options = RNNOptions());

struct StaticBidirectionalResult {
  OutputList outputs;  // forward and backward next to each other, for each step
  RNNState forward_state;
  RNNState backward_state;
};

StaticBidirectionalResult StaticBidirectionalRNN(ScopeRef scope, const RNNCellPtr& forward,
                                                 const RNNCellPtr& backward,
                                                 const std::vector<Output>& inputs,
                                                 const RNNOptions& options = RNNOptions());

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_RNN_RNN_H_
