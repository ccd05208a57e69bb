#include "frontend/random.h"

#include "frontend/build.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

// mean + stddev * (what `op` draws).
// A list without numbers is the shape of a scalar.
Output ShapeTensor(const Scope& inside, const Input& shape) {
  const bool is_empty = shape.is_value() && shape.dtype() == DType::kFloat;
  return AsOutput(inside.Named("shape"), shape, is_empty ? DType::kInt32 : DType::kInvalid);
}

Output Normal(const Scope& scope, const char* name, const char* op, const Input& shape,
              const Input& mean, const Input& stddev, DType dtype,
              const std::optional<int64_t>& seed) {
  const Scope inside = scope.OpenScope(name);
  const Output shape_tensor = ShapeTensor(inside, shape);
  const Output mean_tensor = AsOutput(inside.Named("mean"), mean, dtype);
  const Output stddev_tensor = AsOutput(inside.Named("stddev"), stddev, dtype);
  const Output drawn =
      BuildOutput(inside, op, {shape_tensor}, SeedAttrs(inside, seed).Set("dtype", dtype));
  const Output scaled = BuildOutput(inside.Named("mul"), "Mul", {drawn, stddev_tensor});
  return scope(BuildOutput(inside.Named(inside.name_scope()), "AddV2", {scaled, mean_tensor}));
}

bool IsNumber(const Input& input, double number) {
  if (!input.is_value()) return false;
  const StatusOr<Tensor> value = input.ValueAs(DType::kDouble);
  return value.ok() && value->rank() == 0 && value->scalar<double>() == number;
}

}  // namespace

OpAttrs SeedAttrs(const Scope& scope, const std::optional<int64_t>& seed) {
  const auto seeds = scope.state().NextSeeds(seed.has_value() ? &*seed : nullptr);
  return OpAttrs().Set("seed", seeds.first).Set("seed2", seeds.second);
}

Output RandomUniform(ScopeRef scope_ref, const Input& shape, const Input& minimum,
                     const Input& maximum, DType dtype, std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("random_uniform");
  const Scope whole = inside.Named(inside.name_scope());
  const Output shape_tensor = ShapeTensor(inside, shape);
  if (IsInteger(dtype)) {
    const Output low = AsOutput(inside.Named("min"), minimum, dtype);
    const Output high = AsOutput(inside.Named("max"), maximum, dtype);
    return scope(
        BuildOutput(whole, "RandomUniformInt", {shape_tensor, low, high}, SeedAttrs(inside, seed)));
  }
  // The unit interval is what the op gives.
  if (IsNumber(minimum, 0) && IsNumber(maximum, 1)) {
    return scope(BuildOutput(inside, "RandomUniform", {shape_tensor},
                             SeedAttrs(inside, seed).Set("dtype", dtype)));
  }
  const Output low = AsOutput(inside.Named("min"), minimum, dtype);
  const Output high = AsOutput(inside.Named("max"), maximum, dtype);
  const Output drawn = BuildOutput(inside, "RandomUniform", {shape_tensor},
                                   SeedAttrs(inside, seed).Set("dtype", dtype));
  const Output range = BuildOutput(inside.Named("sub"), "Sub", {high, low});
  const Output scaled = BuildOutput(inside.Named("mul"), "Mul", {drawn, range});
  return scope(BuildOutput(whole, "AddV2", {scaled, low}));
}

Output RandomNormal(ScopeRef scope, const Input& shape, const Input& mean, const Input& stddev,
                    DType dtype, std::optional<int64_t> seed) {
  return Normal(scope.scope(), "random_normal", "RandomStandardNormal", shape, mean, stddev, dtype,
                seed);
}

Output TruncatedNormal(ScopeRef scope, const Input& shape, const Input& mean, const Input& stddev,
                       DType dtype, std::optional<int64_t> seed) {
  return Normal(scope.scope(), "truncated_normal", "TruncatedNormal", shape, mean, stddev, dtype,
                seed);
}

}  // namespace frontend
}  // namespace warpbeam
