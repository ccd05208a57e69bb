#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "placement/diagram.h"

namespace warpbeam {
namespace {

constexpr int32_t kNone = -1;

bool IsVariable(const std::string& op) {
  return op == "VariableV2" || op == "Variable" || op == "VarHandleOp" || op == "TemporaryVariable";
}
bool IsAssign(const std::string& op) { return op == "Assign" || op == "AssignVariableOp"; }
bool AsksWhetherInitialized(const std::string& op) {
  return op == "IsVariableInitialized" || op == "VarIsInitializedOp";
}

class SideNodes {
 public:
  explicit SideNodes(const PlacementReport& report)
      : report_(report),
        inputs_(report.nodes.size()),
        readers_(report.nodes.size()),
        is_copied_(report.nodes.size(), false),
        owner_(report.nodes.size(), kNone) {
    for (size_t e = 0; e < report.edges.size(); ++e) {
      const PlacementEdge& edge = report.edges[e];
      inputs_[edge.to].push_back(static_cast<int32_t>(e));
      readers_[edge.from].push_back(static_cast<int32_t>(e));
      if (edge.copy >= 0 && !report.copies[edge.copy].shared) is_copied_[edge.from] = true;
    }
  }

  std::vector<int32_t> Find() {
    FindAssigns();
    FindBarriers();
    FindValues();
    std::vector<int32_t> owners(owner_.size());
    for (size_t n = 0; n < owner_.size(); ++n) owners[n] = Last(static_cast<int32_t>(n));
    return owners;
  }

 private:
  const PlacementEntry& node(int32_t n) const { return report_.nodes[n]; }
  const PlacementEdge& edge(int32_t e) const { return report_.edges[e]; }
  bool IsSide(int32_t n) const { return owner_[n] != kNone; }
  void FindAssigns();
  void FindBarriers();
  void FindValues();
  int32_t FirstReader(int32_t n) const;
  int32_t Last(int32_t n);

  const PlacementReport& report_;
  std::vector<std::vector<int32_t>> inputs_;   // edges of a node
  std::vector<std::vector<int32_t>> readers_;  // the same
  std::vector<bool> is_copied_;                // to another memory
  std::vector<int32_t> owner_;                 // kNone: not a side node
};

// "v/Assign" of the variable "v", and the questions that nothing of the graph asks.
void SideNodes::FindAssigns() {
  for (size_t n = 0; n < report_.nodes.size(); ++n) {
    const PlacementEntry& entry = report_.nodes[n];
    const bool is_question = AsksWhetherInitialized(entry.op) && readers_[n].empty();
    if (!is_question && !(IsAssign(entry.op) && absl::EndsWith(entry.node, "/Assign"))) continue;
    bool is_read = false;
    for (int32_t e : readers_[n]) is_read = is_read || !edge(e).control;
    if (is_read) continue;
    const absl::string_view variable =
        absl::string_view(entry.node).substr(0, entry.node.rfind('/'));
    for (int32_t e : inputs_[n]) {
      const int32_t from = edge(e).from;
      if (IsVariable(node(from).op) && (is_question || node(from).node == variable)) {
        owner_[n] = from;
      }
    }
  }
}

// The NoOps that wait for initialisation alone.
void SideNodes::FindBarriers() {
  std::vector<size_t> open(report_.nodes.size());
  std::vector<int32_t> found;
  for (size_t n = 0; n < open.size(); ++n) {
    open[n] = inputs_[n].size();
    if (IsSide(static_cast<int32_t>(n))) found.push_back(static_cast<int32_t>(n));
  }
  for (size_t i = 0; i < found.size(); ++i) {
    for (int32_t e : readers_[found[i]]) {
      const int32_t to = edge(e).to;
      if (node(to).op != "NoOp" || IsSide(to) || --open[to] > 0) continue;
      owner_[to] = edge(inputs_[to][0]).from;
      found.push_back(to);
    }
  }
}

// Constants, and what is read by initialisation alone.
void SideNodes::FindValues() {
  std::vector<size_t> open(report_.nodes.size());
  std::vector<int32_t> found;
  for (size_t i = 0; i < open.size(); ++i) {
    const auto n = static_cast<int32_t>(i);
    open[i] = readers_[i].size();
    if (IsSide(n)) {
      found.push_back(n);
    } else if (node(n).op == "Const" && !readers_[i].empty() && !is_copied_[i]) {
      owner_[i] = FirstReader(n);
    }
  }
  for (size_t i = 0; i < found.size(); ++i) {
    for (int32_t e : inputs_[found[i]]) {
      const int32_t from = edge(e).from;
      if (IsVariable(node(from).op) || --open[from] > 0 || IsSide(from)) continue;
      owner_[from] = FirstReader(from);
      found.push_back(from);
    }
  }
}

int32_t SideNodes::FirstReader(int32_t n) const {
  for (int32_t e : readers_[n]) {
    if (!edge(e).control) return edge(e).to;
  }
  return edge(readers_[n][0]).to;
}

// The node at the end of the owners; those on the way know it from then on.
int32_t SideNodes::Last(int32_t n) {
  int32_t last = n;
  for (size_t steps = 0; owner_[last] != kNone; last = owner_[last]) {
    // Only a graph with a cycle of such nodes has no end.
    if (++steps > owner_.size()) return owner_[n] = kNone, n;
  }
  while (owner_[n] != kNone && owner_[n] != last) {
    const int32_t next = owner_[n];
    owner_[n] = last;
    n = next;
  }
  return last;
}

}  // namespace

std::vector<int32_t> OwnersOf(const PlacementReport& report) { return SideNodes(report).Find(); }

}  // namespace warpbeam
