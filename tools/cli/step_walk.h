// StepWalk: the nodes that steps of a graph reach, into the functions that they call, and what
// keeps these from running.
//
//   StepWalk walk(*graph, *node_check);
//   walk.Visit(roots, fed, /*will_run=*/true);
//   walk.in_functions()                      // problems in functions that were reached, each once
//   for (const auto& [node, problem] : walk.bad_nodes()) …        // of the graph itself
//
// A function is looked at once for each set of attributes that it is called with. No recursion: the
// input decides how deep functions call each other. Ownership: graph and check outlive the walk.
// Thread safety: none. Errors: problems of the groups.
#ifndef WARPBEAM_TOOLS_CLI_STEP_WALK_H_
#define WARPBEAM_TOOLS_CLI_STEP_WALK_H_

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"
#include "tools/cli/node_check.h"
#include "tools/cli/node_groups.h"

namespace warpbeam {
namespace cli {

class StepWalk {
 public:
  StepWalk(const Graph& graph, const NodeCheck& check) : graph_(graph), check_(check) {}

  // Looks at what `roots` need when `fed` are fed, and returns the nodes of the graph among it.
  // `will_run`: all of it runs, so that the session must allow it.
  std::vector<NodeId> Visit(const std::vector<NodeId>& roots,
                            const absl::flat_hash_set<OutputRef>& fed, bool will_run);

  // A node of the graph that cannot run. `at_run`: it has a kernel all the same.
  struct BadNode {
    NodeProblem problem;
    bool at_run = false;
  };
  const std::map<NodeId, BadNode>& bad_nodes() const { return bad_nodes_; }
  const NodeGroups& in_functions() const { return in_functions_; }
  // Problems of whole functions.
  const std::vector<std::string>& functions() const { return function_problems_; }
  // What RestoreV2 nodes read, as far as their names are constants.
  const std::map<std::string, DType>& restored() const { return restored_; }
  bool has_seen(NodeId node) const {
    return static_cast<size_t>(node) < seen_.size() && seen_[node];
  }

 private:
  struct Call {
    FunctionRef function;
    bool will_run;
  };

  BadNode Look(const Graph& graph, const Node& node, bool will_run);
  void QueueCalls(const Graph& graph, const Node& node, bool will_run, BadNode* bad);
  void VisitFunctions();
  void VisitBody(const Call& call);
  void NoteRestored(const Graph& graph, const Node& node);

  const Graph& graph_;
  const NodeCheck& check_;
  std::vector<bool> seen_;
  std::map<NodeId, BadNode> bad_nodes_;
  std::vector<Call> calls_;  // that nobody has looked at yet
  absl::flat_hash_set<std::string> seen_calls_;
  NodeGroups in_functions_;
  std::vector<std::string> function_problems_;
  std::map<std::string, DType> restored_;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_STEP_WALK_H_
