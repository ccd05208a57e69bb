#include "frontend/variables/variance_scaling.h"

#include <algorithm>
#include <cmath>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/random.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

// The standard deviation of a standard normal distribution cut off at ±2.
constexpr double kTruncatedDeviation = 0.87962566103423978;

Output Draw(const Scope& scope, const Shape& shape, DType dtype, double variance, Spread spread,
            const std::optional<int64_t>& seed) {
  const std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  const double deviation = std::sqrt(variance);
  switch (spread) {
    case Spread::kTruncatedNormal:
      return TruncatedNormal(scope, dims, 0.0, deviation / kTruncatedDeviation, dtype, seed);
    case Spread::kUntruncatedNormal:
      return RandomNormal(scope, dims, 0.0, deviation, dtype, seed);
    case Spread::kUniform:
      break;
  }
  const double limit = std::sqrt(3 * variance);
  return RandomUniform(scope, dims, -limit, limit, dtype, seed);
}

double FanOf(const Shape& shape, FanMode mode) {
  const Fans fans = ComputeFans(shape);
  switch (mode) {
    case FanMode::kIn:
      return std::max(1.0, fans.in);
    case FanMode::kOut:
      return std::max(1.0, fans.out);
    case FanMode::kAverage:
      break;
  }
  return std::max(1.0, (fans.in + fans.out) / 2);
}

// tf.eye.
Output Eye(const Scope& scope, int64_t rows, int64_t columns, DType dtype) {
  const Scope inside = scope.NameScope("eye");
  const Output diagonal = Ones(inside, Shape({std::min(rows, columns)}), dtype);
  if (rows == columns) {
    const Scope diag = inside.NameScope("diag");
    const Output k = Constant(diag.Named("k"), 0), count = Constant(diag.Named("num_rows"), -1);
    const Output columns_given = Constant(diag.Named("num_cols"), -1);
    const Output padding = Constant(diag.Named("padding_value"), 0, dtype);
    return BuildOutput(diag.Named(diag.name_scope()), "MatrixDiagV3",
                       {diagonal, k, count, columns_given, padding});
  }
  const Output zeros = Zeros(inside, Shape({rows, columns}), dtype);
  return BuildOutput(inside.Named("set_diag"), "MatrixSetDiagV3", {zeros, diagonal, 0});
}

}  // namespace

Initializer VarianceScalingInitializer(double scale, FanMode mode, Spread spread,
                                       std::optional<int64_t> seed) {
  return Initializer([=](const Scope& scope, const VariablePart& part, DType dtype) {
    if (!(scale > 0)) {
      scope.Fail(InvalidArgument("the scale of a variance must be positive, got ", scale));
      return Output();
    }
    return Draw(scope, part.shape, dtype, scale / FanOf(part.full_shape, mode), spread, seed);
  });
}

Initializer GlorotNormalInitializer(std::optional<int64_t> seed) {
  return VarianceScalingInitializer(1, FanMode::kAverage, Spread::kTruncatedNormal, seed);
}

Initializer HeNormalInitializer(std::optional<int64_t> seed) {
  return VarianceScalingInitializer(2, FanMode::kIn, Spread::kTruncatedNormal, seed);
}

Initializer HeUniformInitializer(std::optional<int64_t> seed) {
  return VarianceScalingInitializer(2, FanMode::kIn, Spread::kUniform, seed);
}

Initializer LecunNormalInitializer(std::optional<int64_t> seed) {
  return VarianceScalingInitializer(1, FanMode::kIn, Spread::kTruncatedNormal, seed);
}

Initializer LecunUniformInitializer(std::optional<int64_t> seed) {
  return VarianceScalingInitializer(1, FanMode::kIn, Spread::kUniform, seed);
}

Initializer UniformUnitScalingInitializer(double factor, std::optional<int64_t> seed) {
  return Initializer([=](const Scope& scope, const VariablePart& part, DType dtype) {
    const Shape& full = part.full_shape;
    double fan = 1;
    for (int i = 0; i + 1 < full.rank(); ++i) fan *= static_cast<double>(full.dim(i));
    const double limit = std::sqrt(3 / std::max(1.0, fan)) * factor;
    const std::vector<int32_t> dims(part.shape.dims().begin(), part.shape.dims().end());
    return RandomUniform(scope, dims, -limit, limit, dtype, seed);
  });
}

Initializer IdentityInitializer(double gain) {
  return Initializer([gain](const Scope& scope, const VariablePart& part, DType dtype) {
    const Shape& shape = part.full_shape;
    if (shape.rank() != 2) {
      scope.Fail(InvalidArgument("the identity has two dimensions, the variable has the shape ",
                                 shape.ToString()));
      return Output();
    }
    Output eye = Eye(scope, shape.dim(0), shape.dim(1), dtype);
    if (part.shape != shape) eye = PartOf(scope, eye, part);
    return Multiply(scope.Named("mul"), gain, eye);
  });
}

Initializer OrthogonalInitializer(double gain, std::optional<int64_t> seed) {
  return Initializer([gain, seed](const Scope& scope, const Shape& shape, DType dtype) {
    if (shape.rank() < 2) {
      scope.Fail(
          InvalidArgument("orthogonal values have two dimensions or more, the variable has "
                          "the shape ",
                          shape.ToString()));
      return Output();
    }
    const int64_t cols = shape.dim(shape.rank() - 1);
    const int64_t rows = cols == 0 ? 0 : shape.num_elements() / cols;
    const Shape flat({std::max(rows, cols), std::min(rows, cols)});
    const Output normal = Draw(scope, flat, dtype, 1, Spread::kUntruncatedNormal, seed);
    const std::vector<Output> qr =
        BuildOutputs(scope, "Qr", {normal}, OpAttrs().Set("full_matrices", false), 2);
    // The signs make the distribution uniform.
    const Output diagonal = BuildOutput(scope, "DiagPart", {qr[1]});
    Output q = Multiply(scope.Named("mul"), qr[0], BuildOutput(scope, "Sign", {diagonal}));
    if (rows < cols) q = Transpose(scope.OpenScope("matrix_transpose"), q, {1, 0});
    const std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
    const Output values = Reshape(scope, q, dims);
    return Multiply(scope.Named("mul"), gain, values);
  });
}

Initializer ConstantInitializer(const Tensor& values, bool verify_shape) {
  return Initializer([values, verify_shape](const Scope& scope, const Shape& shape, DType dtype) {
    if (verify_shape && values.shape() != shape) {
      scope.Fail(InvalidArgument("an array of the shape ", values.shape().ToString(),
                                 " cannot be the initial value of a variable of the shape ",
                                 shape.ToString()));
      return Output();
    }
    return Constant(scope, values, dtype, shape);
  });
}

}  // namespace frontend
}  // namespace warpbeam
