// Arena: memory of a device for work that is played again and again (runtime/device/recording.h).
//
// What a thread takes from a device inside a MemoryScope comes from the scope's arena, not from
// what all share: nobody else is given that memory later, so that recorded work may go on using it.
// Within the arena it is given out again as ever. It comes from the device in one piece, of the
// size that the lifetimes of the same work were found to want, and in small ones besides if that is
// not enough; all go back with the arena.
//
//   auto sizing = SizingAllocator::Create(gpu->allocator());
//   {
//     MemoryScope scope(*gpu, *sizing);
//     …                                     // gpu->allocator() is this one, for this thread
//   }
//   auto arena = Arena::Create(gpu->allocator(), sizing->arena_bytes(results));
//   {
//     MemoryScope scope(*gpu, *arena);
//     …                                     // gpu->allocator() is the arena, for this thread
//   }
//
// Ownership: buffers keep their arena alive. Thread safety: any thread. Errors: null buffers, as of
// any allocator.
#ifndef WARPBEAM_RUNTIME_DEVICE_ARENA_H_
#define WARPBEAM_RUNTIME_DEVICE_ARENA_H_

#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "graph/types/buffer.h"
#include "runtime/device/block_heap.h"

namespace warpbeam {

class Device;

class Arena final : public Allocator, public std::enable_shared_from_this<Arena> {
 public:
  // `from` outlives the arena, which takes `bytes` of it when something is first wanted.
  static std::shared_ptr<Arena> Create(Allocator& from, size_t bytes);

  const char* name() const override { return from_.name(); }
  BufferRef Allocate(size_t bytes) override;
  // What the arena has taken from the device, and in how many pieces.
  size_t bytes_held() const;
  int pieces() const;

 private:
  friend class ArenaBuffer;
  struct Piece {
    BufferRef memory;
    BlockHeap heap{256};
  };
  Arena(Allocator& from, size_t first_bytes) : from_(from), first_bytes_(first_bytes) {}
  BufferRef AllocateFrom(size_t piece, size_t bytes);
  void Free(size_t piece, size_t offset, size_t bytes);

  Allocator& from_;
  const size_t first_bytes_;
  mutable std::mutex mutex_;
  std::vector<Piece> pieces_;
  size_t held_ = 0;
};

// Memory of a device, and how large an arena has to be for the same use of it: what was taken and
// let go is put into a range of addresses, as the arena will put it.
class SizingAllocator final : public Allocator,
                              public std::enable_shared_from_this<SizingAllocator> {
 public:
  static std::shared_ptr<SizingAllocator> Create(Allocator& from);

  const char* name() const override { return from_.name(); }
  BufferRef Allocate(size_t bytes) override;
  // Counts a block that the arena will have all the time, and that nobody takes here.
  void AddResident(size_t bytes);

  // The addresses of blocks that the work leaves.
  using Results = std::set<const void*>;
  // When the work is over. What somebody else still holds (a variable has another value now) is not
  // counted: it keeps its place, and the next time that is written to.
  size_t arena_bytes(const Results& results) const;
  // The least that any way to place the same could do with: what is taken at a time.
  size_t most_in_use(const Results& results) const;

 private:
  friend class SizedBuffer;
  struct Block {
    size_t bytes;
    const void* address;  // null: a resident
    bool is_held = true;
  };
  // That a block was taken, or let go.
  struct Event {
    size_t block;
    bool is_taken;
  };
  explicit SizingAllocator(Allocator& from) : from_(from) {}
  size_t Add(size_t bytes, const void* address);
  void Free(size_t block);
  BlockHeap Placed(const Results& results) const;

  Allocator& from_;
  mutable std::mutex mutex_;
  std::vector<Block> blocks_;
  std::vector<Event> events_;
};

// What the thread takes of the device's memory comes from `memory` as long as the scope lasts.
class MemoryScope {
 public:
  MemoryScope(const Device& device, Allocator& memory);
  ~MemoryScope();
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;
  // Where this thread takes memory of the device from; null outside of scopes.
  static Allocator* Current(const Device& device);

 private:
  const Device* const device_before_;
  Allocator* const memory_before_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_ARENA_H_
