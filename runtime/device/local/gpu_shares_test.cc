#include "runtime/device/local/gpu_shares.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

// "gpu:fraction" or "gpu:bytes B", or the error.
std::string Shares(const GpuShareOptions& options, int there_are) {
  const auto shares = GpuShares(options, there_are);
  if (!shares.ok()) {
    EXPECT_EQ(shares.status().code(), StatusCode::kInvalidArgument);
    return std::string(shares.status().message());
  }
  std::string text;
  for (const GpuShare& share : *shares) {
    absl::StrAppend(&text, share.gpu, ":");
    share.memory_bytes > 0 ? absl::StrAppend(&text, share.memory_bytes / kGiB, "GiB ")
                           : absl::StrAppend(&text, share.memory_fraction, " ");
  }
  return text;
}

TEST(GpuShares, AreAllGpusByThemselves) {
  EXPECT_EQ(Shares({}, 3), "0:1 1:1 2:1 ");
  EXPECT_EQ(Shares({}, 0), "");
  GpuShareOptions options;
  options.most = 2;
  options.memory_fraction = 0.5;
  EXPECT_EQ(Shares(options, 3), "0:0.5 1:0.5 ");
}

TEST(GpuShares, AreInTheOrderInWhichTheyAreVisible) {
  GpuShareOptions options;
  options.visible = {2, 0};
  EXPECT_EQ(Shares(options, 3), "2:1 0:1 ");
  options.most = 1;
  EXPECT_EQ(Shares(options, 3), "2:1 ");
  EXPECT_EQ(Shares(options, 2),
            "the GPU 2 is to be visible, but this machine has 2 of them, counted from 0");
  options.visible = {1, 1};
  EXPECT_EQ(Shares(options, 2), "the GPU 1 is to be visible twice");
}

TEST(GpuShares, AreCutAsTheListsSay) {
  GpuShareOptions options;
  options.visible = {1, 0};
  options.parts = {{kGiB, 2 * kGiB}};
  EXPECT_EQ(Shares(options, 2), "1:1GiB 1:2GiB 0:1 ");
  options.parts = {{}, {kGiB}};
  EXPECT_EQ(Shares(options, 2), "1:1 0:1GiB ");
  options.parts = {{kGiB}, {kGiB}, {kGiB}};
  EXPECT_EQ(Shares(options, 2), "parts of 3 GPUs are listed, of which 2 are visible");
  options.parts = {{0}};
  EXPECT_EQ(Shares(options, 2), "a device of 0 bytes has no memory");
  options.parts = {{kGiB}};
  options.memory_fraction = 0.5;
  EXPECT_NE(Shares(options, 2).find("there is no fraction"), std::string::npos);
}

TEST(GpuShares, AreCutEqually) {
  GpuShareOptions options;
  options.equal_parts = 2;
  options.memory_fraction = 0.5;
  EXPECT_EQ(Shares(options, 2), "0:0.25 0:0.25 1:0.25 1:0.25 ");
  options.equal_parts = 65;
  EXPECT_EQ(Shares(options, 2), "a GPU is cut into 1 to 64 devices, not 65");
  options.equal_parts = 2;
  options.memory_fraction = 1;
  options.parts = {{kGiB}};
  EXPECT_NE(Shares(options, 2).find("equal devices, or"), std::string::npos);
}

TEST(GpuShares, AreReadFromText) {
  EXPECT_EQ(*ParseVisibleGpus("1, 0"), (std::vector<int>{1, 0}));
  EXPECT_EQ(*ParseVisibleGpus(""), std::vector<int>());
  for (const char* text : {"all", "1;0", "1 0", "0x1"}) {
    EXPECT_FALSE(ParseVisibleGpus(text).ok()) << text;
  }
}

}  // namespace
}  // namespace warpbeam
