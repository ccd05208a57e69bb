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
#include "graph/io/graph_file.h"
#include "gtest/gtest.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/product/tensor_float_32.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

constexpr char kGraphs[] = "tools/benchmarks/graphs/";

bool HasGpu() {
  const GpuPlatform* const gpus = RegisteredGpuPlatform();
  return gpus != nullptr && gpus->count().value_or(0) > 0;
}

struct Program {
  std::string graph, loss;
  int steps;
  double tolerance;  // relative, of the loss of the last step
  bool needs_gpu;    // too much for a simulated one
};

class TrainingTest : public ::testing::TestWithParam<Program> {
 protected:
  void SetUp() override {
    if (GetParam().needs_gpu && !HasGpu()) GTEST_SKIP() << "there is no GPU";
    SetTensorFloat32(false);
  }
  void TearDown() override { SetTensorFloat32(true); }

  static std::unique_ptr<Session> Open(const Program& program, bool on_gpu) {
    auto graph = std::make_shared<Graph>();
    ImportOptions import;
    import.clear_devices = true;
    const Status read =
        ImportGraphFile(absl::StrCat(kGraphs, program.graph, ".pb"), import, graph.get());
    EXPECT_TRUE(read.ok()) << read;
    SessionOptions options;
    options.gpus = 0;
    if (on_gpu && HasGpu()) {
      options.gpus = 1;
    } else if (on_gpu) {
      options.simulated_gpus = 1;
      options.simulated_gpus_enqueue = options.simulated_gpu_kernels = true;
    }
    auto session = Session::Create(options, graph);
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
  const std::vector<float> got = Train(program, gpu.get(), &stats);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(got[i], want[i], program.tolerance * want[i]) << "step " << i;
  }
  EXPECT_EQ(absl::StrJoin(ComputedOnHost(stats), " "), "");
}

INSTANTIATE_TEST_SUITE_P(Programs, TrainingTest,
                         ::testing::Values(Program{"mlp_t1", "GPU_0/add:0", 5, 1e-3, false},
                                           Program{"lenet_t1", "Mean_3:0", 4, 1e-3, false},
                                           Program{"transformer_l4", "Mean:0", 4, 2e-3, false},
                                           Program{"cifar_b128_t1", "tower_0/total_loss:0", 4, 2e-3,
                                                   true},
                                           Program{"resnet50_b8", "add_17:0", 3, 2e-2, true}),
                         [](const auto& info) { return info.param.graph; });

}  // namespace
}  // namespace warpbeam
