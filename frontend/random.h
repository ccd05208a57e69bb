// Random tensors with TensorFlow's nodes (tf.random_uniform, tf.random_normal,
// tf.truncated_normal).
//
//   Output noise = RandomNormal(scope, {32, 100}, 0, 0.5);
//
// With a graph seed (Scope::SetRandomSeed) or an own `seed` the values repeat from run to run.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_RANDOM_H_
#define WARPBEAM_FRONTEND_RANDOM_H_

#include <cstdint>
#include <optional>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// For integer types `maximum` must be given and is not itself drawn.
Output RandomUniform(ScopeRef scope, const Input& shape, const Input& minimum = 0,
                     const Input& maximum = 1, DType dtype = DType::kFloat,
                     std::optional<int64_t> seed = std::nullopt);
Output RandomNormal(ScopeRef scope, const Input& shape, const Input& mean = 0,
                    const Input& stddev = 1, DType dtype = DType::kFloat,
                    std::optional<int64_t> seed = std::nullopt);
// Values further than two standard deviations from the mean are drawn again.
Output TruncatedNormal(ScopeRef scope, const Input& shape, const Input& mean = 0,
                       const Input& stddev = 1, DType dtype = DType::kFloat,
                       std::optional<int64_t> seed = std::nullopt);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_RANDOM_H_
