// PassPipeline: the passes that a part of a graph goes through before it becomes a plan.
//
// A pass is a function over a GraphPart: the nodes that one plan runs, and their bounds. Passes run
// in the order in which they were added; a required one (without which there is no plan) runs
// whatever is selected. After each pass that changed something the part is pruned, and a text of it
// can be kept.
//
//   PassPipeline pipeline;
//   pipeline.AddRequired("prune", [](GraphPart* part) { part->Prune(); return OkStatus(); });
//   pipeline.Add("fold", FoldPass);
//   WB_RETURN_IF_ERROR(pipeline.Select("none"));          // or "default", or "fold,cse"
//   WB_RETURN_IF_ERROR(pipeline.Run(&part, dump));
//
// Ownership: the graph outlives the part. Thread safety: none while it is set up; Run is const.
// Errors: INVALID_ARGUMENT naming an unknown pass and those that there are; those of the passes,
// with the pass named; CANCELLED between two passes once nobody waits any more (abandonment.h).
#ifndef WARPBEAM_GRAPH_PASSES_PASS_PIPELINE_H_
#define WARPBEAM_GRAPH_PASSES_PASS_PIPELINE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "graph/graph.h"
#include "graph/types/span.h"

namespace warpbeam {

struct GraphPart {
  std::shared_ptr<const Graph> graph;
  std::vector<OutputRef> feeds;
  std::vector<OutputRef> fetches;
  std::vector<NodeId> targets;
  std::vector<NodeId> nodes;  // what runs, ascending; empty before the first pass
  std::string notes;          // lines that the last pass adds to its dump

  // The graph, for changing it: an overlay of the one that was given, made at the first change.
  Graph& Edit();
  // From here on changes go to a further overlay: copies of the part made before keep their graph.
  void Fork() { overlay_ = nullptr; }
  bool changed() const { return changed_; }

  // What follows from the part as it is. It is found when it is first asked for, and kept until the
  // part changes; who changes the part meanwhile goes on with what it was given.
  using Order = std::shared_ptr<const std::vector<NodeId>>;
  // The nodes with producers before consumers (graph/passes/part_order.h).
  StatusOr<Order> Ordered() const;
  // Of the whole graph.
  std::shared_ptr<const Consumers> consumers() const;
  // Whether a node has such an op: before a pass looks for its nodes.
  bool HasOp(absl::FunctionRef<bool(const OpSchema&)> is) const;
  bool HasOp(absl::string_view name) const {
    return HasOp([name](const OpSchema& op) { return op.name == name; });
  }

  // By node: whether its shapes follow from feeds, which may have other shapes than the graph
  // promises. `order` is a topological one.
  std::vector<bool> ShapesFollowFeeds(const std::vector<NodeId>& order) const;
  // What the fetches, targets and `nodes` need now.
  void Prune();
  // A line per node: "name = Op(input:0, other:1, ^control)", then the notes.
  std::string ToText() const;

 private:
  // Of the part as it is now; null until somebody asks.
  struct Known {
    Order order;
    std::shared_ptr<const Consumers> consumers;
    std::shared_ptr<const std::vector<const OpSchema*>> ops;
  };

  std::shared_ptr<Graph> overlay_;
  bool changed_ = false;  // since the part was pruned
  mutable Known known_;
};

class PassPipeline {
 public:
  using Pass = std::function<Status(GraphPart* part)>;
  // Gets a pass's name and the text of what it left.
  using Dump = std::function<void(const std::string& pass, const std::string& text)>;

  void Add(std::string name, Pass pass) { Append(std::move(name), std::move(pass), false); }
  void AddRequired(std::string name, Pass pass) { Append(std::move(name), std::move(pass), true); }

  // Names, separated by commas, beside the required ones, which always run: "default" stands for
  // all, "none" for no others, and "-name" leaves one out again ("default,-fuse").
  Status Select(absl::string_view passes);
  // `dump` may be null.
  Status Run(GraphPart* part, const Dump& dump) const;

 private:
  struct Entry {
    std::string name;
    Pass pass;
    bool required;
    bool selected;
  };
  void Append(std::string name, Pass pass, bool required) {
    entries_.push_back({std::move(name), std::move(pass), required, true});
  }

  std::vector<Entry> entries_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_PASS_PIPELINE_H_
