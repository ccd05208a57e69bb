#include "runtime/state/variable.h"

#include "runtime/state/variable_watch.h"

namespace warpbeam {

std::string Variable::DebugString() const {
  return absl::StrCat("variable '", name_, "' of ", DTypeName(dtype_));
}

bool Variable::IsInitialized() const {
  std::lock_guard<std::mutex> lock(mutex_);
  VariableWatch::Saw(this, value_, false);
  return value_.has_value();
}

Tensor Variable::Read() const {
  std::lock_guard<std::mutex> lock(mutex_);
  VariableWatch::Saw(this, value_, false);
  return value_;
}

StatusOr<Tensor> Variable::ReadInitialized() const {
  Tensor value = Read();
  if (!value.has_value()) {
    return FailedPrecondition("Attempting to use uninitialized value ", name_,
                              "; run its initializer first");
  }
  return value;
}

void Variable::Assign(Tensor value) {
  std::lock_guard<std::mutex> lock(mutex_);
  VariableWatch::Saw(this, value_, true);
  std::swap(value_, value);
}

Status Variable::Update(absl::FunctionRef<Status(Tensor& value)> change) {
  std::lock_guard<std::mutex> lock(mutex_);
  VariableWatch::Saw(this, value_, true);
  return change(value_);
}

}  // namespace warpbeam
