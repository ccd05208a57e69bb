// Sorting on a GPU: the order of many items by unsigned keys; equal ones stay in the order in which
// they were.
//
//   struct ColumnKeys {                                  // in namespace warpbeam::WB_PASS
//     const uint32_t* column;
//     WB_BLOCK uint64_t Key(int64_t item) const { return column[item]; }
//   };
//   WB_GPU_SORT(ColumnKeys);                             // in both passes
//
//   WB_ASSIGN_OR_RETURN(Tensor order,                    // in a kernel: order[0] is the least
//                       SortedOrder(ctx, stream, ColumnKeys{x}, n, /*bits=*/0xffffffff));
//   WB_ASSIGN_OR_RETURN(order, SortedOrder(ctx, stream, ColumnKeys{z}, n, 0xffffffff, order));
//
// The second line sorts by another key what the first has sorted: by several keys, the least
// important first. Keys go through four bits at a time (a radix sort from the least ones); those
// that are zero in `bits`, in which no two keys differ, are passed over.
//
// Where keys are the numbers of groups, ReadGroupEnds tells the host where each group ends.
//
// Ownership: orders are tensors of int64 on the GPU. Thread safety: one thread. Errors:
// RESOURCE_EXHAUSTED, those of launches and of reading.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_SORT_H_
#define WARPBEAM_OPS_LAUNCH_GPU_SORT_H_

#include <cstdint>

#include "ops/launch/gpu_select.h"
#if WB_HOST_PASS
#include <utility>
#include <vector>

#include "runtime/kernel/read_back_kernel.h"
#endif

namespace warpbeam::WB_PASS {

inline constexpr int kDigitBits = 4;
inline constexpr int kDigits = 1 << kDigitBits;

// The items of a sort between two of its passes.
template <class Keys>
struct DigitPass {
  Keys keys;
  const int64_t* order;  // [count]; null: as they are numbered
  int64_t count, chunks;
  int shift;

  WB_BLOCK int64_t Item(int64_t i) const { return order == nullptr ? i : order[i]; }
  WB_BLOCK int Digit(int64_t item) const {
    return static_cast<int>(keys.Key(item) >> shift) & (kDigits - 1);
  }
  WB_BLOCK int64_t First(int64_t chunk, int thread) const {
    const int64_t i = chunk * kSelectChunk + int64_t{thread} * kSelectRun;
    return i < count ? i : count;
  }
};

// How often each digit occurs in each chunk.
template <class Keys>
struct CountDigitsBlock {
  DigitPass<Keys> pass;
  int64_t* counts;  // [kDigits, chunks]

  WB_BLOCK void operator()(GpuBlock& block) const {
    auto* const found = block.template Shared<uint32_t>(kDigits);
    for (int64_t chunk = block.index(); chunk < pass.chunks; chunk += block.count()) {
      block.ForEach([&](int thread) {
        if (thread < kDigits) found[thread] = 0;
      });
      block.ForEach([&](int thread) {
        for (int64_t i = pass.First(chunk, thread); i < pass.First(chunk, thread + 1); ++i) {
          AtomicAdd(found + pass.Digit(pass.Item(i)), 1u);
        }
      });
      block.ForEach([&](int thread) {
        if (thread < kDigits) counts[thread * pass.chunks + chunk] = found[thread];
      });
    }
  }
};

template <class Keys>
struct PlaceDigitsBlock {
  DigitPass<Keys> pass;
  const int64_t* before;  // [kDigits, chunks]: of less digits, and of the same in chunks before
  int64_t* sorted;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int threads = block.threads();
    auto* from = block.template Shared<uint32_t>(kDigits * threads);
    auto* to = block.template Shared<uint32_t>(kDigits * threads);
    for (int64_t chunk = block.index(); chunk < pass.chunks; chunk += block.count()) {
      block.ForEach([&](int thread) {
        for (int d = 0; d < kDigits; ++d) from[d * threads + thread] = 0;
        for (int64_t i = pass.First(chunk, thread); i < pass.First(chunk, thread + 1); ++i) {
          ++from[pass.Digit(pass.Item(i)) * threads + thread];
        }
      });
      for (int apart = 1; apart < threads; apart *= 2) {
        block.ForEach([&](int thread) {
          for (int at = thread; at < kDigits * threads; at += threads) {
            to[at] = from[at] + (thread < apart ? 0 : from[at - apart]);
          }
        });
        auto* const summed = to;
        to = from;
        from = summed;
      }
      // A thread counts on from those before it, in places that nobody else uses.
      block.ForEach([&](int thread) {
        for (int at = thread; at < kDigits * threads; at += threads) {
          to[at] = thread == 0 ? 0 : from[at - 1];
        }
        for (int64_t i = pass.First(chunk, thread); i < pass.First(chunk, thread + 1); ++i) {
          const int64_t item = pass.Item(i);
          const int digit = pass.Digit(item);
          sorted[before[digit * pass.chunks + chunk] + to[digit * threads + thread]++] = item;
        }
      });
    }
  }
};

// ends[g]: how many items of a sorted order have keys up to g.
template <class Keys>
struct GroupEndsBlock {
  Keys keys;
  const int64_t* order;  // [items]
  int64_t items, groups;
  int64_t* ends;  // [groups]

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      const int64_t step = block.count() * block.threads();
      for (int64_t g = block.index() * block.threads() + thread; g < groups; g += step) {
        int64_t low = 0, high = items;
        while (low < high) {
          const int64_t middle = (low + high) / 2;
          if (keys.Key(order[middle]) <= static_cast<uint64_t>(g)) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        ends[g] = low;
      }
    });
  }
};

#if WB_HOST_PASS

template <class Keys>
StatusOr<Tensor> SortedOrder(KernelContext& ctx, GpuStream& stream, const Keys& keys, int64_t count,
                             uint64_t bits, Tensor order = Tensor()) {
  const int64_t chunks = (count + kSelectChunk - 1) / kSelectChunk;
  WB_ASSIGN_OR_RETURN(Tensor counts,
                      ctx.AllocateTemp(DType::kInt64, Shape({kDigits * chunks + 1})));
  GpuGrid grid;
  grid.blocks = GpuBlocksFor(chunks);
  grid.threads = kSelectThreads;
  for (int shift = 0; shift < 64; shift += kDigitBits) {
    // The first pass makes an order in any case.
    const bool differs = ((bits >> shift) & (kDigits - 1)) != 0;
    if (!differs && (shift > 0 || order.has_value())) continue;
    WB_ASSIGN_OR_RETURN(Tensor sorted, ctx.AllocateTemp(DType::kInt64, Shape({count})));
    if (count > 0) {
      const int64_t* const items = order.has_value() ? order.data<int64_t>() : nullptr;
      const DigitPass<Keys> pass = {keys, items, count, chunks, shift};
      auto* const at = counts.data<int64_t>();
      grid.shared_bytes = kDigits * sizeof(uint32_t);
      WB_RETURN_IF_ERROR(Launch(stream, grid, CountDigitsBlock<Keys>{pass, at}));
      WB_RETURN_IF_ERROR(GpuSelection::SumCounts(stream, at, kDigits * chunks));
      grid.shared_bytes = 2 * kDigits * sizeof(uint32_t) * static_cast<size_t>(grid.threads);
      WB_RETURN_IF_ERROR(
          Launch(stream, grid, PlaceDigitsBlock<Keys>{pass, at, sorted.data<int64_t>()}));
    }
    order = std::move(sorted);
  }
  return order;
}

// The bits in which the numbers of so many groups differ, and one more that stands for no group.
inline uint64_t GroupBits(int64_t groups) {
  uint64_t bits = 1;
  while (bits < static_cast<uint64_t>(groups)) bits = bits * 2 + 1;
  return bits;
}

template <class Keys>
StatusOr<std::vector<int64_t>> ReadGroupEnds(KernelContext& ctx, ReadableGpuStream& stream,
                                             const Keys& keys, const Tensor& order,
                                             int64_t groups) {
  WB_ASSIGN_OR_RETURN(Tensor on_gpu, ctx.AllocateTemp(DType::kInt64, Shape({groups})));
  GpuGrid grid;
  grid.blocks = GpuBlocksFor((groups + grid.threads - 1) / grid.threads);
  auto* const at = on_gpu.data<int64_t>();
  WB_RETURN_IF_ERROR(
      Launch(stream, grid,
             GroupEndsBlock<Keys>{keys, order.data<int64_t>(), order.num_elements(), groups, at}));
  std::vector<int64_t> ends(static_cast<size_t>(groups));
  WB_RETURN_IF_ERROR(stream.Read(at, groups, ends.data()));
  return ends;
}

#endif

}  // namespace warpbeam::WB_PASS

#define WB_GPU_SORT(...)                          \
  WB_GPU_FUNCTION(CountDigitsBlock<__VA_ARGS__>); \
  WB_GPU_FUNCTION(PlaceDigitsBlock<__VA_ARGS__>)
#define WB_GPU_GROUP_SORT(...) \
  WB_GPU_SORT(__VA_ARGS__);    \
  WB_GPU_FUNCTION(GroupEndsBlock<__VA_ARGS__>)

#endif  // WARPBEAM_OPS_LAUNCH_GPU_SORT_H_
