#include "graph/passes/loop_frames.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace warpbeam {
namespace {

class FrameFinder {
 public:
  FrameFinder(const Graph& graph, Span<const OutputRef> feeds)
      : graph_(graph), fed_(feeds.begin(), feeds.end()) {
    loops_.frames.emplace_back();
    loops_.frame_of.assign(graph.num_nodes(), 0);
  }

  StatusOr<LoopFrames> Run(Span<const NodeId> kept) {
    WB_ASSIGN_OR_RETURN(std::vector<NodeId> order, TopologicalOrder(graph_));
    std::vector<bool> is_kept(graph_.num_nodes(), false);
    for (NodeId id : kept) is_kept[id] = true;
    for (NodeId id : order) {
      if (is_kept[id]) WB_RETURN_IF_ERROR(Visit(graph_.node(id)));
    }
    for (NodeId id : kept) WB_RETURN_IF_ERROR(CheckBackEdges(graph_.node(id)));
    return std::move(loops_);
  }

 private:
  bool IsFed(OutputRef r) const { return !fed_.empty() && fed_.contains(r); }

  Status Visit(const Node& node) {
    int32_t frame = 0;
    std::string first;
    for (OutputRef in : node.inputs()) {
      if (in.node == kNoNode || IsLoopBackEdge(graph_.node(in.node), node)) continue;
      WB_RETURN_IF_ERROR(Meet(node, in.node, IsFed(in), &first, &frame));
    }
    for (NodeId in : node.control_inputs()) {
      WB_RETURN_IF_ERROR(Meet(node, in, false, &first, &frame));
    }
    if (IsExit(node)) {
      if (frame == 0) {
        return InvalidArgument(DescribeNode(node),
                               " leaves a loop, but is in none; what it takes must come into the "
                               "loop through an Enter");
      }
      frame = loops_.frames[frame].parent;
    } else if (IsEnter(node)) {
      if (loops_.frames[frame].depth >= LoopFrames::kMostNesting) {
        return InvalidArgument(DescribeNode(node), " opens a frame inside of ",
                               LoopFrames::kMostNesting,
                               " others; loops may not be nested any deeper");
      }
      frame = Open(frame, node);
    } else if (IsNextIteration(node) && frame == 0) {
      return InvalidArgument(DescribeNode(node),
                             " hands a value to the next iteration of a loop, but is in none; "
                             "what it takes must come into the loop through an Enter");
    }
    loops_.frame_of[node.id()] = frame;
    return OkStatus();
  }

  // One more input of the node; `first` and `frame` are those of its inputs before.
  Status Meet(const Node& node, NodeId input, bool fed, std::string* first, int32_t* frame) {
    const int32_t b = fed ? 0 : loops_.frame_of[input];
    if (first->empty()) {
      *first = graph_.node(input).name();
      *frame = b;
    }
    const int32_t a = *frame;
    if (a == b) return OkStatus();
    return InvalidArgument(DescribeNode(node), " has inputs from different frames: '", *first,
                           "' is in frame '", loops_.frames[a].name, "', '",
                           graph_.node(input).name(), "' in frame '", loops_.frames[b].name,
                           "'; what a loop needs from outside must come through an Enter");
  }

  int32_t Open(int32_t parent, const Node& enter) {
    std::string name = enter.attrs().GetOr<std::string>("frame_name", "");
    auto [it, is_new] = opened_.emplace(std::make_pair(parent, name), loops_.frames.size());
    if (is_new) {
      loops_.frames.push_back(
          {parent, loops_.frames[parent].depth + 1, std::move(name), enter.id()});
    }
    return it->second;
  }

  Status CheckBackEdges(const Node& node) const {
    for (OutputRef in : node.inputs()) {
      if (in.node == kNoNode || IsFed(in) || !IsLoopBackEdge(graph_.node(in.node), node)) continue;
      const int32_t a = loops_.frame_of[node.id()], b = loops_.frame_of[in.node];
      if (a == b) continue;
      return InvalidArgument(DescribeNode(node), " is in frame '", loops_.frames[a].name,
                             "', but '", graph_.node(in.node).name(),
                             "', which gives it its next value, in frame '", loops_.frames[b].name,
                             "'; a NextIteration belongs to the loop of its Merge");
    }
    return OkStatus();
  }

  const Graph& graph_;
  const absl::flat_hash_set<OutputRef> fed_;
  LoopFrames loops_;
  std::map<std::pair<int32_t, std::string>, int32_t> opened_;
};

}  // namespace

bool HasLoops(const Graph& graph, Span<const NodeId> nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](NodeId id) { return IsLoopBorder(graph.node(id)); });
}

bool HasLoops(const GraphPart& part) {
  return part.HasOp([](const OpSchema& op) {
    return op.role == OpRole::kEnter || op.role == OpRole::kExit ||
           op.role == OpRole::kNextIteration;
  });
}

StatusOr<LoopFrames> FindLoopFrames(const Graph& graph, Span<const NodeId> kept,
                                    Span<const OutputRef> feeds) {
  return FrameFinder(graph, feeds).Run(kept);
}

Status CheckLoopFrames(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (!IsEnter(node) && !IsExit(node)) continue;
    std::vector<NodeId> all(graph.num_nodes());
    std::iota(all.begin(), all.end(), 0);
    return FrameFinder(graph, {}).Run(all).status();
  }
  return OkStatus();
}

}  // namespace warpbeam
