#include "tools/cli/device_counts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace cli {
namespace {

using ::testing::HasSubstr;

DeviceCounts Counts(const std::string& text) {
  const auto counts = ParseDeviceCounts(text);
  EXPECT_TRUE(counts.ok()) << counts.status();
  return counts.ok() ? *counts : DeviceCounts();
}

TEST(DeviceCounts, TypesHaveNumbers) {
  EXPECT_EQ(Counts("cpu:2,GPU:4").cpus, 2);
  EXPECT_EQ(Counts("cpu:2,GPU:4").gpus, 4);
  EXPECT_EQ(Counts("3").cpus, 3);
  EXPECT_FALSE(Counts("").cpus.has_value());
  EXPECT_FALSE(Counts("cpu:2").gpus.has_value());
}

TEST(DeviceCounts, NamesAreOfDevicesThatNeedNotBeThere) {
  const std::vector<DeviceName> names = Counts("gpu:2").Names();
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0], DeviceName::Local(DeviceType::kCpu, 0));
  EXPECT_EQ(names[2], DeviceName::Local(DeviceType::kGpu, 1));
}

TEST(DeviceCounts, ASessionHasWhatIsSaidAndNothingElseChanges) {
  SessionOptions options;
  options.cpu_devices = 5;
  ASSERT_TRUE(Counts("").ApplyTo(&options).ok());
  EXPECT_EQ(options.cpu_devices, 5);
  EXPECT_EQ(options.gpus, -1);
  // No machine has so many.
  ASSERT_TRUE(Counts("cpu:0,gpu:1000").ApplyTo(&options).ok());
  EXPECT_EQ(options.cpu_devices, 1);
  EXPECT_EQ(options.simulated_gpus, 1000);
  SessionOptions without;
  ASSERT_TRUE(Counts("gpu:0").ApplyTo(&without).ok());
  EXPECT_EQ(Counts("gpu:4096").Names().size(), 4097u);
  EXPECT_THAT(std::string(Counts("gpu:4096").ApplyTo(&without).message()),
              HasSubstr("a session has at most 1024 devices of one type, not 4096"));
  EXPECT_EQ(without.gpus, 0);
  EXPECT_EQ(without.simulated_gpus, 0);
}

TEST(DeviceCounts, WhatIsNoneIsRefusedWithTheWord) {
  for (const char* text : {"cpu", "cpu:x", "tpu:1", "cpu:-1", "gpu:5000", "cpu:1:2"}) {
    const auto counts = ParseDeviceCounts(text);
    ASSERT_FALSE(counts.ok()) << text;
    EXPECT_THAT(std::string(counts.status().message()), HasSubstr(text));
  }
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
