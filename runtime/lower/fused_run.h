// RunFused: what the kernels of fused programs have in common on all devices: variables are found
// and locked, values looked at, and memory is found for what is made.
//
//   FusedProgram program = …;
//   return RunFused(program, ctx, [&](const FusedMemory& memory) {
//     char* const place = memory.next[0];            // of the first variable's new value
//     …                                              // one step after the other for each element
//     return OkStatus();
//   });
//
// Where a run is not what the plan expected, the members run one after another instead
// (member_run.h). A variable that nobody else holds is changed in place, else its new value goes to
// new memory, which becomes the variable's once the pass has succeeded. An output takes over the
// memory of an input that no later step reads.
//
// Internal to runtime/lower/. Ownership: memory is held while `pass` runs; what it enqueues comes
// before all that anybody could use the memory for afterwards. Thread safety: any number of steps
// at once; variables are locked for the whole pass, always in one order. Errors: a member's, with
// its name; those of `pass`.
#ifndef WARPBEAM_RUNTIME_LOWER_FUSED_RUN_H_
#define WARPBEAM_RUNTIME_LOWER_FUSED_RUN_H_

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/lower/fused_kernel.h"

namespace warpbeam {

// At the addresses of the device's kernels.
struct FusedMemory {
  absl::InlinedVector<const void*, 8> inputs;  // null for references and handles
  // Of the program's variables: their values before any step, and where updates write.
  absl::InlinedVector<char*, 4> now, next;
};

Status RunFused(const FusedProgram& program, KernelContext& ctx,
                absl::FunctionRef<Status(const FusedMemory& memory)> pass);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_FUSED_RUN_H_
