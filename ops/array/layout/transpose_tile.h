// TransposeTile: a tile of a matrix written transposed.
//
//   // to[a * to_stride + b] = from[b * from_stride + a] for a < rows, b < cols
//   TransposeTile(to, to_stride, from, from_stride, rows, cols);
//
// `rows` and `cols` are at most kTile. Elements of four bytes are moved 64 at a time in registers:
// element by element a transpose of images takes twice as long.
//
// Thread safety: a pure function but for what it writes; it cannot fail.
#ifndef WARPBEAM_OPS_ARRAY_LAYOUT_TRANSPOSE_TILE_H_
#define WARPBEAM_OPS_ARRAY_LAYOUT_TRANSPOSE_TILE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ops/launch/vec.h"

namespace warpbeam {

constexpr int64_t kTile = 16;

namespace transpose_tile {

constexpr int64_t kBlock = 8;

template <typename T>
void ByElement(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t rows,
               int64_t cols) {
  for (int64_t a = 0; a < rows; ++a) {
    for (int64_t b = 0; b < cols; ++b) to[a * to_stride + b] = from[b * from_stride + a];
  }
}

// kBlock × kBlock elements. Each half of the columns: vectors of four elements of row i and four of
// row i + 4, which two rounds of interleaving turn into columns.
inline void Block(uint32_t* to, int64_t to_stride, const uint32_t* from, int64_t from_stride) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<uint32_t, kBlock> d;
  const hn::Half<decltype(d)> half;
  const hn::Repartition<uint64_t, decltype(d)> pairs;
  for (int64_t a = 0; a < kBlock; a += kBlock / 2, from += kBlock / 2) {
    const auto rows = [&](int64_t i) {
      return hn::Combine(d, hn::LoadU(half, from + (i + 4) * from_stride),
                         hn::LoadU(half, from + i * from_stride));
    };
    const auto r0 = rows(0), r1 = rows(1), r2 = rows(2), r3 = rows(3);
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    const auto store = [&](int64_t i, auto column) {
      hn::StoreU(hn::BitCast(d, column), d, to + (a + i) * to_stride);
    };
    store(0, hn::InterleaveLower(pairs, low01, low23));
    store(1, hn::InterleaveUpper(pairs, low01, low23));
    store(2, hn::InterleaveLower(pairs, high01, high23));
    store(3, hn::InterleaveUpper(pairs, high01, high23));
  }
}

}  // namespace transpose_tile

// Reads and writes whole lines; the tile in between lives in the first-level cache.
template <typename T>
void TransposeTile(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t rows,
                   int64_t cols) {
  if (rows != kTile || cols != kTile) {
    return transpose_tile::ByElement(to, to_stride, from, from_stride, rows, cols);
  }
  T tile[kTile][kTile];
  for (int64_t b = 0; b < kTile; ++b) memcpy(tile[b], from + b * from_stride, sizeof(tile[b]));
  for (int64_t a = 0; a < kTile; ++a) {
    T line[kTile];
    for (int64_t b = 0; b < kTile; ++b) line[b] = tile[b][a];
    memcpy(to + a * to_stride, line, sizeof(line));
  }
}

inline void TransposeTile(uint32_t* to, int64_t to_stride, const uint32_t* from,
                          int64_t from_stride, int64_t rows, int64_t cols) {
  using transpose_tile::kBlock;
  for (int64_t a = 0; a < rows; a += kBlock) {
    for (int64_t b = 0; b < cols; b += kBlock) {
      uint32_t* const y = to + a * to_stride + b;
      const uint32_t* const x = from + b * from_stride + a;
      if (rows - a >= kBlock && cols - b >= kBlock) {
        transpose_tile::Block(y, to_stride, x, from_stride);
      } else {
        transpose_tile::ByElement(y, to_stride, x, from_stride, std::min(kBlock, rows - a),
                                  std::min(kBlock, cols - b));
      }
    }
  }
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_LAYOUT_TRANSPOSE_TILE_H_
