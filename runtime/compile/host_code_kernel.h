// HostCodeKernel: a kernel of host code on a device whose kernels only enqueue.
//
// A simulated GPU has no code of its own: its kernels are the CPU's, which compute when they are
// called. To be launched as on a real GPU they are split in two. The launch infers the shapes of
// the outputs, takes memory for them and goes on; what computes is enqueued, and finds its inputs
// and outputs at the addresses that the launch has seen, whoever has let go of the tensors since.
// So a wait between streams that is missing shows in the plain tests, as it would on a GPU.
//
//   std::unique_ptr<Kernel> launched = NewHostCodeKernel(node, info, kernel, gpu);
//
// Three kinds of kernels are not split. One that only hands on what it is given, or whose arguments
// are all in host memory, touches no device memory and runs at the launch. One that has state,
// calls functions or leaves an output in host memory first waits for the stream, as a GPU's kernel
// does that has to look at what was computed; so does a kernel whose outputs' shapes depend on
// values that only the device has.
//
// Ownership: refers to the node, the kernel and the device, which outlive it. Thread safety: as
// Kernel. Errors: of the launch, as the kernel's; what the enqueued part meets cancels the step,
// naming the node.
#ifndef WARPBEAM_RUNTIME_COMPILE_HOST_CODE_KERNEL_H_
#define WARPBEAM_RUNTIME_COMPILE_HOST_CODE_KERNEL_H_

#include <memory>

#include "graph/graph.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// Null where `kernel` may run at the launch as it is. `info` is the node's in its plan, of which
// the outputs and the memories have to be known.
std::unique_ptr<Kernel> NewHostCodeKernel(const Node& node, const KernelContext::NodeInfo& info,
                                          Kernel* kernel, Device* device);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_HOST_CODE_KERNEL_H_
