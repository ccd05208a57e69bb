// Number types that C++17 lacks: Half (IEEE binary16), BFloat16, the quantised integers and the
// 8-bit floats as raw bits.
//
// Half and BFloat16 compute through float: every operator converts, computes and rounds to nearest
// even, which is what TensorFlow's CPU kernels give. They are plain 2-byte values without
// invariants and may be used on the host and in device code alike. The header pulls in nothing from
// Abseil, so that device passes can afford it.
//
//   Half h(1.5f);  float twice = float(h + h);
#ifndef WARPBEAM_GRAPH_TYPES_NUMBER_H_
#define WARPBEAM_GRAPH_TYPES_NUMBER_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#if defined(__CUDACC__)
#define WB_HD __host__ __device__
#else
#define WB_HD
#endif

namespace warpbeam {

// Bit conversions, round to nearest even; NaN stays NaN. GPUs have instructions for them.
WB_HD inline uint16_t FloatToBFloat16Bits(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(f));
  return bits;
#else
  uint32_t u;
  memcpy(&u, &f, 4);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((u >> 16) | 0x40u);
  return static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
#endif
}
WB_HD inline float BFloat16BitsToFloat(uint16_t bits) {
  uint32_t u = static_cast<uint32_t>(bits) << 16;
  float f;
  memcpy(&f, &u, 4);
  return f;
}

WB_HD inline uint16_t FloatToHalfBits(float f) {
#if defined(__CUDA_ARCH__)
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(f));
  return bits;
#else
  uint32_t u;
  memcpy(&u, &f, 4);
  const uint16_t sign = static_cast<uint16_t>((u >> 16) & 0x8000u);
  u &= 0x7fffffffu;
  if (u >= 0x47800000u) {  // too large for a half, infinite or NaN
    if (u > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((u >> 13) & 0x3ffu));
    return static_cast<uint16_t>(sign | 0x7c00u);
  }
  if (u < 0x38800000u) {  // subnormal or zero: let the float adder do the rounding
    float magic = 0.5f, g;
    memcpy(&g, &u, 4);
    g += magic;
    uint32_t r, m;
    memcpy(&r, &g, 4);
    memcpy(&m, &magic, 4);
    return static_cast<uint16_t>(sign | (r - m));
  }
  const uint32_t odd = (u >> 13) & 1u;
  u += 0xc8000fffu + odd;  // rebias the exponent from 127 to 15, round to nearest even
  return static_cast<uint16_t>(sign | (u >> 13));
#endif
}
WB_HD inline float HalfBitsToFloat(uint16_t bits) {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
  return f;
#else
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  uint32_t u = static_cast<uint32_t>(bits & 0x7fffu) << 13;
  const uint32_t exponent = u & 0x0f800000u;
  float f;
  u += 112u << 23;
  if (exponent == 0x0f800000u) {
    u += 112u << 23;
  } else if (exponent == 0) {
    const uint32_t magic_bits = 113u << 23;
    float magic;
    u += 1u << 23;
    memcpy(&f, &u, 4);
    memcpy(&magic, &magic_bits, 4);
    f -= magic;
    memcpy(&u, &f, 4);
  }
  u |= sign;
  memcpy(&f, &u, 4);
  return f;
#endif
}

// One definition for both 16-bit floats; they differ only in the bit conversions.
#define WB_DEFINE_FLOAT16(Name, ToBits, ToFloat)                                      \
  struct Name {                                                                       \
    uint16_t bits;                                                                    \
    Name() = default;                                                                 \
    WB_HD explicit Name(float f) : bits(ToBits(f)) {}                                 \
    WB_HD explicit Name(double d) : bits(ToBits(static_cast<float>(d))) {}            \
    template <class I, class = decltype(static_cast<float>(I()) + 0), class = void>   \
    WB_HD explicit Name(I i) : bits(ToBits(static_cast<float>(i))) {}                 \
    WB_HD explicit operator float() const { return ToFloat(bits); }                   \
    template <class T, class = decltype(static_cast<T>(0.0f))>                        \
    WB_HD explicit operator T() const {                                               \
      return static_cast<T>(ToFloat(bits));                                           \
    }                                                                                 \
    WB_HD static Name FromBits(uint16_t b) {                                          \
      Name n;                                                                         \
      n.bits = b;                                                                     \
      return n;                                                                       \
    }                                                                                 \
    WB_HD friend Name operator+(Name a, Name b) { return Name(float(a) + float(b)); } \
    WB_HD friend Name operator-(Name a, Name b) { return Name(float(a) - float(b)); } \
    WB_HD friend Name operator*(Name a, Name b) { return Name(float(a) * float(b)); } \
    WB_HD friend Name operator/(Name a, Name b) { return Name(float(a) / float(b)); } \
    WB_HD friend Name operator-(Name a) { return FromBits(a.bits ^ 0x8000u); }        \
    WB_HD Name& operator+=(Name b) { return *this = *this + b; }                      \
    WB_HD Name& operator-=(Name b) { return *this = *this - b; }                      \
    WB_HD Name& operator*=(Name b) { return *this = *this * b; }                      \
    WB_HD Name& operator/=(Name b) { return *this = *this / b; }                      \
    WB_HD friend bool operator==(Name a, Name b) { return float(a) == float(b); }     \
    WB_HD friend bool operator!=(Name a, Name b) { return float(a) != float(b); }     \
    WB_HD friend bool operator<(Name a, Name b) { return float(a) < float(b); }       \
    WB_HD friend bool operator<=(Name a, Name b) { return float(a) <= float(b); }     \
    WB_HD friend bool operator>(Name a, Name b) { return float(a) > float(b); }       \
    WB_HD friend bool operator>=(Name a, Name b) { return float(a) >= float(b); }     \
  };

WB_DEFINE_FLOAT16(Half, FloatToHalfBits, HalfBitsToFloat)
WB_DEFINE_FLOAT16(BFloat16, FloatToBFloat16Bits, BFloat16BitsToFloat)
#undef WB_DEFINE_FLOAT16

// Quantised integers: distinct types around their storage, so that dispatch can tell them apart.
template <typename Storage, int Tag>
struct Quantized {
  Storage value;
  Quantized() = default;
  WB_HD explicit Quantized(Storage v) : value(v) {}
  WB_HD explicit operator Storage() const { return value; }
  WB_HD friend bool operator==(Quantized a, Quantized b) { return a.value == b.value; }
  WB_HD friend bool operator!=(Quantized a, Quantized b) { return a.value != b.value; }
  WB_HD friend bool operator<(Quantized a, Quantized b) { return a.value < b.value; }
};
using QInt8 = Quantized<int8_t, 11>;
using QUInt8 = Quantized<uint8_t, 12>;
using QInt32 = Quantized<int32_t, 13>;
using QInt16 = Quantized<int16_t, 15>;
using QUInt16 = Quantized<uint16_t, 16>;

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_NUMBER_H_
