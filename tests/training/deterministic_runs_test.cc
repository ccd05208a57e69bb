// Training programs in deterministic sessions: the same bits whatever the number of threads and
// the order in which nodes run, on CPUs and with the kernels of GPUs: the machine's, or simulated.
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/layers/convolution.h"
#include "frontend/layers/dense.h"
#include "frontend/layers/dropout.h"
#include "frontend/layers/embedding.h"
#include "frontend/layers/normalization.h"
#include "frontend/math.h"
#include "frontend/math/segments.h"
#include "frontend/nn.h"
#include "frontend/operators.h"
#include "frontend/random.h"
#include "frontend/rnn/rnn.h"
#include "frontend/scope.h"
#include "frontend/training/adam.h"
#include "frontend/variables/initializers.h"
#include "frontend/variables/variable_scope.h"
#include "gtest/gtest.h"
#include "ops/launch/block_order.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace {

constexpr int kSteps = 3;
constexpr int64_t kClasses = 10;
using Extents = std::vector<int64_t>;

// What a session runs.
struct Program {
  std::shared_ptr<Graph> graph;
  std::string init;
  std::vector<std::string> fetches;  // of a step
  std::vector<std::string> targets;
  std::vector<std::string> variables;
};

// The loss of a tower, built in its scope.
using Tower = std::function<Output(const Scope& scope)>;

Output Labels(const Scope& scope, int64_t batch) {
  return Cast(scope, RandomUniform(scope, Extents{batch}, 0, kClasses), DType::kInt64);
}
Output ClassLoss(const Scope& scope, const Output& logits, const Output& labels) {
  return ReduceMean(scope, nn::SparseSoftmaxCrossEntropyWithLogits(scope, labels, logits));
}

Output MlpTower(const Scope& scope) {
  const int64_t batch = 64;
  const Output x = RandomUniform(scope, Extents{batch, 200});
  const auto relu = layers::DenseOptions().activation(nn::Relu);
  Output y = layers::Dense(scope.Named("hidden"), x, 300, relu);
  y = layers::Dropout(scope, y, 0.3, /*training=*/true);
  y = layers::Dense(scope.Named("logits"), y, kClasses);
  const auto l2 = AddN(scope, {nn::L2Loss(scope, y), nn::L2Loss(scope, x)});
  return ClassLoss(scope, y, Labels(scope, batch)) + l2 * 1e-4f;
}

// CIFAR-10's net in small: convolutions, pooling, local response and batch normalization.
Output ConvTower(const Scope& scope) {
  const int64_t batch = 12;
  const Output images = RandomUniform(scope, Extents{batch, 20, 20, 3});
  const auto options = layers::ConvOptions().padding("same").activation(nn::Relu);
  Output y = layers::Conv2D(scope.Named("conv1"), images, 32, 5, options);
  y = nn::MaxPool(scope, y, {1, 3, 3, 1}, {1, 2, 2, 1}, "SAME");
  y = nn::LocalResponseNormalization(scope, y, 4, 1.0, 0.001 / 9.0, 0.75);
  y = layers::Conv2D(scope.Named("conv2"), y, 32, 5, options);
  y = layers::BatchNormalization(scope.Named("norm"), y, true);
  y = nn::MaxPool(scope, y, {1, 3, 3, 1}, {1, 2, 2, 1}, "SAME");
  y = layers::Dense(scope.Named("logits"), layers::Flatten(scope, y), kClasses);
  return ClassLoss(scope, y, Labels(scope, batch));
}

// Word vectors of repeated words, through a loop.
Output LstmTower(const Scope& scope) {
  const int64_t batch = 16, time = 6;
  const Variable words = GetVariable(scope, "words", {40, 48}, RandomUniformInitializer(-1, 1));
  const Output ids = Cast(scope, RandomUniform(scope, Extents{batch, time}, 0, 40), DType::kInt64);
  const Output x = nn::EmbeddingLookup(scope, {words}, ids);
  const auto cell = std::make_shared<nn::BasicLSTMCell>(64);
  const nn::RNNResult result = nn::DynamicRNN(scope, cell, x);
  const Output y = layers::Dense(scope.Named("logits"), result.state[1], kClasses);
  return ClassLoss(scope, y, Labels(scope, batch));
}

// The threads of a GPU add up slices in no order, which is refused: the CPU does it.
Output OnCpu(const Scope& cpu, const Gradient& gradient) {
  if (!gradient.is_slices()) return gradient.dense();
  const IndexedSlices& slices = gradient.slices();
  const Output rows = Gather(cpu, slices.dense_shape, 0);
  return UnsortedSegmentSum(cpu, slices.values, slices.indices, rows);
}

Program Build(const Tower& tower, int towers, const char* device) {
  const Scope root = Scope::NewRoot();
  root.SetRandomSeed(87);
  train::AdamOptimizer optimizer(0.01);
  std::vector<std::vector<train::GradientAndVariable>> gradients;
  std::vector<Output> losses;
  for (int i = 0; i < towers; ++i) {
    const Scope at = root.Device(absl::StrCat(device, i))
                         .NameScope(absl::StrCat("tower_", i))
                         .SameVariableScope(VariableScopeOptions().reuse(i > 0));
    losses.push_back(tower(at));
    gradients.push_back(optimizer.ComputeGradients(at, losses.back()));
  }
  const Scope cpu = root.Device("/cpu:0");
  std::vector<train::GradientAndVariable> means = gradients[0];
  for (size_t v = 0; v < means.size() && towers > 1; ++v) {
    std::vector<Output> parts;
    for (const auto& of_tower : gradients) {
      parts.push_back(ExpandDims(cpu, OnCpu(cpu, of_tower[v].gradient), 0));
    }
    means[v].gradient = ReduceMean(cpu, Concat(cpu, parts, 0), 0);
  }
  std::vector<Operation> updates = layers::UpdateOps(root);
  updates.push_back(optimizer.ApplyGradients(cpu, means));
  const Operation step = NoOp(cpu.ControlDependencies(updates).Named("step"));
  const Operation init = GlobalVariablesInitializer(cpu);
  EXPECT_TRUE(root.ok()) << root.status();
  Program program{root.graph(), init.name(), {}, {step.name()}, {}};
  for (const Output& loss : losses) program.fetches.push_back(loss.name());
  for (const auto& mean : means) {
    if (!mean.gradient.is_slices()) program.fetches.push_back(mean.gradient.dense().name());
  }
  for (const Variable& v : GlobalVariables(root)) program.variables.push_back(v.op().name());
  return program;
}

// The bytes of everything that was fetched, and of the variables at the end.
std::string BitsOf(const Program& program, const SessionOptions& options) {
  std::string bits;
  const auto run = [&bits](Session& session, const std::vector<std::string>& fetches,
                           const std::vector<std::string>& targets) {
    std::vector<Tensor> out;
    const Status status = session.Run(RunOptions(), {}, fetches, targets, &out);
    EXPECT_TRUE(status.ok()) << status;
    for (const Tensor& t : out) {
      bits.append(static_cast<const char*>(t.raw_data()), static_cast<size_t>(t.bytes()));
    }
  };
  auto session = Session::Create(options, program.graph);
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return "";
  run(**session, {}, {program.init});
  for (int i = 0; i < kSteps; ++i) run(**session, program.fetches, program.targets);
  run(**session, program.variables, {});
  return bits;
}

SessionOptions Threads(int inter, int intra) {
  SessionOptions options;
  options.deterministic = true;
  options.inter_op_threads = inter;
  options.intra_op_threads = intra;
  return options;
}

struct Case {
  const char* name;
  Tower tower;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class DeterministicRuns : public ::testing::TestWithParam<Case> {
 protected:
  // Compares the first different byte, not megabytes of them.
  static void ExpectSame(const std::string& got, const std::string& want) {
    ASSERT_GT(want.size(), 1000u);
    ASSERT_EQ(got.size(), want.size());
    size_t at = 0;
    while (at < want.size() && got[at] == want[at]) ++at;
    EXPECT_EQ(at, want.size()) << "the first different byte";
  }
};

TEST_P(DeterministicRuns, AnyThreads) {
  const Program program = Build(GetParam().tower, 1, "/cpu:");
  const std::string want = BitsOf(program, Threads(1, 0));
  for (const char* passes : {"default", "none"}) {
    for (const auto& [inter, intra] : std::vector<std::pair<int, int>>{
             {1, 1}, {2, 0}, {4, 0}, {8, 0}, {1, 2}, {1, 4}, {2, 2}, {4, 4}, {8, 1}, {8, 4}}) {
      SCOPED_TRACE(absl::StrCat(passes, " ", inter, " ", intra));
      SessionOptions options = Threads(inter, intra);
      options.passes = passes;
      ExpectSame(BitsOf(program, options), want);
    }
  }
}

TEST_P(DeterministicRuns, PerturbedSchedules) {
  const Program program = Build(GetParam().tower, 1, "/cpu:");
  const std::string want = BitsOf(program, Threads(1, 1));
  for (const uint64_t seed : {1, 2, 3}) {
    SessionOptions options = Threads(4, 0);
    options.stress_seed = seed;
    ExpectSame(BitsOf(program, options), want);
  }
}

TEST_P(DeterministicRuns, TwoTowersOnTwoGpus) {
  const Program program = Build(GetParam().tower, 2, "/gpu:");
  std::string want;
  for (const int threads : {1, 2, 4}) {
    for (const uint64_t seed : {0, 5}) {
      SessionOptions options = Threads(threads, 0);
      options.simulated_gpus = 2;
      options.stress_seed = seed;
      const std::string got = BitsOf(program, options);
      if (want.empty()) want = got;
      SCOPED_TRACE(absl::StrCat(threads, " threads, stress seed ", seed));
      ExpectSame(got, want);
    }
  }
}

SessionOptions WithSimulatedGpus(int gpus) {
  SessionOptions options;
  options.simulated_gpus = gpus;
  options.simulated_gpus_enqueue = options.simulated_gpu_kernels = true;
  return options;
}

// As simulated GPUs come to the blocks of a grid, in an order of each seed's.
std::string BitsInOrder(uint64_t of_blocks, const Program& program, const SessionOptions& options) {
  const uint64_t before = internal::BlockOrderSeed();
  internal::BlockOrderSeed() = of_blocks;
  const std::string bits = BitsOf(program, options);
  internal::BlockOrderSeed() = before;
  return bits;
}

// The machine's GPUs, or where it has no two, simulated ones that enqueue the kernels of GPUs. Of
// three steps the last one is played from recordings.
TEST_P(DeterministicRuns, TwoTowersByTheKernelsOfGpus) {
  const Program program = Build(GetParam().tower, 2, "/gpu:");
  const GpuPlatform* const machine = RegisteredGpuPlatform();
  const bool has_two = machine != nullptr && machine->count().value_or(0) >= 2;
  std::string want;
  for (const auto& [threads, seed] :
       std::vector<std::pair<int, uint64_t>>{{1, 0}, {2, 5}, {4, 6}}) {
    SCOPED_TRACE(absl::StrCat(threads, " threads, seed ", seed));
    SessionOptions options = has_two ? SessionOptions() : WithSimulatedGpus(2);
    if (has_two) options.gpus = 2;
    options.deterministic = true;
    options.inter_op_threads = threads;
    options.stress_seed = seed;
    const std::string got = BitsInOrder(seed, program, options);
    if (want.empty()) want = got;
    ExpectSame(got, want);
  }
}

TEST_P(DeterministicRuns, TwoTowersOnTwoCpus) {
  const Program program = Build(GetParam().tower, 2, "/cpu:");
  std::string want;
  for (const int threads : {1, 2, 4, 8}) {
    SessionOptions options = Threads(threads, 0);
    options.cpu_devices = 2;
    const std::string got = BitsOf(program, options);
    if (want.empty()) want = got;
    SCOPED_TRACE(absl::StrCat(threads, " threads"));
    ExpectSame(got, want);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, DeterministicRuns,
                         ::testing::Values(Case{"mlp", MlpTower}, Case{"conv", ConvTower},
                                           Case{"lstm", LstmTower}),
                         [](const auto& info) { return std::string(info.param.name); });

// The mode is what makes the difference: without it the filters' gradients, summed over parts of
// the batch, depend on how many parts there are.
TEST(WithoutTheMode, ThreadsChangeTheBits) {
  const Program program = Build(ConvTower, 1, "/cpu:");
  const auto bits = [&](int threads) {
    SessionOptions options = Threads(threads, 0);
    options.deterministic = false;
    options.use_per_session_threads = true;
    return BitsOf(program, options);
  };
  const std::string one = bits(1);
  bool differs = false;
  // A loop gets the threads that are idle when it begins: not always all.
  for (int i = 0; i < 20 && !differs; ++i) differs = bits(2 + i % 3) != one;
  EXPECT_TRUE(differs);
}

// The blocks of a GPU add up floats in the order in which they run.
TEST(WithoutTheMode, BlocksChangeTheBits) {
  const Scope root = Scope::NewRoot();
  root.SetRandomSeed(87);
  const Scope gpu = root.Device("/gpu:0");
  const Output x = RandomUniform(gpu, Extents{50000});
  const Output ids = Zeros(gpu, {50000}, DType::kInt32);
  const Output sum = UnsortedSegmentSum(gpu, x, ids, 1);
  const Operation init = NoOp(root);
  ASSERT_TRUE(root.ok()) << root.status();
  const Program program{root.graph(), init.name(), {sum.name()}, {}, {sum.name()}};
  const std::string want = BitsInOrder(0, program, WithSimulatedGpus(1));
  bool differs = false;
  for (const uint64_t seed : {5, 6, 7}) {
    differs |= BitsInOrder(seed, program, WithSimulatedGpus(1)) != want;
  }
  EXPECT_TRUE(differs);
}

// One tower computes what it computes alone, whatever runs beside it.
TEST(Towers, AreTheSameBesideOthers) {
  const auto first_loss = [](int towers) {
    const Program program = Build(ConvTower, towers, "/gpu:");
    SessionOptions options = Threads(4, 0);
    options.simulated_gpus = 2;
    auto session = Session::Create(options, program.graph);
    EXPECT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE((*session)->Run(RunOptions(), {}, {}, {program.init}, nullptr).ok());
    std::vector<Tensor> out;
    const Status status =
        (*session)->Run(RunOptions(), {}, {program.fetches[0]}, program.targets, &out);
    EXPECT_TRUE(status.ok()) << status;
    return out.empty() ? 0.0f : out[0].scalar<float>();
  };
  const float alone = first_loss(1);
  EXPECT_GT(alone, 0);
  EXPECT_EQ(alone, first_loss(2));
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
