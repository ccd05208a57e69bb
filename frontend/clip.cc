#include "frontend/clip.h"

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

// The tensor to clip: the rows, of slices.
Output ValuesOf(const Gradient& gradient) {
  return gradient.is_slices() ? gradient.slices().values : gradient.dense();
}

// `values` in the form that `like` has.
Gradient InFormOf(const Gradient& like, const Output& values) {
  if (!like.is_slices()) return values;
  return IndexedSlices{values, like.slices().indices, like.slices().dense_shape};
}

}  // namespace

Output ClipByValue(ScopeRef scope_ref, const Output& x, const Input& minimum,
                   const Input& maximum) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("clip_by_value");
  const Output below = Minimum(inside, x, maximum);
  return scope(Maximum(inside.Named(inside.name_scope()), below, minimum));
}

Gradient ClipByValue(ScopeRef scope_ref, const Gradient& x, const Input& minimum,
                     const Input& maximum) {
  if (!x.has_value()) return x;
  return InFormOf(x, ClipByValue(scope_ref.scope(), ValuesOf(x), minimum, maximum));
}

Output ClipByNorm(ScopeRef scope_ref, const Output& x, const Input& norm,
                  const std::vector<int32_t>& axes) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("clip_by_norm");
  const Output square = Multiply(inside.Named("mul"), x, x);
  Output sum;
  if (!axes.empty()) {
    sum = ReduceSum(inside, square, axes, /*keep_dims=*/true);
  } else {
    std::vector<int32_t> all;
    for (int i = 0; i < Input(x).rank(); ++i) all.push_back(i);
    const Output over = Input(x).rank() >= 0 ? Constant(inside, all)
                                             : BuildOutput(inside.Named("range"), "Range",
                                                           {0, RankOf(inside, x), 1});
    sum = ReduceSum(inside, square, over, /*keep_dims=*/true);
  }
  // The root is taken of ones where the sum is 0: its gradient there would be NaN.
  const Output positive = Greater(inside, sum, 0);
  const Output safe = BuildOutput(inside, "Select", {positive, sum, OnesLike(inside, sum)});
  const Output root = BuildOutput(inside, "Sqrt", {safe});
  const Output length = BuildOutput(inside, "Select", {positive, root, sum});
  const Output above = Multiply(inside.Named("mul"), x, norm);
  const Output below = Maximum(inside, length, norm);
  const Output clipped = Divide(inside.Named("truediv"), above, below);
  return scope(Identity(inside.Named(inside.name_scope()), clipped));
}

Gradient ClipByNorm(ScopeRef scope_ref, const Gradient& x, const Input& norm,
                    const std::vector<int32_t>& axes) {
  if (!x.has_value()) return x;
  return InFormOf(x, ClipByNorm(scope_ref.scope(), ValuesOf(x), norm, axes));
}

Output ClipByAverageNorm(ScopeRef scope_ref, const Output& x, const Input& norm) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("clip_by_average_norm");
  const StatusOr<Shape> shape = x.shape().AsShape();
  const Output size = shape.ok()
                          ? Constant(inside.Named("Size"), static_cast<int>(shape->num_elements()))
                          : BuildOutput(inside, "Size", {x});
  const Output count = Cast(inside, size, x.dtype());
  const Output square = Multiply(inside.Named("mul"), x, x);
  const Output rank = RankOf(inside, x);
  const Output all = BuildOutput(inside.Named("range"), "Range", {0, rank, 1});
  const Output inverse = BuildOutput(inside, "Rsqrt", {ReduceSum(inside, square, all)});
  const Output scaled = Multiply(inside.Named("mul"), x, norm);
  const Output of_length = Multiply(inside.Named("mul"), inverse, count);
  const Output one = Constant(inside, 1, x.dtype());
  const Output of_norm = Divide(inside.Named("truediv"), one, norm);
  const Output factor = Minimum(inside, of_length, of_norm);
  const Output clipped = Multiply(inside.Named("mul"), scaled, factor);
  return scope(Identity(inside.Named(inside.name_scope()), clipped));
}

Output GlobalNorm(ScopeRef scope_ref, const std::vector<Gradient>& values) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("global_norm");
  std::vector<Output> halves;
  for (const Gradient& value : values) {
    if (!value.has_value()) continue;
    const Output x = ValuesOf(value);
    halves.push_back(BuildOutput(inside.ColocateWith(x.op()), "L2Loss", {x}));
  }
  if (halves.empty()) {
    scope.Fail(InvalidArgument("the global norm of no tensors; does any have a value?"));
    return Output();
  }
  const Output half = ReduceSum(inside, Stack(inside, halves));
  if (!half.valid()) return Output();
  const Output two = Constant(inside, 2, half.dtype());
  const Output square = Multiply(inside.Named("mul"), half, two);
  return scope(BuildOutput(inside.Named("global_norm"), "Sqrt", {square}));
}

std::pair<std::vector<Gradient>, Output> ClipByGlobalNorm(ScopeRef scope_ref,
                                                          const std::vector<Gradient>& values,
                                                          const Input& norm,
                                                          const Output& use_norm) {
  const Scope scope = scope_ref.scope();
  const Output length = use_norm.valid() ? use_norm : GlobalNorm(scope, values);
  if (!scope.ok()) return {std::vector<Gradient>(values.size()), Output()};
  const Scope inside = scope.OpenScope("clip_by_global_norm");
  const Output of_length = Divide(inside.Named("truediv"), 1.0, length);
  const Output one = Constant(inside, 1, length.dtype());
  const Output of_norm = Divide(inside.Named("truediv"), one, norm);
  const Output least = Minimum(inside, of_length, of_norm);
  const Output factor = Multiply(inside.Named("mul"), norm, least);
  // 0 for every number, NaN for infinities.
  const Output nothing = Subtract(inside.Named("sub"), length, length);
  const Output scale = Add(inside.Named("add"), factor, nothing);
  std::vector<Gradient> clipped;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].has_value()) {
      clipped.emplace_back();
      continue;
    }
    const Output x = ValuesOf(values[i]);
    const Scope beside = inside.ColocateWith(x.op());
    const Output scaled = Multiply(beside.Named("mul"), x, scale);
    const std::string name = absl::StrCat(inside.name_scope(), "_", i);
    clipped.push_back(InFormOf(values[i], scope(Identity(beside.Named(name), scaled))));
  }
  return {std::move(clipped), scope(length)};
}

}  // namespace frontend
}  // namespace warpbeam
