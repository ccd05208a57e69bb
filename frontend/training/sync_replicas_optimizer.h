// SyncReplicasOptimizer: workers that train one model in step with each other
// (tf.train.SyncReplicasOptimizer).
//
//   AdamOptimizer adam(0.01);
//   SyncReplicasOptimizer sync(&adam, /*replicas_to_aggregate=*/2);
//   Operation step = sync.Minimize(scope, loss, global_step);
//   hooks.push_back(std::make_shared<SyncReplicasHook>(&sync, is_chief));   // frontend/monitored
//
// Each worker brings its gradients to accumulators that all share, beside the variables, and then
// waits for a token. The chief has a thread besides (chief_queue_runner), which takes the mean of
// the first `replicas_to_aggregate` gradients of every variable, lets the wrapped optimizer apply
// them, and hands out as many tokens as there are workers. So the variables change as they would
// by one worker with a batch of that many times the size, where losses are means.
//
// A gradient that was computed from variables of an earlier step is dropped: a token says which
// step it is for, and a worker's local step is that of its last token. With more workers
// (`total_num_replicas`) than gradients are needed the slowest ones' are not waited for; with
// fewer, each brings several for one step, which needs tokens to begin with (InitTokensOp).
//
//   SessionManagerOptions options;                            // without hooks:
//   options.ready_for_local_init_op = sync.ready_for_local_init_op();
//   options.local_init_op = is_chief ? sync.chief_init_op() : sync.local_step_init_op();
//   …                                                         // then, the chief:
//   session.Run({sync.InitTokensOp(scope)});                  // built before the session
//   sync.chief_queue_runner().Start(session.session(), coordinator);
//
// The token queue is closed when the chief's coordinator stops: a worker that waits for a token
// then gets OUT_OF_RANGE, the clean end. What workers have in common is found by its name, so all
// build the same graph; what is each one's own, the local step, is on its task: the scope's device
// has to name the task (frontend/cluster/device_setter.h).
//
// J. Chen, X. Pan, R. Monga, S. Bengio, R. Jozefowicz, "Revisiting distributed synchronous SGD",
// arXiv:1604.00981.
//
// Ownership: the wrapped optimizer must outlive this one; both are needed only while the graph is
// built. Thread safety: that of the Scope. Errors: kept in the scope: INVALID_ARGUMENT without a
// global step, for numbers that are not positive, for too few tokens; FAILED_PRECONDITION for what
// comes before ApplyGradients, or a second one.
#ifndef WARPBEAM_FRONTEND_TRAINING_SYNC_REPLICAS_OPTIMIZER_H_
#define WARPBEAM_FRONTEND_TRAINING_SYNC_REPLICAS_OPTIMIZER_H_

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "frontend/training/moving_average.h"
#include "frontend/training/optimizer.h"
#include "frontend/training/queue_runner.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct SyncReplicasOptions {
  // How many workers there are; unset: as many as gradients are needed.
  SyncReplicasOptions& total_num_replicas(int value) {
    total = value;
    return *this;
  }
  // Moves the averages of these variables after each step. `average` must outlive the optimizer.
  SyncReplicasOptions& moving_average(ExponentialMovingAverage* average,
                                      std::vector<Variable> variables) {
    variable_averages = average;
    variables_to_average = std::move(variables);
    return *this;
  }
  SyncReplicasOptions& name(std::string value) {
    scope_name = std::move(value);
    return *this;
  }

  std::optional<int> total;
  ExponentialMovingAverage* variable_averages = nullptr;
  std::vector<Variable> variables_to_average;
  std::string scope_name = "sync_replicas";
};

class SyncReplicasOptimizer final : public Optimizer {
 public:
  SyncReplicasOptimizer(Optimizer* optimizer, int replicas_to_aggregate,
                        const SyncReplicasOptions& options = SyncReplicasOptions());

  // Those of the wrapped optimizer.
  HandleList<GradientAndVariable> ComputeGradients(
      ScopeRef scope, const Output& loss,
      const ComputeGradientsOptions& options = ComputeGradientsOptions()) override;
  Variable GetSlot(const Variable& variable, const std::string& slot) const override;
  std::vector<std::string> GetSlotNames() const override;

  // What a worker runs for each step. It needs the global step, and is built once.
  Operation ApplyGradients(ScopeRef scope, const std::vector<GradientAndVariable>& gradients,
                           const Variable& global_step = Variable()) override;

  // The following are there once ApplyGradients has been called.
  bool is_built() const { return train_op_.valid(); }
  // The names of global variables without a value; they need one before the two that follow.
  const Output& ready_for_local_init_op() const { return ready_for_local_init_op_; }
  // Brings a worker to the global step; the chief brings the accumulators there, too.
  const Operation& local_step_init_op() const { return local_step_init_op_; }
  const Operation& chief_init_op() const { return chief_init_op_; }
  // For the chief alone; it is in no collection.
  const QueueRunner& chief_queue_runner() const { return chief_queue_runner_; }
  // What the chief runs once in the beginning: puts tokens into the queue, unset: one for each
  // gradient that is needed. A worker may be ahead by as many steps as it gets tokens.
  Operation InitTokensOp(ScopeRef scope, std::optional<int> num_tokens = std::nullopt);
  // What a worker that ends before others may run: gives each of them a token. One that waits for
  // its last, which this worker's next gradient would have earned it, is let go.
  Operation LeaveOp(ScopeRef scope);

 private:
  Status Check(const std::vector<GradientAndVariable>& gradients,
               const Variable& global_step) const;
  void MakeLocalStep(const Scope& scope);
  // What comes of the worker's gradient: that of the step. `scope` is beside the variable.
  Gradient Aggregate(const Scope& scope, const GradientAndVariable& entry);
  Gradient AggregateSlices(const Scope& scope, const IndexedSlices& slices,
                           const std::string& shared_name, DType dtype);
  void MakeTokens(const Scope& scope, const Operation& update);
  void MakeChiefInit(const Scope& scope);
  Operation PutTokens(const Scope& scope, int count) const;
  int tokens_per_step() const { return std::max(total_num_replicas_, replicas_to_aggregate_); }
  // Keeps an error where ApplyGradients has not been called.
  bool CheckBuilt(const Scope& scope, const char* what) const;

  // The wrapped optimizer's, of which it has none itself.
  std::vector<Variable> NonSlotVariables() const override { return optimizer_.Variables(); }
  // It has no updates of its own.
  void Prepare(const Scope&) override {}
  Operation ApplyDense(const Scope&, const Output&, const Variable&) override { return {}; }

  struct SharedAccumulator {
    Output handle;
    bool is_sparse;
    std::string device;
  };

  Optimizer& optimizer_;
  const int replicas_to_aggregate_, total_num_replicas_;
  const SyncReplicasOptions options_;
  Variable global_step_, local_step_;
  std::vector<SharedAccumulator> accumulators_;
  std::vector<Operation> brought_;  // this worker's gradients
  Output token_queue_;
  Operation train_op_, local_step_init_op_, chief_init_op_;
  Output ready_for_local_init_op_;
  QueueRunner chief_queue_runner_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_SYNC_REPLICAS_OPTIMIZER_H_
