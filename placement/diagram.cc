#include "placement/diagram.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "placement/short_names.h"

namespace warpbeam {
namespace {

using Kind = ScopeItem::Kind;

constexpr size_t kMostNeighbours = 16;
constexpr size_t kMostOpsTold = 6;
constexpr size_t kEndColumns = 10;         // of the two ends of a stretch
constexpr int kMostControls = 3;           // that hold a box which nothing else holds
constexpr size_t kMostNodesAsked = 5'000;  // for the ops of a group

// What towers have in common: their names without any numbers.
std::string Likeness(const ScopeTree& tree, int i) {
  const ScopeItem& item = tree.item(i);
  std::string name;
  for (char c : item.kind == Kind::kDevice ? "" : item.name) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) name.push_back(c);
  }
  return name;
}

// Opens groups, the largest first, while at most `max_boxes` are left. What is alike is opened
// together or not at all, as the devices are.
std::vector<int> Opened(const ScopeTree& tree, const std::vector<int>& boxes, size_t max_boxes) {
  struct Alike {
    int size = 0;  // of the largest
    size_t children = 0;
    std::vector<int> items;
  };
  std::map<std::string, Alike> closed;
  std::vector<int> shown;
  const auto take = [&](int i) {
    const ScopeItem& item = tree.item(i);
    if (item.children.empty()) {
      shown.push_back(i);
      return;
    }
    Alike& alike = closed[Likeness(tree, i)];
    alike.size = std::max(alike.size, item.count);
    alike.children += item.children.size();
    alike.items.push_back(i);
  };
  size_t count = boxes.size();
  for (int i : boxes) take(i);
  while (!closed.empty()) {
    const auto largest = std::max_element(
        closed.begin(), closed.end(),
        [](const auto& a, const auto& b) { return a.second.size < b.second.size; });
    const Alike alike = std::move(largest->second);
    closed.erase(largest);
    if (count + alike.children - alike.items.size() > max_boxes) {
      shown.insert(shown.end(), alike.items.begin(), alike.items.end());
      continue;
    }
    count += alike.children - alike.items.size();
    for (int i : alike.items) {
      for (int child : tree.item(i).children) take(child);
    }
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

// Both ends of a stretch can be read.
std::string StretchLabel(const std::string& name) {
  const std::string dots = " … ";
  const size_t at = name.find(dots);
  return absl::StrCat(CutInTheMiddle(name.substr(0, at), kEndColumns), dots,
                      CutInTheMiddle(name.substr(at + dots.size()), kEndColumns));
}

std::string NodeNotes(const PlacementEntry& node) {
  std::string notes = absl::StrCat(node.node, " (", node.op, ")\n", node.assigned, "\n");
  if (!node.requested.empty() && !absl::StrContains(node.reason, node.requested)) {
    absl::StrAppend(&notes, "asked for ", node.requested, "\n");
  }
  absl::StrAppend(&notes, node.reason);
  if (!node.location.empty()) absl::StrAppend(&notes, "\nbuilt at ", node.location);
  return notes;
}

class DiagramBuilder {
 public:
  explicit DiagramBuilder(const ScopeTree& tree) : tree_(tree), report_(tree.report()) {}

  void AddBox(int item, bool is_outside);
  // Links between the boxes, of some of the tree's edges.
  void AddLinks(const std::vector<int32_t>& edges);
  Diagram Finish();

 private:
  // The box that shows a node; -1 where none does.
  int BoxOf(int32_t node) const;
  void AddLink(const PlacementEdge& edge, int from, int to);
  void DropControls();
  std::string GroupNotes(int item, bool* fallback) const;
  void ShortenLabels();

  const ScopeTree& tree_;
  const PlacementReport& report_;
  absl::flat_hash_map<int, int> box_of_;  // by item
  absl::flat_hash_set<int> counted_;      // copies that have a label already
  std::map<std::tuple<int, int, LinkKind>, int> link_of_;
  Diagram diagram_;
};

void DiagramBuilder::AddBox(int i, bool is_outside) {
  const ScopeItem& item = tree_.item(i);
  box_of_[i] = static_cast<int>(diagram_.boxes.size());
  DiagramBox box;
  box.item = i;
  box.device = item.device;
  box.is_outside = is_outside;
  box.is_group = item.kind != Kind::kNode;
  box.label = item.kind == Kind::kDevice    ? "all nodes"
              : item.kind == Kind::kStretch ? StretchLabel(item.name)
                                            : item.name;
  if (item.kind == Kind::kNode) {
    const PlacementEntry& node = report_.nodes[item.node];
    box.detail = node.op;
    box.fallback = node.rule == PlacementRule::kSoftFallback;
    box.notes = NodeNotes(node);
  } else {
    box.detail = item.kind == Kind::kSeries && item.count == static_cast<int>(item.children.size())
                     ? absl::StrCat(item.count, " alike")
                     : absl::StrCat(item.count, " nodes");
    box.notes = GroupNotes(i, &box.fallback);
  }
  box.seconds = item.seconds;
  if (box.seconds > 0) {
    absl::StrAppend(&box.detail, ", ", SecondsText(box.seconds));
    absl::StrAppend(&box.notes, "\npredicted: ", SecondsText(box.seconds), " of a step");
  }
  const int folded = tree_.folded_counts()[i];
  if (folded > 0) {
    absl::StrAppend(&box.notes, "\nand ", folded, folded == 1 ? " node" : " nodes",
                    " of constants and initialisation");
  }
  diagram_.boxes.push_back(std::move(box));
}

std::string DiagramBuilder::GroupNotes(int i, bool* fallback) const {
  std::map<std::string, int> ops;
  std::vector<int> stack = {i};
  for (size_t seen = 0; !stack.empty() && seen < kMostNodesAsked; ++seen) {
    const ScopeItem& item = tree_.item(stack.back());
    stack.pop_back();
    stack.insert(stack.end(), item.children.begin(), item.children.end());
    if (item.kind != Kind::kNode) continue;
    const PlacementEntry& node = report_.nodes[item.node];
    ++ops[node.op];
    *fallback = *fallback || node.rule == PlacementRule::kSoftFallback;
  }
  std::vector<std::pair<int, std::string>> most;
  for (const auto& [op, count] : ops) most.emplace_back(-count, op);
  std::sort(most.begin(), most.end());
  const ScopeItem& item = tree_.item(i);
  std::string notes = absl::StrCat(item.kind == Kind::kDevice ? "" : absl::StrCat(item.name, "\n"),
                                   report_.devices.empty() ? "" : report_.devices[item.device],
                                   "\n", item.count, " nodes: ");
  for (size_t m = 0; m < std::min(kMostOpsTold, most.size()); ++m) {
    absl::StrAppend(&notes, m == 0 ? "" : ", ", -most[m].first, " ", most[m].second);
  }
  return most.size() > kMostOpsTold ? notes + ", …" : notes;
}

int DiagramBuilder::BoxOf(int32_t node) const {
  for (int i = tree_.leaf(node); i != ScopeTree::kRoot; i = tree_.item(i).parent) {
    const auto found = box_of_.find(i);
    if (found != box_of_.end()) return found->second;
  }
  return -1;
}

void DiagramBuilder::AddLinks(const std::vector<int32_t>& edges) {
  for (int32_t e : edges) {
    const PlacementEdge& edge = report_.edges[e];
    const int from = BoxOf(edge.from), to = BoxOf(edge.to);
    if (from >= 0 && to >= 0 && from != to) AddLink(edge, from, to);
  }
  DropControls();
}

void DiagramBuilder::AddLink(const PlacementEdge& edge, int from, int to) {
  LinkKind kind = LinkKind::kLocal;
  if (edge.control) {
    kind = LinkKind::kControl;
  } else if (edge.copy >= 0) {
    kind = report_.copies[edge.copy].shared ? LinkKind::kShared : LinkKind::kCopy;
  }
  auto [it, added] =
      link_of_.try_emplace({from, to, kind}, static_cast<int>(diagram_.links.size()));
  if (added) diagram_.links.push_back({from, to, kind, 0, 0});
  DiagramLink& link = diagram_.links[it->second];
  if (kind != LinkKind::kCopy || !counted_.insert(edge.copy).second) return;
  const int64_t bytes = report_.copies[edge.copy].bytes;
  ++link.tensors;
  link.bytes = bytes < 0 || link.bytes < 0 ? -1 : link.bytes + bytes;
}

// Control edges would pull everything together around NoOps: they count only for boxes that have
// nothing else.
void DiagramBuilder::DropControls() {
  std::vector<bool> held(diagram_.boxes.size(), false);
  for (const DiagramLink& link : diagram_.links) {
    if (link.kind != LinkKind::kControl) held[link.from] = held[link.to] = true;
  }
  std::vector<DiagramLink> kept;
  std::vector<int> controls(diagram_.boxes.size(), 0);
  for (const DiagramLink& link : diagram_.links) {
    if (link.kind == LinkKind::kControl) {
      const bool holds = (!held[link.from] && controls[link.from] < kMostControls) ||
                         (!held[link.to] && controls[link.to] < kMostControls);
      if (!holds) continue;
      ++controls[link.from];
      ++controls[link.to];
    }
    kept.push_back(link);
  }
  diagram_.links = std::move(kept);
}

// The scope that all of a device's boxes are in stands at the device, not at every box.
void DiagramBuilder::ShortenLabels() {
  diagram_.scopes.assign(std::max<size_t>(1, report_.devices.size()), "");
  std::vector<int> count(diagram_.scopes.size(), 0);
  // Neighbours have a say only where there are no others.
  std::vector<bool> is_shown(diagram_.scopes.size(), false);
  for (const DiagramBox& box : diagram_.boxes) {
    if (!box.is_outside) is_shown[box.device] = true;
  }
  for (const DiagramBox& box : diagram_.boxes) {
    if (box.is_outside && is_shown[box.device]) continue;
    const ScopeItem& item = tree_.item(box.item);
    std::string& scope = diagram_.scopes[box.device];
    // A stretch has no scope in its name, but that of its parent.
    std::string name = item.name;
    if (item.kind == Kind::kStretch) {
      int at = box.item;
      while (tree_.item(at).kind == Kind::kStretch) at = tree_.item(at).parent;
      name = tree_.item(at).kind == Kind::kScope ? absl::StrCat(tree_.item(at).name, "/") : "";
    }
    const size_t slash = name.rfind('/');
    const std::string own = slash == std::string::npos ? "" : name.substr(0, slash + 1);
    if (count[box.device]++ == 0) {
      scope = own;
      continue;
    }
    while (!absl::StartsWith(own, scope)) {
      const size_t cut = scope.rfind('/', scope.size() - 2);
      scope = cut == std::string::npos ? "" : scope.substr(0, cut + 1);
    }
  }
  for (DiagramBox& box : diagram_.boxes) {
    std::string& scope = diagram_.scopes[box.device];
    if (count[box.device] < 2) scope.clear();
    if (absl::StartsWith(box.label, scope)) box.label = box.label.substr(scope.size());
  }
}

Diagram DiagramBuilder::Finish() {
  ShortenLabels();
  return std::move(diagram_);
}

// What stands for a node outside of `item`: a box that the overview shows, or the sibling of an
// ancestor of `item` where that is smaller.
int Neighbour(const ScopeTree& tree, int leaf, int item, const std::set<int>& shown) {
  while (shown.count(leaf) == 0 && !tree.Contains(tree.item(leaf).parent, item)) {
    leaf = tree.item(leaf).parent;
  }
  return leaf;
}

// The edges that begin or end in an item, each once.
std::vector<int32_t> EdgesOf(const ScopeTree& tree, int item) {
  std::vector<int32_t> edges;
  std::vector<int> stack = {item};
  while (!stack.empty()) {
    const ScopeItem& at = tree.item(stack.back());
    stack.pop_back();
    stack.insert(stack.end(), at.children.begin(), at.children.end());
    if (at.kind != Kind::kNode) continue;
    const std::vector<int32_t>& own = tree.edges_at(at.node);
    edges.insert(edges.end(), own.begin(), own.end());
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

Diagram Overview(const ScopeTree& tree, size_t max_boxes) {
  DiagramBuilder builder(tree);
  for (int i : Opened(tree, tree.item(ScopeTree::kRoot).children, max_boxes)) {
    builder.AddBox(i, false);
  }
  builder.AddLinks(tree.edges());
  return builder.Finish();
}

Diagram Inside(const ScopeTree& tree, const Diagram& overview, int item, size_t max_boxes) {
  DiagramBuilder builder(tree);
  for (int i : Opened(tree, tree.item(item).children, max_boxes)) builder.AddBox(i, false);
  std::set<int> shown;
  for (const DiagramBox& box : overview.boxes) shown.insert(box.item);
  const std::vector<int32_t> edges = EdgesOf(tree, item);
  std::map<int, int> neighbours;  // how many edges lead there
  for (int32_t e : edges) {
    const PlacementEdge& edge = tree.report().edges[e];
    const int from = tree.leaf(edge.from), to = tree.leaf(edge.to);
    const bool from_inside = tree.Contains(item, from);
    if (edge.control || from_inside == tree.Contains(item, to)) continue;
    ++neighbours[Neighbour(tree, from_inside ? to : from, item, shown)];
  }
  std::vector<std::pair<int, int>> most;
  for (const auto& [box, count] : neighbours) most.emplace_back(-count, box);
  std::sort(most.begin(), most.end());
  if (most.size() > kMostNeighbours) most.resize(kMostNeighbours);
  for (const auto& [count, box] : most) builder.AddBox(box, true);
  builder.AddLinks(edges);
  return builder.Finish();
}

std::string LinkLabel(const DiagramLink& link) {
  if (link.kind != LinkKind::kCopy || link.tensors == 0) return "";
  const std::string bytes = link.bytes < 0 ? "? bytes" : BytesText(link.bytes);
  return link.tensors == 1 ? bytes : absl::StrCat(link.tensors, " tensors, ", bytes);
}

}  // namespace warpbeam
