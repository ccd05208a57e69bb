// TaskCutter: the devices of all tasks of a session, and steps cut into a part for each of them.
//
// Passes that look at a step as a whole run before the cut, wherever its nodes are; the others are
// for each task to run on its part.
//
//   TaskCutter cutter(SiteList(names), *home, setup, graph);
//   WB_ASSIGN_OR_RETURN(TaskCutter::CutStep step, cutter.Cut(bounds, mode, /*at_home=*/true));
//   for (TaskPart& part : step.parts) …
//
// Ownership: `home` outlives it. Thread safety: Cut from many threads at once, UpdateLibrary beside
// nothing else. Errors: those of the passes and of placement/cut.h; UNIMPLEMENTED for feeds
// and fetches that stay on devices, and for partial runs but for those at home.
#ifndef WARPBEAM_RUNTIME_SESSION_TASK_CUTTER_H_
#define WARPBEAM_RUNTIME_SESSION_TASK_CUTTER_H_

#include <memory>
#include <vector>

#include "placement/cut.h"
#include "runtime/compile/plan_compiler.h"
#include "runtime/session/local_task.h"

namespace warpbeam {

class TaskCutter {
 public:
  struct CutStep {
    std::vector<TaskPart> parts;
    // The graph that was cut, its outline and its effects; the rest is for the parts to add.
    PlanFacts facts;
  };

  // The first task of `sites` is `home`; `placing` is how functions are placed there.
  TaskCutter(SiteList sites, const LocalTask& home, FunctionPlans::Setup placing,
             const Graph& graph);
  TaskCutter(const TaskCutter&) = delete;
  TaskCutter& operator=(const TaskCutter&) = delete;

  const SiteList& sites() const { return sites_; }
  void UpdateLibrary(const FunctionLibrary& library) { placing_->UpdateLibrary(library); }
  // `at_home`: all feeds and fetches are the first task's (home_bounds.h).
  StatusOr<CutStep> Cut(const StepBounds& bounds, const PlanMode& mode, bool at_home) const;

 private:
  const SiteList sites_;
  const std::shared_ptr<FunctionPlans> placing_;  // places bodies on the devices of all tasks
  CompileEnv env_;                                // of the passes before the cut
};

// A part as the bounds of a plan of its task.
StepBounds BoundsOf(TaskPart part);
// Adds what a part's plan counts.
void AddCounts(const PlanFacts& part, PlanFacts* all);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_TASK_CUTTER_H_
