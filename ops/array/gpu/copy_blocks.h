// The functions of blocks behind GpuCopier: strided copies, several in one launch; transpositions
// through tiles in shared memory; fills.
//
//   StridedCopyBlock<uint32_t, 1> copy{};
//   copy.Add(plan);
//   return Launch(stream, copy.Grid(), copy);
//
// Consecutive threads write consecutive elements, in transpositions they read such too. Thread
// safety and errors: as ops/launch/gpu_block.h.
#ifndef WARPBEAM_OPS_ARRAY_GPU_COPY_BLOCKS_H_
#define WARPBEAM_OPS_ARRAY_GPU_COPY_BLOCKS_H_

#include "ops/array/gpu/fast_divisor.h"
#include "ops/array/gpu/moved_element.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include "ops/array/copy_plan.h"
#endif

namespace warpbeam::WB_PASS {

// Dimensions for going through all places: where a place of a number is.
struct Places {
  static constexpr int kMaxDims = 12;
  int rank = 0;
  FastDivisor extents[kMaxDims];
  int32_t from[kMaxDims];
  int32_t to[kMaxDims];

#if WB_HOST_PASS
  void Add(const CopyDim& d) {
    extents[rank] = FastDivisor(d.extent);
    from[rank] = static_cast<int32_t>(d.from);
    to[rank] = static_cast<int32_t>(d.to);
    ++rank;
  }
#endif
  // kCount places at a time, whose loads then wait together.
  template <int kCount>
  WB_HD void Locate(uint32_t (&index)[kCount], int32_t (&at_from)[kCount],
                    int32_t (&at_to)[kCount]) const {
    for (int k = 0; k < kCount; ++k) at_from[k] = at_to[k] = 0;
    for (int d = rank - 1; d >= 0; --d) {
      const FastDivisor extent = extents[d];
      const int32_t step_from = from[d], step_to = to[d];
      for (int k = 0; k < kCount; ++k) {
        // The outermost has no quotient: what lies behind the last place is not read.
        const uint32_t outer = d == 0 ? 0 : extent.Quotient(index[k]);
        const auto inner = static_cast<int32_t>(index[k] - outer * extent.divisor);
        at_from[k] += inner * step_from;
        at_to[k] += inner * step_to;
        index[k] = outer;
      }
    }
  }
};

template <class T, int kMost>
struct StridedCopyBlock {
  static constexpr int kPerThread = 4;
  static constexpr int kThreads = 256;
  static constexpr uint32_t kChunk = kPerThread * kThreads;

  struct Piece {
    T* to;
    const T* from;
    uint32_t count;
    Places places;
  };
  Piece pieces[kMost];
  uint32_t ends[kMost];  // in chunks of elements, all pieces one after the other
  int count = 0;

#if WB_HOST_PASS
  void Add(const CopyPlan& plan) {
    Piece& piece = pieces[count];
    piece = {static_cast<T*>(plan.to), static_cast<const T*>(plan.from),
             static_cast<uint32_t>(plan.count()), Places{}};
    for (const CopyDim& d : plan.dims) piece.places.Add(d);
    const uint32_t chunks = (piece.count + kChunk - 1) / kChunk;
    ends[count] = (count == 0 ? 0 : ends[count - 1]) + chunks;
    ++count;
  }
  GpuGrid Grid() const {
    GpuGrid grid;
    grid.blocks = GpuBlocksFor(ends[count - 1]);
    grid.threads = kThreads;
    return grid;
  }
#endif

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      int piece = 0;
      const uint32_t end = ends[count - 1];
      for (auto c = static_cast<uint32_t>(block.index()); c < end;
           c += static_cast<uint32_t>(block.count())) {
        while (c >= ends[piece]) ++piece;
        const uint32_t first = piece == 0 ? 0 : ends[piece - 1];
        Chunk(pieces[piece], (c - first) * kChunk + static_cast<uint32_t>(thread));
      }
    });
  }

 private:
  WB_BLOCK static void Chunk(const Piece& piece, uint32_t first) {
    uint32_t index[kPerThread];
    int32_t from[kPerThread], to[kPerThread];
    T values[kPerThread];
    for (int k = 0; k < kPerThread; ++k) index[k] = first + static_cast<uint32_t>(k * kThreads);
    piece.places.Locate(index, from, to);
    for (int k = 0; k < kPerThread; ++k) {
      const bool inside = first + static_cast<uint32_t>(k * kThreads) < piece.count;
      values[k] = inside ? piece.from[from[k]] : T{};
    }
    for (int k = 0; k < kPerThread; ++k) {
      if (first + static_cast<uint32_t>(k * kThreads) < piece.count) piece.to[to[k]] = values[k];
    }
  }
};

// to[a, b] = from[b, a] for all places of the other dimensions: rows of `across` are consecutive in
// the source, rows of `last` in the destination. Elements are read and written in packs of 4 bytes
// where all extents, strides and addresses are multiples of that, else kPack is 1.
template <class T, int kPack>
struct TransposeBlock {
  static constexpr int kThreads = 256;
  static constexpr int kTile = sizeof(T) <= 2 ? 64 : 32;
  // A column of a tile touches as many banks of the memory as it has elements.
  static constexpr int kRow = kTile + (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);

  struct alignas(sizeof(T) * kPack) Pack {
    T elements[kPack];
  };

  T* to;
  const T* from;
  int32_t across, last;          // extents
  int32_t across_to, last_from;  // strides
  FastDivisor across_tiles, last_tiles;
  uint32_t tiles;
  Places outer;

#if WB_HOST_PASS
  explicit TransposeBlock(const CopyPlan& plan) : to(static_cast<T*>(plan.to)) {
    from = static_cast<const T*>(plan.from);
    const CopyDim& a = plan.dims[static_cast<size_t>(plan.across)];
    const CopyDim& b = plan.dims.back();
    across = static_cast<int32_t>(a.extent);
    across_to = static_cast<int32_t>(a.to);
    last = static_cast<int32_t>(b.extent);
    last_from = static_cast<int32_t>(b.from);
    across_tiles = FastDivisor((a.extent + kTile - 1) / kTile);
    last_tiles = FastDivisor((b.extent + kTile - 1) / kTile);
    tiles = across_tiles.divisor * last_tiles.divisor;
    for (size_t i = 0; i + 1 < plan.dims.size(); ++i) {
      if (static_cast<int>(i) == plan.across) continue;
      outer.Add(plan.dims[i]);
      tiles *= static_cast<uint32_t>(plan.dims[i].extent);
    }
  }
  GpuGrid Grid() const {
    GpuGrid grid;
    grid.blocks = GpuBlocksFor(tiles);
    grid.threads = kThreads;
    grid.shared_bytes = sizeof(T) * kTile * kRow;
    return grid;
  }
#endif

  WB_BLOCK void operator()(GpuBlock& block) const {
    T* const tile = block.Shared<T>(kTile * kRow);
    for (auto t = static_cast<uint32_t>(block.index()); t < tiles;
         t += static_cast<uint32_t>(block.count())) {
      const uint32_t row = last_tiles.Quotient(t);
      uint32_t place[1] = {across_tiles.Quotient(row)};
      const auto b = static_cast<int32_t>(t - row * last_tiles.divisor) * kTile;
      const auto a = static_cast<int32_t>(row - place[0] * across_tiles.divisor) * kTile;
      int32_t at_from[1], at_to[1];
      outer.Locate(place, at_from, at_to);
      const T* const source = from + at_from[0] + a;
      T* const target = to + at_to[0] + b;
      block.ForEach([&](int thread) {
        ForEachPack(thread, [&](int y, int x) {
          if (b + y >= last || a + x >= across) return;
          const T* const at = source + int64_t{b + y} * last_from + x;
          *reinterpret_cast<Pack*>(tile + y * kRow + x) = *reinterpret_cast<const Pack*>(at);
        });
      });
      block.ForEach([&](int thread) {
        ForEachPack(thread, [&](int y, int x) {
          if (a + y >= across || b + x >= last) return;
          Pack column;
          for (int j = 0; j < kPack; ++j) column.elements[j] = tile[(x + j) * kRow + y];
          *reinterpret_cast<Pack*>(target + int64_t{a + y} * across_to + x) = column;
        });
      });
    }
  }

 private:
  // pack(row, first column) for the packs of a tile that are this thread's.
  template <class OnePack>
  WB_BLOCK static void ForEachPack(int thread, const OnePack& pack) {
    constexpr int kPerRow = kTile / kPack;
    for (int k = 0; k < kTile * kPerRow / kThreads; ++k) {
      const int i = thread + k * kThreads;
      pack(i / kPerRow, i % kPerRow * kPack);
    }
  }
};

// Bytes in a pattern of 16: `wide` times, then its first `rest` at `tail`.
struct FillBytesBlock {
  Wide* to;
  Wide pattern;
  int64_t wide;
  uint8_t* tail;
  int64_t rest;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, wide, [&](int64_t i) { to[i] = pattern; });
    ForEachElement(block, rest, [&](int64_t i) {
      const uint64_t half = (i & 8) == 0 ? pattern.low : pattern.high;
      tail[i] = static_cast<uint8_t>(half >> (i % 8 * 8));
    });
  }
};

// Bytes that come with the launch, whose arguments have room in 4 KiB.
struct WriteBytesBlock {
  uint8_t values[4000];
  uint8_t* to;
  int count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      for (int i = thread; i < count; i += block.threads()) to[i] = values[i];
    });
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_ARRAY_GPU_COPY_BLOCKS_H_
