// ColocationGroups: which nodes of a graph must share a device.
//
// Three things colocate: an input that is a reference or a resource, a dataset fed by a dataset,
// and "loc:@name" in the attribute "_class". Nodes that are placed already cannot join a group any
// more; they anchor it to their device.
//
//   ColocationGroups groups(graph, first, traits, types, requests, &state);
//   groups.Build();
//   for (const ColocationGroups::Group& group : groups.All()) …   // groups of two and more
//
// Under soft placement a "loc:@" that cannot be met, because no device type has kernels for both
// sides or they are held on different devices or tasks, is dropped and reported by NotColocated.
//
// Internal to placement/. Thread safety: none. Errors: none here; GroupDecider finds them.
#ifndef WARPBEAM_PLACEMENT_COLOCATION_H_
#define WARPBEAM_PLACEMENT_COLOCATION_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/graph.h"
#include "graph/types/span.h"
#include "placement/placer_state.h"

namespace warpbeam {

// What a node's signature says of it to the placer, as bits. Nodes that share their signature share
// these.
using NodeTraits = uint8_t;

inline constexpr NodeTraits kOwnsState = 1;     // makes a variable or a resource, from no inputs
inline constexpr NodeTraits kTakesState = 2;    // a reference, a resource, or datasets by a dataset
inline constexpr NodeTraits kNamesGroup = 4;    // has "_class"
inline constexpr NodeTraits kGenerates = 8;     // a source of values that nothing ties to a device
inline constexpr NodeTraits kReadsShapes = 16;  // of its one input, never the bytes

// Whether the op makes a dataset: "…Dataset" or "…DatasetV2" with one variant output.
bool IsDataset(const OpSchema& schema);

NodeTraits TraitsOf(const Node& node);

// What a node is to its group; an owner's request outweighs a plain node's and so on.
enum class GroupRole : uint8_t {
  kOwner,  // makes the variable or resource: no inputs, one reference or resource
  kPlain,
  kReader,    // takes a reference or resource
  kFollower,  // names another node by "loc:@"
};

class ColocationGroups {
 public:
  // Groups the nodes from `first` on; `traits`, `types` and `requests` are theirs, in order.
  ColocationGroups(const Graph& graph, NodeId first, const std::vector<NodeTraits>& traits,
                   const std::vector<DeviceTypes>& types, const std::vector<int32_t>& requests,
                   PlacerState* state);

  void Build();

  // The placed nodes that hold a group to a device; more than one only when they disagree.
  struct Anchors {
    NodeId node = kNoNode;
    NodeId other = kNoNode;  // a second one, on another device
  };
  struct Group {
    Span<const NodeId> members;
    DeviceTypes types = 0;  // on which all members have kernels
    Anchors anchors;
  };
  // Groups of at least two nodes, placed ones included.
  std::vector<Group> All();
  bool IsAlone(NodeId node) const;
  GroupRole role(NodeId node) const { return roles_[node - first_]; }
  // "loc:@" requests that were dropped: (node, the node it named).
  const std::vector<std::pair<NodeId, NodeId>>& not_colocated() const { return not_colocated_; }
  // Names given by "loc:@" that no node of the graph has → one of the nodes that gave them.
  const absl::flat_hash_map<std::string, NodeId>& open_names() const { return open_names_; }

 private:
  bool Has(NodeId node, int traits) const { return (traits_[node - first_] & traits) != 0; }
  int Root(int i) const;
  void ColocateByEdges(const Node& node);
  void ColocateByName(const Node& node);
  void NameGroup(const Node& node, absl::string_view name);
  // Puts `node` into one group with `other`, which may be placed. False when `optional` and
  // impossible.
  bool Unite(const Node& node, NodeId other, bool optional);
  bool UniteRoots(int a, int b, bool optional);
  bool Anchor(int root, NodeId placed, bool optional);
  bool SameDevice(NodeId a, NodeId b) const;

  const Graph& graph_;
  const NodeId first_;
  PlacerState* const state_;
  const std::vector<NodeTraits>& traits_;
  std::vector<int32_t> mutable parent_;  // of a node; of a root, minus the group's size
  std::vector<DeviceTypes> types_;       // of a root: those of all members
  std::vector<int32_t> tasks_;           // of a root: job, replica and task of all requests
  std::vector<GroupRole> roles_;
  absl::flat_hash_map<int, Anchors> anchors_;  // by root
  std::vector<NodeId> members_;                // all groups, one after the other
  std::vector<std::pair<NodeId, NodeId>> not_colocated_;
  absl::flat_hash_map<std::string, NodeId> open_names_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_COLOCATION_H_
