#include "placement/diagram.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

constexpr int kMaxDepth = 16;

// The first `depth` parts of a name.
std::string Scope(const std::string& name, int depth) {
  size_t at = 0;
  for (int i = 0; i < depth; ++i) {
    at = name.find('/', at);
    if (at == std::string::npos) return name;
    ++at;
  }
  return name.substr(0, at - 1);
}

// The first part of a name without its number: "Const_12" and "Const" are both "Const".
std::string Stem(const std::string& name) {
  std::string stem = Scope(name, 1);
  while (stem.size() > 1 && absl::ascii_isdigit(static_cast<unsigned char>(stem.back()))) {
    stem.pop_back();
  }
  if (stem.size() > 1 && stem.back() == '_') stem.pop_back();
  return stem;
}

using NameOf = std::function<std::string(const PlacementEntry&)>;

// Ways to name boxes, finest first.
std::vector<NameOf> Namings(const PlacementReport& report) {
  int depth = 1;
  for (const PlacementEntry& node : report.nodes) {
    depth = std::max<int>(depth, 1 + std::count(node.node.begin(), node.node.end(), '/'));
  }
  depth = std::min(depth, kMaxDepth);
  std::vector<NameOf> namings = {[](const PlacementEntry& node) { return node.node; }};
  for (int d = depth - 1; d >= 1; --d) {
    namings.push_back([d](const PlacementEntry& node) { return Scope(node.node, d); });
  }
  namings.push_back([](const PlacementEntry& node) { return Stem(node.node); });
  namings.push_back([](const PlacementEntry& node) { return node.op; });
  namings.push_back([](const PlacementEntry&) { return std::string("nodes"); });
  return namings;
}

class DiagramBuilder {
 public:
  explicit DiagramBuilder(const PlacementReport& report) : report_(report) {
    for (size_t i = 0; i < report.devices.size(); ++i) device_of_[report.devices[i]] = i;
  }

  Diagram Build(size_t max_boxes) {
    const std::vector<NameOf> namings = Namings(report_);
    for (size_t i = 0; i < namings.size(); ++i) {
      if (MakeBoxes(namings[i], i + 1 == namings.size() ? report_.nodes.size() : max_boxes)) break;
    }
    for (const PlacementEdge& edge : report_.edges) AddEdge(edge);
    return std::move(diagram_);
  }

 private:
  bool MakeBoxes(const NameOf& name_of, size_t max_boxes);
  void AddNode(const PlacementEntry& node, DiagramBox* box) const;
  void AddEdge(const PlacementEdge& edge);
  int Device(const PlacementEntry& node) const {
    auto it = device_of_.find(node.assigned);
    return it == device_of_.end() ? 0 : it->second;
  }

  const PlacementReport& report_;
  absl::flat_hash_map<std::string, int> device_of_;
  std::vector<int> box_of_;           // of a node
  absl::flat_hash_set<int> counted_;  // copies that have a label already
  std::map<std::tuple<int, int, LinkKind>, int> link_of_;
  Diagram diagram_;
};

bool DiagramBuilder::MakeBoxes(const NameOf& name_of, size_t max_boxes) {
  diagram_ = Diagram();
  box_of_.clear();
  absl::flat_hash_map<std::pair<std::string, int>, int> boxes;
  for (const PlacementEntry& node : report_.nodes) {
    const int device = Device(node);
    std::string name = name_of(node);
    auto [it, added] = boxes.try_emplace({name, device}, static_cast<int>(diagram_.boxes.size()));
    if (added) {
      if (diagram_.boxes.size() >= max_boxes) return false;
      diagram_.boxes.emplace_back();
      diagram_.boxes.back().label = std::move(name);
      diagram_.boxes.back().device = device;
    }
    box_of_.push_back(it->second);
    AddNode(node, &diagram_.boxes[it->second]);
  }
  for (DiagramBox& box : diagram_.boxes) {
    if (box.count > 1) box.detail = absl::StrCat(box.count, " nodes");
  }
  return true;
}

void DiagramBuilder::AddNode(const PlacementEntry& node, DiagramBox* box) const {
  if (node.rule == PlacementRule::kSoftFallback) box->fallback = true;
  if (box->count++ == 0) {
    box->detail = node.op;
    box->notes = absl::StrCat(node.node, " (", node.op, ")\n", node.assigned, "\n", node.reason);
    if (!node.location.empty()) absl::StrAppend(&box->notes, "\nbuilt at ", node.location);
  } else if (box->count == 2) {
    box->notes = absl::StrCat(box->label, ", several nodes\n", node.assigned);
  }
}

void DiagramBuilder::AddEdge(const PlacementEdge& edge) {
  const int from = box_of_[edge.from];
  const int to = box_of_[edge.to];
  if (from == to) return;
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

}  // namespace

Diagram MakeDiagram(const PlacementReport& report, size_t max_boxes) {
  return DiagramBuilder(report).Build(max_boxes);
}

std::string LinkLabel(const DiagramLink& link) {
  if (link.kind != LinkKind::kCopy || link.tensors == 0) return "";
  const std::string bytes = link.bytes < 0 ? "size not known" : BytesText(link.bytes);
  return link.tensors == 1 ? bytes : absl::StrCat(link.tensors, " tensors, ", bytes);
}

}  // namespace warpbeam
