#include "ops/data/file_access.h"

#include "runtime/executor/function_plans.h"

namespace warpbeam {

absl::Status CheckAllowed(const FunctionRunner* functions, Capability capability) {
  const auto* plans = dynamic_cast<const FunctionPlans*>(functions);
  if (plans == nullptr) return absl::OkStatus();
  OpSchema needs;
  needs.capability = capability;
  return plans->allowed().Check(needs);
}

}  // namespace warpbeam
