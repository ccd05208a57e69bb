#include "runtime/trace/schedule.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

TEST(Schedule, IsReadAsItWasWritten) {
  Schedule schedule;
  schedule.tasks = {{"/cpu:0", {"a", "b"}}, {"/gpu:0/memcpy_in", {"copy of a to /gpu:0"}}};
  const std::string text = schedule.ToText();
  EXPECT_EQ(text,
            "warpbeam schedule 1\n/cpu:0\ta\tb\n/gpu:0/memcpy_in\tcopy of a to /gpu:0\nend 2\n");
  const std::string path = ::testing::TempDir() + "/schedule";
  std::ofstream(path) << text;
  const StatusOr<Schedule> read = Schedule::Read(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->tasks, schedule.tasks);
  EXPECT_EQ(Schedule::Parse(Schedule().ToText(), "none")->tasks.size(), 0u);
}

TEST(Schedule, WhatIsWrongIsSaid) {
  const auto error = [](const std::string& text) {
    return std::string(Schedule::Parse(text, "s").status().message());
  };
  EXPECT_EQ(error(""), "the schedule s, line 1: it is not 'warpbeam schedule 1'");
  EXPECT_EQ(error("warpbeam schedule 2\nend 0\n"),
            "the schedule s, line 1: it is not 'warpbeam schedule 1'");
  EXPECT_EQ(error("warpbeam schedule 1\n/cpu:0\ta\nend 2\n"),
            "the schedule s, line 3: there are more or fewer tasks than it says");
  EXPECT_EQ(error("warpbeam schedule 1\na\nend 1\n"),
            "the schedule s, line 2: a task is a lane and items with tabs between");
  EXPECT_THAT(error("warpbeam schedule 1\n/cpu:0\ta"), HasSubstr("'end COUNT' is missing"));
  EXPECT_EQ(Schedule::Read("missing").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace warpbeam
