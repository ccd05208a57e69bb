// Neighbours: elements side by side that a thread of a GPU reads and writes at once, so that it has
// 16 bytes under way where an element is smaller.
//
//   using Pack = Neighbours<float, kMostNeighbours<float>>;
//   const Pack pack = static_cast<const Pack*>(x.raw_data())[i];
//
// Memory that is read so has to be aligned to 16 bytes: a tensor is, a part of one need not be.
//
// Thread safety: values.
#ifndef WARPBEAM_OPS_STATE_GPU_NEIGHBOURS_H_
#define WARPBEAM_OPS_STATE_GPU_NEIGHBOURS_H_

#include <cstdint>

#include "ops/launch/pass.h"

namespace warpbeam {

template <class T>
inline constexpr int kMostNeighbours = 16 / static_cast<int>(sizeof(T));

template <class T, int count>
struct alignas(sizeof(T) * count) Neighbours {
  T at[count];
};

// Whether all addresses are fit for kMostNeighbours.
template <class... Address>
WB_HD bool AreFitForNeighbours(Address... addresses) {
  return ((reinterpret_cast<uintptr_t>(addresses) | ...) % 16) == 0;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_GPU_NEIGHBOURS_H_
