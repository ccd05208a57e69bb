// UpdateForm: one op of an update rule, and what the kernels of all devices do before they compute.
//
//   WB_ASSIGN_OR_RETURN(const UpdateForm* form, FormOf(init.schema.name));
//   return WithUpdateValues(ctx, *form, finders, [&](const UpdateValues& values) {
//     return CheckGradient(ctx, *form, values[0]);
//   });
//
// All variables of an op are locked while it runs, always in one order. Everything is checked
// before anything is written.
//
// Ownership: forms are static. Thread safety: pure but for the variables. Errors:
// FAILED_PRECONDITION for a variable without a value, INVALID_ARGUMENT for shapes and dtypes that
// do not fit.
#ifndef WARPBEAM_OPS_TRAINING_UPDATE_FORM_H_
#define WARPBEAM_OPS_TRAINING_UPDATE_FORM_H_

#include <array>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "ops/state/variable_access.h"
#include "ops/training/update_rule.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam::host_pass {

// One op of a rule, with the places of its inputs.
struct UpdateForm {
  UpdateRule rule;
  bool resource = false, sparse = false;
  std::string op, attr;            // "SparseApplyMomentum", "use_nesterov"
  std::vector<std::string> names;  // of all inputs
  int variables = 1;
  int gradient = 0;
  int indices = -1;
  std::vector<int> scalars;
  // What the scalars must be: '>', '+' (not negative), '-' (not positive), ' '.
  std::string conditions;
};

UpdateForm MakeForm(const UpdateRule& rule, bool resource, bool sparse);
// Keeps a form under its op's name: a kernel's factory knows that and nothing more.
const UpdateForm& KeepForm(UpdateForm form);
StatusOr<const UpdateForm*> FormOf(const std::string& op);
// The op's boolean attribute; false where it has none.
StatusOr<bool> FlagOf(const UpdateForm& form, const KernelInit& init);

// The values of an op's variables while they are locked: one for each variable, of which two may be
// one, and each of them once.
struct UpdateValues {
  absl::InlinedVector<Tensor*, kMostVariables> distinct;
  std::array<int, kMostVariables> place{};  // of variable i in `distinct`
  Tensor& operator[](int i) const { return *distinct[place[i]]; }
};

// Finds the variables in the inputs, locks them, checks their values against each other and against
// the gradient's dtype, and calls `then`; a reference is handed on as output 0. `finders` has one
// for each handle.
Status WithUpdateValues(KernelContext& ctx, const UpdateForm& form,
                        std::vector<VariableFinder>& finders,
                        absl::FunctionRef<Status(const UpdateValues& values)> then);

using UpdateInputAt = absl::FunctionRef<const Tensor&(int input)>;
// That the scalars are scalars; their values are not looked at.
Status CheckScalarShapes(const UpdateForm& form, UpdateInputAt input);
// That the gradient, and the indices, fit a variable of value `value`.
Status CheckGradient(const KernelContext& ctx, const UpdateForm& form, const Tensor& value);

}  // namespace warpbeam::host_pass

#endif  // WARPBEAM_OPS_TRAINING_UPDATE_FORM_H_
