// Replicas on simulated GPUs train as one device does that is given the whole batch.
#include "frontend/training/replicate.h"

#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "frontend/training/adam.h"
#include "frontend/training/global_step.h"
#include "frontend/training/momentum.h"
#include "frontend/variables/variable_scope.h"
#include "graph/graph.h"
#include "gtest/gtest.h"
#include "placement/report.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr int kBatch = 12, kSteps = 6;

using LossFunction = std::function<Output(const Scope&, const std::vector<Output>&)>;
using MakeReplicated = std::function<std::unique_ptr<Optimizer>()>;

// Two layers; the last one's bias has no part in the backward pass of anything else.
Output DenseLoss(const Scope& s, const std::vector<Output>& batch) {
  const Variable w1 = GetVariable(s, "w1", {4, 8}, GlorotUniformInitializer(1));
  const Variable b1 = GetVariable(s, "b1", {8}, ConstantInitializer(0.1));
  const Variable w2 = GetVariable(s, "w2", {8, 2}, GlorotUniformInitializer(2));
  const Variable b2 = GetVariable(s, "b2", {2}, ZerosInitializer());
  const Output hidden = BuildOutput(s, "Tanh", {Add(s, MatMul(s, batch[0], w1), b1)});
  const Output y = Add(s, MatMul(s, hidden, w2), b2);
  return ReduceMean(s, Square(s, Subtract(s, y, batch[1])));
}

// Rows of a table, some of them used by several replicas.
Output EmbeddingLoss(const Scope& s, const std::vector<Output>& batch) {
  const Variable table = GetVariable(s, "table", {5, 2}, GlorotUniformInitializer(1));
  const Variable b = GetVariable(s, "b", {2}, ZerosInitializer());
  const Output ids = Cast(s, ReduceSum(s, Square(s, batch[0]), 1), DType::kInt32);
  const Output rows = BuildOutput(s, "GatherV2", {table, ids, 0});
  return ReduceMean(s, Square(s, Subtract(s, Add(s, rows, b), batch[1])));
}

struct Batch {
  explicit Batch(const Scope& scope)
      : x(Placeholder(scope.Named("x"), DType::kFloat, {kBatch, 4})),
        y(Placeholder(scope.Named("y"), DType::kFloat, {kBatch, 2})) {}
  ClientSession::Feeds Step(int step) const {
    std::vector<float> xs, ys;
    for (int i = 0; i < kBatch * 4; ++i) xs.push_back(std::sin(0.7f * i + step));
    for (int i = 0; i < kBatch * 2; ++i) ys.push_back(std::cos(0.3f * i - step));
    return {{x, *Tensor::Vector<float>(xs).Reshaped({kBatch, 4})},
            {y, *Tensor::Vector<float>(ys).Reshaped({kBatch, 2})}};
  }
  Output x, y;
};

SessionConfig WithGpus(int count) {
  SessionConfig config;
  config.simulated_gpus = count;
  return config;
}

std::vector<std::string> Gpus(int count) {
  std::vector<std::string> devices;
  for (int i = 0; i < count; ++i) devices.push_back("/gpu:" + std::to_string(i));
  return devices;
}

std::vector<float> TrainOnOne(const LossFunction& model, Optimizer& optimizer) {
  const Scope root = Scope::NewRoot();
  const Batch batch(root);
  const Output loss = model(root.Device("/gpu:0"), {batch.x, batch.y});
  const Operation train = optimizer.Minimize(root, loss);
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root, WithGpus(1));
  EXPECT_TRUE(session.Run({init}).ok());
  std::vector<float> losses;
  for (int i = 0; i < kSteps; ++i) {
    const auto run = session.Run(batch.Step(i), {loss, train});
    EXPECT_TRUE(run.ok()) << run.status();
    if (run.ok()) losses.push_back((*run)[0].scalar<float>());
  }
  return losses;
}

void ExpectMirrorsAreEqual(ClientSession& session, const Replicas& replicas) {
  for (int r = 1; r < replicas.size(); ++r) {
    ASSERT_EQ(replicas.variables(r).size(), replicas.variables(0).size());
    for (size_t v = 0; v < replicas.variables(0).size(); ++v) {
      const Variable first = replicas.variables(0)[v], mirror = replicas.variables(r)[v];
      const auto values = session.Run({first.read(), mirror.read()});
      ASSERT_TRUE(values.ok()) << values.status();
      for (int64_t i = 0; i < first.shape().num_elements(); ++i) {
        EXPECT_EQ((*values)[0].data<float>()[i], (*values)[1].data<float>()[i]) << mirror.name();
      }
    }
  }
}

std::vector<float> TrainOn(int count, const LossFunction& model, Optimizer& optimizer,
                           const ReplicateOptions& options) {
  const Scope root = Scope::NewRoot();
  const Batch batch(root);
  const auto shards = ShardBatch(root, {batch.x, batch.y}, count);
  Replicas replicas(
      root, Gpus(count), [&](const Scope& s, int i) { return model(s, shards[i]); }, options);
  const Variable step = GetOrCreateGlobalStep(root);
  const Operation train = replicas.Minimize(root, optimizer, step);
  const Output loss = replicas.Loss(root);
  const Operation init = GlobalVariablesInitializer(root);
  const Operation mirror = replicas.Mirror(root);
  EXPECT_TRUE(root.ok()) << root.status();
  ClientSession session(root, WithGpus(count));
  EXPECT_TRUE(session.Run({init}).ok());
  EXPECT_TRUE(session.Run({mirror}).ok());
  std::vector<float> losses;
  for (int i = 0; i < kSteps; ++i) {
    const auto run = session.Run(batch.Step(i), {loss, train});
    EXPECT_TRUE(run.ok()) << run.status();
    if (run.ok()) losses.push_back((*run)[0].scalar<float>());
  }
  ExpectMirrorsAreEqual(session, replicas);
  const auto steps = session.Run({step.read()});
  EXPECT_TRUE(steps.ok()) << steps.status();
  EXPECT_EQ(steps.ok() ? (*steps)[0].scalar<int64_t>() : -1, kSteps);
  return losses;
}

void ExpectSameLosses(const LossFunction& model, const MakeReplicated& make,
                      const ReplicateOptions& options = ReplicateOptions()) {
  const std::vector<float> want = TrainOnOne(model, *make());
  ASSERT_EQ(want.size(), static_cast<size_t>(kSteps));
  EXPECT_NE(want[0], want[kSteps - 1]);
  for (int count : {1, 2, 3}) {
    const std::vector<float> got = TrainOn(count, model, *make(), options);
    ASSERT_EQ(got.size(), want.size()) << count;
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_NEAR(got[i], want[i], 1e-5 * (1 + std::abs(want[i])))
          << count << " devices, step " << i;
    }
  }
}

std::unique_ptr<Optimizer> Momentum() { return std::make_unique<MomentumOptimizer>(0.1, 0.9); }
std::unique_ptr<Optimizer> Adam() { return std::make_unique<AdamOptimizer>(0.01); }

TEST(ReplicasTest, TrainAsOneDeviceDoes) {
  ExpectSameLosses(DenseLoss, Momentum);
  ExpectSameLosses(DenseLoss, Adam);
}

TEST(ReplicasTest, TrainAlikeWithBucketsOfAnySize) {
  // One gradient each; two of the four; everything in host memory.
  ExpectSameLosses(DenseLoss, Momentum, ReplicateOptions().bucket_bytes(1));
  ExpectSameLosses(DenseLoss, Momentum,
                   ReplicateOptions().bucket_bytes(100).reduce_device("/cpu:0"));
}

TEST(ReplicasTest, TrainAlikeByCollectives) {
  ExpectSameLosses(DenseLoss, Momentum, ReplicateOptions().collective(true));
  ExpectSameLosses(EmbeddingLoss, Adam, ReplicateOptions().collective(true).bucket_bytes(1));
}

TEST(ReplicasTest, SlicesStaySlices) {
  ExpectSameLosses(EmbeddingLoss, Momentum);
  ExpectSameLosses(EmbeddingLoss, Adam);
}

// A model of two replicas that is not run.
struct TwoReplicas {
  explicit TwoReplicas(const ReplicateOptions& options = ReplicateOptions())
      : batch(root),
        shards(ShardBatch(root, {batch.x, batch.y}, 2)),
        replicas(
            root, Gpus(2), [&](const Scope& s, int i) { return DenseLoss(s, shards[i]); },
            options) {}
  const Scope root = Scope::NewRoot();
  const Batch batch;
  const HandleList<OutputList> shards;
  Replicas replicas;
};

std::vector<std::string> ReplicatedNames(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.push_back(variable.name());
  return names;
}

TEST(ReplicasTest, OnlyTheFirstReplicaIsGlobal) {
  TwoReplicas model;
  MomentumOptimizer optimizer(0.1, 0.9);
  model.replicas.Minimize(model.root, optimizer);
  ASSERT_TRUE(model.root.ok()) << model.root.status();
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      ReplicatedNames(GlobalVariables(model.root)),
      (Names{"w1", "b1", "w2", "b2", "w1/Momentum", "b1/Momentum", "w2/Momentum", "b2/Momentum"}));
  EXPECT_EQ(ReplicatedNames(TrainableVariables(model.root)), (Names{"w1", "b1", "w2", "b2"}));
  EXPECT_EQ(ReplicatedNames(GetVariables(model.root, GraphKeys::kLocalVariables)),
            (Names{"replica_1/w1", "replica_1/b1", "replica_1/w2", "replica_1/b2",
                   "replica_1/w1/Momentum", "replica_1/b1/Momentum", "replica_1/w2/Momentum",
                   "replica_1/b2/Momentum"}));
}

TEST(ReplicasTest, EveryReplicaIsOnItsDevice) {
  TwoReplicas model;
  AdamOptimizer optimizer(0.1);
  EXPECT_TRUE(model.replicas.Minimize(model.root, optimizer).valid());
  ASSERT_TRUE(model.root.ok()) << model.root.status();
  ClientSession session(model.root, WithGpus(2));
  const auto report = session.Placement();
  ASSERT_TRUE(report.ok()) << report.status();
  int seen = 0;
  for (const PlacementEntry& entry : report->nodes) {
    const bool first = entry.node == "w1" || entry.node == "w1/Adam" || entry.node == "w1/Adam_1";
    const bool second = entry.node == "replica_1/w1" || entry.node == "replica_1/w1/Adam" ||
                        entry.node == "replica_1/w1/Adam_1";
    if (!first && !second) continue;
    ++seen;
    EXPECT_NE(entry.assigned.find(first ? "GPU:0" : "GPU:1"), std::string::npos) << entry.assigned;
  }
  EXPECT_EQ(seen, 6);
}

// Everything that `node` waits for.
std::set<std::string> Ancestors(const Graph& graph, NodeId node) {
  std::set<NodeId> seen;
  std::vector<NodeId> open = {node};
  std::set<std::string> names;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (id == kNoNode || !seen.insert(id).second) continue;
    names.insert(graph.node(id).name());
    for (OutputRef in : graph.node(id).inputs()) open.push_back(in.node);
    for (NodeId in : graph.node(id).control_inputs()) open.push_back(in);
  }
  return names;
}

TEST(ReplicasTest, BucketsWaitForTheirOwnGradientsAlone) {
  // The second layer's gradients, then the first's.
  TwoReplicas model(ReplicateOptions().bucket_bytes(80));
  model.replicas.ComputeGradients(model.root);
  ASSERT_TRUE(model.root.ok()) << model.root.status();
  std::vector<std::set<std::string>> waits;
  for (const Node& node : model.root.graph()->nodes()) {
    if (node.op_name() != "AddN" || node.name().find("all_reduce/bucket_") != 0) continue;
    waits.push_back(Ancestors(*model.root.graph(), node.id()));
  }
  ASSERT_GE(waits.size(), 2u);
  const auto passes_first_layer = [](const std::set<std::string>& names) {
    for (const std::string& name : names) {
      if (name.find("Tanh_grad") != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_FALSE(passes_first_layer(waits.front()));
  EXPECT_TRUE(passes_first_layer(waits.back()));
}

TEST(ReplicasTest, ReplicasOfAnotherShapeAreAnError) {
  const Scope root = Scope::NewRoot();
  Replicas replicas(root, Gpus(2), [](const Scope& s, int i) {
    return ReduceSum(s, GetVariable(s, "w", {2 + i}, ZerosInitializer()));
  });
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(root.status().message().find("replica_1/w"), std::string::npos) << root.status();
  MomentumOptimizer optimizer(0.1, 0.9);
  EXPECT_FALSE(replicas.Minimize(root, optimizer).valid());
}

TEST(ReplicasTest, LossesThatAreNoScalarsAndNoDevicesAreErrors) {
  const Scope root = Scope::NewRoot();
  Replicas vector(root, Gpus(1), [](const Scope& s, int) { return Zeros(s, {2}); });
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
  const Scope none = Scope::NewRoot();
  Replicas nowhere(none, {}, [](const Scope& s, int) { return Zeros(s, Shape()); });
  EXPECT_EQ(none.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
