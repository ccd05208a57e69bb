// PooledAllocator: lets the small objects that every step makes come from kept memory, as tensors
// do.
//
// It has the form that the standard library asks for. Where the pool has no memory left (its limit
// holds for tensors, not for these), a block comes from the heap.
//
//   auto context = std::allocate_shared<StepContext>(PooledAllocator<StepContext>(), id,
//                                                    resources, functions);
//
// Ownership: blocks belong to the process-wide PoolAllocator. Thread safety: any thread; a block
// may be given back on another thread than the one that took it. Errors: std::bad_alloc when the
// process has no memory left at all, as operator new.
#ifndef WARPBEAM_RUNTIME_MEMORY_POOLED_ALLOCATOR_H_
#define WARPBEAM_RUNTIME_MEMORY_POOLED_ALLOCATOR_H_

#include <cstddef>

namespace warpbeam {

// A block for an object of at most 64-byte alignment, and how it goes back.
void* TakePooledBlock(size_t bytes);
void GivePooledBlockBack(void* block);

template <typename T>
class PooledAllocator {
 public:
  using value_type = T;
  static_assert(alignof(T) <= 64, "blocks of the pool are aligned to 64 bytes");

  PooledAllocator() = default;
  template <typename U>
  PooledAllocator(const PooledAllocator<U>&) {}  // NOLINT: the standard library converts silently

  T* allocate(size_t n) { return static_cast<T*>(TakePooledBlock(n * sizeof(T))); }
  void deallocate(T* block, size_t) { GivePooledBlockBack(block); }

  friend bool operator==(const PooledAllocator&, const PooledAllocator&) { return true; }
  friend bool operator!=(const PooledAllocator&, const PooledAllocator&) { return false; }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_MEMORY_POOLED_ALLOCATOR_H_
