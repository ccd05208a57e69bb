// SoftmaxRows: what Softmax, LogSoftmax and the cross entropies compute of one row of logits.
//
//   SoftmaxRow<float> row = ExponentialsOf(x, n, y);   // y[i] = exp(x[i] - row.max), sum: row.sum
//   ScaleRow(y, n, 1 / row.sum, y);                    // a softmax
//
// Rows are float or double; 16-bit floats are converted on the way in and out. A NaN or a positive
// infinity among the logits makes the whole row NaN. `y` may be `x`.
//
// Thread safety: pure but for the output; they cannot fail.
#ifndef WARPBEAM_OPS_NN_SOFTMAX_ROWS_H_
#define WARPBEAM_OPS_NN_SOFTMAX_ROWS_H_

#include <cstdint>
#include <limits>

#include "ops/launch/math.h"

namespace warpbeam::host_pass {

template <class A>
struct SoftmaxRow {
  A max;
  A sum;
};

// Elements [0, n) of x, n < kLanes, with minus infinity behind them.
template <class T>
auto LoadLogits(const T* p, int64_t n) {
  using V = decltype(LoadVec(p));
  using A = typename V::Scalar;
  A lanes[V::kLanes];
  for (int64_t i = 0; i < V::kLanes; ++i) {
    lanes[i] = i < n ? static_cast<A>(p[i]) : -std::numeric_limits<A>::infinity();
  }
  return LoadVec(lanes);
}

template <class T>
ComputeType<T> MaxOfRow(const T* x, int64_t n) {
  using V = Vec<ComputeType<T>>;
  V max(-std::numeric_limits<ComputeType<T>>::infinity());
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) max = Max(max, LoadVec(x + i));
  if (i < n) max = Max(max, LoadLogits(x + i, n - i));
  return hn::GetLane(hn::MaxOfLanes(typename V::Tag(), max.v));
}

// y[i] = exp(x[i] - max), or x[i] - max itself with kLogarithm; the sum is that of exponentials.
template <bool kLogarithm = false, class T, class A>
SoftmaxRow<A> ExponentialsOf(const T* x, int64_t n, A* y) {
  using V = Vec<A>;
  const A max = MaxOfRow(x, n);
  const V m(max);
  V sum(0);
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) {
    const V shifted = LoadVec(x + i) - m, e = Exp(shifted);
    StoreVec(kLogarithm ? shifted : e, y + i);
    sum = sum + e;
  }
  if (i < n) {
    const V shifted = LoadLogits(x + i, n - i) - m, e = Exp(shifted);
    StoreVecN(kLogarithm ? shifted : e, y + i, n - i);
    // The lanes behind the row are exp(-inf), which is NaN only in a row that is NaN anyway.
    sum = sum + e;
  }
  return {max, SumLanes(sum)};
}

template <class T, class A>
void ScaleRow(const A* x, int64_t n, A factor, T* y) {
  using V = Vec<A>;
  const V f(factor);
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) StoreVec(LoadVec(x + i) * f, y + i);
  for (; i < n; ++i) y[i] = static_cast<T>(x[i] * factor);
}

template <class T, class A>
void ShiftRow(const A* x, int64_t n, A by, T* y) {
  using V = Vec<A>;
  const V b(by);
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) StoreVec(LoadVec(x + i) - b, y + i);
  for (; i < n; ++i) y[i] = static_cast<T>(x[i] - by);
}

}  // namespace warpbeam::host_pass

#endif  // WARPBEAM_OPS_NN_SOFTMAX_ROWS_H_
