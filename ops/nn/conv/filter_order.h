// FilterOrder: filters in the order in which a library for GPUs takes them, on a GPU.
//
// Ours are [taps, channels of a group, output channels]. cuDNN's are [output channels, taps,
// channels] beside data with its channels last, and [output channels, channels, taps] beside data
// with its channels first. Both ways are one and the same move: the first and the last of three
// axes change places.
//
//   const FilterOrder order(geometry, /*channels_first=*/false);
//   WB_RETURN_IF_ERROR(order.ToLibrary(stream, DType::kFloat, filter, copy));
//   WB_RETURN_IF_ERROR(order.FromLibrary(stream, DType::kFloat, copy, filter));
//
// Thread safety: a value. Errors: UNIMPLEMENTED for elements of other sizes than 2, 4 and 8 bytes,
// and on a real GPU in a build without its code; INTERNAL from the driver.
#ifndef WARPBEAM_OPS_NN_CONV_FILTER_ORDER_H_
#define WARPBEAM_OPS_NN_CONV_FILTER_ORDER_H_

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "ops/nn/conv/conv_geometry.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

class FilterOrder {
 public:
  FilterOrder(const ConvGeometry& g, bool channels_first)
      : first_(channels_first ? g.taps() : g.taps() * g.group_inputs()),
        middle_(channels_first ? g.group_inputs() : 1),
        last_(g.out_channels) {}

  // Both enqueue; `from` and `to` are addresses on the GPU.
  Status ToLibrary(GpuStream& stream, DType dtype, const void* from, void* to) const;
  Status FromLibrary(GpuStream& stream, DType dtype, const void* from, void* to) const;

 private:
  const int64_t first_, middle_, last_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_FILTER_ORDER_H_
