#include "ops/launch/dispatch.h"
#include "ops/math/gemm.h"

namespace warpbeam {
namespace {

// Rounded where the nodes would round; a NaN stays.
template <class T>
void AddBiasOf(const BiasedExtents& e, const T* bias, bool relu, T* y) {
  using Sum = ComputeType<T>;
  for (int64_t o = 0; o < e.outer; ++o) {
    for (int64_t c = 0; c < e.channels; ++c, y += e.inner) {
      for (int64_t i = 0; i < e.inner; ++i) {
        y[i] = T(Sum(y[i]) + Sum(bias[c]));
        if (relu && Sum(y[i]) <= 0) y[i] = T(Sum(0));
      }
    }
  }
}

}  // namespace

void AddBias(DType dtype, const BiasedExtents& extents, const void* bias, bool relu, void* result) {
  DispatchTypes(FloatTypeList{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    AddBiasOf(extents, static_cast<const T*>(bias), relu, static_cast<T*>(result));
    return OkStatus();
  }).IgnoreError();
}

}  // namespace warpbeam
