// The GPUs of the machine in a session: a platform that was registered is asked, and a node goes to
// one of its GPUs where this build has code for it.
#include "runtime/device/gpu_platform.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/device/simulated/simulated_device.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

// As far as a session sees it, a real GPU: kernels of host code do not run on it.
class StandIn final : public Device {
 public:
  explicit StandIn(std::unique_ptr<Device> device) : device_(std::move(device)) {}
  const DeviceName& name() const override { return device_->name(); }
  DeviceType type() const override { return DeviceType::kGpu; }
  ExecutionModel execution_model() const override { return ExecutionModel::kEnqueues; }
  std::string Description() const override { return "a stand-in"; }
  int64_t memory_limit() const override { return device_->memory_limit(); }
  bool runs_host_code() const override { return false; }
  Allocator& allocator() override { return device_->allocator(); }
  Stream* compute_stream() override { return device_->compute_stream(); }
  StatusOr<std::unique_ptr<Stream>> NewStream() override { return device_->NewStream(); }
  Status Synchronize() override { return device_->Synchronize(); }
  void ParallelFor(int64_t count, int64_t ns,
                   absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    device_->ParallelFor(count, ns, fn);
  }

 private:
  const std::unique_ptr<Device> device_;
};

// Which GPUs were opened, and with how many bytes.
std::vector<std::pair<int, int64_t>> created;

StatusOr<int> CountThree() { return 3; }
StatusOr<std::unique_ptr<Device>> Create(DeviceName name, int gpu, const GpuMemoryLimit& limit) {
  created.emplace_back(gpu, limit.bytes);
  SimulatedDeviceOptions options;
  options.memory = 1 << 20;
  options.enqueues = true;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, NewSimulatedDevice(std::move(name), options));
  return std::unique_ptr<Device>(std::make_unique<StandIn>(std::move(device)));
}
const GpuPlatform kPlatform = {"stand-in", &CountThree, &Create};

class GpuPlatformTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RegisterGpuPlatform(&kPlatform);
    created.clear();
  }
  void TearDown() override { RegisterGpuPlatform(before_); }

  OutputRef Add(const std::string& op, const std::string& name, OutputRef input) {
    auto made =
        NodeBuilder(graph_.get(), op).Name(name).Device("/gpu:0").Input(input).BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  PlacementEntry EntryOf(const std::string& node) {
    const auto report = session_->Placement();
    EXPECT_TRUE(report.ok()) << report.status();
    for (const PlacementEntry& entry : report->nodes) {
      if (entry.node == node) return entry;
    }
    return PlacementEntry();
  }
  std::string DeviceOf(const std::string& node) { return EntryOf(node).assigned; }

  const GpuPlatform* const before_ = RegisteredGpuPlatform();
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
  std::unique_ptr<Session> session_;
};

TEST_F(GpuPlatformTest, GpusAreOpenedInTheirOrderAndCut) {
  options_.visible_gpus = {2, 0};
  options_.gpu_parts = {{1 << 20, 2 << 20}};
  const auto session = Session::Create(options_, graph_);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(created, (std::vector<std::pair<int, int64_t>>{{2, 1 << 20}, {2, 2 << 20}, {0, 0}}));
  EXPECT_EQ((*session)->DeviceNames().size(), 4u);
  options_.visible_gpus = {3};
  EXPECT_EQ(Session::Create(options_, graph_).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(GpuPlatformTest, SessionsHaveTheMachinesGpusUnlessTheyAskForLessOrForSimulatedOnes) {
  const auto count = [&] {
    auto session = Session::Create(options_, std::make_shared<Graph>());
    EXPECT_TRUE(session.ok()) << session.status();
    int gpus = 0;
    for (const std::string& device : (*session)->DeviceNames()) {
      gpus += absl::StrContains(device, "GPU");
    }
    return gpus;
  };
  EXPECT_EQ(count(), 3);
  options_.gpus = 1;
  EXPECT_EQ(count(), 1);
  options_.gpus = 8;
  EXPECT_EQ(count(), 3);
  options_.gpus = 0;
  EXPECT_EQ(count(), 0);
  options_.simulated_gpus = 5;
  EXPECT_EQ(count(), 5);
}

TEST_F(GpuPlatformTest, NodesWithoutCodeGoToTheCpuAndTheReportSaysWhy) {
  auto constant = AddConstant(graph_.get(), "c", Tensor::Vector<float>({0, 0}), "/cpu:0");
  ASSERT_TRUE(constant.ok()) << constant.status();
  // This build has no code of GPUs at all; what only hands on needs none.
  const OutputRef same = Add("Identity", "same", {(*constant)->id(), 0});
  Add("Identity", "end", Add("OnesLike", "ones", same));
  options_.passes = "none";
  auto session = Session::Create(options_, graph_);
  ASSERT_TRUE(session.ok()) << session.status();
  session_ = *std::move(session);
  EXPECT_THAT(DeviceOf("same"), HasSubstr("GPU:0"));
  EXPECT_THAT(DeviceOf("ones"), HasSubstr("CPU:0"));
  EXPECT_EQ(EntryOf("ones").reason, "asked for '/gpu:0', but no GPU code for OnesLike (T=float)");
  EXPECT_THAT(DeviceOf("end"), HasSubstr("GPU:0"));
  std::vector<Tensor> out;
  ASSERT_TRUE(session_->Run(RunOptions(), {}, {"end"}, {}, &out).ok());
  EXPECT_EQ(out[0].ToString(), Tensor::Vector<float>({1, 1}).ToString());

  options_.allow_soft_placement = false;
  const auto refused = Session::Create(options_, graph_);
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("'ones' (OnesLike)"));
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("as far as this build has code for it"));
}

}  // namespace
}  // namespace warpbeam
