// What flags say of a session arrives in its options.
#include "tools/cli/session_flags.h"

#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace warpbeam {
namespace cli {
namespace {

StatusOr<SessionOptions> OptionsOf(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  Console console{out, err, /*is_terminal=*/false};
  Arguments args("warpbeam run", "");
  SessionFlags flags;
  flags.AddTo(args);
  WB_RETURN_IF_ERROR(args.Parse(words));
  return flags.Options(console);
}

TEST(SessionFlags, OfGpus) {
  const auto without = OptionsOf({});
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_FALSE(without->cuda_blocking);
  EXPECT_EQ(without->gpu_plan_file, "");
  EXPECT_EQ(without->tensor_float_32, true);
  const auto with = OptionsOf({"--cuda_blocking", "--gpu_plan_file=plans", "--visible_gpus=1,0",
                               "--gpu_parts=3", "--notensor_float_32", "--simulated_gpus=2",
                               "--simulated_gpu_kernels=gpu", "--simulated_gpu_memory=2MiB"});
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_TRUE(with->cuda_blocking);
  EXPECT_EQ(with->gpu_plan_file, "plans");
  EXPECT_EQ(with->visible_gpus, (std::vector<int>{1, 0}));
  EXPECT_EQ(with->equal_gpu_parts, 3);
  EXPECT_EQ(with->tensor_float_32, false);
  EXPECT_EQ(with->simulated_gpus, 2);
  EXPECT_TRUE(with->simulated_gpu_kernels);
  EXPECT_EQ(with->simulated_gpu_memory, 2 << 20);
  const auto neither = OptionsOf({"--simulated_gpu_kernels=both"});
  EXPECT_EQ(neither.status().code(), StatusCode::kInvalidArgument) << neither.status();
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
