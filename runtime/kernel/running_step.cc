#include "runtime/kernel/running_step.h"

#include <utility>

#include "graph/abandonment.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

thread_local const StepContext* current = nullptr;

}  // namespace

RunningStep::RunningStep(const StepContext* step) : before_(std::exchange(current, step)) {}
RunningStep::~RunningStep() { current = before_; }

bool RunningStep::IsOver() { return current != nullptr ? current->IsCancelled() : IsAbandoned(); }

}  // namespace warpbeam
