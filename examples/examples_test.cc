// The example programs, run as a user runs them.
#include <re2/re2.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "examples/run_program.h"
#include "graph/graph.h"
#include "graph/io/graph_file.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace examples {
namespace {

// Nothing but what a test looks at is written.
constexpr char kNoFiles[] = " --model_dir= --log_dir=";

#define EXPECT_CONTAINS(text, part) EXPECT_TRUE(absl::StrContains(text, part)) << (text)

TEST(ExamplesTest, HelpIsForPeople) {
  for (const char* program : {"hello", "create_tfrecord", "mnist_towers"}) {
    const std::string help = RunProgram(absl::StrCat(program, " --help")).output;
    EXPECT_CONTAINS(help, absl::StrCat("bazel run //examples:", program));
    EXPECT_CONTAINS(help, "--simulated_gpus");
    EXPECT_FALSE(absl::StrContains(help, "Warning")) << help;
  }
}

TEST(ExamplesTest, Hello) {
  for (const int gpus : {0, 1}) {
    const Outcome run = RunProgram(absl::StrCat("hello --simulated_gpus=", gpus));
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_CONTAINS(run.output, "add:0 = float[2] 4 7");
  }
}

// Attention and beam search say back nearly all words that they have not seen.
TEST(ExamplesTest, ReverseWords) {
  const Outcome run = RunProgram("reverse_words --steps=200");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  int right = 0;
  ASSERT_TRUE(RE2::PartialMatch(run.output, "(\\d+) of 200 new words are right", &right))
      << run.output;
  EXPECT_GT(right, 150) << run.output;
}

TEST(ExamplesTest, SingleCard) {
  const Outcome run = RunProgram("single_card --simulated_gpus=1 --log_device_placement");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_CONTAINS(run.output, "float[2,2] 7 7 7 7");
  EXPECT_CONTAINS(run.output, "float[2,2] 10 10 10 10");
  EXPECT_CONTAINS(run.output, "w: (VariableV2): /job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_CONTAINS(run.output, "add: (AddV2): /job:localhost/replica:0/task:0/device:GPU:0");
  const Outcome cpu = RunProgram("single_card --log_device_placement");
  EXPECT_CONTAINS(cpu.output, "add: (AddV2): /job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_CONTAINS(cpu.output, "float[2,2] 10 10 10 10");
}

TEST(ExamplesTest, MultiCard) {
  const Outcome run = RunProgram("multi_card --simulated_gpus=2 --log_device_placement --steps=2");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_CONTAINS(run.output, "add: (AddV2): /job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_CONTAINS(run.output, "mul: (Mul): /job:localhost/replica:0/task:0/device:GPU:1");
  const std::string line = "[float[2,2] 7 7 7 7, float[2,2] 10 10 10 10]\n";
  EXPECT_CONTAINS(run.output, line + line);
}

TEST(ExamplesTest, TowersLearn) {
  const std::string timeline = TempPath("timeline.json");
  const Outcome run = RunProgram(absl::StrCat(
      "mnist_towers --train_file=", DigitsFile("train"), " --test_file=", DigitsFile("test"),
      " --num_gpus=2 --simulated_gpus=2 --log_device_placement --scale_pixels",
      " --base_learning_rate=0.2 --train_steps=150 --timeline=", timeline, kNoFiles));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  // The towers are where they were asked for; parsing strings has no GPU kernel.
  EXPECT_CONTAINS(run.output,
                  "GPU_1/layer1/MatMul: (MatMul): /job:localhost/replica:0/task:0/device:GPU:1");
  EXPECT_CONTAINS(
      run.output,
      "IteratorGetNext: (IteratorGetNext): /job:localhost/replica:0/task:0/device:CPU:0");
  int in = 0, out = 0, across = 0;
  ASSERT_TRUE(RE2::PartialMatch(run.output,
                                "one step: (\\d+) host to device, (\\d+) device to host, "
                                "(\\d+) device to device",
                                &in, &out, &across))
      << run.output;
  EXPECT_GT(in, 0);
  EXPECT_GT(out, 0);
  EXPECT_GT(across, 0);
  double accuracy = 0;
  ASSERT_TRUE(RE2::PartialMatch(run.output, "accuracy: (\\d+\\.\\d) %", &accuracy));
  EXPECT_GT(accuracy, 75);
  EXPECT_TRUE(std::ifstream(timeline).good());
}

TEST(ExamplesTest, TowersFallBackToTheCpu) {
  const Outcome run =
      RunProgram(absl::StrCat("mnist_towers --train_file=", DigitsFile("train"),
                              " --num_gpus=2 --train_steps=3 --log_device_placement", kNoFiles));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_CONTAINS(run.output,
                  "GPU_1/layer1/MatMul: (MatMul): /job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_CONTAINS(run.output, "0 host to device, 0 device to host, 0 device to device");
}

TEST(ExamplesTest, ErrorsEndWithAMessage) {
  const Outcome missing =
      RunProgram(absl::StrCat("mnist_towers --train_file=/no/such/file --train_steps=1", kNoFiles));
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_CONTAINS(missing.output, "/no/such/file");
  const Outcome none = RunProgram("mnist_towers --num_gpus=0");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_CONTAINS(none.output, "--num_gpus");
  const Outcome folder = RunProgram("mnist_towers --train_steps=1 --log_dir=/proc/no/such/folder");
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_CONTAINS(folder.output, "/proc/no/such/folder");
  const Outcome data = RunProgram("create_tfrecord --data_dir=/no/such/folder");
  EXPECT_EQ(data.exit_code, 1);
  EXPECT_CONTAINS(data.output, "/no/such/folder");
}

bool IsGradient(const std::string& name) { return absl::StrContains(name, "/gradients/"); }

std::string NodeText(const Graph& graph, const Node& node) {
  std::vector<std::string> inputs, control;
  for (OutputRef in : node.inputs()) {
    const std::string& name = graph.node(in.node).name();
    inputs.push_back(IsGradient(name) ? "*"
                     : in.index == 0  ? name
                                      : absl::StrCat(name, ":", in.index));
  }
  for (NodeId in : node.control_inputs()) control.push_back("^" + graph.node(in).name());
  std::sort(control.begin(), control.end());
  inputs.insert(inputs.end(), control.begin(), control.end());
  auto groups = node.attrs().GetOr<std::vector<std::string>>("_class", {});
  std::sort(groups.begin(), groups.end());
  return absl::StrJoin({node.name(), node.op_name(), node.device(), absl::StrJoin(inputs, " "),
                        absl::StrJoin(groups, " ")},
                       "\t");
}

// The arithmetic of a moving average stands beside its variable, in Python in the scope's device.
bool IsPlacedOtherwise(const std::string& name) {
  return absl::StartsWith(name, "ExponentialMovingAverage/AssignMovingAvg") &&
         std::count(name.begin(), name.end(), '/') > 1;
}

TEST(ExamplesTest, TowersAreThePythonProgramsGraph) {
  const std::string path = TempPath("towers.pb");
  const Outcome run = RunProgram("mnist_towers --num_gpus=2 --graph_file=" + path);
  ASSERT_EQ(run.exit_code, 0) << run.output;
  Graph graph;
  const auto imported = ImportGraphFile(path, ImportOptions(), &graph);
  ASSERT_TRUE(imported.ok()) << imported;
  std::map<std::string, std::string> expected;
  std::ifstream file("examples/testdata/mnist_towers_python.tsv");
  for (std::string line; std::getline(file, line);) {
    if (line[0] != '#') expected[line.substr(0, line.find('\t'))] = line;
  }
  ASSERT_GT(expected.size(), 200u);
  for (const Node& node : graph.nodes()) {
    if (IsGradient(node.name())) continue;
    const auto found = expected.find(node.name());
    ASSERT_NE(found, expected.end()) << NodeText(graph, node);
    if (!IsPlacedOtherwise(node.name())) {
      EXPECT_EQ(NodeText(graph, node), found->second);
    }
    expected.erase(found);
  }
  for (const auto& entry : expected) ADD_FAILURE() << "missing: " << entry.second;
}

}  // namespace
}  // namespace examples
}  // namespace warpbeam
