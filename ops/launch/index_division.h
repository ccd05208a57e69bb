// IndexDivision and StridedDims: from an index to a place in a strided tensor without dividing,
// which costs a GPU as much as twenty additions.
//
//   const IndexDivision by_seven(7);                 // on the host, before a launch
//   const uint32_t three = by_seven.Quotient(23);    // on either side
//
//   StridedDims dims;                                // innermost first
//   dims.Add(/*dim_extent=*/5, /*dim_stride=*/1);
//   dims.Add(3, 20);
//   const int64_t place = dims.Offset(7);            // 2 + 20
//
// Thread safety: values. Errors: Add refuses more than kMaxDims dimensions by returning false.
#ifndef WARPBEAM_OPS_LAUNCH_INDEX_DIVISION_H_
#define WARPBEAM_OPS_LAUNCH_INDEX_DIVISION_H_

#include <cstdint>

#include "ops/launch/pass.h"

namespace warpbeam {

// Division of numbers below 2^31 by a divisor from 1 to 2^31 (Granlund and Montgomery: a product of
// which the upper half counts, and a shift).
class IndexDivision {
 public:
  static constexpr int64_t kLimit = int64_t{1} << 31;

  IndexDivision() = default;
  explicit IndexDivision(uint32_t divisor) {
    while ((uint64_t{1} << shift_) < divisor) ++shift_;
    const uint64_t rest = (uint64_t{1} << shift_) - divisor;
    multiplier_ = static_cast<uint32_t>((rest << 32) / divisor + 1);
  }
  WB_HD uint32_t Quotient(uint32_t n) const {
    const auto product = static_cast<uint32_t>((uint64_t{n} * multiplier_) >> 32);
    return (product + n) >> shift_;
  }

 private:
  uint32_t multiplier_ = 1, shift_ = 0;
};

struct StridedDims {
  static constexpr int kMaxDims = 9;
  int count = 0;
  int64_t elements = 1;  // the product of the extents
  int64_t extent[kMaxDims] = {};
  int64_t stride[kMaxDims] = {};
  IndexDivision by[kMaxDims];

  // The next dimension outwards.
  bool Add(int64_t dim_extent, int64_t dim_stride) {
    if (count == kMaxDims) return false;
    extent[count] = dim_extent;
    stride[count] = dim_stride;
    if (dim_extent > 0 && dim_extent < IndexDivision::kLimit) {
      by[count] = IndexDivision(static_cast<uint32_t>(dim_extent));
    }
    elements *= dim_extent;
    ++count;
    return true;
  }
  // Of the element with the index, which is less than `elements`.
  WB_HD int64_t Offset(int64_t index) const {
    if (count == 1) return index * stride[0];
    if (count == 0) return 0;
    return elements < IndexDivision::kLimit ? SmallOffset(static_cast<uint32_t>(index))
                                            : LargeOffset(index);
  }

 private:
  WB_HD int64_t SmallOffset(uint32_t index) const {
    int64_t offset = 0;
    for (int d = 0; d + 1 < count; ++d) {
      const uint32_t quotient = by[d].Quotient(index);
      offset +=
          static_cast<int64_t>(index - quotient * static_cast<uint32_t>(extent[d])) * stride[d];
      index = quotient;
    }
    return offset + int64_t{index} * stride[count - 1];
  }
  WB_HD int64_t LargeOffset(int64_t index) const {
    int64_t offset = 0;
    for (int d = 0; d + 1 < count; ++d) {
      offset += index % extent[d] * stride[d];
      index /= extent[d];
    }
    return offset + index * stride[count - 1];
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_INDEX_DIVISION_H_
