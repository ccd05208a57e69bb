// NewElementwiseKernel: the part of elementwise kernels that no functor changes.
//
// A loop is a plain function over `count` consecutive elements of the result; inputs whose bit is
// set in `scalars` have one element there. It returns false when a value was refused. The kernel
// works out shapes, reuses buffers, splits the work over threads and calls the loop.
//
// Ownership: the functor's bytes are copied. Thread safety: kernels are stateless. Errors: see
// elementwise.h.
#ifndef WARPBEAM_OPS_LAUNCH_ELEMENTWISE_KERNEL_H_
#define WARPBEAM_OPS_LAUNCH_ELEMENTWISE_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "graph/types/errors.h"
#include "ops/launch/broadcast.h"
#include "ops/launch/gpu_launch.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

using ElementwiseLoop = bool (*)(const void* functor, const void* const* inputs, unsigned scalars,
                                 void* output, int64_t count);

struct ElementwiseSpec {
  static constexpr size_t kMaxFunctorBytes = 32;
  ElementwiseLoop loop = nullptr;
  int num_inputs = 1;
  int picoseconds = 250;                // per element on one core
  bool same_shape = false;              // inputs of different shapes are refused, not broadcast
  bool on_host = false;                 // its tensors are in host memory whatever the device
  DType gpu_variant = DType::kInvalid;  // see gpu_launch.h
  const char* gpu_name = nullptr;       // of the GPU's code, if it is not the op's
  const char* failure = nullptr;        // the message when the loop returns false
  alignas(16) unsigned char functor[kMaxFunctorBytes] = {};
};

StatusOr<std::unique_ptr<Kernel>> NewElementwiseKernel(const ElementwiseSpec& spec,
                                                       KernelInit& init);

// What an elementwise op has for GPUs: its code for real ones and for simulated ones, if any.
struct GpuElementwise {
  GpuElementwise(std::string op, DType dtype, DType variant);

  const std::string op;
  const GpuElementwiseLaunch real, simulated;
};

// Enqueues output[i] = fn(inputs…) by `plan`, or of inputs like the output if null, on the GPU's
// compute stream. Without code for simulated GPUs they run the loop. A GPU cannot refuse values:
// what fails on the host gives some value.
Status EnqueueElementwise(Device& gpu, const ElementwiseSpec& spec, const GpuElementwise& code,
                          const Broadcast* plan, const Tensor* const* inputs, Tensor* output);

// Runs a loop over host tensors: output[i] = loop(inputs…) by `plan`. False when a value was
// refused.
bool RunElementwise(const KernelContext& ctx, const ElementwiseSpec& spec, const Broadcast& plan,
                    const Tensor* const* inputs, Tensor* output);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_ELEMENTWISE_KERNEL_H_
