// Inputs for the tests of kernels for GPUs: numbers of any type that are exact in it, or nearly so.
//
//   const Tensor x = SmallNumbers(Shape({3, 5}), DType::kHalf);  // from -6 to 6.5
//   const Tolerance tolerance = ToleranceFor(DType::kHalf);
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_MATH_GPU_NUMBERS_TESTING_H_
#define WARPBEAM_OPS_MATH_GPU_NUMBERS_TESTING_H_

#include <vector>

#include "graph/types/shape.h"
#include "graph/types/tensor.h"
#include "graph/types/testing/tensor_compare.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {

inline Tensor SmallNumbers(const Shape& shape, DType dtype, int seed = 37) {
  std::vector<double> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>((i + 1) * seed % 101) / 8.0 - 6;
  }
  const Tensor x = Tensor::FromValues<double>(shape, values);
  return OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne().value_or(Tensor());
}

inline Tolerance ToleranceFor(DType dtype) {
  Tolerance tolerance;
  tolerance.relative = tolerance.absolute = 1e-5;
  if (dtype == DType::kDouble || dtype == DType::kComplex128) tolerance.relative = 1e-12;
  if (dtype == DType::kHalf) tolerance.relative = tolerance.absolute = 2e-3;
  if (dtype == DType::kBFloat16) tolerance.relative = tolerance.absolute = 2e-2;
  if (IsInteger(dtype)) tolerance.relative = tolerance.absolute = 0;
  return tolerance;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_GPU_NUMBERS_TESTING_H_
