#include "graph/passes/loop_frames.h"

#include <map>
#include <utility>

namespace warpbeam {
namespace {

bool IsEnter(const Node& n) { return n.op_name() == "Enter" || n.op_name() == "RefEnter"; }
bool IsExit(const Node& n) { return n.op_name() == "Exit" || n.op_name() == "RefExit"; }

class FrameFinder {
 public:
  explicit FrameFinder(const Graph& graph) : graph_(graph), frame_of_(graph.num_nodes(), 0) {}

  absl::Status Run() {
    WB_ASSIGN_OR_RETURN(std::vector<NodeId> order, TopologicalOrder(graph_));
    for (NodeId id : order) WB_RETURN_IF_ERROR(Visit(graph_.node(id)));
    return absl::OkStatus();
  }

 private:
  absl::Status Visit(const Node& node) {
    NodeId first = kNoNode;
    for (OutputRef in : node.inputs()) {
      if (in.node == kNoNode || IsLoopBackEdge(graph_.node(in.node), node)) continue;
      WB_RETURN_IF_ERROR(Meet(node, in.node, &first));
    }
    for (NodeId in : node.control_inputs()) WB_RETURN_IF_ERROR(Meet(node, in, &first));
    int32_t frame = first == kNoNode ? 0 : frame_of_[first];
    if (IsExit(node)) {
      if (frame == 0) return InvalidArgument(DescribeNode(node), " leaves a loop, but is in none");
      frame = frames_[frame].parent;
    } else if (IsEnter(node)) {
      frame = Open(frame, node.attrs().GetOr<std::string>("frame_name", ""));
    }
    frame_of_[node.id()] = frame;
    return absl::OkStatus();
  }

  absl::Status Meet(const Node& node, NodeId input, NodeId* first) {
    if (*first == kNoNode) *first = input;
    const int32_t a = frame_of_[*first], b = frame_of_[input];
    if (a == b) return absl::OkStatus();
    return InvalidArgument(DescribeNode(node), " has inputs of different loop frames: '",
                           graph_.node(*first).name(), "' is in frame '", frames_[a].name, "', '",
                           graph_.node(input).name(), "' in frame '", frames_[b].name,
                           "'; what a loop needs from outside must come through an Enter");
  }

  int32_t Open(int32_t parent, const std::string& name) {
    auto [it, is_new] = opened_.emplace(std::make_pair(parent, name), frames_.size());
    if (is_new) frames_.push_back({parent, name});
    return it->second;
  }

  struct Frame {
    int32_t parent;
    std::string name;
  };
  const Graph& graph_;
  std::vector<int32_t> frame_of_;
  std::vector<Frame> frames_ = {{0, ""}};
  std::map<std::pair<int32_t, std::string>, int32_t> opened_;
};

}  // namespace

absl::Status CheckLoopFrames(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (IsEnter(node) || IsExit(node)) return FrameFinder(graph).Run();
  }
  return absl::OkStatus();
}

}  // namespace warpbeam
