// PartialRun: what a session remembers of one partial run.
//
//   auto run = std::make_shared<PartialRun>(graph, feeds, fetches, runner, step);
//   run->Start();
//   WB_RETURN_IF_ERROR(run->Take({x}, {value}, {y}));      // marks them; refuses what does not fit
//   Status s = run->Exchange({x}, {value}, {y}, timeout_ms, &fetched);
//
// Ownership: shares the plan and the step with the executor. Thread safety: any thread. Errors: see
// Session::PartialRun.
#ifndef WARPBEAM_RUNTIME_SESSION_PARTIAL_RUN_H_
#define WARPBEAM_RUNTIME_SESSION_PARTIAL_RUN_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/comm/partial_step.h"
#include "runtime/compile/plan_compiler.h"
#include "runtime/session/step_runner.h"

namespace warpbeam {

class PartialRun {
 public:
  // `feeds` and `fetches`: what was asked for, as outputs of the graph.
  PartialRun(const Graph& graph, std::vector<OutputRef> feeds, std::vector<OutputRef> fetches,
             std::shared_ptr<StepRunner> runner, std::shared_ptr<PartialStep> step);

  void Start();
  // INVALID_ARGUMENT, naming it, where a feed or fetch was not set up.
  Status CheckFeed(OutputRef feed, absl::string_view name) const;
  Status CheckFetch(OutputRef fetch, absl::string_view name) const;
  // Refuses what has been given before or cannot be computed; else it counts as given. All was set
  // up; `values` stand beside `feeds`.
  Status Take(const std::vector<OutputRef>& feeds, const std::vector<Tensor>& values,
              const std::vector<OutputRef>& fetches);
  // Feeds what was taken and waits for the fetches, and for the end of the step after the last.
  Status Exchange(const std::vector<OutputRef>& feeds, const std::vector<Tensor>& values,
                  const std::vector<OutputRef>& fetches, int64_t timeout_ms,
                  std::vector<Tensor>* fetched);
  // Everything has been fed and fetched.
  bool IsComplete() const;
  // Cancels what still runs and gives it a moment to end.
  void End(const Status& why);
  StepContext* context() const { return step_.get(); }
  const std::shared_ptr<StepRunner>& runner() const { return runner_; }

 private:
  struct Border {
    OutputRef output;
    std::string name;
    DType dtype = DType::kInvalid;
    bool given = false;
    std::vector<int> needs;  // of a fetch: feeds
  };

  static int Find(const std::vector<Border>& borders, OutputRef output);
  Status Late(const Status& status) const;

  const std::shared_ptr<StepRunner> runner_;
  const std::shared_ptr<PartialStep> step_;
  mutable std::mutex mutex_;
  std::vector<Border> feeds_;
  std::vector<Border> fetches_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_PARTIAL_RUN_H_
