// NonMaxSuppressionV2, V3 and V4 on a GPU. Boxes are sorted by their scores; then one block takes
// the best that is left, again and again, and drops what overlaps it. The host waits for how many
// there are where the result is as long as that.
#include <cstring>

#include "ops/image/boxes/box_overlap.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_sort.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>

#include "ops/image/boxes/nms_arguments.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// The best score first; zeros of both signs are equal. Boxes that are not above the threshold come
// last, and so does NaN: no other score has their key.
struct ScoreKeys {
  static constexpr uint32_t kNone = ~uint32_t{0};
  const float* scores;
  float threshold;

  WB_BLOCK uint64_t Key(int64_t box) const {
    const float score = scores[box];
    if (!(score > threshold)) return kNone;
    uint32_t bits;
    memcpy(&bits, &score, sizeof(bits));
    constexpr uint32_t kSign = uint32_t{1} << 31;
    if ((bits & ~kSign) == 0) bits = 0;
    return (bits & kSign) != 0 ? bits : ~(bits | kSign);
  }
};

// In one block.
struct TakeBestBoxesBlock {
  ScoreKeys keys;
  BoxOverlap<float> overlap;
  float most_overlap;
  const int64_t* order;  // [boxes]
  bool* is_dropped;      // [boxes], in that order
  int64_t boxes, most;
  int32_t* taken;  // [most]
  int32_t* count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      for (int64_t i = thread; i < boxes; i += block.threads()) {
        is_dropped[i] = keys.Key(order[i]) == ScoreKeys::kNone;
      }
    });
    int64_t found = 0;
    for (int64_t i = 0; i < boxes && found < most; ++i) {
      if (is_dropped[i]) continue;
      const int64_t best = order[i];
      block.ForEach([&](int thread) {
        if (thread == 0) taken[found] = static_cast<int32_t>(best);
        for (int64_t j = i + 1 + thread; j < boxes; j += block.threads()) {
          if (!is_dropped[j] && overlap(order[j], best) > most_overlap) is_dropped[j] = true;
        }
      });
      ++found;
    }
    block.ForEach([&](int thread) {
      if (thread == 0) *count = static_cast<int32_t>(found);
    });
  }
};

// The boxes that were taken, and zeros behind them.
struct WriteBoxesBlock {
  const int32_t* taken;
  const int32_t* count;
  int32_t* y;
  int32_t* valid;  // or null
  int64_t length;
  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      if (block.index() == 0 && thread == 0 && valid != nullptr) *valid = *count;
    });
    ForEachElement(block, length, [&](int64_t i) { y[i] = i < *count ? taken[i] : 0; });
  }
};

WB_GPU_SORT(ScoreKeys);
WB_GPU_FUNCTION(TakeBestBoxesBlock);
WB_GPU_FUNCTION(WriteBoxesBlock);

#if WB_HOST_PASS
namespace {

class NmsOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<NmsOnGpu>(init.attrs.GetOr<bool>("pad_to_max_output_size", false));
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<TakeBestBoxesBlock>(); }
  explicit NmsOnGpu(bool is_padded) : is_padded_(is_padded) {}

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckNmsInputs(ctx, /*has_overlaps=*/false));
    WB_ASSIGN_OR_RETURN(const NmsThresholds thresholds, ReadNmsThresholds(ctx, 0.5f, false));
    const int64_t wanted = ctx.input(2).scalar<int32_t>();
    const int64_t most = std::min(wanted, ctx.input(0).dim(0));
    WB_ASSIGN_OR_RETURN(Tensor taken, ctx.AllocateTemp(DType::kInt32, Shape({most + 1})));
    auto* const count = taken.data<int32_t>() + most;
    WB_RETURN_IF_ERROR(Take(ctx, stream, thresholds, most, taken.data<int32_t>(), count));
    int32_t found = 0;
    if (!is_padded_) WB_RETURN_IF_ERROR(stream.Read(count, 1, &found));
    const int64_t length = is_padded_ ? wanted : found;
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({length})));
    int32_t* valid = nullptr;
    if (ctx.num_outputs() == 2) {
      WB_ASSIGN_OR_RETURN(Tensor * number, ctx.Allocate(1, Shape()));
      valid = number->data<int32_t>();
    }
    GpuGrid grid;
    grid.blocks = GpuBlocksFor((length + grid.threads - 1) / grid.threads);
    return Launch(stream, grid,
                  WriteBoxesBlock{taken.data<int32_t>(), count, y->data<int32_t>(), valid, length});
  }

 private:
  static Status Take(KernelContext& ctx, GpuStream& stream, const NmsThresholds& thresholds,
                     int64_t most, int32_t* taken, int32_t* count) {
    const int64_t boxes = ctx.input(0).dim(0);
    const ScoreKeys keys = {ctx.input(1).data<float>(), thresholds.score};
    WB_ASSIGN_OR_RETURN(const Tensor order, SortedOrder(ctx, stream, keys, boxes, ~uint32_t{0}));
    WB_ASSIGN_OR_RETURN(Tensor is_dropped, ctx.AllocateTemp(DType::kBool, Shape({boxes})));
    TakeBestBoxesBlock take = {};
    take.keys = keys;
    take.overlap = {ctx.input(0).data<float>()};
    take.most_overlap = thresholds.overlap;
    take.order = order.data<int64_t>();
    take.is_dropped = is_dropped.data<bool>();
    take.boxes = boxes;
    take.most = most;
    take.taken = taken;
    take.count = count;
    GpuGrid grid;
    grid.threads = 1024;
    return Launch(stream, grid, take);
  }

  const bool is_padded_;
};

}  // namespace

WB_GPU_KERNEL("NonMaxSuppressionV2", NmsOnGpu);
WB_GPU_KERNEL("NonMaxSuppressionV3", NmsOnGpu);
WB_GPU_KERNEL("NonMaxSuppressionV4", NmsOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
