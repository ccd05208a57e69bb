// StoppableFor: KernelContext::ParallelFor for loops that may take long and whose results a kernel
// only hands on. Once the step is cancelled the items that have not begun are left out.
//
//   if (!StoppableFor(ctx, n, /*ns_per_item=*/200, [&](int64_t begin, int64_t end) { … })) {
//     return StepIsOver();
//   }
//
// What is left out has no value: a kernel that takes what the loop computes as a size or an index,
// or that changes a variable, must look at the result, or use ParallelFor. Where the outputs are
// all that is missing it need not: nobody sees them.
//
// `fn` is called with pieces of some milliseconds, as far as `ns_per_item` is right.
//
// Thread safety: as ParallelFor. Errors: StepIsOver is CANCELLED; the step says why.
#ifndef WARPBEAM_RUNTIME_KERNEL_STOPPABLE_LOOP_H_
#define WARPBEAM_RUNTIME_KERNEL_STOPPABLE_LOOP_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// False when items were left out.
bool StoppableFor(const KernelContext& ctx, int64_t count, int64_t ns_per_item,
                  absl::FunctionRef<void(int64_t begin, int64_t end)> fn);

Status StepIsOver();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_STOPPABLE_LOOP_H_
