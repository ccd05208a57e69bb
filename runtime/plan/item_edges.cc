#include "runtime/plan/item_edges.h"

#include <utility>

namespace warpbeam {

void ItemEdges::Renumber(Span<const int32_t> to) {
  std::vector<int32_t> from(to.size());
  for (size_t i = 0; i < to.size(); ++i) from[to[i]] = static_cast<int32_t>(i);
  ItemEdges renumbered;
  renumbered.begin_.reserve(begin_.size());
  renumbered.items_.reserve(items_.size());
  for (const int32_t item : from) {
    for (const int32_t before : of(item)) renumbered.items_.push_back(to[before]);
    renumbered.begin_.push_back(static_cast<int32_t>(renumbered.items_.size()));
  }
  *this = std::move(renumbered);
}

}  // namespace warpbeam
