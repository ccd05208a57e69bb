// Selecting on a GPU: which of many items are wanted, and the position of each among these, in
// order. How many there are only the GPU knows (runtime/kernel/read_back_kernel.h).
//
//   struct IsPositive {                                  // in namespace warpbeam::WB_PASS
//     const float* x;
//     float* y;                                          // null while they are counted
//     WB_BLOCK bool Selects(int64_t i) const { return x[i] > 0; }
//     WB_BLOCK void Place(int64_t i, int64_t position) const { y[position] = x[i]; }
//   };
//   WB_GPU_SELECTION(IsPositive);                        // in both passes
//
//   WB_ASSIGN_OR_RETURN(const GpuSelection selection,    // in a kernel
//                       GpuSelection::Count(ctx, stream, IsPositive{x, nullptr}, n));
//   WB_RETURN_IF_ERROR(stream.Read(selection.total(), 1, &total));
//   return selection.Place(stream, IsPositive{x, y});
//
// Items are counted in chunks, then the counts of the chunks are added up, then each chunk places
// its own.
//
// Ownership: a GpuSelection holds the counts on the GPU. Thread safety: one thread. Errors:
// RESOURCE_EXHAUSTED, those of launches.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_SELECT_H_
#define WARPBEAM_OPS_LAUNCH_GPU_SELECT_H_

#include <cstdint>
#include <utility>

#include "ops/launch/gpu_cub.h"
#include "ops/launch/gpu_function.h"
#if WB_HOST_PASS
#include "runtime/kernel/kernel_context.h"
#endif

namespace warpbeam::WB_PASS {

inline constexpr int kSelectThreads = 256;
inline constexpr int kSelectRun = 8;  // items of a thread in a chunk
inline constexpr int64_t kSelectChunk = int64_t{kSelectThreads} * kSelectRun;

// Of what each thread has in `own`: the sum of the threads before it, and of all. `room` is shared,
// for two numbers of each thread.
WB_BLOCK inline void SumBefore(GpuBlock& block, int64_t* room, Private<int64_t>& own,
                               Private<int64_t>& all) {
  const int threads = block.threads();
  int64_t* from = room;
  int64_t* to = room + threads;
  block.ForEach([&](int thread) { from[thread] = own[thread]; });
  for (int apart = 1; apart < threads; apart *= 2) {
    block.ForEach([&](int thread) {
      to[thread] = from[thread] + (thread < apart ? 0 : from[thread - apart]);
    });
    int64_t* const summed = to;
    to = from;
    from = summed;
  }
  block.ForEach([&](int thread) {
    own[thread] = thread == 0 ? 0 : from[thread - 1];
    all[thread] = from[threads - 1];
  });
}

template <class Selection>
struct CountSelectedBlock {
  Selection selection;
  int64_t items, chunks;
  int64_t* counts;  // [chunks]

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t chunk = block.index(); chunk < chunks; chunk += block.count()) {
      const int64_t first = chunk * kSelectChunk;
      const int64_t end = first + kSelectChunk < items ? first + kSelectChunk : items;
      const int64_t count = block.Reduce(
          [&](int thread) {
            int64_t own = 0;
            for (int64_t i = first + thread; i < end; i += block.threads()) {
              own += selection.Selects(i) ? 1 : 0;
            }
            return own;
          },
          [](int64_t a, int64_t b) { return a + b; });
      block.ForEach([&](int thread) {
        if (thread == 0) counts[chunk] = count;
      });
    }
  }
};

template <class Selection>
struct PlaceSelectedBlock {
  Selection selection;
  int64_t items, chunks;
  const int64_t* before;  // [chunks]: how many were selected

  WB_BLOCK void operator()(GpuBlock& block) const {
    int64_t* const room = block.Shared<int64_t>(2 * block.threads());
    Private<int64_t> at(block), all(block);
    for (int64_t chunk = block.index(); chunk < chunks; chunk += block.count()) {
      const auto first = [&](int thread) {
        const int64_t i = chunk * kSelectChunk + int64_t{thread} * kSelectRun;
        return i < items ? i : items;
      };
      block.ForEach([&](int thread) {
        at[thread] = 0;
        for (int64_t i = first(thread); i < first(thread + 1); ++i) {
          at[thread] += selection.Selects(i) ? 1 : 0;
        }
      });
      SumBefore(block, room, at, all);
      block.ForEach([&](int thread) {
        int64_t position = before[chunk] + at[thread];
        for (int64_t i = first(thread); i < first(thread + 1); ++i) {
          if (selection.Selects(i)) selection.Place(i, position++);
        }
      });
    }
  }
};

#if WB_HOST_PASS

class GpuSelection {
 public:
  // Does not read the number: total() is an address on the GPU.
  template <class Selection>
  static StatusOr<GpuSelection> Count(KernelContext& ctx, GpuStream& stream,
                                      const Selection& selection, int64_t items) {
    GpuSelection s;
    s.items_ = items;
    s.chunks_ = (items + kSelectChunk - 1) / kSelectChunk;
    WB_ASSIGN_OR_RETURN(s.counts_, ctx.AllocateTemp(DType::kInt64, Shape({s.chunks_ + 1})));
    auto* const counts = s.counts_.data<int64_t>();
    if (s.chunks_ > 0) {
      WB_RETURN_IF_ERROR(Launch(
          stream, s.Grid(), CountSelectedBlock<Selection>{selection, items, s.chunks_, counts}));
    }
    WB_RETURN_IF_ERROR(EnqueueSumsBefore(ctx, stream, counts, s.chunks_));
    return s;
  }
  const int64_t* total() const { return counts_.data<int64_t>() + chunks_; }

  // Of the same items, where `selection` selects the same.
  template <class Selection>
  Status Place(GpuStream& stream, const Selection& selection) const {
    if (chunks_ == 0) return OkStatus();
    GpuGrid grid = Grid();
    grid.shared_bytes = 2 * sizeof(int64_t) * static_cast<size_t>(grid.threads);
    return Launch(
        stream, grid,
        PlaceSelectedBlock<Selection>{selection, items_, chunks_, counts_.data<int64_t>()});
  }

 private:
  GpuGrid Grid() const {
    GpuGrid grid;
    grid.blocks = GpuBlocksFor(chunks_);
    grid.threads = kSelectThreads;
    return grid;
  }

  int64_t items_ = 0, chunks_ = 0;
  Tensor counts_;  // [chunks + 1]
};

#endif

}  // namespace warpbeam::WB_PASS

#define WB_GPU_SELECTION(...)                       \
  WB_GPU_FUNCTION(CountSelectedBlock<__VA_ARGS__>); \
  WB_GPU_FUNCTION(PlaceSelectedBlock<__VA_ARGS__>)

#endif  // WARPBEAM_OPS_LAUNCH_GPU_SELECT_H_
