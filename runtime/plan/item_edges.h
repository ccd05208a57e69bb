// ItemEdges: which items of a plan each item waits for, as flat arrays.
//
//   edges.Append({0, 2});            // the next item waits for items 0 and 2
//   for (int32_t before : edges.of(item)) …
//
// Back edges of loops are left out, and constants and feeds, for which nobody waits. Thread safety:
// const access from many threads.
#ifndef WARPBEAM_RUNTIME_PLAN_ITEM_EDGES_H_
#define WARPBEAM_RUNTIME_PLAN_ITEM_EDGES_H_

#include <cstdint>
#include <vector>

#include "graph/types/span.h"

namespace warpbeam {

class ItemEdges {
 public:
  int32_t size() const { return static_cast<int32_t>(begin_.size()) - 1; }
  Span<const int32_t> of(int32_t item) const {
    return MakeConstSpan(items_).subspan(begin_[item], begin_[item + 1] - begin_[item]);
  }
  void Append(Span<const int32_t> predecessors) {
    items_.insert(items_.end(), predecessors.begin(), predecessors.end());
    begin_.push_back(static_cast<int32_t>(items_.size()));
  }
  // Makes room for so many items with so many edges in all.
  void Reserve(size_t items, size_t edges) {
    begin_.reserve(items + 1);
    items_.reserve(edges);
  }
  // Item i becomes item to[i].
  void Renumber(Span<const int32_t> to);

 private:
  std::vector<int32_t> begin_ = {0};
  std::vector<int32_t> items_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_PLAN_ITEM_EDGES_H_
