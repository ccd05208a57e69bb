// BlockHeap: which parts of a range of memory are free; it never touches the memory itself.
//
// Best fit: of the free blocks that are large enough the smallest, of those the first. Neighbours
// that are free are one block. The range may grow at its end.
//
//   BlockHeap heap(/*alignment=*/256);
//   heap.Grow(1 << 20);
//   const std::optional<size_t> offset = heap.Allocate(1000);    // none: grow it, or say so
//   heap.Free(*offset, 1000);
//
// Thread safety: none; the owner locks. Errors: none but what Allocate says.
#ifndef WARPBEAM_RUNTIME_DEVICE_BLOCK_HEAP_H_
#define WARPBEAM_RUNTIME_DEVICE_BLOCK_HEAP_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace warpbeam {

class BlockHeap {
 public:
  explicit BlockHeap(size_t alignment) : alignment_(alignment) {}

  // The range is longer by `bytes`, a multiple of the alignment, which are free.
  void Grow(size_t bytes);
  // The offset of a block of at least `bytes`, none where nothing that is free is large enough.
  std::optional<size_t> Allocate(size_t bytes);
  // Gives back what was allocated for so many bytes.
  void Free(size_t offset, size_t bytes);

  size_t size() const { return size_; }
  size_t bytes_in_use() const { return in_use_; }
  // At a time, since the last ResetMost.
  size_t most_in_use() const { return most_; }
  void ResetMost() { most_ = in_use_; }
  // By how much the range has to grow for Allocate(bytes) to succeed.
  size_t Missing(size_t bytes) const;

 private:
  size_t Rounded(size_t bytes) const;
  void Add(size_t offset, size_t bytes);
  void Remove(std::map<size_t, size_t>::iterator block);

  const size_t alignment_;
  size_t size_ = 0;
  size_t in_use_ = 0;
  size_t most_ = 0;
  std::map<size_t, size_t> free_;                // offset → bytes, never adjacent
  std::set<std::pair<size_t, size_t>> by_size_;  // (bytes, offset) of the same
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_BLOCK_HEAP_H_
