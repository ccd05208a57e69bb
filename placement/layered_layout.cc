#include "placement/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace warpbeam {
namespace {

constexpr double kGap = 14;          // between neighbours of a row
constexpr double kLanePadding = 14;  // beside the boxes of a lane
constexpr double kPassageWidth = 4;
constexpr int kOrderSweeps = 14;
constexpr int kShiftSweeps = 10;
constexpr int kMostLanesBeside = 10;
// Of width to height, and what a picture has around its layout.
constexpr double kAspect = 1.35, kWidest = 1.9;
constexpr double kAround = 110;

// Vertices such that every edge runs forwards.
std::vector<int> TopologicalSort(int count, const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::vector<int>> next(count);
  std::vector<int> open(count, 0);
  for (auto [from, to] : edges) {
    next[from].push_back(to);
    ++open[to];
  }
  std::vector<int> order;
  for (int v = 0; v < count; ++v) {
    if (open[v] == 0) order.push_back(v);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (int to : next[order[i]]) {
      if (--open[to] == 0) order.push_back(to);
    }
  }
  return order;
}

}  // namespace

LayeredLayout::LayeredLayout(const std::vector<LayoutBox>& boxes,
                             const std::vector<std::pair<int, int>>& edges,
                             const std::vector<double>& lane_widths) {
  LayeredLayout start;
  start.num_boxes_ = static_cast<int>(boxes.size());
  start.lane_widths_ = lane_widths;
  start.vertices_.resize(boxes.size());
  double widest = 40;
  for (int i = 0; i < start.num_boxes_; ++i) {
    start.vertices_[i].width = boxes[i].width;
    start.vertices_[i].lane = boxes[i].lane;
    widest = std::max(widest, boxes[i].width);
  }
  const int lanes = static_cast<int>(lane_widths.size());
  start.num_shelves_ = std::max(1, (lanes + kMostLanesBeside - 1) / kMostLanesBeside);
  start.lanes_per_shelf_ = std::max(1, (lanes + start.num_shelves_ - 1) / start.num_shelves_);
  bool is_first = true;
  double least = 0;
  for (const int columns : {1, 2, 3, 4, 5, 6, 8, 11, 15}) {
    LayeredLayout layout = start;
    layout.Arrange(edges, columns * (widest + kGap));
    const double ugliness = layout.Ugliness();
    const bool is_full = layout.is_full_;
    if (is_first || ugliness < least) {
      least = ugliness;
      *this = std::move(layout);
    }
    is_first = false;
    if (!is_full) break;
  }
}

void LayeredLayout::Arrange(const std::vector<std::pair<int, int>>& edges, double room) {
  edges_ = edges;
  Orient();
  AssignRows(room);
  LowerSources(room);
  TurnUpwardEdges();
  MakeTrunks();
  Order();
  FindLaneWidths();
  Straighten();
  PlaceLanes();
  MakeRoutes();
}

double LayeredLayout::Ugliness() const {
  const double aspect = width_ / (height_ + kAround);
  return std::abs(std::log(aspect / kAspect)) + (aspect > kWidest ? 10 : 0);
}

// Depth first; an edge back to a vertex that is still open closes a cycle and is turned around.
void LayeredLayout::Orient() {
  std::vector<std::vector<int>> out(num_boxes_);
  for (size_t e = 0; e < edges_.size(); ++e) out[edges_[e].first].push_back(static_cast<int>(e));
  turned_.assign(edges_.size(), false);
  enum State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> state(num_boxes_, kNew);
  std::vector<size_t> next(num_boxes_, 0);
  for (int start = 0; start < num_boxes_; ++start) {
    if (state[start] != kNew) continue;
    std::vector<int> stack = {start};
    state[start] = kOpen;
    while (!stack.empty()) {
      const int v = stack.back();
      if (next[v] == out[v].size()) {
        state[v] = kDone;
        stack.pop_back();
        continue;
      }
      const int e = out[v][next[v]++];
      const int to = edges_[e].second;
      if (state[to] == kOpen) {
        turned_[e] = true;
      } else if (state[to] == kNew) {
        state[to] = kOpen;
        stack.push_back(to);
      }
    }
  }
  for (size_t e = 0; e < edges_.size(); ++e) {
    if (turned_[e]) std::swap(edges_[e].first, edges_[e].second);
  }
}

bool LayeredLayout::HasRoom(int v, int row, double room) const {
  const auto used = used_.find({vertices_[v].lane, row});
  return used == used_.end() || used->second + vertices_[v].width + kGap <= room;
}

void LayeredLayout::TakeRow(int v, int row) {
  vertices_[v].row = row;
  used_[{vertices_[v].lane, row}] += vertices_[v].width + kGap;
}

// Shelf by shelf, a box into the first row below those that it follows from which has room for it.
void LayeredLayout::AssignRows(double room) {
  const std::vector<int> order = TopologicalSort(num_boxes_, edges_);
  std::vector<std::vector<int>> above(num_boxes_);
  for (auto [from, to] : edges_) above[to].push_back(from);
  int first_row = 0;
  for (int shelf = 0; shelf < num_shelves_; ++shelf) {
    shelf_begin_.push_back(first_row);
    int end = first_row;
    for (int v : order) {
      if (ShelfOf(vertices_[v].lane) != shelf) continue;
      int row = first_row;
      for (int from : above[v]) {
        if (ShelfOf(vertices_[from].lane) == shelf) row = std::max(row, vertices_[from].row + 1);
      }
      for (; !HasRoom(v, row, room); ++row) is_full_ = true;
      TakeRow(v, row);
      end = std::max(end, row + 1);
    }
    first_row = std::max(end, first_row + 1);
  }
  shelf_begin_.push_back(first_row);
}

// A source belongs right above its first reader, not at the top.
void LayeredLayout::LowerSources(double room) {
  std::vector<bool> has_inputs(num_boxes_, false);
  std::vector<int> lowest(num_boxes_, -1);
  for (auto [from, to] : edges_) {
    has_inputs[to] = true;
    if (ShelfOf(vertices_[from].lane) != ShelfOf(vertices_[to].lane)) continue;
    const int row = vertices_[to].row - 1;
    lowest[from] = lowest[from] < 0 ? row : std::min(lowest[from], row);
  }
  for (int v = 0; v < num_boxes_; ++v) {
    if (has_inputs[v]) continue;
    for (int row = lowest[v]; row > vertices_[v].row; --row) {
      if (!HasRoom(v, row, room)) continue;
      used_[{vertices_[v].lane, vertices_[v].row}] -= vertices_[v].width + kGap;
      TakeRow(v, row);
      break;
    }
  }
}

// Between shelves an edge may run up.
void LayeredLayout::TurnUpwardEdges() {
  for (size_t e = 0; e < edges_.size(); ++e) {
    auto& [from, to] = edges_[e];
    if (vertices_[from].row <= vertices_[to].row) continue;
    std::swap(from, to);
    turned_[e] = !turned_[e];
  }
}

int LayeredLayout::ShelfOfRow(int row) const {
  int shelf = 0;
  while (row >= shelf_begin_[shelf + 1]) ++shelf;
  return shelf;
}

// The place in `row` that an edge passes: in the lane that it leads to, or on a shelf before in
// that from which it comes. The edges of one box share it, but for those that run against the flow.
int LayeredLayout::Passage(int edge, int row) {
  const auto [from, to] = edges_[edge];
  const int shelf = ShelfOfRow(row);
  int lane = vertices_[to].lane;
  if (ShelfOf(lane) != shelf) lane = vertices_[from].lane;
  if (ShelfOf(lane) != shelf) {
    lane = std::min(shelf * lanes_per_shelf_, static_cast<int>(lane_widths_.size()) - 1);
  }
  const auto [it, added] = passage_of_.try_emplace({turned_[edge] ? ~from : from, lane, row},
                                                   static_cast<int>(vertices_.size()));
  if (added) {
    vertices_.emplace_back();
    vertices_.back().width = kPassageWidth;
    vertices_.back().lane = lane;
    vertices_.back().row = row;
  }
  return it->second;
}

void LayeredLayout::Connect(int above, int below) {
  std::vector<int>& list = vertices_[above].below;
  if (std::find(list.begin(), list.end(), below) != list.end()) return;
  list.push_back(below);
  vertices_[below].above.push_back(above);
}

void LayeredLayout::MakeTrunks() {
  for (size_t e = 0; e < edges_.size(); ++e) {
    const auto [from, to] = edges_[e];
    std::vector<int> chain = {from};
    for (int row = vertices_[from].row + 1; row < vertices_[to].row; ++row) {
      chain.push_back(Passage(static_cast<int>(e), row));
    }
    chain.push_back(to);
    for (size_t i = 0; i + 1 < chain.size(); ++i) Connect(chain[i], chain[i + 1]);
    chains_.push_back(std::move(chain));
  }
  rows_.resize(shelf_begin_.back());
  for (size_t v = 0; v < vertices_.size(); ++v) {
    rows_[vertices_[v].row].push_back(static_cast<int>(v));
  }
}

// By lane, then by the mean place of the neighbours.
void LayeredLayout::SortRow(std::vector<int>* row, bool by_above) {
  std::vector<std::tuple<int, double, int>> keyed;
  for (int v : *row) {
    const std::vector<int>& side = by_above ? vertices_[v].above : vertices_[v].below;
    double sum = 0;
    for (int other : side) sum += vertices_[other].place;
    const double key = side.empty() ? vertices_[v].place : sum / static_cast<double>(side.size());
    keyed.emplace_back(vertices_[v].lane, key, v);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (size_t i = 0; i < keyed.size(); ++i) {
    (*row)[i] = std::get<2>(keyed[i]);
    vertices_[(*row)[i]].place = static_cast<int>(i);
  }
}

int64_t LayeredLayout::Crossings() const {
  int64_t crossings = 0;
  for (size_t l = 0; l + 1 < rows_.size(); ++l) {
    // Counts, edge by edge from left to right, the earlier edges that end further right.
    std::vector<int> tree(rows_[l + 1].size() + 1, 0);
    int seen = 0;
    for (int v : rows_[l]) {
      std::vector<int> ends;
      for (int to : vertices_[v].below) ends.push_back(vertices_[to].place);
      std::sort(ends.begin(), ends.end());
      for (int end : ends) {
        int not_right = 0;
        for (int i = end + 1; i > 0; i -= i & -i) not_right += tree[i];
        crossings += seen - not_right;
      }
      for (int end : ends) {
        for (int i = end + 1; i < static_cast<int>(tree.size()); i += i & -i) ++tree[i];
        ++seen;
      }
    }
  }
  return crossings;
}

void LayeredLayout::Order() {
  for (auto& row : rows_) {
    std::stable_sort(row.begin(), row.end(),
                     [this](int a, int b) { return vertices_[a].lane < vertices_[b].lane; });
    for (size_t i = 0; i < row.size(); ++i) vertices_[row[i]].place = static_cast<int>(i);
  }
  std::vector<std::vector<int>> best = rows_;
  int64_t fewest = Crossings();
  for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
    if (sweep % 2 == 0) {
      for (size_t l = 1; l < rows_.size(); ++l) SortRow(&rows_[l], /*by_above=*/true);
    } else {
      for (size_t l = rows_.size() - 1; l-- > 0;) SortRow(&rows_[l], /*by_above=*/false);
    }
    const int64_t crossings = Crossings();
    if (crossings < fewest) {
      fewest = crossings;
      best = rows_;
    }
  }
  rows_ = best;
}

void LayeredLayout::FindLaneWidths() {
  for (const std::vector<int>& row : rows_) {
    std::map<int, double> width;
    for (int v : row) width[vertices_[v].lane] += vertices_[v].width + kGap;
    for (const auto& [lane, needed] : width) {
      lane_widths_[lane] = std::max(lane_widths_[lane], needed - kGap + 2 * kLanePadding);
    }
  }
}

// Moves the vertices of a row in one lane as near as possible to the mean of their neighbours
// without changing their order: the least sum of squared distances, by pooling neighbours that
// would overlap.
void LayeredLayout::ShiftPart(const std::vector<int>& part, bool above, bool below) {
  struct Block {
    double wish;  // of the first vertex, as the mean over all
    double weight;
    size_t end;
  };
  std::vector<Block> blocks;
  std::vector<double> offset(part.size(), 0);
  for (size_t i = 0; i < part.size(); ++i) {
    const Vertex& v = vertices_[part[i]];
    if (i > 0) {
      const Vertex& left = vertices_[part[i - 1]];
      offset[i] = offset[i - 1] + (left.width + v.width) / 2 + kGap;
    }
    double sum = 0;
    int count = 0;
    const auto add = [&](const std::vector<int>& side) {
      for (int other : side) {
        if (vertices_[other].lane != v.lane) continue;
        sum += vertices_[other].at.x;
        ++count;
      }
    };
    if (above) add(v.above);
    if (below) add(v.below);
    const double wish = count == 0 ? v.at.x : sum / count;
    const bool is_passage = part[i] >= num_boxes_;
    // Long edges should be straight; what has no neighbours gives way.
    const double weight = count == 0 ? 0.01 : is_passage ? 4 : 1;
    blocks.push_back({wish - offset[i], weight, i + 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].wish > blocks.back().wish) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& into = blocks.back();
      into.wish = (into.wish * into.weight + last.wish * last.weight) / (into.weight + last.weight);
      into.weight += last.weight;
      into.end = last.end;
    }
  }
  const double least = kLanePadding + vertices_[part.front()].width / 2;
  const double most = lane_widths_[vertices_[part.front()].lane] - kLanePadding -
                      vertices_[part.back()].width / 2 - offset.back();
  size_t i = 0;
  for (const Block& block : blocks) {
    const double x = std::max(least, std::min(most, block.wish));
    for (; i < block.end; ++i) vertices_[part[i]].at.x = x + offset[i];
  }
}

void LayeredLayout::ShiftRow(int row, bool above, bool below) {
  const std::vector<int>& all = rows_[row];
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin;
    while (end < all.size() && vertices_[all[end]].lane == vertices_[all[begin]].lane) ++end;
    ShiftPart(std::vector<int>(all.begin() + static_cast<int64_t>(begin),
                               all.begin() + static_cast<int64_t>(end)),
              above, below);
    begin = end;
  }
}

void LayeredLayout::Straighten() {
  for (Vertex& v : vertices_) v.at.x = lane_widths_[v.lane] / 2;
  const int count = static_cast<int>(rows_.size());
  for (int row = 0; row < count; ++row) ShiftRow(row, false, false);
  for (int sweep = 0; sweep < kShiftSweeps; ++sweep) {
    const bool is_last = sweep + 2 >= kShiftSweeps;
    for (int row = 1; row < count; ++row) ShiftRow(row, true, is_last);
    for (int row = count; row-- > 0;) ShiftRow(row, is_last, true);
  }
}

double LayeredLayout::RowTop(int row) const {
  return (ShelfOfRow(row) + 1) * kLaneHead + row * (kBoxHeight + kRowGap);
}

void LayeredLayout::PlaceLanes() {
  double x = 0;
  for (int lane = 0; lane < static_cast<int>(lane_widths_.size()); ++lane) {
    const int shelf = ShelfOf(lane);
    if (lane % lanes_per_shelf_ == 0) x = 0;
    const double top = RowTop(shelf_begin_[shelf]) - kLaneHead;
    const double bottom = RowTop(shelf_begin_[shelf + 1] - 1) + kBoxHeight + kRowGap - kLaneGap;
    lanes_.push_back({x, top, lane_widths_[lane], bottom - top});
    x += lane_widths_[lane];
    width_ = std::max(width_, x);
    height_ = std::max(height_, bottom);
    x += kLaneGap;
  }
  for (Vertex& v : vertices_) {
    v.at.x += lanes_[v.lane].left;
    v.at.y = RowTop(v.row) + kBoxHeight / 2;
  }
}

// Straight down past a row, so that only the gaps are crossed sideways.
void LayeredLayout::MakeRoutes() {
  for (size_t e = 0; e < edges_.size(); ++e) {
    std::vector<Point> route;
    for (int v : chains_[e]) {
      const Point at = vertices_[v].at;
      if (v != chains_[e].front()) route.push_back({at.x, at.y - kBoxHeight / 2});
      if (v != chains_[e].back()) route.push_back({at.x, at.y + kBoxHeight / 2});
    }
    if (turned_[e]) std::reverse(route.begin(), route.end());
    routes_.push_back(std::move(route));
  }
}

}  // namespace warpbeam
