// The innermost loops of reductions, for every reduction and element type.

#include <algorithm>
#include <complex>
#include <limits>

#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/math/reducers.h"
#include "ops/math/reduction.h"

namespace warpbeam::host_pass {
namespace {

// Join of the lanes of a vector.
template <class R, class T>
T JoinLanes(Vec<T> v) {
  T lanes[Vec<T>::kLanes];
  StoreVec(v, lanes);
  T all = lanes[0];
  for (int i = 1; i < Vec<T>::kLanes; ++i) all = R::Join(all, lanes[i]);
  return all;
}

// Floats: four vectors hide the latency of the additions; every 2048 elements they are summed up,
// so that rounding errors of long sums stay small.
template <class R, class T>
ComputeType<T> RowOfFloats(const T* x, int64_t n) {
  using A = ComputeType<T>;
  using V = Vec<A>;
  constexpr int64_t kLanes = V::kLanes, kRun = 2048;
  A all = R::Neutral();
  while (n >= kLanes) {
    const int64_t run = std::min(n, kRun) / kLanes * kLanes;
    V acc[4] = {V(R::Neutral()), V(R::Neutral()), V(R::Neutral()), V(R::Neutral())};
    int64_t i = 0;
    for (; i + 4 * kLanes <= run; i += 4 * kLanes) {
      for (int j = 0; j < 4; ++j) {
        acc[j] = R::Join(acc[j], R::Map(LoadVec(x + i + j * kLanes)));
      }
    }
    for (; i < run; i += kLanes) acc[0] = R::Join(acc[0], R::Map(LoadVec(x + i)));
    all = R::Join(all, JoinLanes<R>(R::Join(R::Join(acc[0], acc[1]), R::Join(acc[2], acc[3]))));
    x += run;
    n -= run;
  }
  for (int64_t i = 0; i < n; ++i) all = R::Join(all, R::Map(static_cast<A>(x[i])));
  return all;
}

template <class R, class T>
struct Loops {
  using Acc = typename R::Acc;
  static constexpr bool kVectors = kIsFloat<T> && std::is_same_v<Acc, ComputeType<T>>;

  static void Init(void* accumulators, int64_t n) {
    std::fill_n(static_cast<Acc*>(accumulators), n, R::Neutral());
  }

  static Acc Row(const T* x, int64_t n) {
    if constexpr (kVectors) {
      return RowOfFloats<R>(x, n);
    } else {
      Acc all = R::Neutral();
      for (int64_t i = 0; i < n; ++i) all = R::Join(all, R::Map(static_cast<Acc>(x[i])));
      return all;
    }
  }
  static void Rows(const void* from, int64_t rows, int64_t stride, int64_t n, void* accumulators) {
    const T* x = static_cast<const T*>(from);
    Acc* acc = static_cast<Acc*>(accumulators);
    for (int64_t i = 0; i < rows; ++i) acc[i] = R::Join(acc[i], Row(x + i * stride, n));
  }

  // Four rows at a time: a quarter of the traffic to the accumulators.
  static void FourRows(const T* x, int64_t stride, int64_t n, Acc* acc) {
    const T *a = x, *b = a + stride, *c = b + stride, *d = c + stride;
    int64_t j = 0;
    if constexpr (kVectors) {
      constexpr int64_t kLanes = Vec<Acc>::kLanes;
      for (; j + kLanes <= n; j += kLanes) {
        const auto ab = R::Join(R::Map(LoadVec(a + j)), R::Map(LoadVec(b + j)));
        const auto cd = R::Join(R::Map(LoadVec(c + j)), R::Map(LoadVec(d + j)));
        StoreVec(R::Join(LoadVec(acc + j), R::Join(ab, cd)), acc + j);
      }
    }
#pragma GCC ivdep
    for (; j < n; ++j) {
      const Acc ab = R::Join(R::Map(static_cast<Acc>(a[j])), R::Map(static_cast<Acc>(b[j])));
      const Acc cd = R::Join(R::Map(static_cast<Acc>(c[j])), R::Map(static_cast<Acc>(d[j])));
      acc[j] = R::Join(acc[j], R::Join(ab, cd));
    }
  }
  static void OneRow(const T* x, int64_t n, Acc* acc) {
    int64_t j = 0;
    if constexpr (kVectors) {
      constexpr int64_t kLanes = Vec<Acc>::kLanes;
      for (; j + kLanes <= n; j += kLanes) {
        StoreVec(R::Join(LoadVec(acc + j), R::Map(LoadVec(x + j))), acc + j);
      }
    }
#pragma GCC ivdep
    for (; j < n; ++j) acc[j] = R::Join(acc[j], R::Map(static_cast<Acc>(x[j])));
  }
  static void Columns(const void* from, int64_t rows, int64_t stride, int64_t n,
                      void* accumulators) {
    const T* x = static_cast<const T*>(from);
    Acc* acc = static_cast<Acc*>(accumulators);
    // A narrow matrix is a wider one with fewer rows, whose columns are then joined.
    constexpr int64_t kNarrow = 32, kWide = 8;
    if (stride == n && n <= kNarrow && rows >= 4 * kWide) {
      Acc wide[kNarrow * kWide];
      Init(wide, n * kWide);
      Columns(x, rows / kWide, n * kWide, n * kWide, wide);
      for (int64_t i = 0; i < kWide; ++i) Merge(acc, wide + i * n, n);
      x += rows / kWide * kWide * n;
      rows %= kWide;
    }
    for (; rows >= 4; rows -= 4, x += 4 * stride) FourRows(x, stride, n, acc);
    for (; rows > 0; --rows, x += stride) OneRow(x, n, acc);
  }

  static void Merge(void* accumulators, const void* others, int64_t n) {
    Acc* acc = static_cast<Acc*>(accumulators);
    const Acc* other = static_cast<const Acc*>(others);
    for (int64_t i = 0; i < n; ++i) acc[i] = R::Join(acc[i], other[i]);
  }

  static ReductionLoops With(void (*finish)(const void*, int64_t, int64_t, void*)) {
    ReductionLoops loops;
    loops.accumulator_bytes = sizeof(Acc);
    loops.init = &Init;
    loops.rows = &Rows;
    loops.columns = &Columns;
    loops.merge = &Merge;
    loops.finish = finish;
    return loops;
  }
};

// From accumulators to results.
template <class Acc, class T>
void Store(const void* accumulators, int64_t n, int64_t, void* out) {
  const Acc* acc = static_cast<const Acc*>(accumulators);
  for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = static_cast<T>(acc[i]);
}
template <class Acc, class T>
void StoreMean(const void* accumulators, int64_t n, int64_t count, void* out) {
  const Acc* acc = static_cast<const Acc*>(accumulators);
  for (int64_t i = 0; i < n; ++i) {
    Acc mean(0);
    if constexpr (std::is_integral_v<Acc> || kIsComplex<Acc>) {
      if (count > 0) mean = acc[i] / static_cast<Acc>(count);
    } else {
      mean = acc[i] / static_cast<Acc>(count);
    }
    static_cast<T*>(out)[i] = static_cast<T>(mean);
  }
}
template <class Acc, class T>
void StoreHalf(const void* accumulators, int64_t n, int64_t, void* out) {
  const Acc* acc = static_cast<const Acc*>(accumulators);
  for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = static_cast<T>(acc[i] / 2);
}
template <class Acc, class T>
void StoreRoot(const void* accumulators, int64_t n, int64_t, void* out) {
  const Acc* acc = static_cast<const Acc*>(accumulators);
  for (int64_t i = 0; i < n; ++i) {
    T& y = static_cast<T*>(out)[i];
    if constexpr (kIsComplex<Acc>) {
      y = T(std::sqrt(acc[i].real()));
    } else if constexpr (std::is_integral_v<Acc>) {
      // A sum that wrapped to a negative number has the root that x86 gives for none.
      const double sum = static_cast<double>(acc[i]);
      if (sum >= 0) {
        y = static_cast<T>(std::sqrt(sum));
      } else {
        y = sizeof(T) >= 4 ? std::numeric_limits<T>::min() : T(0);
      }
    } else {
      y = static_cast<T>(Sqrt(acc[i]));
    }
  }
}

template <class T>
using MeanAcc =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, ComputeType<T>>;

template <template <class> class R, class Acc, class T>
ReductionLoops Make(void (*finish)(const void*, int64_t, int64_t, void*)) {
  return Loops<R<Acc>, T>::With(finish);
}

template <class T>
ReductionLoops OfNumbers(Reduction reduction) {
  using C = ComputeType<T>;
  switch (reduction) {
    case Reduction::kMean:
      return Make<SumOf, MeanAcc<T>, T>(&StoreMean<MeanAcc<T>, T>);
    case Reduction::kProd:
      return Make<ProductOf, C, T>(&Store<C, T>);
    case Reduction::kNorm:
      return Make<SquaresOf, C, T>(&StoreRoot<C, T>);
    default:
      return Make<SumOf, C, T>(&Store<C, T>);
  }
}

}  // namespace
}  // namespace warpbeam::host_pass

namespace warpbeam {

StatusOr<ReductionLoops> FindReductionLoops(Reduction reduction, DType dtype) {
  using namespace host_pass;  // NOLINT: the functions above
  ReductionLoops loops;
  Status status;
  switch (reduction) {
    case Reduction::kAny:
      return Loops<AnyOf, bool>::With(&Store<uint8_t, bool>);
    case Reduction::kAll:
      return Loops<AllOf, bool>::With(&Store<uint8_t, bool>);
    case Reduction::kMax:
    case Reduction::kMin:
      status = DispatchTypes(RealTypeList{}, dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        using C = ComputeType<T>;
        loops = reduction == Reduction::kMax ? Make<MaxOf, C, T>(&Store<C, T>)
                                             : Make<MinOf, C, T>(&Store<C, T>);
        return OkStatus();
      });
      break;
    case Reduction::kHalfNorm:
      status = DispatchTypes(FloatTypeList{}, dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        using C = ComputeType<T>;
        loops = Make<SquaresOf, C, T>(&StoreHalf<C, T>);
        return OkStatus();
      });
      break;
    default:
      status = DispatchTypes(NumberTypeList{}, dtype, [&](auto tag) {
        loops = OfNumbers<typename decltype(tag)::type>(reduction);
        return OkStatus();
      });
  }
  WB_RETURN_IF_ERROR(status);
  return loops;
}

}  // namespace warpbeam
