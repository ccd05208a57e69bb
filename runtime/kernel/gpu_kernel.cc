#include "runtime/kernel/gpu_kernel.h"

#include <utility>

namespace warpbeam {

Status GpuStream::RunOnHost(std::function<void()> kernel) {
  if (device_.execution_model() == ExecutionModel::kEnqueues) {
    return device_.compute_stream()->RunOnHost(std::move(kernel));
  }
  kernel();
  return OkStatus();
}

}  // namespace warpbeam
