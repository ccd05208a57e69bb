#include "runtime/device/arena.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "runtime/device/device.h"
#include "runtime/memory/taken_memory.h"

namespace warpbeam {
namespace {

constexpr size_t kLeastPiece = size_t{1} << 20;
constexpr size_t kMostPiece = size_t{256} << 20;

thread_local const Device* current_device = nullptr;
thread_local Allocator* current_memory = nullptr;

size_t RoundUp(size_t bytes) { return (bytes + 255) / 256 * 256; }

// Finds room in a heap that grows only when it has to, to `most` bytes. An arena and what finds its
// size both do it in this way, so that the same work is placed alike.
std::optional<size_t> PlaceIn(BlockHeap& heap, size_t bytes, size_t most) {
  const std::optional<size_t> offset = heap.Allocate(bytes);
  if (offset.has_value()) return offset;
  const size_t missing = heap.Missing(bytes);
  if (missing > most - heap.size()) return std::nullopt;
  heap.Grow(missing);
  return heap.Allocate(bytes);
}

}  // namespace

class ArenaBuffer final : public Buffer {
 public:
  ArenaBuffer(std::shared_ptr<Arena> arena, void* data, size_t bytes, size_t piece, size_t offset)
      : Buffer(data, bytes), arena_(std::move(arena)), piece_(piece), offset_(offset) {}

 protected:
  void Release() override {
    TakenMemory::Add(-static_cast<int64_t>(bytes()));
    arena_->Free(piece_, offset_, bytes_);
    delete this;
  }

 private:
  const std::shared_ptr<Arena> arena_;
  const size_t piece_;
  const size_t offset_;
};

std::shared_ptr<Arena> Arena::Create(Allocator& from, size_t bytes) {
  return std::shared_ptr<Arena>(new Arena(from, bytes));
}

BufferRef Arena::AllocateFrom(size_t piece, size_t bytes) {
  const BufferRef& memory = pieces_[piece].memory;
  const std::optional<size_t> offset = PlaceIn(pieces_[piece].heap, bytes, memory->bytes());
  if (!offset.has_value()) return BufferRef();
  TakenMemory::Add(static_cast<int64_t>(bytes));
  char* const base = static_cast<char*>(memory->data());
  return BufferRef(new ArenaBuffer(shared_from_this(), base + *offset, bytes, piece, *offset));
}

BufferRef Arena::Allocate(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t least = RoundUp(std::max<size_t>(bytes, 1));
  if (least < bytes) return BufferRef();
  for (size_t i = 0; i < pieces_.size(); ++i) {
    BufferRef found = AllocateFrom(i, bytes);
    if (found) return found;
  }
  // What the first piece does not hold is little, or the work is another one.
  const size_t usual =
      pieces_.empty() ? first_bytes_ : std::clamp(held_ / 8, kLeastPiece, kMostPiece);
  const size_t wanted = std::max(least, RoundUp(usual));
  Piece piece;
  size_t size = wanted;
  piece.memory = from_.Allocate(size);
  if (!piece.memory && wanted > least) {
    size = least;
    piece.memory = from_.Allocate(size);
  }
  if (!piece.memory) return BufferRef();
  held_ += size;
  pieces_.push_back(std::move(piece));
  return AllocateFrom(pieces_.size() - 1, bytes);
}

void Arena::Free(size_t piece, size_t offset, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  pieces_[piece].heap.Free(offset, bytes);
}

size_t Arena::bytes_held() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return held_;
}

int Arena::pieces() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(pieces_.size());
}

class SizedBuffer final : public Buffer {
 public:
  SizedBuffer(std::shared_ptr<SizingAllocator> sizing, BufferRef memory, size_t bytes, size_t block)
      : Buffer(memory->data(), bytes),
        sizing_(std::move(sizing)),
        memory_(std::move(memory)),
        block_(block) {}

 protected:
  void Release() override {
    sizing_->Free(block_);
    delete this;
  }

 private:
  const std::shared_ptr<SizingAllocator> sizing_;
  const BufferRef memory_;
  const size_t block_;
};

std::shared_ptr<SizingAllocator> SizingAllocator::Create(Allocator& from) {
  return std::shared_ptr<SizingAllocator>(new SizingAllocator(from));
}

size_t SizingAllocator::Add(size_t bytes, const void* address) {
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t block = blocks_.size();
  blocks_.push_back({bytes, address});
  events_.push_back({block, /*is_taken=*/true});
  return block;
}

BufferRef SizingAllocator::Allocate(size_t bytes) {
  BufferRef memory = from_.Allocate(bytes);
  if (!memory) return memory;
  const size_t block = Add(bytes, memory->data());
  return BufferRef(new SizedBuffer(shared_from_this(), std::move(memory), bytes, block));
}

void SizingAllocator::AddResident(size_t bytes) { Add(bytes, nullptr); }

void SizingAllocator::Free(size_t block) {
  std::lock_guard<std::mutex> lock(mutex_);
  blocks_[block].is_held = false;
  events_.push_back({block, /*is_taken=*/false});
}

BlockHeap SizingAllocator::Placed(const Results& results) const {
  std::lock_guard<std::mutex> lock(mutex_);
  BlockHeap heap(256);
  std::vector<size_t> offsets(blocks_.size());
  for (const auto& [number, is_taken] : events_) {
    const Block& block = blocks_[number];
    if (!is_taken) {
      heap.Free(offsets[number], block.bytes);
    } else if (!block.is_held || block.address == nullptr || results.count(block.address) != 0) {
      offsets[number] = *PlaceIn(heap, block.bytes, std::numeric_limits<size_t>::max());
    }
  }
  return heap;
}

size_t SizingAllocator::arena_bytes(const Results& results) const { return Placed(results).size(); }

size_t SizingAllocator::most_in_use(const Results& results) const {
  return Placed(results).most_in_use();
}

MemoryScope::MemoryScope(const Device& device, Allocator& memory)
    : device_before_(current_device), memory_before_(current_memory) {
  current_device = &device;
  current_memory = &memory;
}

MemoryScope::~MemoryScope() {
  current_device = device_before_;
  current_memory = memory_before_;
}

Allocator* MemoryScope::Current(const Device& device) {
  return current_device == &device ? current_memory : nullptr;
}

}  // namespace warpbeam
