#include "runtime/device/block_heap.h"

#include <algorithm>
#include <iterator>

namespace warpbeam {

size_t BlockHeap::Rounded(size_t bytes) const {
  return (std::max<size_t>(bytes, 1) + alignment_ - 1) / alignment_ * alignment_;
}

void BlockHeap::Add(size_t offset, size_t bytes) {
  free_.emplace(offset, bytes);
  by_size_.emplace(bytes, offset);
}

void BlockHeap::Remove(std::map<size_t, size_t>::iterator block) {
  by_size_.erase({block->second, block->first});
  free_.erase(block);
}

void BlockHeap::Grow(size_t bytes) {
  if (bytes == 0) return;
  size_t offset = size_;
  size_ += bytes;
  if (!free_.empty()) {
    const auto last = std::prev(free_.end());
    if (last->first + last->second == offset) {
      offset = last->first;
      bytes += last->second;
      Remove(last);
    }
  }
  Add(offset, bytes);
}

std::optional<size_t> BlockHeap::Allocate(size_t bytes) {
  if (bytes > size_) return std::nullopt;
  const size_t rounded = Rounded(bytes);
  const auto best = by_size_.lower_bound({rounded, 0});
  if (best == by_size_.end()) return std::nullopt;
  const auto [found, offset] = *best;
  Remove(free_.find(offset));
  if (found > rounded) Add(offset + rounded, found - rounded);
  in_use_ += rounded;
  most_ = std::max(most_, in_use_);
  return offset;
}

void BlockHeap::Free(size_t offset, size_t bytes) {
  bytes = Rounded(bytes);
  in_use_ -= bytes;
  const auto next = free_.lower_bound(offset);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      Remove(before);
    }
  }
  const auto after = free_.lower_bound(offset);
  if (after != free_.end() && offset + bytes == after->first) {
    bytes += after->second;
    Remove(after);
  }
  Add(offset, bytes);
}

size_t BlockHeap::Missing(size_t bytes) const {
  const size_t rounded = Rounded(bytes);
  size_t at_end = 0;
  if (!free_.empty()) {
    const auto last = std::prev(free_.end());
    if (last->first + last->second == size_) at_end = last->second;
  }
  return rounded > at_end ? rounded - at_end : 0;
}

}  // namespace warpbeam
