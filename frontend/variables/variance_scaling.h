// Initializers that depend on the shape of the weights: random ones whose spread keeps the size of
// what flows through a layer (tf.variance_scaling_initializer and the ones made of it), and the
// identity matrix.
//
//   GetVariable(scope, "w", {784, 500}, HeNormalInitializer());
//   GetVariable(scope, "k", {3, 3, 64, 64},
//               VarianceScalingInitializer(2.0, FanMode::kOut, Spread::kUniform, /*seed=*/7));
//
// Glorot uniform is in frontend/variables/initializers.h. Nodes and names are TensorFlow's.
//
// Ownership: values. Thread safety: that of the Scope. Errors: a scale that is not positive, an
// identity of other than two dimensions, an array of another shape; kept in the scope.
#ifndef WARPBEAM_FRONTEND_VARIABLES_VARIANCE_SCALING_H_
#define WARPBEAM_FRONTEND_VARIABLES_VARIANCE_SCALING_H_

#include <cstdint>
#include <optional>

#include "frontend/variables/initializers.h"
#include "graph/types/tensor.h"

namespace warpbeam {
namespace frontend {

// What the variance is divided by: the weights into a unit, out of it, or the mean of both.
enum class FanMode { kIn, kOut, kAverage };
// "truncated_normal" (without values beyond two deviations), "untruncated_normal", "uniform".
enum class Spread { kTruncatedNormal, kUntruncatedNormal, kUniform };

// Mean 0 and variance scale / fan.
Initializer VarianceScalingInitializer(double scale = 1, FanMode mode = FanMode::kIn,
                                       Spread spread = Spread::kTruncatedNormal,
                                       std::optional<int64_t> seed = std::nullopt);

// Variance 2 / (fan_in + fan_out): X. Glorot, Y. Bengio, 2010.
Initializer GlorotNormalInitializer(std::optional<int64_t> seed = std::nullopt);
// Variance 2 / fan_in, for rectified units: K. He et al., arXiv:1502.01852.
Initializer HeNormalInitializer(std::optional<int64_t> seed = std::nullopt);
Initializer HeUniformInitializer(std::optional<int64_t> seed = std::nullopt);
// Variance 1 / fan_in: Y. LeCun et al., "Efficient backprop", 1998.
Initializer LecunNormalInitializer(std::optional<int64_t> seed = std::nullopt);
Initializer LecunUniformInitializer(std::optional<int64_t> seed = std::nullopt);

// Uniform in ±factor * sqrt(3 / fan), where the fan is the product of all dimensions but the last.
Initializer UniformUnitScalingInitializer(double factor = 1,
                                          std::optional<int64_t> seed = std::nullopt);

// gain on the diagonal of a matrix, 0 elsewhere.
Initializer IdentityInitializer(double gain = 1);

// gain times a matrix with orthonormal rows or columns (whichever are fewer), the variable's last
// dimension being the columns: of the QR factorisation of normal values. A. Saxe et al.,
// arXiv:1312.6120.
Initializer OrthogonalInitializer(double gain = 1, std::optional<int64_t> seed = std::nullopt);

// The values of an array, in row-major order: as many as the variable has elements, or one for all.
// With `verify_shape` the array's shape must be the variable's.
Initializer ConstantInitializer(const Tensor& values, bool verify_shape);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VARIABLES_VARIANCE_SCALING_H_
