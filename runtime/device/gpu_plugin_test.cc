#include "runtime/device/gpu_plugin.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kThere[] = "libc.so.6";  // what every machine has takes the driver's place
constexpr char kNotThere[] = "libno_such_driver.so.1";

class GpuPluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Write("libwarpbeam.so.1.2.0");
    std::filesystem::create_symlink("libwarpbeam.so.1.2.0", folder_ + "/libwarpbeam.so.1");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // No library, and so nothing that can be opened.
  void Write(const std::string& file) { std::ofstream(folder_ + "/" + file) << "no library"; }

  const std::string folder_ = ::testing::TempDir() + "/plugin_" + std::to_string(getpid());
  const bool made_ = std::filesystem::create_directories(folder_);
  const std::string library_ = folder_ + "/libwarpbeam.so.1";
};

TEST_F(GpuPluginTest, IsOfTheLibrarysVersionAndIsOpenedWhereThereIsADriver) {
  EXPECT_TRUE(OpenGpuPluginOf(library_, kThere).ok());
  Write("libwarpbeam_cuda.so.1.1.0");
  EXPECT_TRUE(OpenGpuPluginOf(library_, kThere).ok()) << "that is another version's";
  EXPECT_TRUE(OpenGpuPluginOf(library_, kNotThere).ok()) << "which wants no driver";
  Write("libwarpbeam_cuda.so.1.2.0");
  const Status no_driver = OpenGpuPluginOf(library_, kNotThere);
  EXPECT_EQ(no_driver.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(no_driver.message()),
              AllOf(HasSubstr("driver is not installed"), HasSubstr(kNotThere)));
  const Status broken = OpenGpuPluginOf(library_, kThere);
  EXPECT_EQ(broken.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(broken.message()),
              AllOf(HasSubstr("GPUs of this machine are not used"),
                    HasSubstr("/libwarpbeam_cuda.so.1.2.0 cannot be opened")));
}

TEST_F(GpuPluginTest, AProgramThatHasWarpbeamInItselfHasNone) {
  EXPECT_TRUE(OpenGpuPluginOf("/proc/self/exe", kThere).ok());
  EXPECT_TRUE(OpenGpuPluginOf(folder_ + "/libwarpbeam.so.9", kThere).ok());
  EXPECT_TRUE(OpenGpuPluginOf("", kThere).ok());
  OpenGpuPlugin();
  OpenGpuPlugin();
  ::testing::internal::CaptureStderr();
  WarnOfGpuPlugin();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace warpbeam
