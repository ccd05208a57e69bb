// Averages that towers write, on several GPUs of NCCL's stand-in: all-reduced between them, with
// what they give when they are added up on one device.
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/client_session.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "frontend/training/optimizer.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/kernel/product/tensor_float_32.h"
#include "runtime/session/session.h"
#include "tests/cuda_stand_in/nccl_members.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
namespace wb = frontend;

int64_t Reductions() {
  const auto calls = cuda_stand_in::CallsByFunction();
  const auto found = calls.find("ncclAllReduce");
  return found == calls.end() ? 0 : found->second;
}

// Towers that share two weights and a bias, with the variables on `variables`.
struct Model {
  wb::Scope root = wb::Scope::NewRoot();
  wb::Output x = wb::Placeholder(root.Named("x"), DType::kFloat, {8, 6});

  Model(int towers, const std::string& variables, int hidden = 5) {
    std::vector<std::vector<wb::train::GradientAndVariable>> all;
    wb::train::GradientDescentOptimizer optimizer(0.1f);
    for (int t = 0; t < towers; ++t) {
      const wb::Scope shared =
          root.Device(variables).SameVariableScope(wb::VariableScopeOptions().reuse(t > 0));
      const wb::Scope gpu = root.Device(absl::StrCat("/gpu:", t));
      const wb::Variable w =
          wb::GetVariable(shared, "w", {6, hidden}, wb::GlorotUniformInitializer(1));
      const wb::Variable b = wb::GetVariable(shared, "b", {hidden}, wb::ConstantInitializer(0.5f));
      const wb::Variable v =
          wb::GetVariable(shared, "v", {hidden, 3}, wb::GlorotUniformInitializer(2));
      const wb::Output seen = wb::Multiply(gpu, x, static_cast<float>(t + 1));
      const wb::Output layer = wb::nn::Relu(gpu, wb::nn::BiasAdd(gpu, wb::MatMul(gpu, seen, w), b));
      const wb::Output loss = wb::ReduceMean(gpu, wb::Square(gpu, wb::MatMul(gpu, layer, v)));
      all.push_back(optimizer.ComputeGradients(gpu, loss));
    }
    const wb::Scope cpu = root.Device(variables);
    std::vector<wb::train::GradientAndVariable> averages;
    for (size_t i = 0; i < all[0].size(); ++i) {
      std::vector<wb::Output> gradients;
      for (const auto& tower : all) gradients.push_back(tower[i].gradient.dense());
      const wb::Output mean = wb::ReduceMean(cpu, wb::Stack(cpu, gradients), 0);
      averages.push_back({mean, all[0][i].variable});
      names.push_back(absl::StrCat(mean.name()));
    }
    train = optimizer.ApplyGradients(cpu, averages).name();
    init = wb::GlobalVariablesInitializer(root).name();
    EXPECT_TRUE(root.ok()) << root.status();
  }

  std::vector<std::string> names;  // of the averages
  std::string train, init;
};

class TowerAveragesTest : public NcclTest {
 protected:
  void SetUp() override {
    NcclTest::SetUp();
    SetTensorFloat32(false);
  }
  void TearDown() override {
    SetTensorFloat32(true);
    NcclTest::TearDown();
  }
  static std::unique_ptr<Session> Open(const Model& model, const std::string& passes) {
    SessionOptions options;
    options.passes = passes;
    auto session = Session::Create(options, model.root.graph());
    EXPECT_TRUE(session.ok()) << session.status();
    EXPECT_EQ((*session)->Run({}, {}, {}, {model.init}, nullptr), OkStatus());
    return *std::move(session);
  }
  static NamedTensors Batch(int step) {
    std::vector<float> values(48);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>((i * 7 + static_cast<size_t>(step)) % 5) - 2;
    }
    return {{"x", Tensor::FromValues<float>(Shape({8, 6}), values)}};
  }
  // The variables after some steps.
  static std::vector<Tensor> Train(const Model& model, const std::string& passes, int steps = 6) {
    const std::unique_ptr<Session> session = Open(model, passes);
    for (int i = 0; i < steps; ++i) {
      EXPECT_EQ(session->Run({}, Batch(i), {}, {model.train}, nullptr), OkStatus());
    }
    std::vector<Tensor> values;
    EXPECT_EQ(session->Run({}, {}, {"w:0", "b:0", "v:0"}, {}, &values), OkStatus());
    return values;
  }
  // With the same bits where `exact`: two numbers give the same sum in either order.
  static void ExpectSame(const std::vector<Tensor>& a, const std::vector<Tensor>& b, bool exact) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].shape(), b[i].shape());
      if (exact) {
        EXPECT_EQ(memcmp(a[i].raw_data(), b[i].raw_data(), a[i].bytes()), 0) << i;
      }
      for (int64_t k = 0; k < a[i].num_elements(); ++k) {
        EXPECT_NEAR(a[i].data<float>()[k], b[i].data<float>()[k], 1e-5) << i;
      }
    }
  }
};

TEST_F(TowerAveragesTest, TrainAsWhenTheyAreAddedUpOnOneDevice) {
  cuda_stand_in::SetGpus(4);
  for (const std::string variables : {"/cpu:0", "/gpu:0", "/gpu:1"}) {
    for (const int towers : {2, 4}) {
      SCOPED_TRACE(absl::StrCat(towers, " towers, variables on ", variables));
      const Model model(towers, variables);
      const int64_t before = Reductions();
      const std::vector<Tensor> want = Train(model, "default,-all_reduce");
      EXPECT_EQ(Reductions(), before);
      const std::vector<Tensor> got = Train(model, "default");
      // One bucket in each step.
      EXPECT_EQ(Reductions() - before, 6 * towers);
      ExpectSame(got, want, towers == 2);
    }
  }
}

TEST_F(TowerAveragesTest, LargeGradientsHaveBucketsOfTheirOwn) {
  const Model model(2, "/cpu:0", /*hidden=*/200'000);  // w has 4.8 MB, v 2.4, b 0.8
  const int64_t before = Reductions();
  const std::vector<Tensor> got = Train(model, "default", /*steps=*/2);
  EXPECT_EQ(Reductions() - before, 2 * 2 * 2);
  ExpectSame(got, Train(model, "default,-all_reduce", /*steps=*/2), true);
}

TEST_F(TowerAveragesTest, OnlyWhatAStepWantsIsReduced) {
  const Model model(2, "/gpu:0");
  const std::unique_ptr<Session> session = Open(model, "default");
  const int64_t before = Reductions();
  std::vector<Tensor> fetched;
  ASSERT_EQ(session->Run({}, Batch(0), {absl::StrCat(model.names[1])}, {}, &fetched), OkStatus());
  EXPECT_EQ(fetched[0].shape(), Shape({5}));
  EXPECT_EQ(Reductions() - before, 2);
}

TEST_F(TowerAveragesTest, LogicalGpusOfOneGpuAddUpOnOneDevice) {
  const Model model(2, "/cpu:0");
  SessionOptions options;
  options.equal_gpu_parts = 2;
  options.gpus = 2;
  options.visible_gpus = {0};
  auto session = Session::Create(options, model.root.graph());
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_EQ((*session)->Run({}, {}, {}, {model.init}, nullptr), OkStatus());
  const int64_t before = Reductions();
  EXPECT_EQ((*session)->Run({}, Batch(0), {}, {model.train}, nullptr), OkStatus());
  EXPECT_EQ(Reductions(), before);
}

TEST_F(TowerAveragesTest, StepsAtTheSameTimeEachReduceTheirOwn) {
  const Model model(3, "/cpu:0");
  const std::unique_ptr<Session> session = Open(model, "default");
  std::vector<Tensor> want;
  ASSERT_EQ(session->Run({}, Batch(0), model.names, {}, &want), OkStatus());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        std::vector<Tensor> got;
        EXPECT_EQ(session->Run({}, Batch(0), model.names, {}, &got), OkStatus());
        ExpectSame(got, want, true);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The step fails with what NCCL says and the node, and the next one trains.
TEST_F(TowerAveragesTest, ACallThatFailsEndsTheStep) {
  const Model model(2, "/cpu:0");
  const std::unique_ptr<Session> session = Open(model, "default");
  ASSERT_EQ(session->Run({}, Batch(0), {}, {model.train}, nullptr), OkStatus());
  cuda_stand_in::FailCallOf("ncclAllReduce", 1);
  const Status failed = session->Run({}, Batch(1), {}, {model.train}, nullptr);
  EXPECT_THAT(std::string(failed.message()), HasSubstr("ncclAllReduce"));
  EXPECT_THAT(std::string(failed.message()), HasSubstr("all_reduce/NcclAllReduce"));
  EXPECT_EQ(session->Run({}, Batch(1), {}, {model.train}, nullptr), OkStatus());
}

}  // namespace
}  // namespace warpbeam
