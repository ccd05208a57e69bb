// Elements: what block functions of independent elements share besides their loop
// (ops/launch/element_loop.h): elements that are moved together, and divisions that are worth their
// time on a GPU.
//
//   struct DoubleBlock {                                // in namespace warpbeam::WB_PASS
//     const float* x;  float* y;  int64_t count;       // a multiple of 4, addresses too
//     WB_BLOCK void operator()(GpuBlock& block) const {
//       ForEachElement(block, count / 4, [&](int64_t i) {
//         Pack<float, 4> pack = LoadPack<4>(x + 4 * i);
//         for (float& v : pack.at) v *= 2;
//         StorePack(pack, y + 4 * i);
//       });
//     }
//   };
//   return Launch(stream, ElementGrid(count / 4), DoubleBlock{x, y, count});
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_OPS_NN_GPU_LOOPS_ITEMS_H_
#define WARPBEAM_OPS_NN_GPU_LOOPS_ITEMS_H_

#include <cstdint>
#include <initializer_list>

#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/pass.h"

namespace warpbeam::WB_PASS {

// Neighbouring elements that one instruction loads or stores.
template <class T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
  T at[kWidth];
};
template <int kWidth, class T>
WB_HD Pack<T, kWidth> LoadPack(const T* from) {
  return *reinterpret_cast<const Pack<T, kWidth>*>(from);
}
template <class T, int kWidth>
WB_HD void StorePack(const Pack<T, kWidth>& pack, T* to) {
  *reinterpret_cast<Pack<T, kWidth>*>(to) = pack;
}
// As many as the widest instruction moves: 16 bytes.
template <class T>
inline constexpr int kWidest = 16 / static_cast<int>(sizeof(T));

// a / b of numbers that are not negative: in 32 bits where they fit, which takes a tenth of the
// time.
WB_HD inline int64_t Quotient(int64_t a, int64_t b) {
  if (((a | b) >> 32) == 0) return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return a / b;
}

// Divides numbers that are not negative by one that the host knows: by a multiplication and a shift
// where they fit 31 bits, which takes a fifth of even that time.
struct Divisor {
  int64_t value = 1;
  uint32_t multiplier = 0;
  int shift = 0;

  WB_HD int64_t Quotient(int64_t a) const {
    return ((a | value) >> 31) != 0 ? a / value : Small(static_cast<int32_t>(a));
  }
  // The same where both fit 31 bits.
  WB_HD int32_t Small(int32_t a) const {
    const auto n = static_cast<uint32_t>(a);
    const auto high = static_cast<uint32_t>(static_cast<uint64_t>(n) * multiplier >> 32);
    return static_cast<int32_t>((high + n) >> shift);
  }
  // The remainder; *a becomes the quotient.
  WB_HD int64_t Split(int64_t* a) const {
    const int64_t quotient = Quotient(*a), rest = *a - quotient * value;
    *a = quotient;
    return rest;
  }
};

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

// `value` is positive.
inline host_pass::Divisor DivisorOf(int64_t value) {
  host_pass::Divisor divisor;
  divisor.value = value;
  if (value >> 31 != 0) return divisor;
  while ((int64_t{1} << divisor.shift) < value) ++divisor.shift;
  const uint64_t excess = (uint64_t{1} << divisor.shift) - static_cast<uint64_t>(value);
  divisor.multiplier = static_cast<uint32_t>((excess << 32) / static_cast<uint64_t>(value) + 1);
  return divisor;
}

// A block for each row.
inline GpuGrid RowGrid(int64_t rows, int64_t columns) {
  GpuGrid grid;
  grid.blocks = GpuBlocksFor(rows);
  grid.threads = columns <= 64 ? 32 : 256;
  return grid;
}

// Whether elements may be moved 16 bytes at a time, in runs of `run` from the given addresses.
inline bool FitsPacks(int64_t run, int64_t element_bytes,
                      std::initializer_list<const void*> addresses) {
  if (run * element_bytes % 16 != 0) return false;
  for (const void* const address : addresses) {
    if (reinterpret_cast<uintptr_t>(address) % 16 != 0) return false;
  }
  return true;
}

}  // namespace warpbeam
#endif  // WB_HOST_PASS

#endif  // WARPBEAM_OPS_NN_GPU_LOOPS_ITEMS_H_
