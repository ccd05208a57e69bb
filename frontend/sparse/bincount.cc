#include "frontend/sparse/bincount.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/check/assertions.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace sparse {
namespace {

bool Check(const Scope& scope, const SparseBincountOptions& options, bool has_weights) {
  if (options.counted_axis != 0 && options.counted_axis != -1) {
    scope.Fail(
        InvalidArgument("sparse::Bincount: the axis must be 0 or -1, got ", options.counted_axis));
  }
  if (options.is_binary && has_weights) {
    scope.Fail(InvalidArgument("sparse::Bincount: with binary_output values have no weights"));
  }
  return scope.ok();
}

// No weights at all: each value counts 1.
Output WeightsOr(const Scope& scope, const Output& weights, DType dtype) {
  if (weights.valid()) return weights;
  return Constant(scope.Named(""), Tensor::Allocate(dtype, Shape({0})).value_or(Tensor()));
}

SparseTensor Counted(const Scope& scope, const char* op, const std::vector<ArgumentInput>& inputs,
                     const SparseBincountOptions& options) {
  const auto out = BuildOutputs(scope, op, inputs,
                                OpAttrs()
                                    .Set("minlength", options.least)
                                    .Set("maxlength", options.most)
                                    .Set("binary_output", options.is_binary),
                                3);
  return {scope(out[0]), scope(out[1]), scope(out[2])};
}

SparseTensor CountDense(const Scope& inside, const Output& values, const Output& weights,
                        const SparseBincountOptions& options) {
  return Counted(inside, "DenseCountSparseOutput",
                 {values, WeightsOr(inside, weights, values.dtype())}, options);
}

}  // namespace

SparseTensor Bincount(ScopeRef scope_ref, const Output& values,
                      const SparseBincountOptions& options, const Output& weights) {
  const Scope scope = scope_ref.scope();
  if (!Check(scope, options, weights.valid())) return SparseTensor();
  const Scope inside = scope.OpenScope("count");
  if (options.counted_axis == -1) return CountDense(inside, values, weights, options);
  const Output list = weights.valid() ? frontend::Reshape(inside, weights, {-1}) : Output();
  return CountDense(inside, frontend::Reshape(inside, values, {-1}), list, options);
}

SparseTensor Bincount(ScopeRef scope_ref, const SparseTensor& values,
                      const SparseBincountOptions& options, const SparseTensor& weights) {
  const Scope scope = scope_ref.scope();
  if (!Check(scope, options, weights.valid())) return SparseTensor();
  const Scope inside = scope.OpenScope("count");
  Output weight_of_each;
  if (weights.valid()) {
    std::vector<Operation> checks;
    if (!SameOutput(weights.dense_shape, values.dense_shape)) {
      checks.push_back(AssertEqual(inside, weights.dense_shape, values.dense_shape,
                                   "'weights' and 'values' must have the same dense shape."));
    }
    if (!SameOutput(weights.indices, values.indices)) {
      checks.push_back(AssertEqual(inside, weights.indices, values.indices,
                                   "'weights' and 'values' must have the same indices."));
    }
    weight_of_each = checks.empty() ? weights.values
                                    : Identity(inside.ControlDependencies(checks), weights.values);
  }
  if (options.counted_axis == 0) return CountDense(inside, values.values, weight_of_each, options);
  return Counted(inside, "SparseCountSparseOutput",
                 {values.indices, values.values, values.dense_shape,
                  WeightsOr(inside, weight_of_each, values.dtype())},
                 options);
}

}  // namespace sparse
}  // namespace frontend
}  // namespace warpbeam
