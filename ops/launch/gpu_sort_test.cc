// Sorting and selecting, with the functions of tests.
#include "ops/launch/gpu_sort.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_flags.h"
#include "ops/launch/gpu_select.h"
#include "runtime/device/simulated/simulated_device.h"

namespace warpbeam::host_pass {
namespace {

struct ListedKeys {
  const uint64_t *keys;
  WB_BLOCK uint64_t Key(int64_t item) const { return keys[item]; }
};
struct OddNumbers {
  const uint64_t *numbers;
  int64_t *places;
  WB_BLOCK bool Selects(int64_t i) const { return numbers[i] % 2 == 1; }
  WB_BLOCK void Place(int64_t i, int64_t position) const { places[position] = i; }
};
struct AllBits {
  const uint64_t *numbers;
  WB_BLOCK int64_t Flags(int64_t i) const { return static_cast<int64_t>(numbers[i]); }
};

class GpuSortTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto gpu = NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, 0), {});
    ASSERT_TRUE(gpu.ok()) << gpu.status();
    gpu_ = *std::move(gpu);
    ctx_ = std::make_unique<KernelContext>(nullptr, info_, gpu_.get(), nullptr);
    stream_ = std::make_unique<ReadableGpuStream>(*ctx_);
  }
  // Some are equal.
  static std::vector<uint64_t> Numbers(size_t count, uint64_t below) {
    std::vector<uint64_t> numbers(count);
    uint64_t state = 88172645463325252u;
    for (uint64_t &number : numbers) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      number = state % below;
    }
    return numbers;
  }
  static std::vector<int64_t> SortedBy(const std::vector<uint64_t> &keys,
                                       std::vector<int64_t> order = {}) {
    if (order.empty()) {
      order.resize(keys.size());
      std::iota(order.begin(), order.end(), 0);
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)];
    });
    return order;
  }
  static std::vector<int64_t> List(const Tensor &order) {
    return {order.data<int64_t>(), order.data<int64_t>() + order.num_elements()};
  }
  StatusOr<Tensor> Sort(const std::vector<uint64_t> &keys, uint64_t bits, Tensor order = Tensor()) {
    return SortedOrder(*ctx_, *stream_, ListedKeys{keys.data()}, static_cast<int64_t>(keys.size()),
                       bits, std::move(order));
  }

  const KernelContext::NodeInfo info_ = {};
  std::unique_ptr<Device> gpu_;
  std::unique_ptr<KernelContext> ctx_;
  std::unique_ptr<ReadableGpuStream> stream_;
};

TEST_F(GpuSortTest, IsStableAtEachSize) {
  for (const size_t count : {1u, 2u, 2047u, 2048u, 2049u, 20000u}) {
    for (const uint64_t below : {uint64_t{1}, uint64_t{100}, ~uint64_t{0}}) {
      const std::vector<uint64_t> keys = Numbers(count, below);
      const auto order = Sort(keys, ~uint64_t{0});
      ASSERT_TRUE(order.ok()) << order.status();
      EXPECT_EQ(List(*order), SortedBy(keys)) << count << " " << below;
    }
  }
}

TEST_F(GpuSortTest, PassesOverBitsThatDoNotDiffer) {
  std::vector<uint64_t> keys = Numbers(3000, 16);
  for (uint64_t &key : keys) key = key << 36 | 0xabc;
  const auto order = Sort(keys, uint64_t{15} << 36);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(List(*order), SortedBy(keys));
  const auto as_it_was = Sort(keys, 0);
  ASSERT_TRUE(as_it_was.ok()) << as_it_was.status();
  EXPECT_EQ(List(*as_it_was), SortedBy(std::vector<uint64_t>(keys.size(), 0)));
}

// Of keys that differ elsewhere too, only the bits that are asked for.
TEST_F(GpuSortTest, LooksAtTheBitsThatAreAskedFor) {
  const std::vector<uint64_t> keys = {0x20f, 0x110, 0x30f, 0x100};
  const auto order = Sort(keys, 0xf00);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(List(*order), (std::vector<int64_t>{1, 3, 0, 2}));
}

TEST_F(GpuSortTest, ByOneKeyBehindAnother) {
  const std::vector<uint64_t> major = Numbers(5000, 7), minor = Numbers(5000, 100);
  auto order = Sort(minor, ~uint64_t{0});
  ASSERT_TRUE(order.ok()) << order.status();
  order = Sort(major, ~uint64_t{0}, *order);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(List(*order), SortedBy(major, SortedBy(minor)));
}

TEST_F(GpuSortTest, GroupsEndWhereTheNextBegins) {
  const std::vector<uint64_t> groups = {3, 0, 5, 3, 0, 0};
  const auto order = Sort(groups, GroupBits(5));
  ASSERT_TRUE(order.ok()) << order.status();
  const auto ends = ReadGroupEnds(*ctx_, *stream_, ListedKeys{groups.data()}, *order, 5);
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_EQ(*ends, (std::vector<int64_t>{3, 3, 3, 5, 5}));  // what is in no group comes last
  EXPECT_EQ(GroupBits(4), 7u);                              // with one more number, which is 4
}

TEST_F(GpuSortTest, SelectsInOrder) {
  const std::vector<uint64_t> numbers = Numbers(size_t{600} * 2048 + 3, 1000);
  std::vector<int64_t> want;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] % 2 == 1) want.push_back(static_cast<int64_t>(i));
  }
  OddNumbers odd = {numbers.data(), nullptr};
  const auto selection =
      GpuSelection::Count(*ctx_, *stream_, odd, static_cast<int64_t>(numbers.size()));
  ASSERT_TRUE(selection.ok()) << selection.status();
  int64_t total = 0;
  ASSERT_EQ(stream_->Read(selection->total(), 1, &total), OkStatus());
  ASSERT_EQ(total, static_cast<int64_t>(want.size()));
  std::vector<int64_t> places(want.size());
  odd.places = places.data();
  ASSERT_EQ(selection->Place(*stream_, odd), OkStatus());
  EXPECT_EQ(places, want);
}

TEST_F(GpuSortTest, FlagsOfAllItems) {
  const std::vector<uint64_t> numbers = {1, 0, 4, 4};
  EXPECT_EQ(ReadFlags(*ctx_, *stream_, AllBits{numbers.data()}, 4).value_or(-1), 5);
  EXPECT_EQ(ReadFlags(*ctx_, *stream_, AllBits{numbers.data()}, 0).value_or(-1), 0);
  std::vector<uint64_t> many(5000, 0);
  many.back() = uint64_t{1} << 63;
  EXPECT_LT(ReadFlags(*ctx_, *stream_, AllBits{many.data()}, 5000).value_or(0), 0);
}

TEST(AtomicExchangeIf, WritesOnlyWhereTheExpectedIs) {
  uint64_t at = 3;
  EXPECT_EQ(AtomicExchangeIf(&at, 4, 5), 3u);
  EXPECT_EQ(at, 3u);
  EXPECT_EQ(AtomicExchangeIf(&at, 3, 5), 3u);
  EXPECT_EQ(at, 5u);
}

}  // namespace
}  // namespace warpbeam::host_pass
