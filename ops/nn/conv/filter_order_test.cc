#include "ops/nn/conv/filter_order.h"

#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/device/simulated/simulated_device.h"

namespace warpbeam {
namespace {

// With sides below, at and beyond those of the squares that are moved at a time.
std::vector<ConvGeometry> Filters() {
  std::vector<ConvGeometry> filters;
  for (const int64_t taps : {1, 6, 35}) {
    for (const int64_t channels : {1, 3, 32, 70}) {
      for (const int64_t outputs : {1, 5, 64, 65}) {
        ConvGeometry g;
        g.filter[1] = taps;
        g.groups = 2;
        g.in_channels = channels * g.groups;
        g.out_channels = outputs * g.groups;
        filters.push_back(g);
      }
    }
  }
  return filters;
}

template <class T>
void ExpectMoves(GpuStream& stream, DType dtype, const ConvGeometry& g, bool channels_first) {
  const int64_t taps = g.taps(), channels = g.group_inputs(), outputs = g.out_channels;
  std::vector<T> ours(static_cast<size_t>(g.filter_elements()));
  std::iota(ours.begin(), ours.end(), T{1});
  std::vector<T> want(ours.size()), got(ours.size()), back(ours.size());
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t k = 0; k < outputs; ++k) {
        const int64_t at =
            channels_first ? (k * channels + c) * taps + t : (k * taps + t) * channels + c;
        want[static_cast<size_t>(at)] = ours[static_cast<size_t>((t * channels + c) * outputs + k)];
      }
    }
  }
  const FilterOrder order(g, channels_first);
  ASSERT_TRUE(order.ToLibrary(stream, dtype, ours.data(), got.data()).ok());
  EXPECT_EQ(got, want) << taps << " " << channels << " " << outputs << channels_first;
  ASSERT_TRUE(order.FromLibrary(stream, dtype, got.data(), back.data()).ok());
  EXPECT_EQ(back, ours) << taps << " " << channels << " " << outputs << channels_first;
}

TEST(FilterOrder, ToTheLibraryAndBack) {
  const auto gpu = NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, 0), {1 << 20});
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  GpuStream stream(**gpu);
  for (const ConvGeometry& g : Filters()) {
    for (const bool channels_first : {false, true}) {
      ExpectMoves<uint16_t>(stream, DType::kHalf, g, channels_first);
      ExpectMoves<uint32_t>(stream, DType::kFloat, g, channels_first);
      ExpectMoves<uint64_t>(stream, DType::kDouble, g, channels_first);
    }
  }
}

TEST(FilterOrder, RefusesOtherElements) {
  const auto gpu = NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, 0), {1 << 20});
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  GpuStream stream(**gpu);
  const FilterOrder order(ConvGeometry(), false);
  EXPECT_EQ(order.ToLibrary(stream, DType::kComplex128, nullptr, nullptr).code(),
            StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace warpbeam
