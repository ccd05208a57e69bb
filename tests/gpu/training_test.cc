// Whole training programs on a GPU: the machine's, and where there is none a simulated one that
// runs the kernels written for GPUs and enqueues them. The losses are the CPU's, and nothing that
// has a GPU kernel in TensorFlow computes on the host.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/layers/dense.h"
#include "frontend/layers/embedding.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "frontend/rnn/rnn.h"
#include "frontend/training/adam.h"
#include "frontend/variables/variable_scope.h"
#include "graph/io/graph_file.h"
#include "gtest/gtest.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/product/tensor_float_32.h"
#include "runtime/session/session.h"
#include "runtime/step/replay.h"

namespace warpbeam {
namespace frontend {
namespace {

// Words through two layers of an LSTM: one cell after another, and all steps by one op.
std::shared_ptr<Graph> LstmGraph() {
  constexpr int64_t kBatch = 8, kSteps = 5, kWords = 30, kCells = 24;
  const Scope root = Scope::NewRoot();
  root.SetRandomSeed(87);
  const auto words = [&](const char* name, const Shape& shape) {
    const auto options = GetVariableOptions().trainable(false);
    const auto any = RandomUniformInitializer(0, kWords);
    const Variable drawn =
        GetVariable(root, name, shape, GetVariableOptions(options).initializer(any));
    return Cast(root, drawn, DType::kInt32);
  };
  const auto weights = [&](const char* name, const Shape& shape) {
    return GetVariable(root, name, shape, RandomUniformInitializer(-0.3, 0.3));
  };
  const Output x = nn::EmbeddingLookup(root, {weights("vectors", {kWords, 16})},
                                       words("words", {kBatch, kSteps}));
  const OutputList steps =
      BuildOutputs(root, "Unpack", {x}, OpAttrs().Set("num", kSteps).Set("axis", int64_t{1}));
  const auto cell = std::make_shared<nn::BasicLSTMCell>(kCells);
  const nn::StaticRNNResult first = nn::StaticRNN(root, cell, steps);
  const Output none = Zeros(root, {kBatch, kCells}), peephole = Zeros(root, {kCells});
  const Operation second =
      BuildOp(root, "BlockLSTM",
              {Cast(root, static_cast<int32_t>(kSteps), DType::kInt64), Stack(root, first.outputs),
               none, none, weights("kernel", {2 * kCells, 4 * kCells}), peephole, peephole,
               peephole, weights("bias", {4 * kCells})});
  const Output h = Reshape(root, OutputOf(root, second, "h"), {-1, static_cast<int>(kCells)});
  const Output losses = nn::SparseSoftmaxCrossEntropyWithLogits(
      root, words("labels", {kSteps * kBatch}), layers::Dense(root, h, kWords));
  const Output loss = ReduceMean(root.Named("loss"), losses);
  const Operation update = train::AdamOptimizer(0.01).Minimize(root, loss);
  NoOp(root.ControlDependencies({update}).Named("train"));
  NoOp(root.ControlDependencies({GlobalVariablesInitializer(root)}).Named("init"));
  EXPECT_TRUE(root.ok()) << root.status();
  return root.graph();
}

}  // namespace
}  // namespace frontend

namespace {

constexpr char kGraphs[] = "tools/benchmarks/graphs/";

bool HasGpu() {
  const GpuPlatform* const gpus = RegisteredGpuPlatform();
  return gpus != nullptr && gpus->count().value_or(0) > 0;
}

struct Program {
  std::string graph, loss;
  int steps;
  double tolerance;                             // relative, of the loss of the last step
  bool needs_gpu;                               // too much for a simulated one
  std::shared_ptr<Graph> (*build)() = nullptr;  // null: it is read from the file of that name
};

std::shared_ptr<Graph> GraphOf(const Program& program) {
  if (program.build != nullptr) return program.build();
  auto graph = std::make_shared<Graph>();
  ImportOptions import;
  import.clear_devices = true;
  const Status read =
      ImportGraphFile(absl::StrCat(kGraphs, program.graph, ".pb"), import, graph.get());
  EXPECT_TRUE(read.ok()) << read;
  return graph;
}

class TrainingTest : public ::testing::TestWithParam<Program> {
 protected:
  void SetUp() override {
    if (GetParam().needs_gpu && !HasGpu()) GTEST_SKIP() << "there is no GPU";
    SetTensorFloat32(false);
  }
  void TearDown() override { SetTensorFloat32(true); }

  static std::unique_ptr<Session> Open(const Program& program, bool on_gpu) {
    SessionOptions options;
    options.gpus = 0;
    if (on_gpu && HasGpu()) {
      options.gpus = 1;
    } else if (on_gpu) {
      options.simulated_gpus = 1;
      options.simulated_gpus_enqueue = options.simulated_gpu_kernels = true;
    }
    auto session = Session::Create(options, GraphOf(program));
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *std::move(session) : nullptr;
  }

  // The losses of the steps; `stats` are the last one's.
  static std::vector<float> Train(const Program& program, Session* session, StepStats* stats) {
    std::vector<float> losses;
    Status s = session->Run(RunOptions(), {}, {}, {"init"}, nullptr);
    EXPECT_TRUE(s.ok()) << s;
    for (int i = 0; s.ok() && i < program.steps; ++i) {
      RunOptions options;
      if (i + 1 == program.steps) options.trace = TraceLevel::kFull;
      RunMetadata metadata;
      std::vector<Tensor> fetched;
      s = session->Run(options, {}, {program.loss}, {"train"}, &fetched, &metadata);
      EXPECT_TRUE(s.ok()) << s;
      if (s.ok()) losses.push_back(fetched[0].scalar<float>());
      *stats = std::move(metadata.step_stats);
    }
    return losses;
  }
};

bool ComputesOnGpus(absl::string_view op) {
  for (const KernelDecl* decl : KernelRegistry::Global().All()) {
    if (decl->op == op && decl->gpu.has_value() && decl->gpu_host_memory.empty()) return true;
  }
  return false;
}

// Ops with a kernel for GPUs that computed on the CPU.
std::set<std::string> ComputedOnHost(const StepStats& stats) {
  std::set<std::string> ops;
  for (const NodeStats& node : stats.nodes) {
    if (node.is_copy || !absl::StrContains(node.device, "CPU:")) continue;
    // Counters of steps are integers, which TensorFlow too has on the host.
    if (node.outputs.empty() || !kFloatingTypes.contains(node.outputs[0].dtype)) continue;
    if (ComputesOnGpus(node.op)) ops.emplace(node.op);
  }
  return ops;
}

TEST_P(TrainingTest, TrainsAsOnTheCpu) {
  const Program& program = GetParam();
  StepStats stats;
  const auto cpu = Open(program, false), gpu = Open(program, true);
  ASSERT_TRUE(cpu != nullptr && gpu != nullptr);
  const std::vector<float> want = Train(program, cpu.get(), &stats);
  const int64_t outgrown = Replay::outgrown(), played = Replay::played();
  const std::vector<float> got = Train(program, gpu.get(), &stats);
  EXPECT_EQ(Replay::outgrown(), outgrown)
      << "recordings that took more memory than the step before";
  // The first step is measured, the second recorded and the last traced; the others are one
  // recording each, beside one that only waits for the host.
  if (!HasGpu() && program.build == nullptr) {
    EXPECT_GE(Replay::played() - played, program.steps - 3);
    EXPECT_LE(Replay::played() - played, 2 * (program.steps - 3));
  }
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(got[i], want[i], program.tolerance * want[i]) << "step " << i;
  }
  EXPECT_EQ(absl::StrJoin(ComputedOnHost(stats), " "), "");
}

INSTANTIATE_TEST_SUITE_P(
    Programs, TrainingTest,
    ::testing::Values(Program{"mlp_t1", "GPU_0/add:0", 5, 1e-3, false},
                      Program{"lenet_t1", "Mean_3:0", 4, 1e-3, false},
                      Program{"transformer_l4", "Mean:0", 4, 2e-3, false},
                      Program{"lstm", "loss:0", 5, 1e-3, false, frontend::LstmGraph},
                      Program{"cifar_b128_t1", "tower_0/total_loss:0", 4, 2e-3, true},
                      Program{"resnet50_b8", "add_17:0", 3, 2e-2, true}),
    [](const auto& info) { return info.param.graph; });

}  // namespace
}  // namespace warpbeam
