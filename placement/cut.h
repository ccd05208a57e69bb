// CutByTask: a part of a placed graph as one graph for each task, which each compiles as if it were
// alone.
//
// What goes from one task to another becomes a _Send in the one and a _Recv in the other, once for
// each output and task that reads it, however many readers there are. A control edge becomes the
// sending of an empty tensor. A loop that nodes of several tasks are in is there in each of them: a
// task receives in every iteration whether there is a next one, by a control loop of its own, which
// also starts the receivers of that iteration. Enters and NextIterations stand with their readers,
// in several tasks if need be. What was not computed because its branch was not taken is sent as
// dead (runtime/comm/transfer_kernel.h).
//
//   WB_ASSIGN_OR_RETURN(std::vector<TaskPart> parts, CutByTask(graph, bounds, sites));
//   for (const TaskPart& part : parts) Compile(part, devices_of[part.task]);
//
// A key says who sends what to whom: sending device, its incarnation, receiving device, name of the
// edge and, when the step runs, the loop's frame and iteration.
//
// Ownership: parts lie on the graph (Graph::Overlay) and share its nodes. Thread safety: a pure
// function. Errors: INVALID_ARGUMENT for a reference that would have to leave its task and for a
// loop without an end that several tasks take part in, naming the nodes.
#ifndef WARPBEAM_PLACEMENT_CUT_H_
#define WARPBEAM_PLACEMENT_CUT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/graph.h"
#include "placement/average.h"
#include "placement/device_name.h"

namespace warpbeam {

// The devices of all tasks.
class SiteList {
 public:
  SiteList() = default;
  // Full names; those of a task stand together, in the order in which the task has them.
  // `incarnations`, by device, tell a process from the one that had its place before; empty: not
  // known, 0.
  explicit SiteList(std::vector<DeviceName> names, std::vector<int64_t> incarnations = {});

  const std::vector<DeviceName>& names() const { return names_; }
  int num_tasks() const { return static_cast<int>(first_of_.size()); }
  int task_of(Site site) const { return task_of_[site]; }
  // Its index among the devices of its task.
  int device_of(Site site) const { return site - first_of_[task_of_[site]]; }
  int64_t incarnation_of(Site site) const { return incarnations_[site]; }
  // The device whose memory is the host's: the first CPU of the task.
  Site host_of(int task) const { return host_of_[task]; }

 private:
  std::vector<DeviceName> names_;
  std::vector<int64_t> incarnations_;
  std::vector<int> task_of_;    // by site
  std::vector<Site> first_of_;  // by task
  std::vector<Site> host_of_;   // by task
};

// What one task runs.
struct TaskPart {
  int task = 0;
  // Sites are indices into the task's own devices. Nodes of other tasks are in it, unread.
  std::shared_ptr<const Graph> graph;
  std::vector<OutputRef> feeds;
  std::vector<OutputRef> fetches;
  std::vector<NodeId> targets;  // those asked for, and what is sent
  // Which of the feeds and fetches of the whole these are.
  std::vector<int> feed_numbers;
  std::vector<int> fetch_numbers;
  int num_sends = 0;
  int num_receives = 0;
};

// `graph` has a site for each node of `bounds.kept`. Tasks that have nothing to do have no part.
StatusOr<std::vector<TaskPart>> CutByTask(std::shared_ptr<const Graph> graph,
                                          const PlanBounds& bounds, const SiteList& sites);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_CUT_H_
