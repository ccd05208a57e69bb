// Collectives by NCCL on its stand-in, in sessions: members fail and meet again, and replicas train
// as on the CPU.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "frontend/training/momentum.h"
#include "frontend/training/replicate.h"
#include "frontend/variables/variable_scope.h"
#include "gtest/gtest.h"
#include "runtime/kernel/product/tensor_float_32.h"
#include "tests/cuda_stand_in/nccl_members.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

// The same session: a member whose input fails before it comes, and then one whose does not.
TEST_F(NcclTest, AMemberThatFailsBeforeItComes) {
  using namespace frontend;  // NOLINT
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape({-1}));
  std::vector<Output> sums;
  for (int i = 0; i < kGpus; ++i) {
    const Scope gpu = root.Device(absl::StrCat("/gpu:", i));
    const Output input = i == 1 ? Reshape(gpu, x, {4})
                                : BuildOutput(gpu, "Fill", {Input(std::vector<int32_t>{4}), 1.0f});
    sums.push_back(BuildOutput(gpu, "CollectiveReduce", {Square(gpu, input)},
                               OpAttrs()
                                   .Set("T", DType::kFloat)
                                   .Set("group_size", int64_t{kGpus})
                                   .Set("group_key", int64_t{1})
                                   .Set("instance_key", int64_t{1})
                                   .Set("merge_op", std::string("Add"))
                                   .Set("final_op", std::string("Div"))
                                   .Set("subdiv_offsets", std::vector<int64_t>())));
  }
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  for (int time = 0; time < 3; ++time) {
    const auto failed = session.Run({{x, Tensor::Vector<float>({1, 2, 3})}}, sums);
    EXPECT_EQ(failed.status().code(), StatusCode::kInvalidArgument) << failed.status();
    const auto ran = session.Run({{x, Tensor::Vector<float>({1, 2, 3, 4})}}, sums);
    ASSERT_TRUE(ran.ok()) << ran.status();
    EXPECT_EQ((*ran)[0].data<float>()[3], 6);
  }
}

// Those of communicators go by NCCL, too, unless members pack what they bring.
TEST_F(NcclTest, MembersOfCommunicatorsMeetOnTheirGpus) {
  using namespace frontend;  // NOLINT
  for (const bool has_subgroups : {false, true}) {
    const Scope root = Scope::NewRoot();
    const std::vector<int32_t> rows =
        has_subgroups ? std::vector<int32_t>{0, 1, 2} : std::vector<int32_t>();
    const Tensor groups =
        Tensor::FromValues<int32_t>(has_subgroups ? Shape({1, kGpus}) : Shape({0, 0}), rows);
    std::vector<Output> sums;
    for (int i = 0; i < kGpus; ++i) {
      const Scope gpu = root.Device(absl::StrCat("/gpu:", i));
      const Output communicator =
          BuildOutput(gpu, "CollectiveInitializeCommunicator", {Input(1), Input(i), Input(kGpus)});
      const Output x =
          BuildOutput(gpu, "Fill", {Input(std::vector<int32_t>{4}), static_cast<float>(i + 1)});
      sums.push_back(BuildOutput(gpu, "CollectiveReduceV3",
                                 {Square(gpu, x), communicator, Constant(gpu, groups)},
                                 OpAttrs().Set("reduction", std::string("Add"))));
    }
    ASSERT_TRUE(root.ok()) << root.status();
    ClientSession session(root);
    const auto ran = session.Run(sums);
    ASSERT_TRUE(ran.ok()) << ran.status();
    for (const Tensor& sum : *ran) EXPECT_EQ(sum.data<float>()[3], 1 + 4 + 9);
    EXPECT_EQ(cuda_stand_in::Left().communicators, has_subgroups ? 0 : kGpus);
  }
}

// The losses of replicas whose buckets are averaged by collectives.
std::vector<float> Train(const std::string& device, int replicas) {
  using namespace frontend;  // NOLINT
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {12, 8});
  const auto shards = train::ShardBatch(root, {x}, replicas);
  std::vector<std::string> devices;
  for (int r = 0; r < replicas; ++r) devices.push_back(absl::StrCat(device, r));
  const auto model = [&](const Scope& s, int i) {
    const Variable w1 = GetVariable(s, "w1", {8, 16}, GlorotUniformInitializer(1));
    const Variable w2 = GetVariable(s, "w2", {16, 4}, GlorotUniformInitializer(2));
    return ReduceMean(s, Square(s, MatMul(s, nn::Relu(s, MatMul(s, shards[i][0], w1)), w2)));
  };
  train::Replicas all(root, devices, model,
                      train::ReplicateOptions().collective(true).bucket_bytes(300));
  train::MomentumOptimizer optimizer(0.05, 0.9);
  const Operation step = all.Minimize(root, optimizer);
  const Output loss = all.Loss(root);
  const Operation init = GlobalVariablesInitializer(root);
  const Operation mirror = all.Mirror(root);
  EXPECT_TRUE(root.ok()) << root.status();
  SessionConfig config;
  config.device_count["CPU"] = replicas;
  ClientSession session(root, config);
  EXPECT_TRUE(session.Run({init}).ok());
  EXPECT_TRUE(session.Run({mirror}).ok());
  std::vector<float> values(12 * 8), losses;
  for (int i = 0; i < 8; ++i) {
    for (size_t v = 0; v < values.size(); ++v) values[v] = static_cast<float>((v * 7 + i) % 5) - 2;
    const auto ran =
        session.Run({{x, Tensor::FromValues<float>(Shape({12, 8}), values)}}, {loss, step});
    EXPECT_TRUE(ran.ok()) << ran.status();
    if (ran.ok()) losses.push_back((*ran)[0].scalar<float>());
  }
  return losses;
}

TEST_F(NcclTest, ReplicasTrainAsOnTheCpu) {
  SetTensorFloat32(false);
  cuda_stand_in::SetGpus(4);
  for (const int replicas : {2, 3, 4}) {
    const std::vector<float> want = Train("/cpu:", replicas), got = Train("/gpu:", replicas);
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5 * want[i]) << i;
  }
  SetTensorFloat32(true);
}

}  // namespace
}  // namespace warpbeam
