// RunMembers: the members of a fused node one after another, each as its own kernel.
//
//   return RunMembers(program, ctx);
//   return RunMembers(program, ctx, &product);     // the first member has run; that is its result
//
// What fused nodes do where a step is not what the plan expected: results and errors are those that
// the members would have alone. Internal to runtime/lower/. Ownership: results go into the context.
// Thread safety: as the kernels. Errors: a member's, with its name.
#ifndef WARPBEAM_RUNTIME_LOWER_MEMBER_RUN_H_
#define WARPBEAM_RUNTIME_LOWER_MEMBER_RUN_H_

#include "runtime/kernel/kernel_context.h"
#include "runtime/lower/fused_kernel.h"

namespace warpbeam {

// Moves out of `first` when it is given.
Status RunMembers(const FusedProgram& program, KernelContext& ctx, Tensor* first = nullptr);

// A member's error as the fused node gives it.
Status OfMember(const Status& status, const FusedProgram::Step& step);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_MEMBER_RUN_H_
