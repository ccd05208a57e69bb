#include "frontend/monitored/global_step_reader.h"

#include "frontend/training/global_step.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {

StatusOr<Variable> GlobalStepOf(const Scope& scope, std::string_view who) {
  const Variable step = GetGlobalStep(scope);
  if (!step.valid()) {
    return FailedPrecondition(who, " needs the global step, and the graph has none; make one with ",
                              "GetOrCreateGlobalStep and give it to Minimize");
  }
  if ((step.dtype() != DType::kInt64 && step.dtype() != DType::kInt32) ||
      step.shape().num_elements() != 1) {
    return InvalidArgument("the global step '", step.name(), "' is ", DTypeName(step.dtype()),
                           step.shape().ToString(), "; it must be one whole number");
  }
  return step;
}

StatusOr<int64_t> ReadStep(ClientSession& session, const Variable& step) {
  WB_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched, session.Run({step}));
  return StepValue(fetched[0]);
}

int64_t StepValue(const Tensor& value) {
  return value.dtype() == DType::kInt32 ? value.scalar<int32_t>() : value.scalar<int64_t>();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
