#include "graph/abandonment.h"

#include <utility>

namespace warpbeam {
namespace {

thread_local const std::atomic<bool>* current = nullptr;

}  // namespace

AbandonmentScope::AbandonmentScope(const std::atomic<bool>* abandoned)
    : before_(std::exchange(current, abandoned)) {}
AbandonmentScope::~AbandonmentScope() { current = before_; }
const std::atomic<bool>* AbandonmentScope::Current() { return current; }

bool IsAbandoned() { return current != nullptr && current->load(std::memory_order_relaxed); }

Status CheckStillWanted() {
  if (!IsAbandoned()) return OkStatus();
  return Cancelled("nobody waits any more for what was being compiled");
}

}  // namespace warpbeam
