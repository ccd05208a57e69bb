#include "frontend/input.h"

#include <algorithm>

#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

template <typename T>
Tensor ScalarOrVector(std::vector<T> values, bool scalar) {
  return scalar ? Tensor::Scalar<T>(values[0]) : Tensor::Vector<T>(MakeConstSpan(values));
}

}  // namespace

Input::Input(const std::vector<std::string>& values)
    : value_(Tensor::Vector<std::string>(MakeConstSpan(values))) {}

Input::Input(std::initializer_list<Literal> values) {
  const Literal list(values);
  const DType numbers = list.is_whole() ? DType::kInt64 : DType::kDouble;
  const DType kept = list.adapts() ? numbers : list.dtype();
  StatusOr<Tensor> value = list.As(kept);
  if (value.ok()) {
    value_ = *std::move(value);
  } else {
    value_ = Tensor::Vector<std::string>({});
    problem_ = value.status();
  }
  if (list.adapts()) natural_ = list.dtype();
}

Tensor Input::BoolVector(const std::vector<bool>& values) {
  StatusOr<Tensor> made =
      Tensor::Allocate(DType::kBool, Shape({static_cast<int64_t>(values.size())}));
  if (!made.ok()) return Tensor();
  std::copy(values.begin(), values.end(), made->data<bool>());
  return *std::move(made);
}

Input::Number Input::Whole(std::vector<int64_t> values, DType natural, bool scalar) {
  return {ScalarOrVector(std::move(values), scalar), natural};
}

Input::Number Input::Fractions(std::vector<double> values, bool scalar) {
  return {ScalarOrVector(std::move(values), scalar), DType::kFloat};
}

DType Input::dtype() const {
  if (!is_value()) return output_.dtype();
  return adapts() ? natural_ : value_.dtype();
}

int Input::rank() const {
  if (is_value()) return value_.rank();
  const PartialShape shape = output_.shape();
  return shape.rank();
}

StatusOr<Tensor> Input::ValueAs(DType dtype) const {
  dtype = BaseType(dtype);
  if (!is_value()) return Internal("not a value");
  WB_RETURN_IF_ERROR(problem_);
  if (value_.dtype() == dtype) return value_;
  if (!adapts()) {
    return InvalidArgument("a ", DTypeName(value_.dtype()), " tensor where ", DTypeName(dtype),
                           " is needed; use Cast");
  }
  return ConvertNumbers(value_, dtype);
}

}  // namespace frontend
}  // namespace warpbeam
