// What GPUs move: unsigned integers of 1, 2, 4 and 8 bytes, and Wide of 16. A row of a smaller type
// goes as fewer, wider elements where its length and its addresses allow.
//
//   const int width = WidestElement(AddressBits(x, y) | row_bytes);
//   return DispatchWidth(width, [&](auto tag) {
//     using T = typename decltype(tag)::type;
//     return EnqueueRows<T>(x, y);
//   });
//
// Thread safety: pure. Errors: the function's own.
#ifndef WARPBEAM_OPS_ARRAY_GPU_MOVED_ELEMENT_H_
#define WARPBEAM_OPS_ARRAY_GPU_MOVED_ELEMENT_H_

#include <cstdint>

#include "ops/launch/pass.h"
#include "ops/launch/type_list.h"
#if WB_HOST_PASS
#include "graph/types/errors.h"
#endif

namespace warpbeam {

struct alignas(16) Wide {
  uint64_t low, high;
};

#if WB_HOST_PASS

// The largest power of two up to 16 that divides each of the numbers that are or'ed together in
// `numbers`.
inline int WidestElement(uint64_t numbers) {
  int width = 16;
  while (numbers % static_cast<uint64_t>(width) != 0) width /= 2;
  return width;
}

inline uint64_t AddressBits(const void* a, const void* b) {
  return reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b);
}

// fn(TypeTag<T>{}) for the T of `width` bytes.
template <typename Fn>
Status DispatchWidth(int width, Fn&& fn) {
  switch (width) {
    case 1:
      return fn(TypeTag<uint8_t>{});
    case 2:
      return fn(TypeTag<uint16_t>{});
    case 4:
      return fn(TypeTag<uint32_t>{});
    case 8:
      return fn(TypeTag<uint64_t>{});
    default:
      return fn(TypeTag<Wide>{});
  }
}

#endif  // WB_HOST_PASS

}  // namespace warpbeam

// X(T) for each of them.
#define WB_FOR_MOVED_ELEMENTS(X) X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t) X(Wide)

#endif  // WARPBEAM_OPS_ARRAY_GPU_MOVED_ELEMENT_H_
