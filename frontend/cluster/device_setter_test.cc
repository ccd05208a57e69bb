#include "frontend/cluster/device_setter.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/math.h"
#include "frontend/training/adam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

ClusterSpec Cluster(const std::string& text) { return *ClusterSpec::Parse(text); }
ClusterSpec TwoPs() { return Cluster("ps=a:1,b:1;worker=c:1,d:1"); }

Variable ZeroVariable(const Scope& scope, const std::string& name, const Shape& shape,
                      const VariableOptions& options = VariableOptions()) {
  return Variable(scope.Named(name), Zeros(scope, shape), options);
}

TEST(ReplicaDeviceSetterTest, VariablesGoRoundAndTheRestStaysOnTheWorker) {
  const Scope root = Scope::NewRoot();
  const Scope scope = root.Device(ReplicaDeviceSetter(
      ReplicaDeviceSetterOptions().cluster(TwoPs()).worker_device("/job:worker/task:1")));
  const Variable a = ZeroVariable(scope, "a", {2});
  const Variable b = ZeroVariable(scope, "b", {2}, VariableOptions().use_resource(true));
  const Variable c = ZeroVariable(scope, "c", {2});
  const Output sum = Add(scope, a, Add(scope, b, c));
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(a.op().device(), "/job:ps/task:0");
  EXPECT_EQ(b.op().device(), "/job:ps/task:1");
  EXPECT_EQ(c.op().device(), "/job:ps/task:0");
  EXPECT_EQ(b.initializer().device(), "/job:ps/task:1");
  EXPECT_EQ(sum.op().device(), "/job:worker/task:1");
}

// A worker's graph is another one, and has its variables in the same places.
TEST(ReplicaDeviceSetterTest, EachGraphBeginsAnew) {
  ReplicaDeviceSetterOptions options;
  options.ps_tasks(3);
  for (int worker = 0; worker < 2; ++worker) {
    options.worker_device(absl::StrCat("/job:worker/task:", worker));
    const Scope root = Scope::NewRoot();
    const Scope scope = root.Device(ReplicaDeviceSetter(options));
    EXPECT_EQ(ZeroVariable(scope, "a", {2}).op().device(), "/job:ps/task:0");
    EXPECT_EQ(ZeroVariable(scope, "b", {2}).op().device(), "/job:ps/task:1");
  }
}

TEST(ReplicaDeviceSetterTest, SlotsAreOnTheirVariablesTask) {
  const Scope root = Scope::NewRoot();
  const Scope scope =
      root.Device(ReplicaDeviceSetter(ReplicaDeviceSetterOptions().cluster(TwoPs())));
  const Variable step(scope.Named("global_step"), 0, VariableOptions().trainable(false));
  const Variable w = ZeroVariable(scope, "w", {3});
  const Variable b = ZeroVariable(scope, "b", {3});
  const Output loss = ReduceSum(scope, Multiply(scope, w, Multiply(scope, b, b)));
  AdamOptimizer adam;
  const Operation train = adam.Minimize(scope, loss, step);
  ASSERT_TRUE(root.ok()) << root.status();
  for (const Variable& variable : {w, b}) {
    EXPECT_EQ(adam.GetSlot(variable, "m").op().device(), variable.op().device());
    EXPECT_EQ(adam.GetSlot(variable, "v").op().device(), variable.op().device());
  }
  EXPECT_NE(w.op().device(), b.op().device());
  EXPECT_EQ(train.device(), step.op().device());
}

TEST(ReplicaDeviceSetterTest, OtherOpsAndInnerDevices) {
  const Scope root = Scope::NewRoot();
  const Scope scope = root.Device(ReplicaDeviceSetter(ReplicaDeviceSetterOptions()
                                                          .ps_tasks(2)
                                                          .ps_device("/job:keep/cpu:0")
                                                          .worker_device("/job:compute/gpu:0")
                                                          .ps_ops({"Const"})));
  EXPECT_EQ(Constant(scope, 1.0f).op().device(), "/job:keep/task:0/device:CPU:0");
  EXPECT_EQ(Constant(scope.Device("/job:keep/task:1"), 1.0f).op().device(),
            "/job:keep/task:1/device:CPU:0");
  // A task of another job is not this strategy's to choose.
  EXPECT_EQ(Constant(scope.Device("/job:elsewhere"), 1.0f).op().device(),
            "/job:elsewhere/device:CPU:0");
  EXPECT_EQ(Constant(scope, 1.0f).op().device(), "/job:keep/task:0/device:CPU:0");
  EXPECT_EQ(ZeroVariable(scope, "v", {2}).op().device(), "/job:compute/device:GPU:0");

  const Scope whole = root.Device(
      ReplicaDeviceSetter(ReplicaDeviceSetterOptions().ps_tasks(2).merge_devices(false)));
  EXPECT_EQ(ZeroVariable(whole, "whole", {2}).op().device(), "/job:ps/task:0");
  EXPECT_EQ(ZeroVariable(whole.Device("/cpu:0"), "given", {2}).op().device(), "/device:CPU:0");
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(ReplicaDeviceSetterTest, WithoutParameterServersThereIsNoFunction) {
  EXPECT_EQ(ReplicaDeviceSetter(ReplicaDeviceSetterOptions()), nullptr);
  EXPECT_EQ(
      ReplicaDeviceSetter(ReplicaDeviceSetterOptions().ps_tasks(2).cluster(Cluster("worker=c:1"))),
      nullptr);
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(
      Constant(root.Device(ReplicaDeviceSetter(ReplicaDeviceSetterOptions())), 1).op().device(),
      "");
}

// Large variables do not meet on one task only because they are built in turns with small ones.
TEST(ReplicaDeviceSetterTest, GreedyBalancesBytes) {
  const Scope root = Scope::NewRoot();
  const Scope scope = root.Device(ReplicaDeviceSetter(
      ReplicaDeviceSetterOptions().cluster(TwoPs()).ps_strategy(GreedyLoadBalancing(2, ByteSize))));
  const Shape large({100, 10}), small({10});
  const VariableOptions resource = VariableOptions().use_resource(true);
  EXPECT_EQ(ZeroVariable(scope, "w1", large).op().device(), "/job:ps/task:0");
  EXPECT_EQ(ZeroVariable(scope, "b1", small).op().device(), "/job:ps/task:1");
  EXPECT_EQ(ZeroVariable(scope, "w2", large, resource).op().device(), "/job:ps/task:1");
  EXPECT_EQ(ZeroVariable(scope, "b2", small, resource).op().device(), "/job:ps/task:0");
  const Variable scalar(scope.Named("scalar"), 1.0);
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(ReplicaDeviceSetterTest, ByteSizeOfVariables) {
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(*ByteSize(ZeroVariable(root, "a", {3, 4}).op()), 48);
  const VariableOptions resource = VariableOptions().use_resource(true);
  EXPECT_EQ(*ByteSize(ZeroVariable(root, "b", {3, 4}, resource).op()), 48);
  EXPECT_EQ(*ByteSize(Constant(root, int64_t{1}).op()), 8);
  const Output unknown =
      BuildOutput(root, "Placeholder", {}, OpAttrs().Set("dtype", DType::kFloat));
  EXPECT_EQ(ByteSize(unknown.op()).status().code(), StatusCode::kInvalidArgument);
  const Output text = Constant(root, "no fixed size");
  EXPECT_EQ(ByteSize(text.op()).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ByteSize(Operation()).status().code(), StatusCode::kInvalidArgument);
}

TEST(ReplicaDeviceSetterTest, ErrorsAreThoseOfBuilding) {
  const auto status = [](const ReplicaDeviceSetterOptions& options) {
    const Scope root = Scope::NewRoot();
    ZeroVariable(root.Device(ReplicaDeviceSetter(options)), "v", {2});
    return root.status();
  };
  const ReplicaDeviceSetterOptions two = ReplicaDeviceSetterOptions().ps_tasks(2);
  EXPECT_TRUE(status(two).ok());
  for (const auto& wrong :
       {ReplicaDeviceSetterOptions(two).ps_device("no device"),
        ReplicaDeviceSetterOptions(two).worker_device("no device"),
        ReplicaDeviceSetterOptions(two).ps_strategy([](const Operation&) { return 2; }),
        ReplicaDeviceSetterOptions(two).ps_strategy([](const Operation&) { return -1; }),
        ReplicaDeviceSetterOptions(two).ps_strategy(RoundRobin(0)),
        ReplicaDeviceSetterOptions(two).ps_strategy(GreedyLoadBalancing(0, ByteSize))}) {
    EXPECT_EQ(status(wrong).code(), StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
