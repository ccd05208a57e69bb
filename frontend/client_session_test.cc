#include "frontend/client_session.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/gradients.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "gtest/gtest.h"
#include "placement/report.h"

namespace warpbeam {
namespace frontend {
namespace {

TEST(ClientSessionTest, FeedsAndFetches) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {2});
  const Output y = x * 3.0f + 1.0f;
  ClientSession session(root);
  const auto out = session.Run({{x, Tensor::Vector<float>({1, 2})}}, {y, y.op(), x});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 3u);
  EXPECT_EQ((*out)[0].flat<float>()[1], 7);
  EXPECT_FALSE((*out)[1].has_value());  // an operation has no value
  EXPECT_EQ((*out)[2].flat<float>()[0], 1);
}

TEST(ClientSessionTest, GraphMayGrowBetweenRuns) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, 2.0f);
  ClientSession session(root);
  ASSERT_TRUE(session.Run({x}).ok());
  const auto out = session.Run({x * x});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 4);
}

TEST(ClientSessionTest, ErrorsOfBuildingComeOutOfRun) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, 2.0f);
  ClientSession session(root);
  Add(root, Constant(root, {1.0f, 2.0f}), Constant(root, {1.0f, 2.0f, 3.0f}));
  EXPECT_EQ(session.Run({x}).status(), root.status());
  EXPECT_EQ(session.status(), root.status());
}

TEST(ClientSessionTest, BadFetchesAndFeeds) {
  const Scope root = Scope::NewRoot();
  const Scope other = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {2});
  const Output foreign = Constant(other, 1.0f);
  ClientSession session(root);
  EXPECT_EQ(session.Run({Output()}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(session.Run({foreign}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(session.Run({{foreign, Tensor::Scalar<float>(1)}}, {x}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_FALSE(session.Run({x}).ok());  // not fed
  EXPECT_FALSE(session.Run({{x, Tensor::Vector<int32_t>({1, 2})}}, {x}).ok());
  EXPECT_FALSE(session.Run({{x, Tensor::Vector<float>({1, 2, 3})}}, {x}).ok());
  EXPECT_TRUE(session.Run({{x, Tensor::Vector<float>({1, 2})}}, {x}).ok());
}

TEST(ClientSessionTest, SimulatedGpusCopiesAndTimeline) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Device("/cpu:0").Named("x"), DType::kFloat, {4});
  const Output y = Multiply(root.Device("/gpu:0").Named("y"), x, x);
  const Output z = Multiply(root.Device("/gpu:1").Named("z"), y, y);
  SessionConfig config;
  config.simulated_gpus = 2;
  ClientSession session(root, config);
  EXPECT_EQ(session.DeviceNames().size(), 3u);
  SessionRunOptions options;
  options.timeline = testing::TempDir() + "/timeline.json";
  SessionRunMetadata did;
  const auto out = session.Run({{x, Tensor::Vector<float>({1, 2, 3, 4})}}, {z}, options, &did);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].flat<float>()[3], 256);
  EXPECT_EQ(did.host_to_device_copies, 1);
  EXPECT_EQ(did.device_to_device_copies, 1);
  EXPECT_EQ(did.device_to_host_copies, 1);
  std::stringstream trace;
  trace << std::ifstream(options.timeline).rdbuf();
  EXPECT_NE(trace.str().find("traceEvents"), std::string::npos);

  const auto report = session.Placement();
  ASSERT_TRUE(report.ok()) << report.status();
  const auto entry = std::find_if(report->nodes.begin(), report->nodes.end(),
                                  [](const PlacementEntry& e) { return e.node == "z"; });
  ASSERT_NE(entry, report->nodes.end());
  EXPECT_NE(entry->assigned.find("GPU:1"), std::string::npos);
  EXPECT_NE(entry->location.find("client_session_test.cc"), std::string::npos);
}

TEST(ClientSessionTest, Callables) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {});
  const Output y = Multiply(root.Device("/gpu:0").Named("y"), x, x);
  SessionConfig config;
  config.simulated_gpus = 1;
  ClientSession session(root, config);
  const auto step = session.MakeCallable({x}, {y.op(), y});
  ASSERT_TRUE(step.ok()) << step.status();
  const auto out = session.RunCallable(*step, {Tensor::Scalar(3.0f)});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 2u);
  EXPECT_FALSE((*out)[0].has_value());
  EXPECT_EQ((*out)[1].scalar<float>(), 9);
  const auto to_device = session.MakeCallable({x}, {y}, {}, {}, {{y, "/gpu:0"}});
  const auto from_device = session.MakeCallable({x}, {y}, {}, {{x, "/gpu:0"}});
  ASSERT_TRUE(from_device.ok()) << from_device.status();
  const auto kept = session.RunCallable(*to_device, {Tensor::Scalar(3.0f)});
  ASSERT_TRUE(kept.ok()) << kept.status();
  const auto last = session.RunCallable(*from_device, *kept);
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_EQ((*last)[0].scalar<float>(), 81);
  EXPECT_TRUE(session.ReleaseCallable(*step).ok());
  EXPECT_FALSE(session.RunCallable(*step, {Tensor::Scalar(3.0f)}).ok());
  EXPECT_FALSE(session.MakeCallable({Output()}, {y}).ok());
}

TEST(ClientSessionTest, PartialRuns) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {});
  const Output y = Placeholder(root.Named("y"), DType::kFloat, {});
  const Output a = x * 2.0f;
  const Output b = a * y;
  ClientSession session(root);
  const auto run = session.PartialRunSetup({x, y}, {a, b});
  ASSERT_TRUE(run.ok()) << run.status();
  const auto first = session.PartialRun(*run, {{x, Tensor::Scalar(3.0f)}}, {a});
  ASSERT_TRUE(first.ok()) << first.status();
  const float next = (*first)[0].scalar<float>() + 1;
  const auto last = session.PartialRun(*run, {{y, Tensor::Scalar(next)}}, {b});
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_EQ((*last)[0].scalar<float>(), 42);
  EXPECT_FALSE(session.PartialRun(*run, {}, {a}).ok());
}

TEST(ClientSessionTest, BadConfigurations) {
  const Scope root = Scope::NewRoot();
  SessionConfig config;
  config.device_count = {{"TPU", 1}};
  EXPECT_EQ(ClientSession(root, config).status().code(), StatusCode::kInvalidArgument);
  config.device_count = {{"CPU", -1}};
  EXPECT_EQ(ClientSession(root, config).status().code(), StatusCode::kInvalidArgument);
  config.device_count = {{"CPU", 2}, {"GPU", 1}};
  config.simulated_gpus = 2;
  EXPECT_EQ(ClientSession(root, config).DeviceNames().size(), 3u);
}

TEST(GradientsTest, SumOfAllPaths) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root.Named("x"), 3.0f);
  const Output unused = Constant(root, 1.0f);
  const Output y = x * x + 5.0f * x;
  const std::vector<Gradient> gradients = Gradients(root, {y}, {x, unused});
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_FALSE(gradients[1].has_value());
  ClientSession session(root);
  const auto out = session.Run({gradients[0].dense()});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 11);
}

TEST(GradientsTest, OptionsReachTheWalk) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root.Named("x"), 3.0f);
  const Output inner = x * x;
  const Output y = inner * x;
  GradientsOptions options;
  options.stop_gradients = {inner};
  options.grad_ys = {Constant(root, 2.0f)};
  const std::vector<Gradient> gradients = Gradients(root, {y}, {x}, options);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const auto out = session.Run({gradients[0].dense()});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 18);  // 2 * inner
  Gradients(root, {y}, {1.0f});
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
}

TEST(ClientSessionTest, TakesAPartOfTheGpusMemory) {
  const Scope root = Scope::NewRoot();
  // 16 MiB on the GPU.
  const Output big = Ones(root.Device("/gpu:0"), {4, 1024, 1024});
  const Output sum = ReduceSum(root.Device("/gpu:0"), Add(root.Device("/gpu:0"), big, 1.0f));
  SessionConfig config;
  config.simulated_gpus = 1;
  config.gpu_options.allow_growth = true;
  EXPECT_TRUE(ClientSession(root, config).Run({sum}).ok());
  config.gpu_options.per_process_gpu_memory_fraction = 0.001;
  EXPECT_EQ(ClientSession(root, config).Run({sum}).status().code(), StatusCode::kResourceExhausted);
  config.gpu_options.per_process_gpu_memory_fraction = 1.5;
  const Status refused = ClientSession(root, config).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("per_process_gpu_memory_fraction"), absl::string_view::npos);
}

TEST(ClientSessionTest, CutsGpus) {
  const Scope root = Scope::NewRoot();
  // 16 MiB on the second device.
  const Output big = Ones(root.Device("/gpu:1"), {4, 1024, 1024});
  const Output sum = ReduceSum(root.Device("/gpu:1"), Add(root.Device("/gpu:1"), big, 1.0f));
  SessionConfig config;
  config.simulated_gpus = 1;
  config.allow_soft_placement = false;
  EXPECT_FALSE(ClientSession(root, config).Run({sum}).ok()) << "there is but one";
  config.gpu_options.virtual_devices_memory_mb = {{1, 64}};
  EXPECT_TRUE(ClientSession(root, config).Run({sum}).ok());
  config.gpu_options.virtual_devices_memory_mb = {{64, 1}};
  EXPECT_EQ(ClientSession(root, config).Run({sum}).status().code(), StatusCode::kResourceExhausted);
  config.gpu_options.virtual_devices_memory_mb.clear();
  config.gpu_options.num_virtual_devices_per_gpu = 2;
  EXPECT_TRUE(ClientSession(root, config).Run({sum}).ok());
  config.gpu_options.visible_device_list = "1";
  EXPECT_EQ(ClientSession(root, config).status().code(), StatusCode::kInvalidArgument);
  config.simulated_gpus = 2;
  EXPECT_TRUE(ClientSession(root, config).Run({sum}).ok());
}

TEST(ClientSessionTest, SearchesForAPlacement) {
  const Scope root = Scope::NewRoot();
  const Output x = Ones(root.Named("x"), {64, 64});
  const Output y = MatMul(root.Named("y"), MatMul(root, x, x), x);
  const Output z = MatMul(root.Named("z"), MatMul(root, Add(root, x, x), x), x);
  SessionConfig config;
  config.device_count = {{"CPU", 2}};
  config.auto_placement.evaluations = 500;
  config.auto_placement.fetches = {"y", "z"};
  ClientSession session(root, config);
  const auto out = session.Run({y, z});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].data<float>()[0], 64 * 64);
  const auto report = session.Placement();
  ASSERT_TRUE(report.ok()) << report.status();
  std::map<std::string, std::string> assigned;
  for (const PlacementEntry& node : report->nodes) assigned[node.node] = node.assigned;
  EXPECT_NE(assigned["y"], assigned["z"]);
  config.target = "grpc://localhost:1";
  const Status refused = ClientSession(root, config).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("auto_placement is of sessions of this process"),
            absl::string_view::npos);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
