#include "placement/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace warpbeam {
namespace {

constexpr double kGapX = 18;       // between neighbours of a layer
constexpr double kGapY = 46;       // between layers
constexpr double kPartGap = 40;    // between parts
constexpr double kPointWidth = 6;  // of a point on a long edge
constexpr int kOrderSweeps = 16;
constexpr int kShiftSweeps = 12;
constexpr double kAspect = 1.7;

// Vertices such that every edge runs forwards.
std::vector<int> TopologicalSort(int count, const std::vector<std::pair<int, int>>& edges,
                                 std::vector<std::vector<int>>* next) {
  std::vector<int> open(count, 0);
  next->assign(count, {});
  for (auto [from, to] : edges) {
    (*next)[from].push_back(to);
    ++open[to];
  }
  std::vector<int> order;
  for (int v = 0; v < count; ++v) {
    if (open[v] == 0) order.push_back(v);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (int to : (*next)[order[i]]) {
      if (--open[to] == 0) order.push_back(to);
    }
  }
  return order;
}

}  // namespace

LayeredLayout::LayeredLayout(const std::vector<double>& widths,
                             const std::vector<std::pair<int, int>>& edges)
    : num_boxes_(static_cast<int>(widths.size())), vertices_(widths.size()) {
  for (int i = 0; i < num_boxes_; ++i) vertices_[i].width = widths[i];
  Orient(edges);
  AssignLayers();
  LowerSources();
  SplitLongEdges();
  FindParts();
  std::vector<std::vector<std::vector<int>>> parts(num_parts_);
  for (int v = 0; v < static_cast<int>(vertices_.size()); ++v) {
    auto& layers = parts[vertices_[v].part];
    layers.resize(std::max<size_t>(layers.size(), vertices_[v].layer + 1));
    layers[vertices_[v].layer].push_back(v);
  }
  for (auto& layers : parts) {
    // A part may begin below the first layer.
    layers.erase(std::remove_if(layers.begin(), layers.end(),
                                [](const std::vector<int>& layer) { return layer.empty(); }),
                 layers.end());
    Order(&layers);
    Straighten(layers);
  }
  PackParts(parts);
  MakeRoutes();
}

// Depth first; an edge back to a vertex that is still open closes a cycle and is turned around.
void LayeredLayout::Orient(const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::vector<int>> out(num_boxes_);
  for (size_t e = 0; e < edges.size(); ++e) out[edges[e].first].push_back(static_cast<int>(e));
  edges_ = edges;
  turned_.assign(edges.size(), false);
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
      const int to = edges[e].second;
      if (state[to] == kOpen) {
        std::swap(edges_[e].first, edges_[e].second);
        turned_[e] = true;
      } else if (state[to] == kNew) {
        state[to] = kOpen;
        stack.push_back(to);
      }
    }
  }
}

void LayeredLayout::AssignLayers() {
  std::vector<std::vector<int>> next;
  for (int v : TopologicalSort(num_boxes_, edges_, &next)) {
    for (int to : next[v]) {
      if (to == v) continue;
      vertices_[to].layer = std::max(vertices_[to].layer, vertices_[v].layer + 1);
    }
  }
}

// A source belongs right above its first reader, not at the top.
void LayeredLayout::LowerSources() {
  std::vector<int> inputs(num_boxes_, 0);
  std::vector<int> lowest(num_boxes_, -1);
  for (auto [from, to] : edges_) {
    ++inputs[to];
    const int layer = vertices_[to].layer - 1;
    lowest[from] = lowest[from] < 0 ? layer : std::min(lowest[from], layer);
  }
  for (int v = 0; v < num_boxes_; ++v) {
    if (inputs[v] == 0 && lowest[v] > 0) vertices_[v].layer = lowest[v];
  }
}

void LayeredLayout::SplitLongEdges() {
  for (auto [from, to] : edges_) {
    std::vector<int> chain = {from};
    for (int layer = vertices_[from].layer + 1; layer < vertices_[to].layer; ++layer) {
      chain.push_back(static_cast<int>(vertices_.size()));
      vertices_.emplace_back();
      vertices_.back().width = kPointWidth;
      vertices_.back().layer = layer;
    }
    chain.push_back(to);
    for (size_t i = 0; i + 1 < chain.size() && from != to; ++i) {
      vertices_[chain[i]].below.push_back(chain[i + 1]);
      vertices_[chain[i + 1]].above.push_back(chain[i]);
    }
    chains_.push_back(std::move(chain));
  }
}

void LayeredLayout::FindParts() {
  for (int start = 0; start < static_cast<int>(vertices_.size()); ++start) {
    if (vertices_[start].part >= 0) continue;
    std::vector<int> stack = {start};
    vertices_[start].part = num_parts_;
    while (!stack.empty()) {
      const int v = stack.back();
      stack.pop_back();
      for (const std::vector<int>* side : {&vertices_[v].above, &vertices_[v].below}) {
        for (int other : *side) {
          if (vertices_[other].part >= 0) continue;
          vertices_[other].part = num_parts_;
          stack.push_back(other);
        }
      }
    }
    ++num_parts_;
  }
}

// By the mean place of the neighbours in the next layer.
void LayeredLayout::SortLayer(std::vector<int>* layer, bool by_above) {
  std::vector<std::pair<double, int>> keyed;
  for (int v : *layer) {
    const std::vector<int>& side = by_above ? vertices_[v].above : vertices_[v].below;
    double sum = 0;
    for (int other : side) sum += vertices_[other].place;
    const double key = side.empty() ? vertices_[v].place : sum / static_cast<double>(side.size());
    keyed.emplace_back(key, v);
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < keyed.size(); ++i) {
    (*layer)[i] = keyed[i].second;
    vertices_[keyed[i].second].place = static_cast<int>(i);
  }
}

int64_t LayeredLayout::Crossings(const std::vector<std::vector<int>>& layers) const {
  int64_t crossings = 0;
  for (size_t l = 0; l + 1 < layers.size(); ++l) {
    // Counts, edge by edge from left to right, the earlier edges that end further right.
    std::vector<int> tree(layers[l + 1].size() + 1, 0);
    int seen = 0;
    for (int v : layers[l]) {
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

void LayeredLayout::Order(std::vector<std::vector<int>>* layers) {
  for (auto& layer : *layers) {
    for (size_t i = 0; i < layer.size(); ++i) vertices_[layer[i]].place = static_cast<int>(i);
  }
  std::vector<std::vector<int>> best = *layers;
  int64_t fewest = Crossings(best);
  for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
    if (sweep % 2 == 0) {
      for (size_t l = 1; l < layers->size(); ++l) SortLayer(&(*layers)[l], /*by_above=*/true);
    } else {
      for (size_t l = layers->size() - 1; l-- > 0;) SortLayer(&(*layers)[l], /*by_above=*/false);
    }
    const int64_t crossings = Crossings(*layers);
    if (crossings < fewest) {
      fewest = crossings;
      best = *layers;
    }
  }
  *layers = best;
}

// Moves a layer's vertices as near as possible to the mean of their neighbours without changing
// their order: the least sum of squared distances, by pooling neighbours that would overlap.
void LayeredLayout::ShiftLayer(const std::vector<int>& layer, bool above, bool below) {
  struct Block {
    double wish;  // of the first vertex, as the mean over all
    double weight;
    size_t end;
  };
  std::vector<Block> blocks;
  std::vector<double> offset(layer.size(), 0);
  for (size_t i = 0; i < layer.size(); ++i) {
    const Vertex& v = vertices_[layer[i]];
    if (i > 0) {
      const Vertex& left = vertices_[layer[i - 1]];
      offset[i] = offset[i - 1] + (left.width + v.width) / 2 + kGapX;
    }
    double sum = 0;
    int count = 0;
    auto add = [&](const std::vector<int>& side) {
      for (int other : side) sum += vertices_[other].at.x;
      count += static_cast<int>(side.size());
    };
    if (above) add(v.above);
    if (below) add(v.below);
    const double wish = count == 0 ? v.at.x : sum / count;
    const bool is_point = layer[i] >= num_boxes_;
    // Long edges should be straight; what has no neighbours gives way.
    const double weight = count == 0 ? 0.01 : is_point ? 4 : 1;
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
  size_t i = 0;
  for (const Block& block : blocks) {
    for (; i < block.end; ++i) vertices_[layer[i]].at.x = block.wish + offset[i];
  }
}

void LayeredLayout::Straighten(const std::vector<std::vector<int>>& layers) {
  for (size_t l = 0; l < layers.size(); ++l) {
    double x = 0;
    for (int v : layers[l]) {
      vertices_[v].at = {x + vertices_[v].width / 2, l * (kBoxHeight + kGapY) + kBoxHeight / 2};
      x += vertices_[v].width + kGapX;
    }
  }
  for (int sweep = 0; sweep < kShiftSweeps; ++sweep) {
    const bool last = sweep + 2 >= kShiftSweeps;
    for (size_t l = 1; l < layers.size(); ++l) ShiftLayer(layers[l], true, last);
    for (size_t l = layers.size(); l-- > 0;) ShiftLayer(layers[l], last, true);
  }
}

// In rows, the largest first, so that the whole is not much wider than high.
void LayeredLayout::PackParts(const std::vector<std::vector<std::vector<int>>>& parts) {
  struct Size {
    double left = 0, right = 0, height = 0;
    double width() const { return right - left; }
  };
  std::vector<Size> sizes(parts.size());
  double area = 0;
  double widest = 0;
  for (size_t p = 0; p < parts.size(); ++p) {
    bool first = true;
    for (const auto& layer : parts[p]) {
      for (int v : layer) {
        const double left = vertices_[v].at.x - vertices_[v].width / 2;
        const double right = left + vertices_[v].width;
        sizes[p].left = first ? left : std::min(sizes[p].left, left);
        sizes[p].right = first ? right : std::max(sizes[p].right, right);
        first = false;
      }
    }
    sizes[p].height = static_cast<double>(parts[p].size()) * (kBoxHeight + kGapY) - kGapY;
    area += (sizes[p].width() + kPartGap) * (sizes[p].height + kPartGap);
    widest = std::max(widest, sizes[p].width());
  }
  const double limit = std::max(widest, std::sqrt(area * kAspect));
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes[a].height > sizes[b].height; });
  double x = 0, y = 0, row = 0;
  for (size_t p : order) {
    if (x > 0 && x + sizes[p].width() > limit) {
      y += row + kPartGap;
      x = row = 0;
    }
    for (const auto& layer : parts[p]) {
      for (int v : layer) {
        vertices_[v].at.x += x - sizes[p].left;
        vertices_[v].at.y += y;
      }
    }
    row = std::max(row, sizes[p].height);
    x += sizes[p].width();
    width_ = std::max(width_, x);
    x += kPartGap;
    height_ = std::max(height_, y + row);
  }
}

void LayeredLayout::MakeRoutes() {
  for (size_t e = 0; e < edges_.size(); ++e) {
    std::vector<Point> route;
    for (int v : chains_[e]) route.push_back(vertices_[v].at);
    route.front().y += kBoxHeight / 2;
    route.back().y -= kBoxHeight / 2;
    if (turned_[e]) std::reverse(route.begin(), route.end());
    routes_.push_back(std::move(route));
  }
}

}  // namespace warpbeam
