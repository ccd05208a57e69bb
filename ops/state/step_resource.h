// Resources of a step: tensor arrays and stacks. The handle tensor owns what it names, so that the
// object goes when the last handle does, at the end of the step at the latest, and so that reaching
// it needs no look-up by name and no lock.
//
//   WB_ASSIGN_OR_RETURN(
//       Tensor handle, NewStepHandle(ctx, DType::kResource, "_tensor_arrays", name, array));
//   WB_ASSIGN_OR_RETURN(auto found, FindInStep<TensorArray>(ctx, 0));      // in another kernel
//
// Identity, Switch, Merge, loops and function calls hand the same tensor on. An op that copies the
// element of a handle into another tensor (Pack) loses what it names. Handles come in three
// generations: a DT_RESOURCE scalar, a vector of two strings (container and name), a reference to
// such a vector.
//
// Ownership: as said. Thread safety: any thread. Errors: NOT_FOUND for a handle that names nothing,
// something of another kind, or something of another step.
#ifndef WARPBEAM_OPS_STATE_STEP_RESOURCE_H_
#define WARPBEAM_OPS_STATE_STEP_RESOURCE_H_

#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/step_context.h"
#include "runtime/state/variable.h"

namespace warpbeam {

// A name that no other resource of the process has: "gradients/lstm_17".
std::string UniqueStepName(const std::string& base);

// A handle for an output of type DT_RESOURCE or DT_STRING.
StatusOr<Tensor> NewStepHandle(const KernelContext& ctx, DType type, std::string container,
                               std::string name, std::shared_ptr<Resource> resource);

StatusOr<std::shared_ptr<Resource>> FindInStep(const KernelContext& ctx, int input,
                                               std::type_index type);
template <class T>
StatusOr<std::shared_ptr<T>> FindInStep(const KernelContext& ctx, int input) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Resource> found, FindInStep(ctx, input, typeid(T)));
  return std::static_pointer_cast<T>(std::move(found));
}

// Reference outputs that are another one in every execution. A reference is in use until its step
// ends or is cancelled; then it is empty, and may serve another step.
//
//   WB_ASSIGN_OR_RETURN(RefVariable * reference, references_.New(ctx, handle));
//   ctx.set_output_ref(0, reference);
class StepReferences {
 public:
  StepReferences() : pool_(std::make_shared<Pool>()) {}
  StatusOr<RefVariable*> New(const KernelContext& ctx, Tensor value);

 private:
  struct Pool {
    std::mutex mutex;
    std::vector<std::unique_ptr<RefVariable>> all;
    std::vector<RefVariable*> free;
  };
  std::shared_ptr<Pool> pool_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_STEP_RESOURCE_H_
