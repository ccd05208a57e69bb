// Numbers for tests of kernels: of all types the same, so that what a type rounds away shows.
//
//   const Tensor x = TestNumbers(Shape({2, 3}), DType::kHalf, /*seed=*/1);
//   const Tolerance tolerance = ToleranceOf(DType::kHalf);
//
// Thread safety: pure. Errors: those of the test that they fail.
#ifndef WARPBEAM_OPS_NN_GPU_LOOPS_NUMBERS_TESTING_H_
#define WARPBEAM_OPS_NN_GPU_LOOPS_NUMBERS_TESTING_H_

#include <vector>

#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/dispatch.h"

namespace warpbeam {

// Eighths from -6 to 6, none of them like its neighbours.
inline Tensor TestNumbers(const Shape& shape, DType dtype, int seed) {
  Tensor x;
  const Status known = DispatchTypes(RealTypeList{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<T> values;
    unsigned state = 77u * static_cast<unsigned>(seed) + 1;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      state = state * 1664525u + 1013904223u;
      values.push_back(static_cast<T>(static_cast<float>((state >> 16) % 97) / 8 - 6));
    }
    x = Tensor::FromValues<T>(shape, values);
    return OkStatus();
  });
  EXPECT_TRUE(known.ok()) << known;
  return x;
}

// What ops take for a shape.
inline Tensor SizesOf(const Shape& shape) {
  std::vector<int32_t> sizes;
  for (int i = 0; i < shape.rank(); ++i) sizes.push_back(static_cast<int32_t>(shape.dim(i)));
  return Tensor::Vector<int32_t>(sizes);
}

// What results of some additions and a division may differ by.
inline Tolerance ToleranceOf(DType dtype) {
  Tolerance tolerance;
  tolerance.relative = dtype == DType::kDouble  ? 1e-12
                       : dtype == DType::kFloat ? 1e-5
                       : dtype == DType::kHalf  ? 2e-3
                                                : 1.6e-2;
  tolerance.absolute = tolerance.relative;
  return tolerance;
}

constexpr DType kTestFloats[] = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_GPU_LOOPS_NUMBERS_TESTING_H_
