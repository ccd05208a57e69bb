// NanTensorHook: ends training when the loss is not a number (tf.train.NanTensorHook), and says at
// which step and in which node a NaN first appeared.
//
//   hooks.push_back(std::make_shared<NanTensorHook>(loss));
//
//   INTERNAL: the loss 'xent:0' is NaN at step 1207; NaN first appeared in 'softmax/mul:0' (Mul),
//   infinite before it: 'softmax/Log:0'
//
// How the node is found: everything that the loss is computed from is fetched, and the first tensor
// in order with a NaN is named. kRunAgain does that in a further run with the failed step's feeds,
// at no cost before; but the step has updated the variables by then, often to NaN, and a queue
// gives another batch: then a variable is what is named. kEveryStep fetches it all in every step,
// which keeps every activation in memory, and names the node of the very step. Nodes inside a loop
// or a branch are not looked at; the loop's or branch's exit is named.
//
// Ownership: values. Thread safety: one thread. Errors: INTERNAL as above; INVALID_ARGUMENT for a
// loss that is no scalar of fractions.
#ifndef WARPBEAM_FRONTEND_MONITORED_NAN_TENSOR_HOOK_H_
#define WARPBEAM_FRONTEND_MONITORED_NAN_TENSOR_HOOK_H_

#include <optional>
#include <string>
#include <vector>

#include "frontend/monitored/report_hooks.h"
#include "frontend/monitored/session_run_hook.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct NanTensorOptions {
  enum class Search { kRunAgain, kEveryStep, kNone };

  // False: training stops in peace, with a line of warning.
  bool fail_on_nan_loss = true;
  Search search = Search::kRunAgain;
  LineSink lines = StandardErrorLines();
};

class NanTensorHook : public SessionRunHook {
 public:
  explicit NanTensorHook(const Output& loss, NanTensorOptions options = NanTensorOptions())
      : loss_(loss), options_(std::move(options)) {}

  Status Begin(const Scope& scope) override;
  StatusOr<RunArgs> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;

 private:
  // Where the NaN of a step came from, as a sentence.
  std::string Find(RunContext& context, const RunValues& values);
  std::string Describe(const std::vector<Tensor>& values) const;

  const Output loss_;
  const NanTensorOptions options_;
  Variable step_;                   // not valid where the graph has none
  std::vector<Output> candidates_;  // what the loss is computed from, in order
  std::optional<Scope> scope_;
};

// Where a NaN first appears in what `target` is computed from, or else an infinity, in a run of its
// own: "NaN first appeared in 'a/mul:0' (Mul)". Empty where there are only numbers. For programs
// that stop a step before its update when the loss is none.
std::string FirstNan(const Scope& scope, ClientSession& session, const Output& target,
                     const ClientSession::Feeds& feeds = {});

// The tensors of fractions that `target` is computed from, itself included, each behind its inputs;
// none from inside of loops and branches.
OutputList FloatAncestors(const Scope& scope, const Output& target);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_NAN_TENSOR_HOOK_H_
