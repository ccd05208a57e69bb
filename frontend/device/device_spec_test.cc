#include "frontend/device/device_spec.h"

#include "frontend/build.h"
#include "frontend/scope.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

// The texts are those of tf.DeviceSpec.
TEST(DeviceSpecTest, Texts) {
  const DeviceSpec gpu = DeviceSpec().job("worker").task(1).device_type("GPU").device_index(0);
  EXPECT_EQ(gpu.ToString(), "/job:worker/task:1/device:GPU:0");
  EXPECT_EQ(DeviceSpec().job("ps").replica(2).device_type("CPU").ToString(),
            "/job:ps/replica:2/device:CPU:*");
  EXPECT_EQ(DeviceSpec().ToString(), "");
  const auto read = DeviceSpec::FromString("/job:worker/task:1/gpu:0");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(*read == gpu);
  EXPECT_EQ(read->index, 0);
  EXPECT_FALSE(read->replica_number.has_value());
  EXPECT_TRUE(IsInvalidArgument(DeviceSpec::FromString("/job:a/where").status()));
}

TEST(DeviceSpecTest, WhatIsGivenInsideTakesThePlace) {
  DeviceSpec outer = DeviceSpec().job("worker").task(1).device_type("GPU").device_index(3);
  const DeviceSpec merged = outer.MakeMergedSpec(DeviceSpec().task(2).device_index(0));
  EXPECT_EQ(merged.ToString(), "/job:worker/task:2/device:GPU:0");
  EXPECT_EQ(outer.ToString(), "/job:worker/task:1/device:GPU:3");
  outer.MergeFrom(DeviceSpec().job("ps"));
  EXPECT_EQ(outer.ToString(), "/job:ps/task:1/device:GPU:3");
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(Constant(root.Device(outer.ToString()), 1).device(), outer.ToString());
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
