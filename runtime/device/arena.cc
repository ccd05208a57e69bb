#include "runtime/device/arena.h"

#include <algorithm>
#include <utility>

#include "runtime/device/device.h"
#include "runtime/memory/taken_memory.h"

namespace warpbeam {
namespace {

constexpr size_t kFirstPiece = size_t{1} << 20;
constexpr size_t kMostPiece = size_t{256} << 20;

thread_local const Device* current_device = nullptr;
thread_local Arena* current_arena = nullptr;

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

std::shared_ptr<Arena> Arena::Create(Allocator& from) {
  return std::shared_ptr<Arena>(new Arena(from));
}

BufferRef Arena::AllocateFrom(size_t piece, size_t bytes) {
  const std::optional<size_t> offset = pieces_[piece].heap.Allocate(bytes);
  if (!offset.has_value()) return BufferRef();
  TakenMemory::Add(static_cast<int64_t>(bytes));
  char* const base = static_cast<char*>(pieces_[piece].memory->data());
  return BufferRef(new ArenaBuffer(shared_from_this(), base + *offset, bytes, piece, *offset));
}

BufferRef Arena::Allocate(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; i < pieces_.size(); ++i) {
    BufferRef found = AllocateFrom(i, bytes);
    if (found) return found;
  }
  // Each piece is as large as all before it: a few of them serve any program.
  const size_t least = (std::max<size_t>(bytes, 1) + 255) / 256 * 256;
  if (least < bytes) return BufferRef();
  const size_t wanted = std::max(least, std::clamp(held_, kFirstPiece, kMostPiece));
  Piece piece;
  size_t size = wanted;
  piece.memory = from_.Allocate(size);
  if (!piece.memory && wanted > least) {
    size = least;
    piece.memory = from_.Allocate(size);
  }
  if (!piece.memory) return BufferRef();
  piece.heap.Grow(size);
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

MemoryScope::MemoryScope(const Device& device, Arena& arena)
    : device_before_(current_device), arena_before_(current_arena) {
  current_device = &device;
  current_arena = &arena;
}

MemoryScope::~MemoryScope() {
  current_device = device_before_;
  current_arena = arena_before_;
}

Arena* MemoryScope::Current(const Device& device) {
  return current_device == &device ? current_arena : nullptr;
}

}  // namespace warpbeam
