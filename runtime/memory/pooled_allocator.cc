#include "runtime/memory/pooled_allocator.h"

#include <new>

#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

// In front of each block, and as long as its alignment.
struct alignas(Allocator::kAlignment) Origin {
  Buffer* buffer;  // null: the heap
};

}  // namespace

void* TakePooledBlock(size_t bytes) {
  const BufferRef taken = PoolAllocator::Process().Allocate(sizeof(Origin) + bytes);
  Buffer* const buffer = taken.get();
  void* start;
  if (buffer != nullptr) {
    buffer->Ref();  // the block's own
    start = buffer->data();
  } else {
    start = ::operator new (sizeof(Origin) + bytes, std::align_val_t{Allocator::kAlignment});
  }
  return new (start) Origin{buffer} + 1;
}

void GivePooledBlockBack(void* block) {
  Origin* const origin = static_cast<Origin*>(block) - 1;
  if (origin->buffer != nullptr) return origin->buffer->Unref();
  ::operator delete (origin, std::align_val_t{Allocator::kAlignment});
}

}  // namespace warpbeam
