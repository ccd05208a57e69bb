// Recurrent nets whose loop the program writes itself (tf.nn.raw_rnn), and those whose state stays
// between steps (tf.nn.static_state_saving_rnn).
//
//   nn::RawLoop loop = [&](const Scope& s, const nn::RawMoment& now) {
//     nn::RawStep next;
//     next.state = now.cell_state;                              // in the first call the beginning
//     if (!now.cell_output.valid()) next.state = cell->ZeroState(s, batch, DType::kFloat);
//     next.finished = GreaterEqual(s, now.time, lengths);       // [batch]
//     next.input = ElementAt(s, inputs, 0);                     // [batch, depth]
//     next.emitted = now.cell_output;
//     return next;
//   };
//   nn::RawRNNResult result = nn::RawRNN(scope, cell, loop);
//   Output outputs = result.outputs.Stack(scope);               // [time, batch, size]
//
// Ownership: the functions are not kept. Thread safety: that of the Scope. Errors: kept in the
// scope.
#ifndef WARPBEAM_FRONTEND_RNN_RAW_RNN_H_
#define WARPBEAM_FRONTEND_RNN_RAW_RNN_H_

#include <functional>
#include <string>
#include <vector>

#include "frontend/control_flow/tensor_array.h"
#include "frontend/rnn/rnn.h"

namespace warpbeam {
namespace frontend {
namespace nn {

// What the loop knows when it asks for the next step.
struct RawMoment {
  Output time;            // an int32 scalar, 0 in the first call
  Output cell_output;     // not valid in the first call
  RNNState cell_state;    // empty in the first call
  OutputList loop_state;  // empty in the first call
};

struct RawStep {
  Output finished;  // [batch]: which sequences are at their end
  Output input;     // of the cell [batch, depth]
  RNNState state;   // of the cell
  // What is written at this time [batch, …]. In the first call: a tensor of the shape that one
  // sequence emits, or not valid for that of the cell's output.
  Output emitted;
  OutputList loop_state;  // whatever else the loop keeps; always as many, of the same types
};

using RawLoop = std::function<RawStep(const Scope& scope, const RawMoment& now)>;

struct RawRNNResult {
  TensorArray outputs;  // zeros for sequences at their end
  RNNState state;
  OutputList loop_state;
};

// Called once before the loop and once to build its body.
RawRNNResult RawRNN(ScopeRef scope, const RNNCellPtr& cell, const RawLoop& loop,
                    int parallel_iterations = 32);

// Where a state is kept between steps of the program.
class StateSaver {
 public:
  virtual ~StateSaver() = default;
  virtual Output State(const Scope& scope, const std::string& name) = 0;
  virtual Operation SaveState(const Scope& scope, const std::string& name, const Output& value) = 0;
};

// StaticRNN that begins with the saved states and saves those of its end; `state_names` has one
// name for each tensor of the cell's state. What it gives is there when the states are saved.
StaticRNNResult StaticStateSavingRNN(ScopeRef scope, const RNNCellPtr& cell,
                                     const std::vector<Output>& inputs, StateSaver& state_saver,
                                     const std::vector<std::string>& state_names,
                                     const RNNOptions& options = RNNOptions());

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_RNN_RAW_RNN_H_
