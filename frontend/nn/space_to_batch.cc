#include <algorithm>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/nn/convolution.h"
#include "frontend/nn/per_dimension.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

// What is added around the spatial dimensions before they are cut, and taken off afterwards:
// [dimensions, 2] each.
struct Margins {
  Output paddings;
  Output crops;
};

// Zeros of a window that is dilated, before and after each dimension.
struct Around {
  std::vector<int64_t> before, after;
};

Status CheckRates(const std::vector<int64_t>& rates, const Output& input, int first_spatial) {
  for (const int64_t rate : rates) {
    if (rate < 1) return InvalidArgument("dilation rates must be at least 1, got ", rate);
  }
  const int needed = first_spatial + static_cast<int>(rates.size());
  if (input.shape().has_rank() && input.shape().rank() < needed) {
    return InvalidArgument("the input '", input.name(), "' must have ", needed,
                           " dimensions or more, its shape is ", input.shape().ToString());
  }
  return OkStatus();
}

StatusOr<Around> AroundWindow(const std::vector<int64_t>& rates, const std::string& padding,
                              const std::vector<int64_t>& window) {
  Around around;
  for (size_t i = 0; i < rates.size(); ++i) {
    int64_t zeros = 0;
    if (padding == "SAME") {
      if (window.size() != rates.size() || window[i] < 1) {
        return InvalidArgument("the sizes of the window must be known for the padding \"SAME\"");
      }
      zeros = (window[i] - 1) * rates[i];
    }
    around.before.push_back(zeros / 2);
    around.after.push_back(zeros - zeros / 2);
  }
  return around;
}

Output Pairs(const Scope& inside, const char* name, const std::vector<int64_t>& before,
             const std::vector<int64_t>& after) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < before.size(); ++i) {
    numbers.push_back(before[i]);
    numbers.push_back(after[i]);
  }
  return Constant(inside.Named(name), numbers, DType::kInt32,
                  {static_cast<int64_t>(before.size()), 2});
}

// Extents together with the zeros around them must be multiples of the rates.
Margins MarginsOf(const Scope& inside, const Output& input, int first_spatial,
                  const std::vector<int64_t>& rates, const Around& around) {
  const PartialShape shape = input.shape();
  std::vector<int64_t> extra;
  for (size_t i = 0; i < rates.size() && shape.has_rank(); ++i) {
    const int64_t extent = shape.dim(first_spatial + static_cast<int>(i));
    if (extent < 0) break;
    const int64_t all = extent + around.before[i] + around.after[i];
    extra.push_back((rates[i] - all % rates[i]) % rates[i]);
  }
  const std::vector<int64_t> none(rates.size(), 0);
  if (extra.size() == rates.size()) {
    std::vector<int64_t> after = around.after;
    for (size_t i = 0; i < after.size(); ++i) after[i] += extra[i];
    return {Pairs(inside, "SpaceToBatchND/paddings", around.before, after),
            Pairs(inside, "BatchToSpaceND/crops", none, extra)};
  }
  const Scope required = inside.NameScope("required_space_to_batch_paddings");
  const auto numbers = [&](const std::vector<int64_t>& values) {
    return Constant(required, values, DType::kInt32);
  };
  const Output extents =
      BuildOutput(required, "Slice",
                  {BuildOutput(inside, "Shape", {input}), std::vector<int32_t>{first_spatial},
                   std::vector<int32_t>{static_cast<int32_t>(rates.size())}});
  const Output block = numbers(rates), before = numbers(around.before);
  const Output all = Add(required, Add(required, extents, before), numbers(around.after));
  const auto modulo = [&](const Output& x) {
    return BuildOutput(required.Named("mod"), "FloorMod", {x, block});
  };
  const Output missing = modulo(Subtract(required, block, modulo(all)));
  const Output after = Add(required, numbers(around.after), missing);
  return {Stack(required.Named("paddings"), {before, after}, 1),
          Stack(required.Named("crops"), {numbers(none), missing}, 1)};
}

// The ops count dimensions from the second one: with the channels first there is one more.
Output WithChannels(const Scope& inside, const Output& pairs) {
  return Concat(inside,
                {Constant(inside, std::vector<int64_t>{0, 0}, DType::kInt32, {1, 2}), pairs}, 0);
}

}  // namespace

Output WithSpaceToBatch(ScopeRef scope_ref, const Input& input,
                        const std::vector<int64_t>& dilation_rate, const std::string& padding,
                        const SpatialFunction& op, const SpaceToBatchOptions& options) {
  const Scope scope = scope_ref.scope();
  const Output x = AsOutput(scope.Named("input"), input);
  if (!scope.ok()) return Output();
  const bool channels_first = options.format.compare(0, 2, "NC") == 0;
  const int first_spatial = channels_first ? 2 : 1;
  Status status = CheckRates(dilation_rate, x, first_spatial);
  if (status.ok() && std::all_of(dilation_rate.begin(), dilation_rate.end(),
                                 [](int64_t rate) { return rate == 1; })) {
    return op(scope, x, padding);
  }
  if (status.ok()) status = CheckPadding(padding, false);
  const auto around = AroundWindow(dilation_rate, padding, options.window);
  if (status.ok()) status = around.status();
  if (!status.ok()) {
    scope.Fail(Annotate(status, "WithSpaceToBatch"));
    return Output();
  }
  Margins margins = MarginsOf(scope, x, first_spatial, dilation_rate, *around);
  std::vector<int64_t> rates = dilation_rate;
  if (channels_first) {
    rates.insert(rates.begin(), 1);
    margins.paddings = WithChannels(scope, margins.paddings);
    margins.crops = WithChannels(scope, margins.crops);
  }
  const Output block = Constant(scope.Named("SpaceToBatchND/block_shape"), rates, DType::kInt32);
  const Output cut = BuildOutput(scope, "SpaceToBatchND", {x, block, margins.paddings});
  if (!scope.ok()) return Output();
  const Output result = op(scope, cut, "VALID");
  const Output back = Constant(scope.Named("BatchToSpaceND/block_shape"), rates, DType::kInt32);
  return BuildOutput(scope, "BatchToSpaceND", {result, back, margins.crops});
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
