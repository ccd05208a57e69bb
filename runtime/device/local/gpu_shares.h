// GpuShares: which GPUs a session has, and how much of each: TensorFlow's visible_device_list,
// virtual_devices and num_virtual_devices_per_gpu.
//
//   GpuShareOptions options;
//   options.visible = {1, 0};                        // the machine's second GPU is /gpu:0
//   options.parts = {{1 << 30, 1 << 30}};            // which is cut in two, of 1 GiB each
//   WB_ASSIGN_OR_RETURN(const std::vector<GpuShare> shares, GpuShares(options, /*there_are=*/2));
//   // /gpu:0 and /gpu:1 are on GPU 1, /gpu:2 on GPU 0
//
// A list of GPUs is also read from text, as "1,0".
//
// Ownership: values. Thread safety: pure functions. Errors: INVALID_ARGUMENT, with what may be
// asked for.
#ifndef WARPBEAM_RUNTIME_DEVICE_LOCAL_GPU_SHARES_H_
#define WARPBEAM_RUNTIME_DEVICE_LOCAL_GPU_SHARES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

struct GpuShareOptions {
  // Of the machine's GPUs, in the order of their devices; empty: all, in their own.
  std::vector<int> visible;
  // At most so many of them; -1: all.
  int most = -1;
  // At most so much of the memory of each, from 0 to 1.
  double memory_fraction = 1;
  // Of each of them, in that order, the bytes of each device that it is cut into. One that is not
  // named, or has no parts, is one device.
  std::vector<std::vector<int64_t>> parts;
  // Or each is cut into so many devices, which share its memory equally; 0: it is not.
  int equal_parts = 0;
};

// One device.
struct GpuShare {
  int gpu = 0;
  double memory_fraction = 1;
  int64_t memory_bytes = 0;  // 0: as the fraction says
};

StatusOr<std::vector<GpuShare>> GpuShares(const GpuShareOptions& options, int there_are);

StatusOr<std::vector<int>> ParseVisibleGpus(absl::string_view text);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_LOCAL_GPU_SHARES_H_
