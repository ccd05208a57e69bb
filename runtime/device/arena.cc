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

std::shared_ptr<Scratch> Scratch::Create(Allocator& from) {
  return std::shared_ptr<Scratch>(new Scratch(from));
}

void Scratch::Expect(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  expected_ = std::max(expected_, bytes);
}

size_t Scratch::bytes_held() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return memory_ ? memory_->bytes() : 0;
}

BufferRef Scratch::Take(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (memory_ && memory_->bytes() >= bytes) return memory_;
  BufferRef larger = from_.Allocate(std::max(bytes, expected_));
  if (!larger && expected_ > bytes) larger = from_.Allocate(bytes);
  if (larger) memory_ = larger;  // who has the one before keeps it
  return larger;
}

std::shared_ptr<Arena> Arena::Create(Allocator& from, size_t bytes) {
  return std::shared_ptr<Arena>(new Arena(from, bytes));
}

std::shared_ptr<Arena> Arena::Create(Allocator& from, ArenaPlan plan,
                                     std::shared_ptr<Scratch> scratch) {
  std::shared_ptr<Arena> arena(new Arena(from, plan.own_bytes));
  arena->plan_ = std::move(plan);
  arena->scratch_ = std::move(scratch);
  return arena;
}

// What is not what was seen stays, as far as anybody knows, and so does all that follows it.
bool Arena::NextStays(size_t bytes) {
  if (taken_ < plan_.blocks.size() && plan_.blocks[taken_].bytes == bytes) {
    return plan_.blocks[taken_++].stays;
  }
  taken_ = plan_.blocks.size();
  return true;
}

BufferRef Arena::AllocateFrom(size_t piece, size_t bytes) {
  const BufferRef& memory = pieces_[piece].memory;
  const std::optional<size_t> offset = PlaceIn(pieces_[piece].heap, bytes, memory->bytes());
  if (!offset.has_value()) return BufferRef();
  if (pieces_[piece].is_scratch) scratch_->blocks_.fetch_add(1, std::memory_order_relaxed);
  TakenMemory::Add(static_cast<int64_t>(bytes));
  char* const base = static_cast<char*>(memory->data());
  return BufferRef(new ArenaBuffer(shared_from_this(), base + *offset, bytes, piece, *offset));
}

BufferRef Arena::AllocateScratch(size_t bytes) {
  size_t i = 0;
  while (i < pieces_.size() && !pieces_[i].is_scratch) ++i;
  if (i == pieces_.size()) {
    Piece piece;
    piece.memory = scratch_->Take(plan_.scratch_bytes);
    if (!piece.memory) return BufferRef();
    piece.is_scratch = true;
    pieces_.push_back(std::move(piece));
  }
  return AllocateFrom(i, bytes);
}

BufferRef Arena::Allocate(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t least = RoundUp(std::max<size_t>(bytes, 1));
  if (least < bytes) return BufferRef();
  if (scratch_ != nullptr && !NextStays(bytes)) {
    BufferRef found = AllocateScratch(bytes);
    if (found) return found;
  }
  for (size_t i = 0; i < pieces_.size(); ++i) {
    BufferRef found = pieces_[i].is_scratch ? BufferRef() : AllocateFrom(i, bytes);
    if (found) return found;
  }
  // What the first piece does not hold is little, or the work is another one.
  const size_t usual = held_ == 0 ? first_bytes_ : std::clamp(held_ / 8, kLeastPiece, kMostPiece);
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
  if (pieces_[piece].is_scratch) scratch_->blocks_.fetch_sub(1, std::memory_order_release);
}

size_t Arena::bytes_held() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return held_;
}

int Arena::pieces() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(std::count_if(pieces_.begin(), pieces_.end(),
                                        [](const Piece& piece) { return !piece.is_scratch; }));
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

size_t SizingAllocator::Add(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t block = bytes_.size();
  bytes_.push_back(bytes);
  events_.push_back({block, /*is_taken=*/true});
  return block;
}

BufferRef SizingAllocator::Allocate(size_t bytes) {
  BufferRef memory = from_.Allocate(bytes);
  if (!memory) return memory;
  return BufferRef(new SizedBuffer(shared_from_this(), std::move(memory), bytes, Add(bytes)));
}

void SizingAllocator::AddResident(size_t bytes) { Add(bytes); }

void SizingAllocator::Free(size_t block) {
  std::lock_guard<std::mutex> lock(mutex_);
  events_.push_back({block, /*is_taken=*/false});
}

// Which blocks stay is known in the end, so that all are placed then.
ArenaPlan SizingAllocator::plan() const {
  std::lock_guard<std::mutex> lock(mutex_);
  ArenaPlan plan;
  for (const size_t bytes : bytes_) plan.blocks.push_back({bytes, /*stays=*/true});
  for (const Event& event : events_) {
    if (!event.is_taken) plan.blocks[event.block].stays = false;
  }
  constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();
  BlockHeap own(256), scratch(256);
  std::vector<size_t> offsets(bytes_.size());
  for (const auto& [block, is_taken] : events_) {
    BlockHeap& heap = plan.blocks[block].stays ? own : scratch;
    if (is_taken) {
      offsets[block] = *PlaceIn(heap, bytes_[block], kNoLimit);
    } else {
      heap.Free(offsets[block], bytes_[block]);
    }
    plan.most_in_use = std::max(plan.most_in_use, own.bytes_in_use() + scratch.bytes_in_use());
  }
  plan.own_bytes = own.size();
  plan.scratch_bytes = scratch.size();
  return plan;
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
