// Arena: memory of a device for work that is played again and again (runtime/device/recording.h).
//
// What a thread takes from a device inside a MemoryScope comes from the scope's arena, not from
// what all share: nobody else is given that memory later, so that recorded work may go on using it.
// Within the arena it is given out again as ever. It comes from the device in large pieces, all of
// which go back with the arena.
//
//   auto arena = Arena::Create(gpu->allocator());
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
#include <vector>

#include "graph/types/buffer.h"
#include "runtime/device/block_heap.h"

namespace warpbeam {

class Device;

class Arena final : public Allocator, public std::enable_shared_from_this<Arena> {
 public:
  // `from` outlives the arena.
  static std::shared_ptr<Arena> Create(Allocator& from);

  const char* name() const override { return from_.name(); }
  BufferRef Allocate(size_t bytes) override;
  // What the arena has taken from the device.
  size_t bytes_held() const;

 private:
  friend class ArenaBuffer;
  struct Piece {
    BufferRef memory;
    BlockHeap heap{256};
  };
  explicit Arena(Allocator& from) : from_(from) {}
  BufferRef AllocateFrom(size_t piece, size_t bytes);
  void Free(size_t piece, size_t offset, size_t bytes);

  Allocator& from_;
  mutable std::mutex mutex_;
  std::vector<Piece> pieces_;
  size_t held_ = 0;
};

class MemoryScope {
 public:
  MemoryScope(const Device& device, Arena& arena);
  ~MemoryScope();
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;
  // The arena that this thread takes memory of the device from; null outside of scopes.
  static Arena* Current(const Device& device);

 private:
  const Device* const device_before_;
  Arena* const arena_before_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_ARENA_H_
