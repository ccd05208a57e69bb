// Plans of convolutions are those of the process before, where a file has kept them.
#include "runtime/record/plan_file.h"

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "runtime/record/file.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

std::string Path() {
  const char* const folder = std::getenv("TEST_TMPDIR");
  return absl::StrCat(folder == nullptr ? "/tmp" : folder, "/convolutions.plans");
}

Status Convolve(int64_t pixels) {
  const Tensor image = Tensor::FromValues<float>(
      Shape({1, pixels, 1, 1}), std::vector<float>(static_cast<size_t>(pixels), 2.0f));
  WB_ASSIGN_OR_RETURN(const Tensor y,
                      GpuOpRunner("Conv2D", GpuMode::kReal)
                          .Attr("strides", std::vector<int64_t>{1, 1, 1, 1})
                          .Attr("padding", std::string("SAME"))
                          .Input(image)
                          .Input(Tensor::FromValues<float>(Shape({1, 1, 1, 1}), {3.0f}))
                          .Run());
  EXPECT_EQ(y.data<float>()[0], 6);
  return OkStatus();
}

// Convolves images of so many pixels; returns how many calls of the function that took.
int64_t CallsToConvolve(int64_t pixels, const std::string& function) {
  const auto before = cuda_stand_in::CallsByFunction();
  EXPECT_EQ(Convolve(pixels), OkStatus());
  auto after = cuda_stand_in::CallsByFunction();
  const auto was = before.find(function);
  return after[function] - (was == before.end() ? 0 : was->second);
}
// A plan that is made finalises many descriptors, one that is read its own alone.
constexpr char kFinalize[] = "cudnnBackendFinalize";
constexpr int64_t kToPlan = 6, kToRead = 3;
// Images whose plans the process before has made, each of which is read with a call that fails.
constexpr int64_t kFirstToRead = 100, kPlansToRead = 60;

void ConvolveAndExit() {
  const Status set = PlanFile::SetOfProcess(Path());
  bool fine = set.ok() && CallsToConvolve(4, kFinalize) >= kToPlan &&
              CallsToConvolve(5, kFinalize) >= kToPlan;
  for (int64_t i = 0; i < kPlansToRead; ++i) fine = fine && Convolve(kFirstToRead + i).ok();
  std::exit(fine ? 0 : 1);
}

TEST(PlanFile, HasThePlansOfTheProcessBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::remove(Path().c_str());
  EXPECT_EXIT(ConvolveAndExit(), ::testing::ExitedWithCode(0), "");
  ASSERT_EQ(PlanFile::SetOfProcess(Path()), OkStatus());
  const auto file = PlanFile::OfProcess();
  EXPECT_EQ(file->size(), 2u + kPlansToRead);

  // The arguments of a launch, the GPU's properties once, and the plan.
  EXPECT_LE(CallsToConvolve(4, kFinalize), kToRead);
  EXPECT_EQ(CallsToConvolve(4, kFinalize), 1);  // kept in memory as well
  const int64_t anew = CallsToConvolve(6, kFinalize);
  EXPECT_GE(anew, kToPlan);
  EXPECT_EQ(file->size(), 3u + kPlansToRead);
}

// How many descriptors are there for a plan more.
int64_t DescriptorsToConvolve(int64_t pixels) {
  const int64_t before = cuda_stand_in::Left().descriptors;
  EXPECT_EQ(Convolve(pixels), OkStatus());
  return cuda_stand_in::Left().descriptors - before;
}

// Of the library's calls that a convolution of images of so many pixels, and one more each time,
// makes, each fails once: that is told, or the plan is made anew, or not kept. A plan that was made
// has more descriptors than one that was read.
int64_t EachCallFails(int64_t pixels, int64_t per_made_plan) {
  std::map<std::string, int64_t> before = cuda_stand_in::CallsByFunction();
  const int64_t per_plan = DescriptorsToConvolve(pixels++);
  int64_t failures = 0;
  for (const auto& [function, count] : cuda_stand_in::CallsByFunction()) {
    for (int64_t i = 1; absl::StartsWith(function, "cudnn") && i <= count - before[function]; ++i) {
      SCOPED_TRACE(absl::StrCat(function, ", call ", i));
      const int64_t kept = cuda_stand_in::Left().descriptors;
      cuda_stand_in::FailCallOf(function, i);
      const Status status = Convolve(pixels);
      EXPECT_EQ(cuda_stand_in::failed_call(), function);
      cuda_stand_in::FailCall(0);
      if (!status.ok()) {
        EXPECT_TRUE(absl::StrContains(status.message(), function)) << status;
      }
      EXPECT_EQ(Convolve(pixels++), OkStatus());
      const int64_t more = cuda_stand_in::Left().descriptors - kept;
      EXPECT_TRUE(more == per_plan || more == per_made_plan) << more;
      ++failures;
    }
  }
  return failures;
}

TEST(PlanFile, CallsThatFailDoNotSpoilIt) {
  ASSERT_EQ(PlanFile::SetOfProcess(Path()), OkStatus());
  const int64_t per_made_plan = DescriptorsToConvolve(999);
  EXPECT_GT(EachCallFails(kFirstToRead, per_made_plan), 5);
  EXPECT_GT(EachCallFails(1000, per_made_plan), 20);
}

// Words that the library cannot read are as good as none, and so is a plan of another version.
TEST(PlanFile, WhatCannotBeReadIsPlannedAnew) {
  const std::string contents = *ReadFileToString(Path());
  ASSERT_EQ(PlanFile::SetOfProcess(Path()), OkStatus());
  const auto file = PlanFile::OfProcess();
  // The problem of the test before with an image of 5 pixels, which this process has not planned.
  const size_t version = contents.find("cuDNN "), problem = contents.find('\0', version) + 1;
  const std::string library = contents.substr(version, problem - 1 - version);
  const size_t other = contents.find(library, problem) + library.size() + 1;
  const size_t end = contents.find("paddings 0,0,0 and 0,0,0", other);
  ASSERT_NE(end, std::string::npos);
  const std::string of_five =
      contents.substr(other, end + std::string("paddings 0,0,0 and 0,0,0").size() - other);
  ASSERT_TRUE(file->Find(library, of_five).has_value()) << of_five;
  file->Keep(library, of_five, "no plan");
  EXPECT_GE(CallsToConvolve(5, kFinalize), kToPlan);
  EXPECT_NE(file->Find(library, of_five), "no plan");
}

}  // namespace
}  // namespace warpbeam
