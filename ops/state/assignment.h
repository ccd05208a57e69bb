// Assignments: how a value becomes a variable's, for kernels of all devices.
//
//   WB_ASSIGN_OR_RETURN(Tensor value, ValueToKeep(ctx, ctx.input(1)));
//   return assignment_.Run(ctx, std::move(value));
//
// The variable shares the value's buffer; whoever changes it first makes a copy. Kernels differ
// only in how they make the copy of a value that is not worth keeping as it is.
//
// Thread safety: Run from several threads at once. Errors: INVALID_ARGUMENT for a value whose dtype
// or shape the variable does not take.
#ifndef WARPBEAM_OPS_STATE_ASSIGNMENT_H_
#define WARPBEAM_OPS_STATE_ASSIGNMENT_H_

#include <memory>

#include "absl/functional/function_ref.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

// Makes `value`, whose shape is known to fit, the variable's; under its lock.
using PutValue =
    absl::FunctionRef<Status(const Variable& variable, Tensor& current, Tensor& value)>;
Status SwapValues(const Variable& variable, Tensor& current, Tensor& value);

// Assign: to the reference in input 0, which becomes output 0.
class ReferenceAssignment {
 public:
  static StatusOr<std::unique_ptr<ReferenceAssignment>> Create(const KernelInit& init);
  Status Run(KernelContext& ctx, Tensor value, PutValue put = &SwapValues);

 private:
  bool validate_shape_ = true;
};

// AssignVariableOp: to the variable of the handle in input 0, which is made if there is none.
class ResourceAssignment {
 public:
  static StatusOr<std::unique_ptr<ResourceAssignment>> Create(const KernelInit& init);
  Status Run(KernelContext& ctx, Tensor value, PutValue put = &SwapValues);

 private:
  StatusOr<std::shared_ptr<Variable>> Make(KernelContext& ctx) const;

  DType dtype_ = DType::kInvalid;
  bool validate_shape_ = false;
  VariableFinder finder_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_ASSIGNMENT_H_
