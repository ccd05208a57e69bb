// Random draws beside those of frontend/random.h: gamma, Poisson and categorical distributions,
// rows in random order (tf.random_gamma, tf.multinomial, tf.random_shuffle…), and draws that a seed
// alone decides (tf.random.stateless_uniform…).
//
//   Output classes = random::Categorical(scope, logits, 10);
//   Output order = RandomShuffle(scope, rows);
//   Output noise = random::StatelessNormal(scope, {3}, {1, 2});   // the same in every step
//
// With a graph seed (Scope::SetRandomSeed) or an own `seed` the values repeat from run to run, and
// are TensorFlow's. A stateless function's seed is a tensor of two integers.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_RANDOM_DRAWS_H_
#define WARPBEAM_FRONTEND_RANDOM_DRAWS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "frontend/input.h"
#include "frontend/random.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// A draw of `shape` for each alpha, with the scale 1 / beta.
Output RandomGamma(ScopeRef scope, const Input& shape, const Input& alpha, const Input& beta = 1,
                   DType dtype = DType::kFloat, std::optional<int64_t> seed = std::nullopt);
// A draw of `shape` for each rate.
Output RandomPoisson(ScopeRef scope, const Input& rate, const Input& shape,
                     DType dtype = DType::kFloat, std::optional<int64_t> seed = std::nullopt);
// `num_samples` classes for each row of logarithms of probabilities.
Output Multinomial(ScopeRef scope, const Input& logits, const Input& num_samples,
                   std::optional<int64_t> seed = std::nullopt, DType output_dtype = DType::kInt64);
// The rows of x in another order.
Output RandomShuffle(ScopeRef scope, const Input& x, std::optional<int64_t> seed = std::nullopt);
// Where `index` goes when 0 to max_index are shuffled by `seed` (three integers).
Output RandomIndexShuffle(ScopeRef scope, const Input& index, const Input& seed,
                          const Input& max_index);

// The two seeds that the next random operation of the graph gets (tf.get_seed): of the graph and of
// the operation.
std::pair<int64_t, int64_t> GetSeed(ScopeRef scope, std::optional<int64_t> op_seed = std::nullopt);

namespace random {

using frontend::GetSeed;
using frontend::Multinomial;
using frontend::TruncatedNormal;

Output Uniform(ScopeRef scope, const Input& shape, const Input& minimum = 0,
               const Input& maximum = 1, DType dtype = DType::kFloat,
               std::optional<int64_t> seed = std::nullopt);
Output Normal(ScopeRef scope, const Input& shape, const Input& mean = 0, const Input& stddev = 1,
              DType dtype = DType::kFloat, std::optional<int64_t> seed = std::nullopt);
Output Gamma(ScopeRef scope, const Input& shape, const Input& alpha, const Input& beta = 1,
             DType dtype = DType::kFloat, std::optional<int64_t> seed = std::nullopt);
Output Poisson(ScopeRef scope, const Input& rate, const Input& shape, DType dtype = DType::kFloat,
               std::optional<int64_t> seed = std::nullopt);
Output Categorical(ScopeRef scope, const Input& logits, const Input& num_samples,
                   DType dtype = DType::kInt64, std::optional<int64_t> seed = std::nullopt);
Output Shuffle(ScopeRef scope, const Input& x, std::optional<int64_t> seed = std::nullopt);

// For integers `maximum` must be given and is not itself drawn.
Output StatelessUniform(ScopeRef scope, const Input& shape, const Input& seed,
                        const Input& minimum = 0, const Input& maximum = 1,
                        DType dtype = DType::kFloat);
Output StatelessNormal(ScopeRef scope, const Input& shape, const Input& seed, const Input& mean = 0,
                       const Input& stddev = 1, DType dtype = DType::kFloat);
Output StatelessTruncatedNormal(ScopeRef scope, const Input& shape, const Input& seed,
                                const Input& mean = 0, const Input& stddev = 1,
                                DType dtype = DType::kFloat);
Output StatelessParameterizedTruncatedNormal(ScopeRef scope, const Input& shape, const Input& seed,
                                             const Input& means = 0.0f, const Input& stddevs = 1.0f,
                                             const Input& minvals = -2.0f,
                                             const Input& maxvals = 2.0f);
// `shape` is that of the result and ends in that of alpha (rate; counts and probs).
Output StatelessGamma(ScopeRef scope, const Input& shape, const Input& seed, const Input& alpha,
                      const Input& beta = 1, DType dtype = DType::kFloat);
Output StatelessPoisson(ScopeRef scope, const Input& shape, const Input& seed, const Input& rate,
                        DType dtype = DType::kInt32);
Output StatelessBinomial(ScopeRef scope, const Input& shape, const Input& seed, const Input& counts,
                         const Input& probs, DType output_dtype = DType::kInt32);
Output StatelessCategorical(ScopeRef scope, const Input& logits, const Input& num_samples,
                            const Input& seed, DType dtype = DType::kInt64);
Output StatelessMultinomial(ScopeRef scope, const Input& logits, const Input& num_samples,
                            const Input& seed, DType output_dtype = DType::kInt64);
// Seeds for further draws: `count` rows of two, and one that depends on a number.
Output Split(ScopeRef scope, const Input& seed, int64_t count = 2);
Output FoldIn(ScopeRef scope, const Input& seed, const Input& data);

}  // namespace random
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_RANDOM_DRAWS_H_
