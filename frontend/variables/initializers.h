// Initializers: where the first value of a variable comes from (tf.zeros_initializer and its kin).
//
//   Variable w = GetVariable(scope, "w", {784, 500}, TruncatedNormalInitializer(0, 0.1));
//   Initializer identity([](const Scope& s, const Shape& shape, DType dtype) { … });
//
// Ownership: values; what a function captures is copied with it. Thread safety: that of the Scope.
// Errors: an initializer reports through the scope it gets.
#ifndef WARPBEAM_FRONTEND_VARIABLES_INITIALIZERS_H_
#define WARPBEAM_FRONTEND_VARIABLES_INITIALIZERS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// What of a variable is to be initialized: all of it, or a part of one that is cut.
struct VariablePart {
  static VariablePart Whole(const Shape& shape) {
    return {shape, shape, std::vector<int64_t>(static_cast<size_t>(shape.rank()))};
  }

  Shape shape;
  Shape full_shape;
  std::vector<int64_t> offset;
};

class Initializer {
 public:
  using Function = std::function<Output(const Scope& scope, const Shape& shape, DType dtype)>;
  // For one to which it matters what a part is part of.
  using PartFunction =
      std::function<Output(const Scope& scope, const VariablePart& part, DType dtype)>;
  Initializer() = default;
  explicit Initializer(Function function);
  explicit Initializer(PartFunction function) : function_(std::move(function)) {}

  bool has_value() const { return function_ != nullptr; }
  // Not valid without a function.
  Output operator()(const Scope& scope, const VariablePart& part, DType dtype) const {
    return has_value() ? function_(scope, part, dtype) : Output();
  }
  Output operator()(const Scope& scope, const Shape& shape, DType dtype) const {
    return (*this)(scope, VariablePart::Whole(shape), dtype);
  }

 private:
  PartFunction function_;
};

// The part of `whole`.
Output PartOf(const Scope& scope, const Output& whole, const VariablePart& part);

Initializer ZerosInitializer();
Initializer OnesInitializer();
// One value for every element, or as many as there are elements, in row-major order.
Initializer ConstantInitializer(double value);
Initializer ConstantInitializer(std::vector<double> values);
Initializer RandomUniformInitializer(double minimum = -0.05, double maximum = 0.05,
                                     std::optional<int64_t> seed = std::nullopt);
Initializer RandomNormalInitializer(double mean = 0, double stddev = 1,
                                    std::optional<int64_t> seed = std::nullopt);
// Values further than two standard deviations from the mean are drawn again.
Initializer TruncatedNormalInitializer(double mean = 0, double stddev = 1,
                                       std::optional<int64_t> seed = std::nullopt);
// Uniform in ±sqrt(6 / (fan_in + fan_out)); what get_variable uses where nothing else is said.
Initializer GlorotUniformInitializer(std::optional<int64_t> seed = std::nullopt);

// The weights that lead into and out of one unit of a layer with weights of this shape.
struct Fans {
  double in = 1;
  double out = 1;
};
Fans ComputeFans(const Shape& shape);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VARIABLES_INITIALIZERS_H_
