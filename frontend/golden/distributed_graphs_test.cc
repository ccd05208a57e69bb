// The graphs of several tasks that TensorFlow's Python API makes (distributed_graphs.py).
#include <string>

#include "frontend/cluster/device_setter.h"
#include "frontend/golden/same_graph.h"
#include "frontend/training/sync_replicas_optimizer.h"
#include "frontend/training/uninitialized_variables.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using train::ReplicaDeviceSetter;
using train::ReplicaDeviceSetterOptions;

TEST(DistributedGraphsTest, ReplicaDevices) {
  const Scope root = Scope::NewRoot();
  const auto cluster = train::ClusterSpec::Parse("ps=a:1,b:1;worker=c:1,d:1");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  const Scope scope = root.Device("/gpu:3").Device(ReplicaDeviceSetter(
      ReplicaDeviceSetterOptions().cluster(*cluster).worker_device("/job:worker/task:1")));
  const Variable step(scope.Named("global_step"), 0, VariableOptions().trainable(false));
  const Variable w(scope.Named("w"), TruncatedNormal(scope, {4, 2}));
  const Variable b = GetVariable(scope, "b", {2});
  const Output x = Placeholder(scope, DType::kFloat, {-1, 4});
  const Output y = nn::XwPlusB(scope, x, w, b);
  const Scope inside = scope.Device("/job:ps/task:1/cpu:0");
  Identity(inside.Named("inside"), y);
  const Variable there(inside.Named("there"), 1.0);
  const Variable elsewhere(scope.Device("/job:other").Named("elsewhere"), 1.0);
  const Variable nowhere(scope.NoDevice().Named("nowhere"), 1.0);
  const Output dw = Ones(scope, {4, 2}), db = Ones(scope, {2});
  train::AdamOptimizer(0.01).ApplyGradients(scope, {{dw, w}, {db, b}}, step);
  GlobalVariablesInitializer(scope);
  train::ReportUninitializedVariables(scope);
  EXPECT_EQ(DifferencesFromPython(root, "replica_devices"), "");
}

TEST(DistributedGraphsTest, SyncReplicas) {
  const Scope root = Scope::NewRoot();
  const Scope scope = root.Device(ReplicaDeviceSetter(
      ReplicaDeviceSetterOptions().ps_tasks(2).worker_device("/job:worker/task:1")));
  const Variable step = train::GetOrCreateGlobalStep(scope);
  const Variable w = GetVariable(scope, "layer/w", {3, 2});
  const Variable b = GetVariable(scope, "b", {2});
  GetVariable(scope, "unused", {2});
  const std::vector<float> values = {0, 1, 2, 3};
  const Output rows = Constant(scope.Named("rows"), values, DType::kFloat, {2, 2});
  const Output ids = Constant(scope.Named("ids"), {0, 2});
  const Output g = Constant(scope.Named("g"), {1.0f, 2.0f});
  train::MomentumOptimizer momentum(0.1, 0.9);
  train::ExponentialMovingAverage average(0.9);
  train::SyncReplicasOptimizer sync(
      &momentum, /*replicas_to_aggregate=*/2,
      train::SyncReplicasOptions().total_num_replicas(3).moving_average(&average, {b}));
  sync.ApplyGradients(scope, {{Gradient(IndexedSlices{rows, ids, Output()}), w}, {g, b}}, step);
  sync.InitTokensOp(scope);
  sync.InitTokensOp(scope, 0);
  // The arithmetic of an average stands beside the variable here, so that no copy of it travels.
  const auto beside = [](const std::string& node) {
    return node.find("/AssignMovingAvg/") != std::string::npos;
  };
  EXPECT_EQ(DifferencesFromPython(root, "sync_replicas", beside), "");
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
