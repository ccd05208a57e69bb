// The kernel behind a plan's copies: moves one tensor between memories on a stream.
//
//   plan.program.own_kernels.push_back(NewCopyKernel(from_device, to_device, stream,
//                                                    /*is_async=*/true));
//
// An asynchronous copy is done when the stream has come by. One that is not is done when it is
// enqueued: whoever reads it has to wait for the stream.
//
// A null device stands for host memory. Ownership: refers to devices and stream. Thread safety: as
// Kernel. Errors: RESOURCE_EXHAUSTED in the destination's memory; those of the stream.
#ifndef WARPBEAM_RUNTIME_COMPILE_COPY_KERNEL_H_
#define WARPBEAM_RUNTIME_COMPILE_COPY_KERNEL_H_

#include <memory>

#include "runtime/device/device.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

std::unique_ptr<Kernel> NewCopyKernel(Device* from, Device* to, Stream* stream, bool is_async);

// Copies one tensor and waits for it; for constants, feeds and fetches outside a step.
StatusOr<Tensor> CopyNow(const Tensor& tensor, Device* from, Device* to);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_COPY_KERNEL_H_
