#include "runtime/state/variable_watch.h"

#include "graph/types/tensor.h"

namespace warpbeam {
namespace {

thread_local VariableWatch* current = nullptr;

}  // namespace

VariableWatch::VariableWatch() { current = this; }
VariableWatch::~VariableWatch() { current = nullptr; }

const void* VariableWatch::MemoryOf(const Tensor& value) {
  return value.has_value() && value.buffer() ? value.buffer()->data() : nullptr;
}

void VariableWatch::Saw(const Variable* variable, const Tensor& value, bool changes) {
  if (current == nullptr) return;
  const auto [place, is_new] = current->index_.try_emplace(variable, current->seen_.size());
  if (is_new) {
    current->seen_.push_back({const_cast<Variable*>(variable), MemoryOf(value), changes});
  } else {
    current->seen_[place->second].changes |= changes;
  }
}

}  // namespace warpbeam
