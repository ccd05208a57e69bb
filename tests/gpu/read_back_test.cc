// Sessions whose GPU, the machine's or else a simulated one, is waited for in the middle of a step:
// what stands around is recorded, and what is found is refused with the node's name.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"
#include "runtime/step/replay.h"

namespace warpbeam {
namespace {

SessionOptions OnGpu() {
  SessionOptions options;
  options.passes = "none";
  const GpuPlatform* const platform = RegisteredGpuPlatform();
  if (platform != nullptr && platform->count().value_or(0) > 0) {
    options.gpus = 1;
    return options;
  }
  options.simulated_gpus = 1;
  options.simulated_gpus_enqueue = true;
  options.simulated_gpu_kernels = true;
  return options;
}

class ReadBackSessionTest : public ::testing::Test {
 protected:
  OutputRef Add(NodeBuilder builder, const std::string& name) {
    const auto made = builder.Name(name).Device("/gpu:0").BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  NodeBuilder Op(const std::string& op) { return NodeBuilder(graph_.get(), op); }
  OutputRef Placeholder() { return Add(Op("Placeholder").Attr("dtype", DType::kFloat), "x"); }
  void Open() {
    // Else the CPU's kernels would run on a simulated GPU.
    for (const char* op : {"Where", "CheckNumerics"}) {
      AttrMap attrs;
      attrs.Set("T", DType::kFloat);
      const KernelDecl* const decl = KernelRegistry::Global().Find(op, attrs, DeviceType::kGpu);
      ASSERT_NE(decl, nullptr);
      ASSERT_NE(decl->gpu_factory, nullptr) << op << " has no kernel of its own for GPUs";
    }
    auto session = Session::Create(OnGpu(), graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  Status Step(const std::vector<float>& x, const std::string& fetch) {
    RunOptions options;
    options.timeout_ms = 60000;
    return session_->Run(options, {{"x:0", Tensor::Vector<float>(x)}}, {fetch}, {}, &out_);
  }
  std::vector<float> Fetched() const {
    const auto* const values = out_[0].data<float>();
    return std::vector<float>(values, values + out_[0].num_elements());
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
};

// The squares of what is not zero, of another number in each step.
TEST_F(ReadBackSessionTest, StepsOfOtherNumbersBetweenWhatIsRecorded) {
  const OutputRef x = Placeholder();
  const OutputRef square = Add(Op("Square").Input(x), "square");
  const OutputRef places = Add(Op("Where").Input(Add(Op("Neg").Input(square), "neg")), "places");
  Add(Op("GatherNd").Input(square).Input(places), "picked");
  Open();
  const int64_t before = Replay::played();
  for (int i = 0; i < 6; ++i) {
    std::vector<float> fed(6, 0.0f), want;
    for (int k = 0; k < i; ++k) {
      fed[static_cast<size_t>(5 - k)] = static_cast<float>(k + 1);
      want.insert(want.begin(), static_cast<float>((k + 1) * (k + 1)));
    }
    const Status ran = Step(fed, "picked:0");
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(Fetched(), want);
  }
  EXPECT_GT(Replay::played(), before);
}

TEST_F(ReadBackSessionTest, WhatTheGpuFindsIsRefusedWithTheNodesName) {
  const OutputRef x = Placeholder();
  const OutputRef root = Add(Op("Sqrt").Input(x), "root");
  const OutputRef good =
      Add(Op("CheckNumerics").Input(root).Attr("message", std::string("a root")), "check");
  Add(Op("Neg").Input(good), "result");
  Open();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(Step({4, 9}, "result:0"), OkStatus());
    EXPECT_EQ(Fetched(), (std::vector<float>{-2, -3}));
    const Status refused = Step({4, -9}, "result:0");
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
    for (const char* part : {"node 'check'", "CheckNumerics", "GPU:0", "a root : Tensor had NaN"}) {
      EXPECT_TRUE(absl::StrContains(refused.message(), part)) << part << ": " << refused;
    }
  }
}

}  // namespace
}  // namespace warpbeam
