// The seeds' programs as users run them, on two GPUs: those that the stand-in plays to the real
// cuda device, where they do what they do on simulated ones.
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "examples/run_program.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace examples {
namespace {

constexpr char kStandIn[] = "tests/cuda_stand_in/libcuda_driver_stand_in.so";

std::string OnSimulated(const std::string& command) {
  const Outcome run = RunProgram(absl::StrCat(command, " --simulated_gpus=2"));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  return run.output;
}

// A program under a sanitizer takes no library before the sanitizer's own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kTakesStandIn = false;
#else
constexpr bool kTakesStandIn = true;
#endif

class SeedPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kTakesStandIn) GTEST_SKIP() << "the programs are built with a sanitizer";
  }
};

std::string OnStandIn(const std::string& command) {
  const std::string library = std::filesystem::absolute(kStandIn).string();
  setenv("LD_PRELOAD", library.c_str(), 1);
  setenv("CUDA_STAND_IN_GPUS", "2", 1);
  const std::string unordered = TempPath("unordered");
  std::filesystem::remove(unordered);
  setenv("CUDA_STAND_IN_UNORDERED", unordered.c_str(), 1);
  const Outcome run = RunProgram(command);
  unsetenv("CUDA_STAND_IN_UNORDERED");
  unsetenv("LD_PRELOAD");
  unsetenv("CUDA_STAND_IN_GPUS");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  // Of copies, products, convolutions and collectives.
  std::ifstream told(unordered);
  EXPECT_TRUE(told.is_open()) << "the program has not used the stand-in";
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(told), {}), "");
  return run.output;
}

std::vector<double> NumbersIn(const std::string& text, const std::string& pattern) {
  std::vector<double> numbers;
  const RE2 expression(pattern);
  re2::StringPiece rest(text);
  for (double number = 0; RE2::FindAndConsume(&rest, expression, &number);) {
    numbers.push_back(number);
  }
  return numbers;
}

// Both learn; their weights begin elsewhere in each run.
void ExpectLearning(const std::string& command, const std::string& pattern) {
  const size_t expected = NumbersIn(OnSimulated(command), pattern).size();
  const std::string told = OnStandIn(command);
  const std::vector<double> losses = NumbersIn(told, pattern);
  ASSERT_GE(expected, 3u);
  ASSERT_EQ(losses.size(), expected) << told;
  for (const double loss : losses) EXPECT_TRUE(std::isfinite(loss)) << told;
  EXPECT_LT(*std::min_element(losses.begin() + 1, losses.end()), losses[0]) << told;
}

std::string Folder(const std::string& name) { return TempPath("seed_programs_" + name); }

TEST_F(SeedPrograms, SingleCard) {
  const std::string told = OnStandIn("single_card --log_device_placement");
  EXPECT_TRUE(absl::StrContains(told, "float[2,2] 7 7 7 7")) << told;
  EXPECT_TRUE(absl::StrContains(told, "float[2,2] 10 10 10 10")) << told;
  EXPECT_TRUE(absl::StrContains(told, "add: (AddV2): /job:localhost/replica:0/task:0/device:GPU:0"))
      << told;
}

TEST_F(SeedPrograms, MultiCard) {
  const std::string told = OnStandIn("multi_card --log_device_placement --steps=2");
  EXPECT_TRUE(absl::StrContains(told, "mul: (Mul): /job:localhost/replica:0/task:0/device:GPU:1"))
      << told;
  const std::string line = "[float[2,2] 7 7 7 7, float[2,2] 10 10 10 10]\n";
  EXPECT_TRUE(absl::StrContains(told, line + line)) << told;
}

TEST_F(SeedPrograms, MnistTowers) {
  ExpectLearning(
      absl::StrCat("mnist_towers --train_file=", DigitsFile("train"),
                   " --num_gpus=2 --scale_pixels --base_learning_rate=0.2 --train_steps=21 ",
                   "--report_every=5 --model_dir=", Folder("model"), " --log_dir=", Folder("log")),
      "step: \\d+, loss: ([\\d.]+)");
}

TEST_F(SeedPrograms, Cifar10) {
  ExpectLearning(absl::StrCat("cifar10_multi_gpu_train --num_gpus=2 --batch_size=8 --max_steps=31 ",
                              "--data_dir=", Folder("data"), " --train_dir=", Folder("train")),
                 "step \\d+, loss = ([\\d.]+)");
}

TEST_F(SeedPrograms, Lenet5) {
  ExpectLearning(absl::StrCat("lenet5_multi_gpu --nof_gpus=2 --batch_size=8 --train_steps=6 ",
                              "--report_every=1 --data_dir=", Folder("data")),
                 "training batch is ([\\d.e+-]+) / ");
}

TEST_F(SeedPrograms, TowersInParallel) {
  const std::string told = OnStandIn(
      absl::StrCat("towers_in_parallel --num_gpus=2 --batch_size=8 --data_dir=", Folder("data")));
  for (const char* gpu : {"GPU:0", "GPU:1"}) EXPECT_TRUE(absl::StrContains(told, gpu)) << told;
}

}  // namespace
}  // namespace examples
}  // namespace warpbeam
