// TF32, as the tensor cores take floats: 10 bits behind the point.
//
//   RoundToTensorFloat32(a.data(), a.size());
//
// Thread safety: pure functions.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_ROUNDING_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_ROUNDING_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>

namespace warpbeam::cuda_stand_in {

// To the nearest, of two equally near ones to the even one.
inline void RoundToTensorFloat32(float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) continue;
    uint32_t bits;
    std::memcpy(&bits, &values[i], sizeof(bits));
    bits += 0xfff + ((bits >> 13) & 1);
    bits &= ~uint32_t{0x1fff};
    std::memcpy(&values[i], &bits, sizeof(bits));
  }
}
inline void RoundToTensorFloat32(std::complex<float>* values, int64_t count) {
  RoundToTensorFloat32(reinterpret_cast<float*>(values), 2 * count);
}
// Doubles stay as they are: the tensor cores have them whole.
inline void RoundToTensorFloat32(double*, int64_t) {}
inline void RoundToTensorFloat32(std::complex<double>*, int64_t) {}

}  // namespace warpbeam::cuda_stand_in

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_ROUNDING_H_
