#include "tests/golden/gradient_differences.h"

#include "absl/strings/str_cat.h"
#include "graph/gradients/gradient_registry.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// In tf_no_gradient.txt's words; "differentiable" for an op that is not in it.
std::string KindOf(const std::string& op) {
  const GradientEntry* entry = GradientRegistry::Global().Find(op);
  if (entry == nullptr || !entry->reason.empty()) return "unregistered";
  return entry->function == nullptr ? "not_differentiable" : "differentiable";
}

// Calls of functions are differentiated by the function's own gradient.
bool IsCall(const std::string& op) {
  return op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "SymbolicGradient";
}

}  // namespace

StatusOr<DifferenceMap> GradientDifferences() {
  WB_RETURN_IF_ERROR(GradientRegistry::GlobalStatus());
  WB_ASSIGN_OR_RETURN(const DifferenceMap without,
                      ReadDifferences("tests/golden/tf_no_gradient.txt"));
  WB_ASSIGN_OR_RETURN(const DifferenceMap ops, ReadDifferences("tests/golden/ops.txt"));
  DifferenceMap found;
  for (const auto& [op, unused] : ops) {
    if (!KernelRegistry::Global().KnowsOp(op) || IsCall(op)) continue;
    const auto golden = without.find(op);
    const std::string wanted = golden == without.end() ? "differentiable" : golden->second;
    if (KindOf(op) != wanted) found[op] = absl::StrCat("ours: ", KindOf(op), ", theirs: ", wanted);
  }
  return found;
}

}  // namespace warpbeam
