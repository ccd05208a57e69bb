#include "frontend/random/draws.h"

#include <limits>
#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace {

Output Number(const Scope& inside, const char* name, const Input& value, DType dtype) {
  return AsOutput(inside.Named(name), value, value.adapts() ? dtype : DType::kInvalid);
}

double LeastPositive(DType dtype) {
  return dtype == DType::kDouble ? std::numeric_limits<double>::min()
         : dtype == DType::kHalf ? 6.103515625e-05
                                 : std::numeric_limits<float>::min();
}

// mean + stddev * (what `op` draws for the seed).
Output StatelessScaled(const Scope& scope, const char* name, const char* op, const Input& shape,
                       const Input& seed, const Input& mean, const Input& stddev, DType dtype) {
  const Scope inside = scope.OpenScope(name);
  const Output extents = Number(inside, "shape", shape, DType::kInt32);
  const Output middle = Number(inside, "mean", mean, dtype);
  const Output spread = Number(inside, "stddev", stddev, dtype);
  const Output drawn =
      BuildOutput(inside, op, {extents, Number(inside, "seed", seed, DType::kInt32)},
                  OpAttrs().Set("dtype", dtype));
  return scope(Add(inside.Named(inside.name_scope()), Multiply(inside, drawn, spread), middle));
}

}  // namespace

std::pair<int64_t, int64_t> GetSeed(ScopeRef scope_ref, std::optional<int64_t> op_seed) {
  return scope_ref.scope().state().NextSeeds(op_seed.has_value() ? &*op_seed : nullptr);
}

Output RandomGamma(ScopeRef scope_ref, const Input& shape, const Input& alpha, const Input& beta,
                   DType dtype, std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("random_gamma");
  const Output extents = Number(inside, "shape", shape, DType::kInt32);
  const Output form = Number(inside, "alpha", alpha, dtype);
  const Output rate = Number(inside, "beta", beta, dtype);
  if (!scope.ok()) return Output();
  // A draw for each pair of both.
  const Output both = Add(inside, form, ZerosOfShapeOf(inside, rate));
  const Output drawn = BuildOutput(inside, "RandomGamma", {extents, both}, SeedAttrs(inside, seed));
  return scope(Maximum(inside, LeastPositive(dtype), Divide(inside, drawn, rate)));
}

Output RandomPoisson(ScopeRef scope_ref, const Input& rate, const Input& shape, DType dtype,
                     std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("random_poisson");
  const Output extents = Number(inside, "shape", shape, DType::kInt32);
  return scope(BuildOutput(inside, "RandomPoissonV2",
                           {extents, Number(inside, "rate", rate, DType::kFloat)},
                           SeedAttrs(inside, seed).Set("dtype", dtype)));
}

Output Multinomial(ScopeRef scope_ref, const Input& logits, const Input& num_samples,
                   std::optional<int64_t> seed, DType output_dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("multinomial");
  return scope(BuildOutput(inside, "Multinomial", {logits, num_samples},
                           SeedAttrs(inside, seed).Set("output_dtype", output_dtype)));
}

Output RandomShuffle(ScopeRef scope_ref, const Input& x, std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  return BuildOutput(scope, "RandomShuffle", {x}, SeedAttrs(scope, seed));
}

Output RandomIndexShuffle(ScopeRef scope, const Input& index, const Input& seed,
                          const Input& max_index) {
  return BuildOutput(scope.scope(), "RandomIndexShuffle", {index, seed, max_index});
}

namespace random {

Output Uniform(ScopeRef scope, const Input& shape, const Input& minimum, const Input& maximum,
               DType dtype, std::optional<int64_t> seed) {
  return RandomUniform(scope.scope(), shape, minimum, maximum, dtype, seed);
}
Output Normal(ScopeRef scope, const Input& shape, const Input& mean, const Input& stddev,
              DType dtype, std::optional<int64_t> seed) {
  return RandomNormal(scope.scope(), shape, mean, stddev, dtype, seed);
}
Output Gamma(ScopeRef scope, const Input& shape, const Input& alpha, const Input& beta, DType dtype,
             std::optional<int64_t> seed) {
  return RandomGamma(scope.scope(), shape, alpha, beta, dtype, seed);
}
Output Poisson(ScopeRef scope, const Input& rate, const Input& shape, DType dtype,
               std::optional<int64_t> seed) {
  return RandomPoisson(scope.scope(), rate, shape, dtype, seed);
}
Output Categorical(ScopeRef scope_ref, const Input& logits, const Input& num_samples, DType dtype,
                   std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  return Multinomial(scope.Named(scope.OpNameOr("categorical")), logits, num_samples, seed, dtype);
}
Output Shuffle(ScopeRef scope, const Input& x, std::optional<int64_t> seed) {
  return RandomShuffle(scope.scope(), x, seed);
}

Output StatelessUniform(ScopeRef scope_ref, const Input& shape, const Input& seed,
                        const Input& minimum, const Input& maximum, DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("stateless_random_uniform");
  const Output extents = Number(inside, "shape", shape, DType::kInt32);
  const Output start = Number(inside, "seed", seed, DType::kInt32);
  const Output low = Number(inside, "min", minimum, dtype);
  const Output high = Number(inside, "max", maximum, dtype);
  if (IsInteger(dtype)) {
    return scope(BuildOutput(inside, "StatelessRandomUniformInt", {extents, start, low, high}));
  }
  const Output drawn = BuildOutput(inside, "StatelessRandomUniform", {extents, start},
                                   OpAttrs().Set("dtype", dtype));
  const Output range = BuildOutput(inside.Named("sub"), "Sub", {high, low});
  return scope(Add(inside.Named(inside.name_scope()), Multiply(inside, drawn, range), low));
}

Output StatelessNormal(ScopeRef scope, const Input& shape, const Input& seed, const Input& mean,
                       const Input& stddev, DType dtype) {
  return StatelessScaled(scope.scope(), "stateless_random_normal", "StatelessRandomNormal", shape,
                         seed, mean, stddev, dtype);
}

Output StatelessTruncatedNormal(ScopeRef scope, const Input& shape, const Input& seed,
                                const Input& mean, const Input& stddev, DType dtype) {
  return StatelessScaled(scope.scope(), "stateless_truncated_normal", "StatelessTruncatedNormal",
                         shape, seed, mean, stddev, dtype);
}

Output StatelessParameterizedTruncatedNormal(ScopeRef scope, const Input& shape, const Input& seed,
                                             const Input& means, const Input& stddevs,
                                             const Input& minvals, const Input& maxvals) {
  return BuildOutput(scope.scope(), "StatelessParameterizedTruncatedNormal",
                     {shape, seed, means, stddevs, minvals, maxvals});
}

Output StatelessGamma(ScopeRef scope_ref, const Input& shape, const Input& seed, const Input& alpha,
                      const Input& beta, DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("stateless_random_gamma");
  const Output extents = Number(inside, "shape", shape, DType::kInt32);
  const Output start = Number(inside, "seed", seed, DType::kInt32);
  const Output rate = Number(inside, "beta", beta, dtype);
  const Output form = Number(inside, "alpha", alpha, dtype);
  if (!scope.ok()) return Output();
  const Output both = Add(inside, form, ZerosOfShapeOf(inside, rate));
  const Output drawn = BuildOutput(inside, "StatelessRandomGammaV2", {extents, start, both});
  return scope(Maximum(inside, LeastPositive(dtype), Divide(inside, drawn, rate)));
}

Output StatelessPoisson(ScopeRef scope_ref, const Input& shape, const Input& seed,
                        const Input& rate, DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("stateless_random_poisson");
  const Output extents = Number(inside, "shape", shape, DType::kInt32);
  const Output start = Number(inside, "seed", seed, DType::kInt32);
  const Output rates = Number(inside, "lam", rate, DType::kFloat);
  return scope(BuildOutput(inside, "StatelessRandomPoisson", {extents, start, rates},
                           OpAttrs().Set("dtype", dtype)));
}

Output StatelessBinomial(ScopeRef scope_ref, const Input& shape, const Input& seed,
                         const Input& counts, const Input& probs, DType output_dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("stateless_random_binomial");
  const Output extents = Number(inside, "shape", shape, DType::kInt32);
  const Output start = Number(inside, "seed", seed, DType::kInt32);
  const Output p = Number(inside, "probs", probs, DType::kFloat);
  if (!scope.ok()) return Output();
  const Output n = Number(inside, "counts", counts, p.dtype());
  return scope(BuildOutput(inside, "StatelessRandomBinomial",
                           {extents, start, Cast(inside, n, p.dtype()), p},
                           OpAttrs().Set("dtype", output_dtype)));
}

Output StatelessCategorical(ScopeRef scope_ref, const Input& logits, const Input& num_samples,
                            const Input& seed, DType dtype) {
  const Scope scope = scope_ref.scope();
  return StatelessMultinomial(scope.Named(scope.OpNameOr("stateless_categorical")), logits,
                              num_samples, seed, dtype);
}

Output StatelessMultinomial(ScopeRef scope_ref, const Input& logits, const Input& num_samples,
                            const Input& seed, DType output_dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("stateless_multinomial");
  return scope(BuildOutput(inside, "StatelessMultinomial", {logits, num_samples, seed},
                           OpAttrs().Set("output_dtype", output_dtype)));
}

Output Split(ScopeRef scope_ref, const Input& seed, int64_t count) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("split");
  const Output start = Number(inside, "seed", seed, DType::kInt32);
  if (!scope.ok()) return Output();
  if (count < 1) {
    scope.Fail(InvalidArgument("Split of a seed into ", count));
    return Output();
  }
  return scope(BuildOutput(
      inside, "StatelessRandomUniformFullInt",
      {Constant(inside.Named("shape"), std::vector<int32_t>{static_cast<int32_t>(count), 2}),
       start},
      OpAttrs().Set("dtype", start.dtype())));
}

Output FoldIn(ScopeRef scope_ref, const Input& seed, const Input& data) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("fold_in");
  const Output start = Number(inside, "seed", seed, DType::kInt32);
  if (!scope.ok()) return Output();
  const Output number = Number(inside, "data", data, DType::kInt32);
  if (!scope.ok()) return Output();
  const Output drawn = BuildOutput(
      inside, "StatelessRandomUniformFullInt",
      {Constant(inside.Named("shape"), std::vector<int32_t>(), DType::kInt32, Shape({0})), start},
      OpAttrs().Set("dtype", number.dtype()));
  return scope(Stack(inside, {drawn, number}));
}

}  // namespace random
}  // namespace frontend
}  // namespace warpbeam
