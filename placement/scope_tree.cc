#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "placement/diagram.h"
#include "placement/short_names.h"

namespace warpbeam {
namespace {

using Kind = ScopeItem::Kind;

constexpr int kMostScopes = 16;      // of a name that count
constexpr size_t kMostSeries = 512;  // that are told apart in one scope

// A name without the number that made it unique: "Mean_3" is "Mean", "Mean_3_grad" "Mean_grad".
std::string WithoutNumber(absl::string_view name) {
  const bool is_gradient = absl::ConsumeSuffix(&name, "_grad");
  size_t end = name.size();
  while (end > 0 && absl::ascii_isdigit(static_cast<unsigned char>(name[end - 1]))) --end;
  if (end > 1 && end < name.size() && name[end - 1] == '_') name = name.substr(0, end - 1);
  return absl::StrCat(name, is_gradient ? "_grad" : "");
}

// Of `count` vertices an order in which edges run forwards, but for those that close a cycle.
std::vector<int> FlowOrder(int count, const std::vector<std::vector<int>>& next) {
  std::vector<int> open(count, 0), order;
  std::vector<bool> is_in(count, false);
  for (const std::vector<int>& targets : next) {
    for (int to : targets) ++open[to];
  }
  const auto take = [&](int v) {
    is_in[v] = true;
    order.push_back(v);
  };
  for (int v = 0; v < count; ++v) {
    if (open[v] == 0) take(v);
  }
  int rest = 0;
  for (size_t i = 0; static_cast<int>(order.size()) < count || i < order.size(); ++i) {
    if (i == order.size()) {
      while (is_in[rest]) ++rest;
      take(rest);
    }
    for (int to : next[order[i]]) {
      if (--open[to] == 0 && !is_in[to]) take(to);
    }
  }
  return order;
}

std::vector<std::vector<int>> Successors(size_t count,
                                         const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::vector<int>> next(count);
  for (const auto& [from, to] : edges) next[from].push_back(to);
  return next;
}

// Which of the series (of each vertex, -1: none) hold a vertex that another of it follows from.
std::vector<bool> FollowThemselves(const std::vector<int>& series, size_t num_series,
                                   const std::vector<std::vector<int>>& next) {
  const size_t words = (num_series + 63) / 64;
  const std::vector<int> order = FlowOrder(static_cast<int>(series.size()), next);
  std::vector<uint64_t> reached(series.size() * words, 0);  // series, by vertex
  std::vector<bool> follow(num_series, false);
  std::vector<size_t> at(order.size());
  for (size_t i = 0; i < order.size(); ++i) at[order[i]] = i;
  for (size_t i = order.size(); i-- > 0;) {
    const int v = order[i];
    uint64_t* const mine = &reached[static_cast<size_t>(v) * words];
    for (int to : next[v]) {
      if (at[to] <= i) continue;
      const uint64_t* const theirs = &reached[static_cast<size_t>(to) * words];
      for (size_t w = 0; w < words; ++w) mine[w] |= theirs[w];
      if (series[to] >= 0) mine[series[to] / 64] |= uint64_t{1} << (series[to] % 64);
    }
    if (series[v] >= 0 && (mine[series[v] / 64] >> (series[v] % 64) & 1) != 0) {
      follow[series[v]] = true;
    }
  }
  return follow;
}

}  // namespace

ScopeTree::ScopeTree(const PlacementReport& report)
    : report_(report),
      owner_(OwnersOf(report)),
      leaf_(report.nodes.size(), -1),
      edges_at_(report.nodes.size()) {
  AddNodes();
  SkipLonelyScopes();
  SetDepths();
  FindEdges();
  Count();
  for (const ScopeItem& item : items_) sizes_.push_back(item.count);
  const int num_scopes = size();
  for (int i = 1; i < num_scopes; ++i) {
    if (items_[i].parent < 0 || items_[i].children.size() < 2) continue;
    FoldSeries(i);
    FoldStretches(i);
  }
  inner_edges_.clear();
  SetDepths();
  Count();
}

int ScopeTree::Add(Kind kind, const std::string& name, int parent, int device) {
  items_.emplace_back();
  items_.back().kind = kind;
  items_.back().name = name;
  items_.back().parent = parent;
  items_.back().device = device;
  if (parent >= 0) items_[parent].children.push_back(size() - 1);
  return size() - 1;
}

void ScopeTree::AddNodes() {
  absl::flat_hash_map<std::string, int> device_of;
  for (size_t i = 0; i < report_.devices.size(); ++i) {
    device_of[report_.devices[i]] = static_cast<int>(i);
  }
  Add(Kind::kRoot, "", -1, 0);
  std::vector<int> devices(std::max<size_t>(1, report_.devices.size()), -1);
  absl::flat_hash_map<std::pair<int, absl::string_view>, int> scopes;
  std::vector<std::pair<int, int>> place(report_.nodes.size());  // device and scope
  for (size_t n = 0; n < report_.nodes.size(); ++n) {
    if (owner_[n] != static_cast<int32_t>(n)) continue;
    const PlacementEntry& entry = report_.nodes[n];
    const auto found = device_of.find(entry.assigned);
    const int device = found == device_of.end() ? 0 : found->second;
    if (devices[device] < 0) devices[device] = Add(Kind::kDevice, entry.assigned, kRoot, device);
    int scope = devices[device];
    size_t slash = entry.node.find('/');
    for (int i = 0; i < kMostScopes && slash != std::string::npos; ++i) {
      const absl::string_view prefix = absl::string_view(entry.node).substr(0, slash);
      const auto [it, added] = scopes.try_emplace({device, prefix}, size());
      scope = added ? Add(Kind::kScope, std::string(prefix), scope, device) : it->second;
      slash = entry.node.find('/', slash + 1);
    }
    place[n] = {device, scope};
  }
  for (size_t n = 0; n < report_.nodes.size(); ++n) {
    if (owner_[n] != static_cast<int32_t>(n)) continue;
    // "w" belongs to the scope of "w/read".
    const auto own = scopes.find({place[n].first, report_.nodes[n].node});
    leaf_[n] = Add(Kind::kNode, report_.nodes[n].node,
                   own == scopes.end() ? place[n].second : own->second, place[n].first);
    items_[leaf_[n]].node = static_cast<int32_t>(n);
  }
  // Devices in the order of the report, not in that of their first nodes.
  std::sort(items_[kRoot].children.begin(), items_[kRoot].children.end(),
            [this](int a, int b) { return items_[a].device < items_[b].device; });
}

// Children have larger numbers than their parents here.
void ScopeTree::SkipLonelyScopes() {
  for (int i = 0; i < size(); ++i) {
    for (int& child : items_[i].children) {
      while (items_[child].kind == Kind::kScope && items_[child].children.size() == 1) {
        const int only = items_[child].children[0];
        items_[child].children.clear();
        items_[child].parent = -1;
        child = only;
      }
      items_[child].parent = i;
    }
  }
}

void ScopeTree::SetDepths() {
  std::vector<int> stack = {kRoot};
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    for (int child : items_[i].children) {
      items_[child].depth = items_[i].depth + 1;
      stack.push_back(child);
    }
  }
}

void ScopeTree::FindEdges() {
  inner_edges_.resize(items_.size());
  for (size_t e = 0; e < report_.edges.size(); ++e) {
    const PlacementEdge& edge = report_.edges[e];
    if (owner_[edge.from] != edge.from || owner_[edge.to] != edge.to || edge.from == edge.to) {
      continue;
    }
    edges_.push_back(static_cast<int32_t>(e));
    edges_at_[edge.from].push_back(edges_.back());
    edges_at_[edge.to].push_back(edges_.back());
    int a = leaf_[edge.from], b = leaf_[edge.to];
    if (items_[a].device != items_[b].device) continue;
    while (items_[a].parent != items_[b].parent) {
      int& deeper = items_[a].depth >= items_[b].depth ? a : b;
      deeper = items_[deeper].parent;
    }
    // A node is never the scope of another one, but both may be within one child.
    if (a != b) inner_edges_[items_[a].parent].emplace_back(a, b);
  }
}

// Edges between children, by their place among them.
ScopeTree::Edges ScopeTree::Local(const std::vector<int>& children, const Edges& edges) {
  place_.resize(items_.size(), -1);
  for (size_t i = 0; i < children.size(); ++i) place_[children[i]] = static_cast<int>(i);
  Edges local;
  for (const auto& [from, to] : edges) local.emplace_back(place_[from], place_[to]);
  return local;
}

// `members` become the children of `group`, which is a child of `parent` already.
void ScopeTree::Group(int parent, int group, const std::vector<int>& members) {
  items_[group].parent = parent;
  items_[group].children = members;
  for (int member : members) items_[member].parent = group;
}

void ScopeTree::FoldSeries(int parent) {
  const std::vector<int> children = items_[parent].children;
  std::map<std::string, std::vector<int>> by_name;  // places
  for (size_t i = 0; i < children.size(); ++i) {
    const ScopeItem& child = items_[children[i]];
    const std::string op = child.kind == Kind::kNode ? report_.nodes[child.node].op : "";
    by_name[absl::StrCat(WithoutNumber(LastPart(child.name)), "\n", op)].push_back(
        static_cast<int>(i));
  }
  std::vector<int> series_of(children.size(), -1);
  std::vector<std::vector<int>> series;
  for (auto& [name, members] : by_name) {
    if (members.size() < 2 || members.size() == children.size()) continue;
    if (series.size() == kMostSeries) break;
    for (int i : members) series_of[i] = static_cast<int>(series.size());
    series.push_back(std::move(members));
  }
  if (series.empty()) return;
  const Edges local = Local(children, inner_edges_[parent]);
  const std::vector<bool> follow =
      FollowThemselves(series_of, series.size(), Successors(children.size(), local));
  std::vector<int> group_of(series.size(), -1);
  std::vector<int> kept;
  for (size_t i = 0; i < children.size(); ++i) {
    const int s = series_of[i];
    if (s < 0 || follow[s]) {
      kept.push_back(children[i]);
    } else if (group_of[s] < 0) {
      const std::string& first = items_[children[i]].name;
      const size_t scope = first.size() - LastPart(first).size();
      group_of[s] =
          Add(Kind::kSeries, absl::StrCat(first.substr(0, scope), WithoutNumber(LastPart(first))),
              -1, items_[parent].device);
      kept.push_back(group_of[s]);
    }
  }
  Edges edges;
  const auto representative = [&](int i) {
    const int s = series_of[i];
    return s < 0 || group_of[s] < 0 ? children[i] : group_of[s];
  };
  for (const auto& [from, to] : local) {
    const int a = representative(from), b = representative(to);
    if (a != b) edges.emplace_back(a, b);
  }
  inner_edges_[parent] = std::move(edges);
  for (size_t s = 0; s < series.size(); ++s) {
    if (group_of[s] < 0) continue;
    std::vector<int> members;
    for (int i : series[s]) members.push_back(children[i]);
    Group(parent, group_of[s], members);
    inner_edges_.resize(items_.size());
    FoldStretches(group_of[s]);
  }
  items_[parent].children = std::move(kept);
}

// The children that are much larger than the others: they stay what they are.
std::vector<int> ScopeTree::LargeChildren(int parent) const {
  const std::vector<int>& children = items_[parent].children;
  int64_t all = 0;
  for (int child : children) all += SizeOf(child);
  std::vector<std::pair<int64_t, int>> large;
  for (int child : children) {
    const int64_t size = SizeOf(child);
    if (size * static_cast<int64_t>(children.size()) >= 4 * all) large.emplace_back(-size, child);
  }
  std::sort(large.begin(), large.end());
  std::vector<int> kept;
  for (size_t i = 0; i < std::min(kMostChildren / 2, large.size()); ++i) {
    kept.push_back(large[i].second);
  }
  return kept;
}

void ScopeTree::FoldStretches(int parent) {
  inner_edges_.resize(items_.size());
  if (items_[parent].children.size() <= kMostChildren) return;
  std::vector<int> members;
  const std::vector<int> kept = LargeChildren(parent);
  {
    const std::vector<int>& children = items_[parent].children;
    const Edges local = Local(children, inner_edges_[parent]);
    for (int i : FlowOrder(static_cast<int>(children.size()), Successors(children.size(), local))) {
      if (std::find(kept.begin(), kept.end(), children[i]) == kept.end()) {
        members.push_back(children[i]);
      }
    }
  }
  // From below: stretches of children, stretches of those, until few enough are left.
  const size_t most = kMostChildren - kept.size();
  while (members.size() > most) {
    const size_t parts = std::max(std::min(most, (members.size() + 1) / 2),
                                  (members.size() + kMostChildren - 1) / kMostChildren);
    std::vector<int> stretches;
    for (size_t p = 0; p < parts; ++p) {
      stretches.push_back(Stretch(
          parent, std::vector<int>(
                      members.begin() + static_cast<int64_t>(members.size() * p / parts),
                      members.begin() + static_cast<int64_t>(members.size() * (p + 1) / parts))));
    }
    members = std::move(stretches);
  }
  members.insert(members.end(), kept.begin(), kept.end());
  items_[parent].children = members;
  for (int member : members) items_[member].parent = parent;
}

// An item of these neighbours; of one alone, itself.
int ScopeTree::Stretch(int parent, const std::vector<int>& members) {
  if (members.size() == 1) return members[0];
  const std::string dots = " … ";
  const auto end_name = [&](int i, bool first) {
    const std::string& name = items_[i].name;
    if (items_[i].kind != Kind::kStretch) return std::string(LastPart(name));
    const size_t at = name.find(dots);
    return first ? name.substr(0, at) : name.substr(at + dots.size());
  };
  const int stretch =
      Add(Kind::kStretch,
          absl::StrCat(end_name(members.front(), true), dots, end_name(members.back(), false)), -1,
          items_[parent].device);
  Group(parent, stretch, members);
  return stretch;
}

// The nodes in it, before they are counted: of those that were folded into groups just now, the
// number of members.
int64_t ScopeTree::SizeOf(int i) const {
  const size_t children = items_[i].children.size();
  return i < static_cast<int>(sizes_.size()) ? sizes_[i]
                                             : static_cast<int64_t>(std::max<size_t>(1, children));
}

void ScopeTree::Count() {
  folded_.assign(items_.size(), 0);
  for (size_t n = 0; n < owner_.size(); ++n) {
    if (owner_[n] != static_cast<int32_t>(n)) ++folded_[leaf_[owner_[n]]];
  }
  std::vector<int> order = {kRoot};
  for (size_t i = 0; i < order.size(); ++i) {
    const ScopeItem& item = items_[order[i]];
    order.insert(order.end(), item.children.begin(), item.children.end());
  }
  for (int i : order) {
    items_[i].count = items_[i].kind == Kind::kNode ? 1 : 0;
    items_[i].seconds = 0;
  }
  if (report_.predicted.has_value()) {
    for (const PredictedStep::Item& item : report_.predicted->items) {
      if (!item.is_transfer) items_[leaf(item.node)].seconds += item.end_s - item.start_s;
    }
  }
  for (size_t i = order.size(); i-- > 0;) {
    ScopeItem& item = items_[order[i]];
    if (item.parent < 0) continue;
    items_[item.parent].count += item.count;
    items_[item.parent].seconds += item.seconds;
    folded_[item.parent] += folded_[order[i]];
  }
}

bool ScopeTree::Contains(int ancestor, int i) const {
  while (items_[i].depth > items_[ancestor].depth) i = items_[i].parent;
  return i == ancestor;
}

}  // namespace warpbeam
