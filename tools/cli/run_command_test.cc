// What warpbeam run tells and takes of memory and of the order of a step.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Products of the fed x, whose batch is not known, with a matrix of ones of 256 by 256.
constexpr char kChain[] = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: -1 } dim { size: 256 } } } } }
  node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 1
           tensor_shape { dim { size: 256 } dim { size: 256 } } } } } }
  node { name: "y" op: "MatMul" input: "x" input: "w" device: "/gpu:0"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "z" op: "MatMul" input: "y" input: "w" device: "/gpu:0"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "sum" op: "Sum" input: "z" input: "axes" attr { key: "T" value { type: DT_FLOAT } }
         attr { key: "Tidx" value { type: DT_INT32 } } }
  node { name: "axes" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 int_val: 0 int_val: 1
           tensor_shape { dim { size: 2 } } } } } })";

struct Printed {
  int code;
  std::string out;
  std::string err;
};

Printed Call(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  Console console{out, err, /*is_terminal=*/false};
  const int code = RunProgram(words, console);
  return {code, out.str(), err.str()};
}

std::string File(const std::string& name, const std::string& text = "") {
  const char* root = std::getenv("TEST_TMPDIR");
  const std::string path = (fs::path(root == nullptr ? "." : root) / name).string();
  if (!text.empty()) std::ofstream(path) << text;
  return path;
}

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A step with `rows` rows of zeros.
std::vector<std::string> Step(int rows) {
  std::string row = "[0";
  for (int i = 1; i < 256; ++i) row += ",0";
  row += "]";
  std::string all = row;
  for (int i = 1; i < rows; ++i) all += "," + row;
  return {"run", File("chain.pbtxt", kChain), "--fetch=sum", "--simulated_gpus=1",
          "--feed=x=[" + all + "]"};
}

Printed RunStep(int rows, const std::vector<std::string>& more) {
  std::vector<std::string> words = Step(rows);
  words.insert(words.end(), more.begin(), more.end());
  return Call(words);
}

TEST(RunMemory, PeaksAreToldBesideWhatWasPredicted) {
  const Printed told = RunStep(8, {"--memory", "--simulated_gpu_memory=2MiB"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("sum = "));
  EXPECT_THAT(told.out, HasSubstr("device:GPU:0: "));
  EXPECT_THAT(told.out, HasSubstr(" at most of 2.0 MiB, 2"));
  EXPECT_THAT(told.out, HasSubstr(" predicted\n"));
}

// The gradient of a mirrored border adds up in a copy of what comes in.
constexpr char kBorder[] = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 64 } dim { size: 1024 } } } } }
  node { name: "borders" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 int_val: [1, 1, 0, 0]
           tensor_shape { dim { size: 2 } dim { size: 2 } } } } } }
  node { name: "y" op: "MirrorPadGrad" input: "x" input: "borders"
         attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tpaddings" value { type: DT_INT32 } }
         attr { key: "mode" value { s: "REFLECT" } } })";

TEST(RunMemory, MeasuredCostsTellWhatKernelsNeedBesides) {
  const std::string graph = File("border.pbtxt", kBorder), costs = File("border.costs");
  std::string row = "[0", x = "--feed=x=[";
  for (int i = 1; i < 1024; ++i) row += ",0";
  for (int i = 0; i < 64; ++i) x += (i > 0 ? "," : "") + row + "]";
  x += "]";
  Printed told = Call({"run", graph, x, "--fetch=y", "--memory"});
  EXPECT_THAT(told.out, HasSubstr(", 512 KiB predicted\n")) << told.err;
  told = Call({"profile", graph, x, "--fetch=y", "--steps=5", "--save_costs=" + costs});
  ASSERT_EQ(told.code, 0) << told.err;
  told = Call({"run", graph, x, "--fetch=y", "--memory", "--cost_profile=" + costs});
  EXPECT_THAT(told.out, HasSubstr(", 768 KiB predicted\n")) << told.err;
  // That much a step really takes.
  EXPECT_THAT(told.out, HasSubstr("768 KiB at most")) << told.out;
}

TEST(RunMemory, AStepThatWillNotFitIsNotBegun) {
  Printed told = RunStep(200, {"--admit=predicted", "--simulated_gpu_memory=512KiB"});
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.err, HasSubstr("the step is predicted not to fit into memory"));
  EXPECT_THAT(told.err, HasSubstr("'w:0' (256 KiB)"));
  told = RunStep(8, {"--admit=predicted", "--simulated_gpu_memory=512KiB"});
  EXPECT_EQ(told.code, 0) << told.err;
  told = RunStep(8, {"--admit=some"});
  EXPECT_THAT(told.err, HasSubstr("--admit is all or predicted, not 'some'"));
  told = RunStep(8, {"--host_memory_limit=lots"});
  EXPECT_THAT(told.err, HasSubstr("--host_memory_limit=lots: a memory is as large as 8GiB is"));
}

TEST(RunSchedule, WhatWasRecordedIsReplayed) {
  const std::string file = File("schedule.txt"), again = File("again.txt");
  Printed told = RunStep(8, {"--record_schedule=" + file});
  EXPECT_EQ(told.code, 0) << told.err;
  const std::string text = Read(file);
  EXPECT_THAT(text, HasSubstr("warpbeam schedule 1\n"));
  EXPECT_THAT(text, HasSubstr("/job:localhost/replica:0/task:0/device:GPU:0\ty"));
  told = RunStep(8, {"--replay_schedule=" + file, "--record_schedule=" + again});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(Read(again), text);
  told = RunStep(8, {"--replay_schedule=" + file, "--passes=none", "--fetch=z"});
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.err, HasSubstr("the schedule is of another step: it "));
  told = RunStep(8, {"--replay_schedule=" + File("chain.pbtxt")});
  EXPECT_THAT(told.err, HasSubstr("chain.pbtxt, line 1: it is not 'warpbeam schedule 1'"));
  told = RunStep(8, {"--replay_schedule=nowhere.txt"});
  EXPECT_THAT(told.err, HasSubstr("the schedule nowhere.txt cannot be read"));
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
