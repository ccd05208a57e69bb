// The programs that train, for a few steps, as a user runs them: they learn, and what they leave on
// the disk can be read.
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/cifar10_data.h"
#include "examples/run_program.h"
#include "frontend/warpbeam.h"
#include "gmock/gmock.h"
#include "graph/graph.h"
#include "graph/io/graph_file.h"
#include "gtest/gtest.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace examples {
namespace {

namespace fs = std::filesystem;
namespace wb = warpbeam::frontend;
using ::testing::HasSubstr;

std::string NewFolder(const std::string& name) {
  const std::string path = TempPath("training_" + name);
  fs::remove_all(path);
  return path;
}

// Images that all tests share.
std::string DataDir() { return TempPath("training_data"); }

// What the one event file of a folder holds: version, graph, summaries.
struct Events {
  std::string graph;
  std::string summaries;
};

Events EventsOf(const std::string& folder) {
  std::vector<std::string> records;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().find("events.out.tfevents.") != 0) continue;
    auto reader = RecordReader::Open(entry.path().string());
    EXPECT_TRUE(reader.ok()) << reader.status();
    absl::string_view record;
    while (reader.ok()) {
      const auto more = (*reader)->Next(&record);
      EXPECT_TRUE(more.ok()) << more.status();
      if (!more.ok() || !*more) break;
      records.emplace_back(record);
    }
  }
  Events events;
  if (records.size() < 3) ADD_FAILURE() << folder << " has " << records.size() << " events";
  for (size_t i = 0; i < records.size(); ++i)
    (i == 1 ? events.graph : events.summaries) += records[i];
  return events;
}

// Whether there is a summary of this tag; a tag is a string with its length before it.
bool HasTag(const Events& events, const std::string& tag) {
  const std::string bytes = std::string(1, static_cast<char>(tag.size())) + tag;
  return events.summaries.find("\n" + bytes) != std::string::npos;
}

// The variables of a checkpoint, restored.
std::vector<wb::Tensor> Restored(
    const std::string& prefix,
    const std::vector<std::pair<std::string, wb::Tensor>>& names_and_values) {
  const wb::Scope root = wb::Scope::NewRoot();
  std::map<std::string, wb::Variable> variables;
  std::vector<wb::Fetch> fetches;
  for (const auto& [name, value] : names_and_values) {
    const wb::Variable variable(root, value);
    variables[name] = variable;
    fetches.push_back(variable);
  }
  wb::train::Saver saver(root, variables);
  wb::ClientSession session(root);
  const Status restored = saver.Restore(session, prefix);
  EXPECT_TRUE(restored.ok()) << restored;
  const auto got = session.Run(fetches);
  EXPECT_TRUE(got.ok()) << got.status();
  return got.ok() ? *got : std::vector<wb::Tensor>(fetches.size());
}

wb::Tensor ZerosOf(const wb::Shape& shape) {
  wb::Tensor zeros = *wb::Tensor::Allocate(wb::DType::kFloat, shape);
  std::fill_n(zeros.data<float>(), shape.num_elements(), 0.0f);
  return zeros;
}

// All numbers that stand where `pattern` has a group.
std::vector<double> NumbersIn(const std::string& text, const std::string& pattern) {
  std::vector<double> numbers;
  const RE2 expression(pattern);
  re2::StringPiece rest(text);
  for (double number = 0; RE2::FindAndConsume(&rest, expression, &number);) {
    numbers.push_back(number);
  }
  return numbers;
}

TEST(MnistTowers, SavesAndSummarizes) {
  const std::string model = NewFolder("mnist_model"), log = NewFolder("mnist_log");
  const Outcome run = RunProgram(absl::StrCat(
      "mnist_towers --train_file=", DigitsFile("train"), " --num_gpus=2 --simulated_gpus=2",
      " --scale_pixels --base_learning_rate=0.2 --train_steps=41 --report_every=20 --model_dir=",
      model, " --log_dir=", log));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const std::vector<double> losses = NumbersIn(run.output, "step: \\d+, loss: ([\\d.]+)");
  ASSERT_EQ(losses.size(), 3u) << run.output;
  EXPECT_LT(losses.back(), losses.front()) << run.output;

  const Events events = EventsOf(log);
  EXPECT_THAT(events.graph, HasSubstr("HistogramSummary"));
  for (const char* tag : {"gradients_on_averagelayer1/w", "layer1/w_1", "layer2/bias_1"}) {
    EXPECT_TRUE(HasTag(events, tag)) << tag;
  }
  const auto latest = wb::train::LatestCheckpoint(model);
  ASSERT_TRUE(latest.ok()) << latest.status();
  EXPECT_EQ(*latest, model + "/model.ckpt");
  const auto restored =
      Restored(*latest, {{"Variable", wb::Tensor::Scalar<int32_t>(0)},
                         {"layer2/bias", ZerosOf({10})},
                         {"layer2/bias/ExponentialMovingAverage", ZerosOf({10})}});
  EXPECT_EQ(restored[0].scalar<int32_t>(), 41);
  EXPECT_NE(restored[1].data<float>()[0], 0);
}

TEST(Cifar10MultiGpuTrain, LearnsSavesAndSummarizes) {
  const std::string train = NewFolder("cifar10");
  fs::create_directories(train);
  std::ofstream(train + "/model.ckpt-7.index") << "of an earlier run";
  const Outcome run = RunProgram(absl::StrCat(
      "cifar10_multi_gpu_train --num_gpus=2 --simulated_gpus=2 --batch_size=16 --max_steps=61",
      " --log_device_placement --data_dir=", DataDir(), " --train_dir=", train));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("2000 examples"));
  EXPECT_THAT(run.output, HasSubstr("conv1/weights: (VariableV2): "
                                    "/job:localhost/replica:0/task:0/device:CPU:0"));
  EXPECT_THAT(run.output, HasSubstr("tower_1/conv1/Conv2D: (Conv2D): "
                                    "/job:localhost/replica:0/task:0/device:GPU:1"));
  const std::vector<double> losses = NumbersIn(run.output, "step \\d+, loss = ([\\d.]+)");
  ASSERT_EQ(losses.size(), 7u) << run.output;
  // Single batches of 16 differ much: one in twenty is worse than the first, whatever was learnt.
  EXPECT_LT(*std::min_element(losses.begin() + 1, losses.end()), losses[0] - 0.1) << run.output;

  const Events events = EventsOf(train);
  EXPECT_THAT(events.graph, HasSubstr("HistogramSummary"));
  for (const char* tag : {"learning_rate", "conv1/weights_1", "conv1/weights/gradients"}) {
    EXPECT_TRUE(HasTag(events, tag)) << tag;
  }
  // Summaries are those of the last tower.
  EXPECT_TRUE(HasTag(events, "tower_1/conv1/conv1/conv1/activations"));
  EXPECT_FALSE(HasTag(events, "tower_0/conv1/conv1/conv1/activations"));

  EXPECT_FALSE(fs::exists(train + "/model.ckpt-7.index"));
  const auto latest = wb::train::LatestCheckpoint(train);
  ASSERT_TRUE(latest.ok()) << latest.status();
  EXPECT_EQ(*latest, train + "/model.ckpt-1");
  const auto restored =
      Restored(*latest, {{"global_step", wb::Tensor::Scalar<float>(0)},
                         {"softmax_linear/weights", ZerosOf({192, 10})},
                         {"softmax_linear/weights/ExponentialMovingAverage", ZerosOf({192, 10})}});
  EXPECT_EQ(restored[0].scalar<float>(), 1);
  EXPECT_NE(restored[1].data<float>()[0], 0);
}

TEST(Cifar10MultiGpuTrain, StopsAtNaNAndKeepsTheCheckpoint) {
  const std::string train = NewFolder("cifar10_nan");
  const Outcome run = RunProgram(absl::StrCat(
      "cifar10_multi_gpu_train --num_gpus=2 --simulated_gpus=2 --batch_size=8 --max_steps=20",
      " --initial_learning_rate=1e9 --data_dir=", DataDir(), " --train_dir=", train));
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_EQ(
      NumbersIn(run.output, "loss = NaN in step (\\d+): NaN first appeared in 'tower_0/").size(),
      1u)
      << run.output;
  const auto latest = wb::train::LatestCheckpoint(train);
  ASSERT_TRUE(latest.ok()) << latest.status();
  EXPECT_EQ(*latest, train + "/model.ckpt-1");
  // What was saved after the first step, and nothing of the NaN.
  const auto restored = Restored(*latest, {{"global_step", wb::Tensor::Scalar<float>(0)},
                                           {"softmax_linear/weights", ZerosOf({192, 10})}});
  EXPECT_EQ(restored[0].scalar<float>(), 1);
  for (const float value : restored[1].flat<float>()) EXPECT_EQ(value, value);
}

TEST(Cifar10MultiGpuTrain, DeletesNothingThatNoTrainingWrote) {
  const std::string train = NewFolder("cifar10_foreign");
  fs::create_directories(train);
  std::ofstream(train + "/diary.txt") << "mine";
  const Outcome run = RunProgram(absl::StrCat("cifar10_multi_gpu_train --train_dir=", train));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("'diary.txt', which no training wrote"));
  EXPECT_TRUE(fs::exists(train + "/diary.txt"));
}

TEST(Lenet5MultiGpu, Learns) {
  const Outcome run =
      RunProgram(absl::StrCat("lenet5_multi_gpu --nof_gpus=2 --simulated_gpus=2 --batch_size=16 ",
                              "--train_steps=40 --report_every=1 --data_dir=", DataDir()));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("Session started."));
  EXPECT_THAT(run.output, HasSubstr("Finished training."));
  const std::vector<double> losses = NumbersIn(run.output, "training batch is ([\\d.e+-]+) / ");
  ASSERT_GE(losses.size(), 20u) << run.output;
  const double first = losses[0] + losses[1] + losses[2];
  const double last =
      losses[losses.size() - 1] + losses[losses.size() - 2] + losses[losses.size() - 3];
  EXPECT_LT(last, 0.8 * first) << run.output;
}

TEST(Lenet5MultiGpu, MeasuresTheSpeedUp) {
  const std::string plot = TempPath("training_speed_up.svg");
  const Outcome run = RunProgram(
      absl::StrCat("lenet5_multi_gpu --nof_gpus=2 --simulated_gpus=2 --batch_size=8 ",
                   "--speed_up_steps=2 --data_dir=", DataDir(), " --speed_up_plot=", plot));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  EXPECT_TRUE(RE2::PartialMatch(run.output, "      1 +[\\d.]+ +1.00x\n      2 +[\\d.]+ +[\\d.]+x"))
      << run.output;
  EXPECT_TRUE(fs::exists(plot));
}

TEST(TowersInParallel, WorkAtTheSameTimeAndMeet) {
  const std::string timeline = TempPath("training_towers.json");
  const Outcome run = RunProgram(absl::StrCat(
      "towers_in_parallel --num_gpus=2 --simulated_gpus=2 --batch_size=16 --data_dir=", DataDir(),
      " --timeline=", timeline));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  for (const char* gpu : {"GPU:0", "GPU:1"}) EXPECT_THAT(run.output, HasSubstr(gpu));
  const std::vector<double> overlap = NumbersIn(run.output, "overlap for ([\\d.]+) ms");
  ASSERT_EQ(overlap.size(), 1u) << run.output;
  EXPECT_GT(overlap[0], 0) << run.output;
  const std::vector<double> after =
      NumbersIn(run.output, "ms: (-?[\\d.]+) ms after the last tower");
  ASSERT_EQ(after.size(), 1u) << run.output;
  EXPECT_GE(after[0], 0) << run.output;
  EXPECT_TRUE(fs::exists(timeline));
}

TEST(TrainingPrograms, WriteTheirGraphAndRunNothing) {
  const std::string file = TempPath("program.pb"), train_dir = NewFolder("not_made");
  for (const std::string& program :
       {absl::StrCat("cifar10_multi_gpu_train --num_gpus=3 --train_dir=", train_dir),
        std::string("lenet5_multi_gpu --nof_gpus=3")}) {
    const Outcome run =
        RunProgram(absl::StrCat(program, " --data_dir=", DataDir(), " --graph_file=", file));
    ASSERT_EQ(run.exit_code, 0) << run.output;
    Graph graph;
    const auto imported = ImportGraphFile(file, ImportOptions(), &graph);
    ASSERT_TRUE(imported.ok()) << imported;
    std::set<std::string> devices;
    for (const Node& node : graph.nodes()) devices.insert(node.device());
    EXPECT_TRUE(devices.count("/gpu:2") || devices.count("/device:GPU:2")) << program;
    EXPECT_FALSE(fs::exists(train_dir));
  }
}

TEST(TrainingPrograms, SayWhatIsWrong) {
  const std::string bad = NewFolder("bad_data");
  fs::create_directories(bad);
  std::ofstream(bad + "/data_batch_1.bin") << "no images";
  for (const std::string& program :
       {"cifar10_multi_gpu_train --train_dir=" + NewFolder("unused"),
        std::string("lenet5_multi_gpu"), std::string("towers_in_parallel")}) {
    const Outcome damaged = RunProgram(program + " --data_dir=" + bad);
    EXPECT_EQ(damaged.exit_code, 1);
    EXPECT_THAT(damaged.output, HasSubstr("data_batch_1.bin has 9 bytes"));
    const Outcome batch = RunProgram(program + " --batch_size=0");
    EXPECT_EQ(batch.exit_code, 1);
    EXPECT_THAT(batch.output, HasSubstr("--batch_size"));
  }
}

}  // namespace
}  // namespace examples
}  // namespace warpbeam
