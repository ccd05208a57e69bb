#include "placement/device_name.h"

#include <gtest/gtest.h>

#include "placement/device_requests.h"

namespace warpbeam {
namespace {

DeviceName Parsed(absl::string_view text) {
  auto name = DeviceName::Parse(text);
  EXPECT_TRUE(name.ok()) << text << ": " << name.status();
  return name.ok() ? *name : DeviceName();
}

TEST(DeviceName, ReadsWholeNames) {
  const DeviceName name = Parsed("/job:worker/replica:2/task:13/device:GPU:1");
  EXPECT_EQ(name.job, "worker");
  EXPECT_EQ(name.replica, 2);
  EXPECT_EQ(name.task, 13);
  EXPECT_EQ(name.type, "GPU");
  EXPECT_EQ(name.id, 1);
  EXPECT_TRUE(name.IsFull());
  EXPECT_EQ(name.ToString(), "/job:worker/replica:2/task:13/device:GPU:1");
}

TEST(DeviceName, ReadsPartsAndOldSpellings) {
  EXPECT_EQ(Parsed("/gpu:1").ToString(), "/device:GPU:1");
  EXPECT_EQ(Parsed("/cpu:0").ToString(), "/device:CPU:0");
  EXPECT_EQ(Parsed("/GPU:3").ToString(), "/device:GPU:3");
  EXPECT_EQ(Parsed("/cpu:*").ToString(), "/device:CPU:*");
  EXPECT_EQ(Parsed("/device:cpu:2").ToString(), "/device:CPU:2");
  EXPECT_EQ(Parsed("/device:GPU").ToString(), "/device:GPU:*");
  EXPECT_EQ(Parsed("/device:*:1").ToString(), "/device:*:1");
  EXPECT_EQ(Parsed("/device:TPU:0").type, "TPU");
  EXPECT_FALSE(Parsed("/device:TPU:0").known_type().has_value());
  EXPECT_EQ(Parsed("/task:3/job:ps").ToString(), "/job:ps/task:3");
  EXPECT_TRUE(Parsed("").empty());
  EXPECT_TRUE(Parsed("/").empty());
  EXPECT_TRUE(Parsed("/job:*/replica:*/task:*/device:*").empty());
}

TEST(DeviceName, RefusesWhatIsNoDevice) {
  for (const char* bad :
       {"/cpu0", "/device:CPU:0:1", "/job:", "/job:a/task:x", "gpu", "/replica:-", "CPU:0",
        "/cpu:", "/gpu:-1", "/gpu:99999999999999", "/job:9a", "/job:a b", "/device:", "/device::0",
        "//", "/task:+1", "/task: 1", "/device:CPU:0x"}) {
    auto name = DeviceName::Parse(bad);
    ASSERT_FALSE(name.ok()) << bad;
    EXPECT_EQ(name.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(name.status().message().find(absl::StrCat("'", bad, "'")), absl::string_view::npos)
        << name.status();
  }
}

TEST(DeviceName, SurvivesAnyBytes) {
  std::string text;
  uint32_t state = 7;
  const std::string alphabet = "/:*jobtaskdevicepugrl0123CPUG\xff ";
  for (int round = 0; round < 20000; ++round) {
    text.clear();
    const int length = round % 24;
    for (int i = 0; i < length; ++i) {
      state = state * 1664525u + 1013904223u;
      text.push_back(alphabet[(state >> 16) % alphabet.size()]);
    }
    auto name = DeviceName::Parse(text);
    if (!name.ok()) continue;
    EXPECT_EQ(Parsed(name->ToString()), *name) << text;
  }
}

TEST(DeviceName, Matches) {
  const DeviceName gpu1 = DeviceName::Local(DeviceType::kGpu, 1);
  EXPECT_TRUE(DeviceName().Matches(gpu1));
  EXPECT_TRUE(Parsed("/gpu:1").Matches(gpu1));
  EXPECT_TRUE(Parsed("/device:GPU:*").Matches(gpu1));
  EXPECT_TRUE(Parsed("/job:localhost/task:0").Matches(gpu1));
  EXPECT_FALSE(Parsed("/gpu:0").Matches(gpu1));
  EXPECT_FALSE(Parsed("/cpu:1").Matches(gpu1));
  EXPECT_FALSE(Parsed("/job:worker/gpu:1").Matches(gpu1));
}

TEST(DeviceName, InnerScopesOverride) {
  DeviceName name = Parsed("/job:ps/task:1/cpu:0");
  name.OverrideWith(Parsed("/gpu:2"));
  EXPECT_EQ(name.ToString(), "/job:ps/task:1/device:GPU:2");
}

TEST(DeviceName, MergesUnlessPartsContradict) {
  DeviceName name = Parsed("/job:ps");
  EXPECT_TRUE(name.MergeWith(Parsed("/gpu:1"), false).ok());
  EXPECT_EQ(name.ToString(), "/job:ps/device:GPU:1");
  EXPECT_FALSE(name.MergeWith(Parsed("/gpu:0"), false).ok());
  EXPECT_EQ(name.ToString(), "/job:ps/device:GPU:1") << "a failed merge changes nothing";
  EXPECT_TRUE(name.MergeWith(Parsed("/task:2/gpu:0"), true).ok());
  EXPECT_EQ(name.ToString(), "/job:ps/task:2/device:GPU:*");
  EXPECT_TRUE(name.MergeWith(Parsed("/cpu:0"), true).ok());
  EXPECT_EQ(name.ToString(), "/job:ps/task:2");
  EXPECT_FALSE(name.MergeWith(Parsed("/job:worker"), true).ok());
}

TEST(DeviceRequests, KnowsOneRequestByAllItsSpellings) {
  DeviceRequests requests;
  const int gpu = *requests.Intern("/gpu:1");
  EXPECT_EQ(*requests.Intern(""), 0);
  EXPECT_EQ(*requests.Intern("/device:GPU:1"), gpu);
  EXPECT_FALSE(requests.Intern("gpu").ok());
  EXPECT_EQ(*requests.Merge(gpu, 0, false), gpu);
  EXPECT_EQ(*requests.Merge(0, gpu, false), gpu);
  EXPECT_FALSE(requests.Merge(gpu, *requests.Intern("/cpu:0"), false).ok());
  const int full = *requests.Intern("/job:ps/task:1/gpu:1");
  EXPECT_EQ(requests.name(requests.WithoutId(full)).ToString(), "/job:ps/task:1/device:GPU:*");
  EXPECT_EQ(requests.name(requests.OnlyTask(full)).ToString(), "/job:ps/task:1");
  EXPECT_TRUE(requests.Compatible(full, gpu));
  EXPECT_FALSE(requests.Compatible(full, *requests.Intern("/job:worker")));
}

}  // namespace
}  // namespace warpbeam
