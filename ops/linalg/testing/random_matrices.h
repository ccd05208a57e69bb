// Matrices of numbers without order, the same in every run, for tests of linear algebra.
//
//   const Tensor a = InvertibleMatrices<float>(Shape({3, 5, 5}), /*seed=*/1);
//
// Element types: float, double and both complex types. Thread safety: pure functions.
#ifndef WARPBEAM_OPS_LINALG_TESTING_RANDOM_MATRICES_H_
#define WARPBEAM_OPS_LINALG_TESTING_RANDOM_MATRICES_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "graph/types/tensor.h"
#include "graph/types/testing/tensor_compare.h"

namespace warpbeam {

template <class T>
using RealPartOf = decltype(std::abs(T()));

// For what is computed in float on GPUs, and in double on the CPU.
template <class T>
Tolerance PrecisionOf() {
  const double each = std::is_same_v<RealPartOf<T>, float> ? 2e-4 : 1e-11;
  return {each, each};
}

// Between -1 and 1, both parts of them.
template <class T>
Tensor RandomNumbers(const Shape& shape, uint32_t seed) {
  uint32_t state = seed * 2654435761u + 1;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<RealPartOf<T>>(static_cast<double>(state >> 8) / (1 << 23) - 1);
  };
  std::vector<T> values(static_cast<size_t>(shape.num_elements()));
  for (T& value : values) {
    const RealPartOf<T> real = next();
    if constexpr (std::is_same_v<T, RealPartOf<T>>) {
      value = real;
    } else {
      value = T(real, next());
    }
  }
  return Tensor::FromValues<T>(shape, values);
}

// With `more` added on the diagonal; or, where they are `turned`, on the other one, so that rows
// are exchanged where a matrix is factored.
template <class T>
Tensor WeightedMatrices(const Shape& shape, uint32_t seed, double more, bool turned = false) {
  Tensor x = RandomNumbers<T>(shape, seed);
  const int64_t n = shape.dim(shape.rank() - 1);
  for (int64_t first = 0; first < x.num_elements(); first += n * n) {
    for (int64_t i = 0; i < n; ++i) {
      x.data<T>()[first + i * n + (turned ? n - 1 - i : i)] += T(RealPartOf<T>(more));
    }
  }
  return x;
}
template <class T>
Tensor InvertibleMatrices(const Shape& shape, uint32_t seed) {
  const auto n = static_cast<double>(shape.dim(shape.rank() - 1));
  return WeightedMatrices<T>(shape, seed, 2 * std::sqrt(n), /*turned=*/true);
}

// By their lower triangles, of matrices that are their own adjoint, with `more` added on the
// diagonal. What is above is no number.
template <class T>
Tensor LowerTriangles(const Shape& shape, uint32_t seed, double more) {
  Tensor x = WeightedMatrices<T>(shape, seed, more);
  const int64_t n = shape.dim(shape.rank() - 1);
  for (int64_t first = 0; first < x.num_elements(); first += n * n) {
    for (int64_t i = 0; i < n; ++i) {
      T* const row = x.data<T>() + first + i * n;
      row[i] = T(std::real(row[i]));
      for (int64_t j = i + 1; j < n; ++j) {
        row[j] = T(std::numeric_limits<RealPartOf<T>>::quiet_NaN());
      }
    }
  }
  return x;
}

// Of many sizes, alone and in batches, and without elements.
inline std::vector<Shape> SquareShapes() {
  return {Shape({0, 0}),    Shape({1, 1}),   Shape({2, 2}),    Shape({5, 5}),
          Shape({33, 33}),  Shape({64, 64}), Shape({7, 4, 4}), Shape({2, 3, 6, 6}),
          Shape({0, 3, 3}), Shape({3, 0, 0})};
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_TESTING_RANDOM_MATRICES_H_
