#include "frontend/variables/initializers.h"

#include <cmath>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/random.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

std::vector<int32_t> ShapeValues(const Shape& shape) {
  return std::vector<int32_t>(shape.dims().begin(), shape.dims().end());
}

}  // namespace

Initializer::Initializer(Function function) {
  if (function == nullptr) return;
  function_ = [function = std::move(function)](const Scope& scope, const VariablePart& part,
                                               DType dtype) {
    return function(scope, part.shape, dtype);
  };
}

Output PartOf(const Scope& scope, const Output& whole, const VariablePart& part) {
  const std::vector<int32_t> begin(part.offset.begin(), part.offset.end());
  return BuildOutput(scope, "Slice", {whole, begin, ShapeValues(part.shape)});
}

Initializer ZerosInitializer() {
  return Initializer([](const Scope& scope, const Shape& shape, DType dtype) {
    return Zeros(scope, shape, dtype);
  });
}

Initializer OnesInitializer() {
  return Initializer([](const Scope& scope, const Shape& shape, DType dtype) {
    return Ones(scope, shape, dtype);
  });
}

Initializer ConstantInitializer(double value) {
  return ConstantInitializer(std::vector<double>{value});
}

Initializer ConstantInitializer(std::vector<double> values) {
  return Initializer([values](const Scope& scope, const Shape& shape, DType dtype) {
    // An integer type takes whole numbers.
    if (IsFloating(dtype) || IsComplex(dtype)) return Constant(scope, values, dtype, shape);
    std::vector<int64_t> whole;
    for (double value : values) {
      if (value != std::floor(value) || std::fabs(value) > 9e18) {
        scope.Fail(
            InvalidArgument("a variable of ", DTypeName(dtype), " cannot begin with ", value));
        return Output();
      }
      whole.push_back(static_cast<int64_t>(value));
    }
    return Constant(scope, whole, dtype, shape);
  });
}

Initializer RandomUniformInitializer(double minimum, double maximum, std::optional<int64_t> seed) {
  return Initializer([=](const Scope& scope, const Shape& shape, DType dtype) {
    return RandomUniform(scope, ShapeValues(shape), minimum, maximum, dtype, seed);
  });
}

Initializer RandomNormalInitializer(double mean, double stddev, std::optional<int64_t> seed) {
  return Initializer([=](const Scope& scope, const Shape& shape, DType dtype) {
    return RandomNormal(scope, ShapeValues(shape), mean, stddev, dtype, seed);
  });
}

Initializer TruncatedNormalInitializer(double mean, double stddev, std::optional<int64_t> seed) {
  return Initializer([=](const Scope& scope, const Shape& shape, DType dtype) {
    return TruncatedNormal(scope, ShapeValues(shape), mean, stddev, dtype, seed);
  });
}

Fans ComputeFans(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return {1, 1};
  if (rank == 1) return {static_cast<double>(shape.dim(0)), static_cast<double>(shape.dim(0))};
  double field = 1;
  for (int i = 0; i < rank - 2; ++i) field *= static_cast<double>(shape.dim(i));
  return {field * static_cast<double>(shape.dim(rank - 2)),
          field * static_cast<double>(shape.dim(rank - 1))};
}

Initializer GlorotUniformInitializer(std::optional<int64_t> seed) {
  return Initializer([seed](const Scope& scope, const VariablePart& part, DType dtype) {
    const Fans fans = ComputeFans(part.full_shape);
    const double limit = std::sqrt(3.0 / std::max(1.0, (fans.in + fans.out) / 2));
    return RandomUniform(scope, ShapeValues(part.shape), -limit, limit, dtype, seed);
  });
}

}  // namespace frontend
}  // namespace warpbeam
