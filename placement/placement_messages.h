// PlacementMessages: what placement tells a user, in words: problems, and the reason of a decision.
//
// Every problem names the node, its op, where it was built, the group and the member that forces
// it, the kernels that exist, and what to do.
//
//   PlacementProblems problems;
//   problems.Add([&] { return messages.NoSuchDevice(node, {}); });
//   return problems.ToStatus();
//
// Internal to placement/. Ownership: graph and state must outlive it. Thread safety: const access
// from many threads. Errors: none.
#ifndef WARPBEAM_PLACEMENT_PLACEMENT_MESSAGES_H_
#define WARPBEAM_PLACEMENT_PLACEMENT_MESSAGES_H_

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/types/span.h"
#include "placement/colocation.h"
#include "placement/placer_state.h"

namespace warpbeam {

// What is wrong with a graph: the first few problems in words, the others counted.
class PlacementProblems {
 public:
  template <typename Text>
  void Add(const Text& text) {
    if (++count_ <= kMaxTold) told_.push_back(text());
  }
  Status ToStatus() const;

 private:
  static constexpr int64_t kMaxTold = 10;
  std::vector<std::string> told_;
  int64_t count_ = 0;
};

class PlacementMessages {
 public:
  PlacementMessages(const Graph& graph, const PlacerState& state) : graph_(graph), state_(state) {}

  // 'w' (VariableV2, built at main.cc:12).
  std::string Name(NodeId node) const;
  std::string Device(int device) const { return state_.devices[device].ToString(); }

  // Problems; each is a whole sentence or more.
  std::string BadDevice(NodeId node, const Status& why) const;
  std::string NoKernels(Span<const NodeId> nodes) const;
  std::string NoSuchDevice(NodeId node, Span<const NodeId> members) const;
  // `node` asks for a device on which `lacking` has no kernel (perhaps node itself).
  std::string NoKernelThere(NodeId node, NodeId lacking, Span<const NodeId> members) const;
  std::string NoCommonType(Span<const NodeId> members, Span<const DeviceTypes> types) const;
  std::string NoDeviceOfType(NodeId node) const;
  std::string Contradiction(NodeId a, NodeId b, Span<const NodeId> members) const;
  // `node` must be where `placed` is, but asks for another device, or has no kernel there.
  std::string AgainstPlaced(NodeId node, NodeId placed) const;
  std::string AnchorsDiffer(NodeId member, NodeId a, NodeId b) const;

  // The reason of a decision, for a reader; `types` are those of the node's kernels.
  std::string Reason(NodeId node, const Decision& decision, DeviceTypes types) const;

 private:
  std::string Asked(NodeId node) const;  // "asks for '/gpu:0'"
  std::string GroupOf(Span<const NodeId> members) const;
  std::string Kernels(NodeId node) const;
  std::string DeviceList() const;
  // "no GPU code for X (T=float)" of a node whose kernel for GPUs is but declared; else "".
  std::string NoGpuCode(NodeId node) const;
  // Why a node is not where it asked to be: no code, no kernel for its types, or none at all.
  std::string NoKernelForIt(NodeId node, const Decision& decision) const;
  std::string SoftReason(NodeId node, const Decision& decision) const;

  const Graph& graph_;
  const PlacerState& state_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_PLACEMENT_MESSAGES_H_
