// Sorted segments on GPUs are what they are on the CPU, and so is what is refused.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/math/gpu/numbers_testing.h"

namespace warpbeam {
namespace {

constexpr const char* kSortedOps[] = {"SegmentSum", "SegmentProd", "SegmentMax", "SegmentMin",
                                      "SegmentMean"};

Tensor Ids(const std::vector<int64_t>& ids, DType index) {
  return OpRunner("Cast")
      .Attr("DstT", index)
      .Input(Tensor::Vector<int64_t>(ids))
      .RunOne()
      .value_or(Tensor());
}

TEST(SegmentOnGpu, EachTypeAndSegmentsWithoutRows) {
  const std::vector<int64_t> ids = {0, 0, 2, 5, 5, 5, 6};
  for (const Shape& shape : {Shape({7}), Shape({7, 5}), Shape({7, 2, 3}), Shape({7, 0})}) {
    for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble}) {
      for (const DType index : {DType::kInt32, DType::kInt64}) {
        for (const char* op : kSortedOps) {
          EXPECT_EQ(GpuAsCpu({op, {}, {{SmallNumbers(shape, dtype)}, {Ids(ids, index)}}},
                             ToleranceFor(dtype)),
                    OkStatus())
              << op << DTypeName(dtype) << shape.ToString();
        }
      }
    }
  }
}

// Few segments of many rows are joined by blocks, many by threads.
TEST(SegmentOnGpu, LongSegmentsAndManyOfThem) {
  for (const int64_t segments : {1, 3, 1000}) {
    constexpr int64_t kRows = 5000;
    std::vector<int64_t> ids(kRows);
    for (int64_t i = 0; i < kRows; ++i) ids[static_cast<size_t>(i)] = i * segments / kRows;
    for (const char* op : kSortedOps) {
      if (op == std::string("SegmentProd") && segments < 1000) continue;  // of thousands of numbers
      EXPECT_EQ(
          GpuAsCpu({op,
                    {},
                    {{SmallNumbers(Shape({kRows, 3}), DType::kDouble)}, {Ids(ids, DType::kInt32)}}},
                   {1e-9, 1e-9}),
          OkStatus())
          << op << segments;
    }
  }
}

TEST(SegmentOnGpu, InfinitiesAndNoRowsAtAll) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::Vector<float>({-infinity, infinity, -infinity, NAN});
  for (const char* op : kSortedOps) {
    const Tensor none = Tensor::FromValues<float>(Shape({0, 3}), {});
    EXPECT_EQ(GpuAsCpu({op, {}, {{x}, {Ids({0, 1, 3, 4}, DType::kInt32)}}}, {}), OkStatus()) << op;
    EXPECT_EQ(GpuAsCpu({op, {}, {{none}, {Ids({}, DType::kInt64)}}}, {}), OkStatus()) << op;
  }
}

TEST(SegmentOnGpu, RefusesInTheWordsOfTheCpu) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  const Tensor x = Tensor::Vector<float>({1, 2, 3});
  const std::vector<std::vector<int64_t>> all = {{0, 2, 1},    {-1, 0, 1}, {-3, -2, -1},
                                                 {0, 1, most}, {0, 1},     {3, 0, 3}};
  for (const auto& ids : all) {
    const auto on_cpu =
        OpRunner("SegmentSum").Input(x).Input(Ids(ids, DType::kInt64)).RunOne().status();
    ASSERT_FALSE(on_cpu.ok());
    for (const GpuMode mode : GpuModes()) {
      const auto y = GpuOpRunner("SegmentSum", mode).Input(x).Input(Ids(ids, DType::kInt64)).Run();
      EXPECT_EQ(y.status(), on_cpu);
    }
  }
}

}  // namespace
}  // namespace warpbeam
