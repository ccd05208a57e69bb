#include "tests/fuzz/block_limit.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "tests/fuzz/end_with.h"

namespace warpbeam {
namespace fuzz {
namespace {

std::atomic<size_t> largest_block{SIZE_MAX};

void* NewBlock(size_t size, size_t alignment, bool must) {
  void* block = nullptr;
  if (size <= largest_block.load(std::memory_order_relaxed)) {
    block = alignment <= alignof(max_align_t)
                ? malloc(size == 0 ? 1 : size)
                : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  if (block == nullptr && must) {
    EndWith("operator new was asked for more than an input may take: nobody checked the size\n");
  }
  return block;
}

}  // namespace

void LimitBlocks(size_t bytes) { largest_block.store(bytes); }

}  // namespace fuzz
}  // namespace warpbeam

void* operator new(size_t size) { return warpbeam::fuzz::NewBlock(size, 1, true); }
void* operator new[](size_t size) { return warpbeam::fuzz::NewBlock(size, 1, true); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return warpbeam::fuzz::NewBlock(size, 1, false);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return warpbeam::fuzz::NewBlock(size, 1, false);
}
void* operator new(size_t size, std::align_val_t alignment) {
  return warpbeam::fuzz::NewBlock(size, static_cast<size_t>(alignment), true);
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return warpbeam::fuzz::NewBlock(size, static_cast<size_t>(alignment), true);
}
void operator delete(void* block) noexcept { free(block); }
void operator delete[](void* block) noexcept { free(block); }
void operator delete(void* block, size_t) noexcept { free(block); }
void operator delete[](void* block, size_t) noexcept { free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { free(block); }
void operator delete(void* block, std::align_val_t) noexcept { free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { free(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { free(block); }
