// Dataset::RejectionResample: classes as often as is wanted, by keeping elements by chance.
#include <limits>

#include "frontend/array.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/data/dataset_function.h"
#include "frontend/data/sources.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "frontend/random.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

// Elements seen before the first, of each class, and elements between two estimates.
constexpr int64_t kSmoothing = 10;
constexpr int64_t kEstimateEvery = 32;

// How likely an element of each class is kept, and what share of the result is taken from all
// elements instead, so that as few as possible are dropped.
Element Acceptance(const Scope& scope, const Output& initial, const Output& target) {
  const double tiny = std::numeric_limits<float>::min();
  const Output ratio = Divide(scope, target, Add(scope, initial, tiny));
  const Output most = ReduceMax(scope, ratio), least = ReduceMin(scope, ratio);
  return {Divide(scope, Subtract(scope, ratio, least), Subtract(scope, most, least)), least};
}

// How often the classes have come, for each element of `classes`.
Dataset Estimated(const Dataset& classes, const Output& target, SourceLocation where) {
  const Scope scope = classes.scope().At(where);
  const StatusOr<Shape> shape = target.shape().AsShape();
  if (!shape.ok() || shape->rank() != 1 || shape->dim(0) < 1) {
    scope.Fail(InvalidArgument("RejectionResample: target_dist must be a vector of known size, ",
                               "a share for each class, got ", target.shape().ToString()));
    return classes;
  }
  const int count = static_cast<int>(shape->dim(0));
  const Output before =
      Constant(scope, kSmoothing, DType::kInt64, Shape({static_cast<int64_t>(count)}));
  const auto count_more = [count](const Scope& s, const Element& state, const Element& batch) {
    const Output more = ReduceSum(s, OneHot(s, batch[0], count, DType::kInt64), {0});
    const Output seen = Add(s, state[0], more);
    const Output share =
        Divide(s, Cast(s, seen, DType::kDouble), Cast(s, ReduceSum(s, seen), DType::kDouble));
    const Output row = ExpandDims(s, Cast(s, share, DType::kFloat), 0);
    const Output rows = Tile(s, row, {static_cast<int>(kEstimateEvery), 1});
    return std::pair<Element, Element>({seen}, {rows});
  };
  return classes.Batch(kEstimateEvery, false, where)
      .Scan({before}, count_more, where)
      .Unbatch(where);
}

Element WithoutFirst(const Element& element, size_t count) {
  Element rest;
  for (size_t i = count; i < element.size(); ++i) rest.push_back(element[i]);
  return rest;
}

}  // namespace

Dataset Dataset::RejectionResample(const Predicate& class_func, const Input& target_dist,
                                   const std::optional<Input>& initial_dist,
                                   std::optional<int64_t> seed, Where where) const {
  const Scope scope = At(where);
  CheckGiven(scope, class_func != nullptr, "RejectionResample");
  const Output target =
      Cast(scope, AsOutput(scope.Named("target_dist"), target_dist), DType::kFloat);
  const auto acceptance = [&](const Scope& s, const Element& initial) {
    return Acceptance(s, initial[0], target);
  };
  const auto class_of = [&](const Scope& s, const Element& e) -> Element {
    return {class_func(s, e)};
  };
  const auto part = [](size_t i) {
    return [i](const Scope&, const Element& e) -> Element { return {e[i]}; };
  };
  if (!scope.ok()) return Next(Output(), spec_);
  Dataset initial = *this;
  if (initial_dist.has_value()) {
    const Output given =
        Cast(scope, AsOutput(scope.Named("initial_dist"), *initial_dist), DType::kFloat);
    initial = FromTensors(scope, {given}).Repeat(int64_t{-1}, where);
  } else {
    initial = Estimated(Map(class_of, where), target, where);
  }
  const Dataset chances = initial.Map(acceptance, where);
  const auto with_chance = [&](const Scope& s, const Element& all) {
    // The chances, then the element.
    const Element element = WithoutFirst(all, 1);
    const Output which = class_func(s, element);
    Element found = {which, BuildOutput(s, "GatherV2", {all[0], which, 0})};
    for (const Output& component : element) found.push_back(component);
    return found;
  };
  const auto keep = [&](const Scope& s, const Element& e) {
    return Less(s, RandomUniform(s, {}, 0.0, 1.0, DType::kFloat, seed), e[1]);
  };
  const auto without_chance = [](const Scope&, const Element& e) {
    Element rest = {e[0]};
    for (const Output& component : WithoutFirst(e, 2)) rest.push_back(component);
    return rest;
  };
  const Dataset kept = Zip({chances.Map(part(0), where), *this}, where)
                           .Map(with_chance, where)
                           .Filter(keep, where)
                           .Map(without_chance, where)
                           .Prefetch(3, where);
  const auto with_class = [&](const Scope& s, const Element& e) {
    Element found = {class_func(s, e)};
    for (const Output& component : e) found.push_back(component);
    return found;
  };
  const auto both_shares = [](const Scope& s, const Element& share) -> Element {
    return {Stack(s, {share[0], Subtract(s, 1.0, share[0])})};
  };
  return SampleFromDatasets({Map(with_class, where), kept},
                            chances.Map(part(1), where).Map(both_shares, where), seed,
                            /*stop_on_empty_dataset=*/true, where);
}

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
