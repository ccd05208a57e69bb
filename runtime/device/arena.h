// Arena: memory of a device for work that is played again and again (runtime/device/recording.h).
//
// What a thread takes from a device inside a MemoryScope comes from the scope's arena, not from
// what all share: nobody else is given that memory later, so that recorded work may go on using it.
// Within the arena it is given out again as ever. The lifetimes of the same work, run before, say
// how much it takes (ArenaPlan): what is still there when it ends has one piece of memory, which is
// the arena's own; what it takes and lets go meanwhile lies in a Scratch, which works that run one
// after the other have together. Other memory is taken only if the work does something else.
//
//   auto sizing = SizingAllocator::Create(gpu->allocator());
//   {
//     MemoryScope scope(*gpu, *sizing);
//     …                                     // gpu->allocator() is this one, for this thread
//   }
//   auto scratch = Scratch::Create(gpu->allocator());
//   auto arena = Arena::Create(gpu->allocator(), sizing->plan(), scratch);
//   {
//     MemoryScope scope(*gpu, *arena);
//     …                                     // gpu->allocator() is the arena, for this thread
//   }
//   if (scratch->in_use()) …                // something was kept that had not been kept before
//
// Ownership: buffers keep their arena alive, and arenas their scratch. Thread safety: any thread;
// works with the same scratch run one after the other. Errors: null buffers, as of any allocator.
#ifndef WARPBEAM_RUNTIME_DEVICE_ARENA_H_
#define WARPBEAM_RUNTIME_DEVICE_ARENA_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "graph/types/buffer.h"
#include "runtime/device/block_heap.h"

namespace warpbeam {

class Device;

// What some work takes of a device's memory.
struct ArenaPlan {
  struct Block {
    size_t bytes;
    bool stays;  // it is there when the work is over
  };
  std::vector<Block> blocks;  // in the order in which they are taken
  // Of an arena: for the blocks that stay, and for the others.
  size_t own_bytes = 0;
  size_t scratch_bytes = 0;
  // The least that any way to place them could do with: what is taken at a time.
  size_t most_in_use = 0;
};

// Memory that arenas have together whose works run one after the other, each of which leaves
// nothing there that somebody reads later.
class Scratch final {
 public:
  // `from` outlives it.
  static std::shared_ptr<Scratch> Create(Allocator& from);

  // Says that an arena will want so much, so that the first one takes enough for all.
  void Expect(size_t bytes);
  // Whether somebody holds a block of it: until that is let go, nobody else may use it.
  bool in_use() const { return blocks_.load(std::memory_order_acquire) != 0; }
  // What the last arena was given.
  size_t bytes_held() const;

 private:
  friend class Arena;
  explicit Scratch(Allocator& from) : from_(from) {}
  // At least so much; null where the device has none.
  BufferRef Take(size_t bytes);

  Allocator& from_;
  std::atomic<int64_t> blocks_{0};  // that are given out, of all arenas
  mutable std::mutex mutex_;
  size_t expected_ = 0;
  BufferRef memory_;
};

class Arena final : public Allocator, public std::enable_shared_from_this<Arena> {
 public:
  // `from` outlives the arena, which takes `bytes` of it when something is first wanted.
  static std::shared_ptr<Arena> Create(Allocator& from, size_t bytes);
  // For work that takes the same blocks again.
  static std::shared_ptr<Arena> Create(Allocator& from, ArenaPlan plan,
                                       std::shared_ptr<Scratch> scratch);

  const char* name() const override { return from_.name(); }
  BufferRef Allocate(size_t bytes) override;
  // What the arena alone has taken from the device, and in how many pieces.
  size_t bytes_held() const;
  int pieces() const;

 private:
  friend class ArenaBuffer;
  struct Piece {
    BufferRef memory;
    BlockHeap heap{256};
    bool is_scratch = false;
  };
  Arena(Allocator& from, size_t first_bytes) : from_(from), first_bytes_(first_bytes) {}
  bool NextStays(size_t bytes);
  BufferRef AllocateFrom(size_t piece, size_t bytes);
  BufferRef AllocateScratch(size_t bytes);
  void Free(size_t piece, size_t offset, size_t bytes);

  Allocator& from_;
  const size_t first_bytes_;
  ArenaPlan plan_;
  std::shared_ptr<Scratch> scratch_;
  mutable std::mutex mutex_;
  size_t taken_ = 0;  // blocks of `plan_`
  std::vector<Piece> pieces_;
  size_t held_ = 0;
};

// Memory of a device, and how an arena is to serve the same use of it.
class SizingAllocator final : public Allocator,
                              public std::enable_shared_from_this<SizingAllocator> {
 public:
  static std::shared_ptr<SizingAllocator> Create(Allocator& from);

  const char* name() const override { return from_.name(); }
  BufferRef Allocate(size_t bytes) override;
  // Counts a block that the arena will have all the time, and that nobody takes here.
  void AddResident(size_t bytes);
  // Of what was taken so far, if the work is over now.
  ArenaPlan plan() const;

 private:
  friend class SizedBuffer;
  explicit SizingAllocator(Allocator& from) : from_(from) {}
  size_t Add(size_t bytes);
  void Free(size_t block);

  Allocator& from_;
  mutable std::mutex mutex_;
  std::vector<size_t> bytes_;  // by block
  // That a block was taken, and that it was let go.
  struct Event {
    size_t block;
    bool is_taken;
  };
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
