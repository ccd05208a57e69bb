#include "ops/launch/index_division.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(IndexDivision, DividesAsTheProcessorDoes) {
  constexpr uint32_t kLargest = 0x7fffffff;
  for (const uint32_t divisor :
       {1u, 2u, 3u, 5u, 7u, 10u, 64u, 641u, 65535u, 65537u, 6700417u, kLargest - 1, kLargest}) {
    const IndexDivision by(divisor);
    for (uint64_t n = 0; n <= kLargest; n += n / 3 + 1) {
      for (const uint64_t near : {n, n / divisor * divisor, n / divisor * divisor + divisor - 1}) {
        if (near > kLargest) continue;
        ASSERT_EQ(by.Quotient(static_cast<uint32_t>(near)), near / divisor)
            << near << " by " << divisor;
      }
    }
  }
}

TEST(StridedDims, FindsPlacesInSmallAndLargeTensors) {
  for (const int64_t outermost : {int64_t{4}, int64_t{1} << 40}) {
    StridedDims dims;
    EXPECT_EQ(dims.Offset(0), 0);
    ASSERT_TRUE(dims.Add(5, 1));
    EXPECT_EQ(dims.Offset(3), 3);
    ASSERT_TRUE(dims.Add(3, 20));
    ASSERT_TRUE(dims.Add(outermost, 100));
    EXPECT_EQ(dims.elements, 15 * outermost);
    EXPECT_EQ(dims.Offset(7), 2 + 20);
    EXPECT_EQ(dims.Offset(15 * 3 + 14), 4 + 40 + 300);
  }
}

TEST(StridedDims, HasAnEnd) {
  StridedDims dims;
  for (int i = 0; i < StridedDims::kMaxDims; ++i) EXPECT_TRUE(dims.Add(2, 1));
  EXPECT_FALSE(dims.Add(2, 1));
}

}  // namespace
}  // namespace warpbeam
