#include "ops/nn/gpu_loops/channel_walk.h"

namespace warpbeam {
namespace {

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

ChannelExtents ChannelsOf(const Shape& shape, int axis) {
  ChannelExtents data;
  data.channels = shape.dim(axis);
  for (int i = 0; i < axis; ++i) data.outer *= shape.dim(i);
  for (int i = axis + 1; i < shape.rank(); ++i) data.inner *= shape.dim(i);
  // Of a single channel all elements are neighbours.
  if (data.channels == 1) data = {1, 1, data.outer * data.inner};
  return data;
}

bool HasWideItems(const ChannelExtents& data, DType dtype,
                  std::initializer_list<const void*> addresses) {
  const int64_t run = data.inner == 1 ? data.channels : data.inner;
  return FitsPacks(run, static_cast<int64_t>(DTypeSize(dtype)), addresses);
}

ChannelWalk MakeChannelWalk(const ChannelExtents& data, int width, int threads, int64_t blocks) {
  constexpr int64_t kLeastItems = 4;  // of a thread: fewer are not worth a block
  ChannelWalk walk;
  walk.data = data;
  int64_t items = data.outer * (data.inner / width), threads_apart = threads;
  walk.tiles = data.channels;
  if (data.inner == 1 && data.channels > 1) {
    // A warp's threads beside each other read 512 bytes, if their items are wide.
    const int64_t columns = data.channels / width;
    walk.lanes = 1;
    while (walk.lanes < 32 && walk.lanes < columns) walk.lanes *= 2;
    walk.tiles = DivideUp(columns, walk.lanes);
    items = data.outer;
    threads_apart = threads / walk.lanes;
  }
  const int64_t most = std::max<int64_t>(1, DivideUp(items, threads_apart * kLeastItems));
  walk.parts = std::min(most, std::max<int64_t>(1, blocks / std::max<int64_t>(1, walk.tiles)));
  walk.share = std::max<int64_t>(1, DivideUp(items, walk.parts));
  walk.parts = std::max<int64_t>(1, DivideUp(items, walk.share));
  return walk;
}

}  // namespace warpbeam
