// What docs/your_own_program.md shows compiles, runs, and does what the page says.
#include <filesystem>

#define main MainOfThePage
#include "tests/own_program/your_own_program.h"
#undef main

#include "gtest/gtest.h"

namespace {

TEST(OwnProgramTest, TheWholeProgramRuns) { EXPECT_EQ(MainOfThePage(), 0); }

TEST(OwnProgramTest, AMistakeNamesItsLine) {
  const std::string message = Mistake();
  EXPECT_NE(message.find("MatMul"), std::string::npos) << message;
  EXPECT_NE(message.find("your_own_program.h:"), std::string::npos) << message;
}

TEST(OwnProgramTest, ThePartsRun) {
  for (wb::Status (*part)() : {HostTensors, Brackets, Input, Queue, TrainWithHooks, OwnFunction}) {
    const wb::Status status = part();
    EXPECT_TRUE(status.ok()) << status;
  }
}

static_assert(std::is_base_of<wb::train::SessionRunHook, StopWhenSmall>::value, "it is a hook");

TEST(OwnProgramTest, TheModelIsWritten) {
  const std::string folder = ::testing::TempDir() + "/own_program_model";
  std::filesystem::remove_all(folder);
  const wb::Status status = Export(folder);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(wb::saved_model::ContainsSavedModel(folder));
}

}  // namespace
