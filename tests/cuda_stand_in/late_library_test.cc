// Libraries that are opened when something of them is first called.
#include "runtime/device/cuda/late_library.h"

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

double Half(double x) { return x / 2; }

TEST(LateLibrary, TakesWhatTheProgramHasFirst) {
  LateLibrary library("nothing", "libnothing.so.1");
  double (*found)(double) = nullptr;
  EXPECT_EQ(library.Find("Half", &Half, &found), OkStatus());
  EXPECT_EQ(found, &Half);
}

TEST(LateLibrary, OpensTheFile) {
  LateLibrary library("the mathematics of C", "libm.so.6");
  double (*found)(double) = nullptr;
  ASSERT_EQ(library.Find<double(double)>("sqrt", nullptr, &found), OkStatus());
  EXPECT_EQ(found(9), 3);
}

TEST(LateLibrary, SaysWhatIsMissing) {
  double (*found)(double) = nullptr;
  LateLibrary none("nothing", "libnothing.so.1");
  const Status missing = none.Find<double(double)>("sqrt", nullptr, &found);
  EXPECT_EQ(missing.code(), StatusCode::kFailedPrecondition);
  for (const char* part : {"sqrt of nothing", "libnothing.so.1 cannot be opened", "CPU"}) {
    EXPECT_TRUE(absl::StrContains(missing.message(), part)) << part << ": " << missing;
  }
  LateLibrary other("the mathematics of C", "libm.so.6");
  const Status lacking = other.Find<double(double)>("cufftCreate", nullptr, &found);
  EXPECT_EQ(lacking.code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(lacking.message(), "libm.so.6 does not have it")) << lacking;
}

}  // namespace
}  // namespace warpbeam
