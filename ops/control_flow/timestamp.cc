// Timestamp: the time of the clock, in seconds since 1970.
#include <chrono>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunTimestamp(KernelContext& ctx) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  ctx.set_output(0, Tensor::Scalar<double>(std::chrono::duration<double>(now).count()));
  return OkStatus();
}

WB_OP("Timestamp").Output("ts: double").Stateful().Shape(shapes::Scalar);
WB_KERNEL("Timestamp", FunctionKernel<RunTimestamp>).Cpu().Cheap();
WB_NO_GRADIENT("Timestamp");

}  // namespace
}  // namespace warpbeam
