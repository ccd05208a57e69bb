// The direction numbers of Sobol's sequence: what its points are put together from.
//
// Coordinate d of point n is the exclusive or of the numbers v[i] of dimension d over the bits i
// that are set in the Gray code of n, as a fraction of 2^32.
//
//   const std::vector<SobolDirections> v = FirstSobolDirections(3);
//   uint32_t x = 0;                                     // coordinate 2 of point 6, Gray code 0b101
//   x = v[2][0] ^ v[2][2];
//
// Ownership: the result is the caller's. Thread safety: pure. Errors: none; more dimensions than
// the table has are cut off.
#ifndef WARPBEAM_OPS_RANDOM_SOBOL_DIRECTIONS_H_
#define WARPBEAM_OPS_RANDOM_SOBOL_DIRECTIONS_H_

#include <array>
#include <cstdint>
#include <vector>

namespace warpbeam {

inline constexpr int kMaxSobolDimensions = 1111;

// Bit 31 is one half.
using SobolDirections = std::array<uint32_t, 32>;

std::vector<SobolDirections> FirstSobolDirections(int dimensions);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_SOBOL_DIRECTIONS_H_
