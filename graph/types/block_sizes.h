// The sizes of the blocks that host memory is handed out in: 64 bytes up to 1 KiB in steps of 64,
// then four for each power of two, so that at most a quarter of a block is waste.
//
//   const int size_class = BlockSizes::ClassOf(bytes);
//   aligned_alloc(64, BlockSizes::OfClass(size_class));
//   BlockSizes::Rounded(5'000) == 5'120;             // what 5,000 bytes cost
//
// The allocator (runtime/memory/pool_allocator.h) and whoever predicts what memory a step needs
// (placement/simulate) ask the same functions. Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_GRAPH_TYPES_BLOCK_SIZES_H_
#define WARPBEAM_GRAPH_TYPES_BLOCK_SIZES_H_

#include <cstddef>

namespace warpbeam {

struct BlockSizes {
  static constexpr int kSmallClasses = 16;
  static constexpr int kNumClasses = kSmallClasses + 4 * 38;
  static constexpr size_t kLargest = size_t{1} << 46;  // more bytes have no class

  static int ClassOf(size_t bytes) {
    if (bytes <= 1024) return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / 64);
    const int top = 63 - __builtin_clzll(bytes - 1);  // 2^top <= bytes-1
    const int quarter = static_cast<int>(((bytes - 1) >> (top - 2)) & 3);
    return kSmallClasses + (top - 10) * 4 + quarter;
  }
  static constexpr size_t OfClass(int c) {
    if (c < kSmallClasses) return static_cast<size_t>(c + 1) * 64;
    const int top = (c - kSmallClasses) / 4 + 10;
    const int quarter = (c - kSmallClasses) % 4;
    return (size_t{1} << top) + static_cast<size_t>(quarter + 1) * (size_t{1} << (top - 2));
  }
  // Nothing needs no block; what has no class counts as it is.
  static size_t Rounded(size_t bytes) {
    return bytes == 0 || bytes > kLargest ? bytes : OfClass(ClassOf(bytes));
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_BLOCK_SIZES_H_
