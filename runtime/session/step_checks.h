// StepChecks: finds steps that could only wait for ever, before they run.
//
// A dequeue is in doubt when the whole graph has nothing that could fill or close its queue, and
// the queue has no shared name under which another session could. A runner in another run fills
// queues as well as one in this, so it is the graph that counts, not the step. Whether such a step
// may run nevertheless, since somebody will end it or others share its queues, is the session's to
// know.
//
// A collective is refused when the step leaves members of its group out, unless they may be in
// steps of other masters of a cluster, or when two wait for each other: one device runs the first
// before the second, another the second before the first. Members in functions, or with keys that
// are computed, are left to the run.
//
//   checks.Add(graph, first_new_node, OpsInUse(graph, first_new_node));
//   WB_RETURN_IF_ERROR(checks.Check(graph, feeds, fetches, targets));
//   runner->set_dequeues_in_doubt(checks.DequeuesInDoubt(graph, feeds, fetches, targets));
//   WB_RETURN_IF_ERROR(checks.CheckDequeues(graph, runner->dequeues_in_doubt()));
//
// Thread safety: checks from several threads, Add from one alone. Errors: FAILED_PRECONDITION
// naming the dequeue and its queue, or the members of the collective.
#ifndef WARPBEAM_RUNTIME_SESSION_STEP_CHECKS_H_
#define WARPBEAM_RUNTIME_SESSION_STEP_CHECKS_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "runtime/session/ops_in_use.h"

namespace warpbeam {

class StepChecks {
 public:
  // Whether collectives may have members in steps of other masters.
  void set_has_other_masters(bool has) { has_other_masters_ = has; }
  // Takes note of the nodes from `begin` on; `ops` are theirs (runtime/session/ops_in_use.h).
  void Add(const Graph& graph, NodeId begin, const std::vector<const OpSchema*>& ops);
  // Checks the collectives.
  Status Check(const Graph& graph, const std::vector<OutputRef>& feeds,
               const std::vector<OutputRef>& fetches, const std::vector<NodeId>& targets) const;
  // The dequeues of the step that could wait for ever, as far as the graph tells. `graph`, as in
  // Check, may be a snapshot that is older than the nodes noted last.
  std::vector<NodeId> DequeuesInDoubt(const Graph& graph, const std::vector<OutputRef>& feeds,
                                      const std::vector<OutputRef>& fetches,
                                      const std::vector<NodeId>& targets) const;
  // The graph may have grown since: an error when it still has nothing that fills or closes the
  // queue of one of them.
  Status CheckDequeues(const Graph& graph, const std::vector<NodeId>& dequeues) const;

 private:
  absl::flat_hash_set<NodeId> queues_;
  absl::flat_hash_set<NodeId> may_be_filled_;  // queues
  std::vector<NodeId> dequeues_;               // of queues, directly; in ascending order
  bool has_collectives_ = false;
  bool has_other_masters_ = false;
};

// The part about collectives. `runs`: by node, whether the step runs it; `are_all`: whether nobody
// else runs members of its collectives.
Status CheckCollectives(const Graph& graph, const std::vector<OutputRef>& feeds,
                        const std::vector<bool>& runs, bool are_all);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_STEP_CHECKS_H_
