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
// important first. `bits` are those in which keys differ: others need not be looked at. The sort is
// CUB's (gpu_cub.h).
//
// Where keys are the numbers of groups, ReadGroupEnds tells the host where each group ends.
//
// Ownership: orders are tensors of int64 on the GPU. Thread safety: one thread. Errors:
// RESOURCE_EXHAUSTED, those of launches and of reading.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_SORT_H_
#define WARPBEAM_OPS_LAUNCH_GPU_SORT_H_

#include <cstdint>

#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_cub.h"
#include "ops/launch/gpu_function.h"
#if WB_HOST_PASS
#include <utility>
#include <vector>

#include "runtime/kernel/read_back_kernel.h"
#endif

namespace warpbeam::WB_PASS {

// Keys and items in the order in which they are sorted.
template <class Keys>
struct KeysToSortBlock {
  Keys keys;
  const int64_t* order;  // [count]; null: as they are numbered
  int64_t count;
  uint64_t* at;
  int64_t* items;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      items[i] = order == nullptr ? i : order[i];
      at[i] = keys.Key(items[i]);
    });
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
    ForEachElement(block, groups, [&](int64_t g) {
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
    });
  }
};

#if WB_HOST_PASS

template <class Keys>
StatusOr<Tensor> SortedOrder(KernelContext& ctx, GpuStream& stream, const Keys& keys, int64_t count,
                             uint64_t bits, Tensor order = Tensor()) {
  if (bits == 0 && order.has_value()) return order;
  const Shape shape({count});
  WB_ASSIGN_OR_RETURN(Tensor at, ctx.AllocateTemp(DType::kUInt64, shape));
  WB_ASSIGN_OR_RETURN(Tensor items, ctx.AllocateTemp(DType::kInt64, shape));
  if (count == 0) return items;
  WB_RETURN_IF_ERROR(
      Launch(stream, ElementGrid(count),
             KeysToSortBlock<Keys>{keys, order.has_value() ? order.data<int64_t>() : nullptr, count,
                                   at.data<uint64_t>(), items.data<int64_t>()}));
  if (bits == 0) return items;
  WB_ASSIGN_OR_RETURN(Tensor sorted_keys, ctx.AllocateTemp(DType::kUInt64, shape));
  WB_ASSIGN_OR_RETURN(Tensor sorted, ctx.AllocateTemp(DType::kInt64, shape));
  GpuSort sort;
  sort.keys = at.data<uint64_t>();
  sort.sorted_keys = sorted_keys.data<uint64_t>();
  sort.items = items.data<int64_t>();
  sort.sorted_items = sorted.data<int64_t>();
  sort.count = count;
  while ((bits >> sort.first_bit & 1) == 0) ++sort.first_bit;
  while ((bits >> (sort.end_bit - 1) & 1) == 0) --sort.end_bit;
  WB_RETURN_IF_ERROR(EnqueueSort(ctx, stream, sort));
  return sorted;
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
  auto* const at = on_gpu.data<int64_t>();
  WB_RETURN_IF_ERROR(
      Launch(stream, ElementGrid(groups),
             GroupEndsBlock<Keys>{keys, order.data<int64_t>(), order.num_elements(), groups, at}));
  std::vector<int64_t> ends(static_cast<size_t>(groups));
  WB_RETURN_IF_ERROR(stream.Read(at, groups, ends.data()));
  return ends;
}

#endif

}  // namespace warpbeam::WB_PASS

#define WB_GPU_SORT(...) WB_GPU_FUNCTION(KeysToSortBlock<__VA_ARGS__>)
#define WB_GPU_GROUP_SORT(...) \
  WB_GPU_SORT(__VA_ARGS__);    \
  WB_GPU_FUNCTION(GroupEndsBlock<__VA_ARGS__>)

#endif  // WARPBEAM_OPS_LAUNCH_GPU_SORT_H_
