// Resource variables do all that reference variables do: the same model made both ways trains to
// the same bits, and checkpoints and MetaGraphs of one fit the other.
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/layers/dense.h"
#include "frontend/layers/normalization.h"
#include "frontend/math.h"
#include "frontend/saver/meta_graph.h"
#include "frontend/saver/saver.h"
#include "frontend/training/adadelta.h"
#include "frontend/training/adagrad.h"
#include "frontend/training/adam.h"
#include "frontend/training/ftrl.h"
#include "frontend/training/global_step.h"
#include "frontend/training/lamb.h"
#include "frontend/training/momentum.h"
#include "frontend/training/moving_average.h"
#include "frontend/training/proximal_gradient_descent.h"
#include "frontend/training/rms_prop.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "graph/graph.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::HasSubstr;
using MakeOptimizer = std::function<std::unique_ptr<Optimizer>(const Variable& step)>;

template <typename T>
MakeOptimizer Copies(const T& optimizer) {
  return [optimizer](const Variable&) { return std::make_unique<T>(optimizer); };
}

std::vector<std::pair<std::string, MakeOptimizer>> AllOptimizers() {
  return {
      {"GradientDescent", Copies(GradientDescentOptimizer(0.1))},
      {"Momentum", Copies(MomentumOptimizer(0.1, 0.9))},
      {"Nesterov", Copies(MomentumOptimizer(0.1, 0.9, /*use_nesterov=*/true))},
      {"Adam", Copies(AdamOptimizer(0.1))},
      {"AdamW", Copies(AdamWOptimizer(0.01, 0.1))},
      {"Lamb", Copies(LambOptimizer(0.1))},
      {"Adagrad", Copies(AdagradOptimizer(0.1))},
      {"AdagradDA",
       [](const Variable& step) { return std::make_unique<AdagradDAOptimizer>(0.1, step); }},
      {"Adadelta", Copies(AdadeltaOptimizer(0.1))},
      {"Ftrl", Copies(FtrlOptimizer(0.1, FtrlOptions().l1(0.01)))},
      {"FtrlV2", Copies(FtrlOptimizer(0.1, FtrlOptions().l2_shrinkage(0.02)))},
      {"RMSProp", Copies(RMSPropOptimizer(0.1))},
      {"RMSPropCentered", Copies(RMSPropOptimizer(0.1, RMSPropOptions().centered(true)))},
      {"ProximalGradientDescent", Copies(ProximalGradientDescentOptimizer(0.1, 0.01, 0.01))},
      {"ProximalAdagrad", Copies(ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.01))},
  };
}

// Rows of a table through a layer; averages of all variables, taken after the update.
struct ResourceModel {
  ResourceModel(bool is_resource, const MakeOptimizer& make) : average(0.9) {
    const Scope s = root.VariableScope("m", VariableScopeOptions().use_resource(is_resource));
    table = GetVariable(s, "table", {5, 3}, GlorotUniformInitializer(3));
    w = GetVariable(s, "w", {3, 2}, TruncatedNormalInitializer(0, 0.5, 4));
    // Made from another variable's value.
    b = Variable(s.Named("b"), ReduceSum(s, table, 0), VariableOptions());
    const Output rows = BuildOutput(s, "GatherV2", {table, Input({0, 2, 0, 4}), 0});
    const Output y = MatMul(s, Add(s, rows, b), w);
    loss = ReduceMean(s, Square(s, Subtract(s, y, 0.5f)));
    step = GetOrCreateGlobalStep(s);
    optimizer = make(step);
    const Operation updated = optimizer->Minimize(root, loss, step);
    train = average.Apply(root.ControlDependencies({updated}), {table, w, b});
    init = GlobalVariablesInitializer(root);
  }

  std::vector<float> Values(ClientSession& session, const std::vector<Fetch>& fetches) {
    std::vector<float> all;
    const auto out = session.Run(fetches);
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) return all;
    for (const Tensor& t : *out) {
      if (!t.has_value() || t.dtype() != DType::kFloat) continue;
      all.insert(all.end(), t.data<float>(), t.data<float>() + t.num_elements());
    }
    return all;
  }
  // The losses of so many steps.
  std::vector<float> Train(ClientSession& session, int steps) {
    std::vector<float> losses;
    for (int i = 0; i < steps; ++i) {
      for (float x : Values(session, {loss, train})) losses.push_back(x);
    }
    return losses;
  }
  std::vector<float> State(ClientSession& session) {
    std::vector<Fetch> fetches;
    std::map<std::string, Variable> by_name;
    for (const Variable& v : GlobalVariables(root)) by_name.emplace(v.name(), v);
    for (const auto& entry : by_name) fetches.push_back(entry.second);
    return Values(session, fetches);
  }

  const Scope root = Scope::NewRoot();
  ExponentialMovingAverage average;
  Variable table, w, b, step;
  std::unique_ptr<Optimizer> optimizer;
  Output loss;
  Operation train, init;
};

void ExpectSameBits(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_FALSE(a.empty());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
}

TEST(ResourceVariablesTest, EveryOptimizerTrainsToTheSameBits) {
  for (const auto& [name, make] : AllOptimizers()) {
    SCOPED_TRACE(name);
    ResourceModel ref(false, make), resource(true, make);
    ASSERT_TRUE(ref.root.ok()) << ref.root.status();
    ASSERT_TRUE(resource.root.ok()) << resource.root.status();
    ClientSession with_ref(ref.root), with_resource(resource.root);
    ASSERT_TRUE(with_ref.Run({ref.init}).ok());
    const auto initialized = with_resource.Run({resource.init});
    ASSERT_TRUE(initialized.ok()) << initialized.status();
    ExpectSameBits(ref.State(with_ref), resource.State(with_resource));
    const std::vector<float> losses = ref.Train(with_ref, 6);
    EXPECT_NE(losses.front(), losses.back());
    ExpectSameBits(losses, resource.Train(with_resource, 6));
    // Slots and averages, too.
    ExpectSameBits(ref.State(with_ref), resource.State(with_resource));
  }
}

TEST(ResourceVariablesTest, OneKindRestoresWhatTheOtherSaved) {
  const MakeOptimizer adam = Copies(AdamOptimizer(0.1));
  for (const bool saves_resource : {false, true}) {
    SCOPED_TRACE(saves_resource);
    const std::string folder =
        absl::StrCat(::testing::TempDir(), "/resource_", saves_resource ? "saved" : "restored");
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    ResourceModel from(saves_resource, adam), to(!saves_resource, adam);
    Saver saver(from.root), other(to.root);
    ClientSession session(from.root);
    ASSERT_TRUE(session.Run({from.init}).ok());
    from.Train(session, 3);
    const auto path = saver.Save(session, folder + "/model.ckpt", 3);
    ASSERT_TRUE(path.ok()) << path.status();
    ASSERT_TRUE(saver.SaveInBackground(session, folder + "/later.ckpt", 3).ok());
    const std::vector<float> more = from.Train(session, 3);
    const Status waited = saver.Wait();
    ASSERT_TRUE(waited.ok()) << waited;
    for (const std::string& saved : {*path, folder + "/later.ckpt-3"}) {
      ClientSession restored(to.root);
      const Status status = other.Restore(restored, saved);
      ASSERT_TRUE(status.ok()) << status;
      ExpectSameBits(more, to.Train(restored, 3));
      ExpectSameBits(from.State(session), to.State(restored));
    }
  }
}

// Layers take the kind from the variable scope; the averages move by update operations.
TEST(ResourceVariablesTest, LayersTrainToTheSameBits) {
  std::vector<float> all[2];
  for (const bool is_resource : {false, true}) {
    const Scope root = Scope::NewRoot();
    const Scope s = root.VariableScope(
        "net",
        VariableScopeOptions().use_resource(is_resource).initializer(GlorotUniformInitializer(5)));
    const Output x = Constant(s, std::vector<float>{1, 2, -3, 4, 0.5f, 6}, DType::kFloat, {3, 2});
    const Output hidden = layers::BatchNormalization(s, layers::Dense(s, x, 4), true);
    const Output loss = ReduceMean(s, Square(s, layers::Dense(s, hidden, 1)));
    AdamOptimizer optimizer(0.1);
    const Operation train =
        optimizer.Minimize(root.ControlDependencies(layers::UpdateOps(root)), loss);
    const Operation init = GlobalVariablesInitializer(root);
    ASSERT_TRUE(root.ok()) << root.status();
    for (const Variable& v : GlobalVariables(root)) EXPECT_EQ(v.is_resource(), is_resource);
    std::vector<Fetch> fetches = {loss};
    for (const Variable& v : GlobalVariables(root)) fetches.push_back(v);
    ClientSession session(root);
    ASSERT_TRUE(session.Run({init}).ok());
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(session.Run({train}).ok());
    const auto out = session.Run(fetches);
    ASSERT_TRUE(out.ok()) << out.status();
    for (const Tensor& t : *out) {
      all[is_resource].insert(all[is_resource].end(), t.data<float>(),
                              t.data<float>() + t.num_elements());
    }
  }
  ExpectSameBits(all[0], all[1]);
}

TEST(ResourceVariablesTest, AMetaGraphKeepsThem) {
  ResourceModel model(true, Copies(MomentumOptimizer(0.1, 0.9)));
  ASSERT_TRUE(model.root.ok()) << model.root.status();
  const std::string path = ::testing::TempDir() + "/resource.meta";
  const Status exported = ExportMetaGraph(model.root, path);
  ASSERT_TRUE(exported.ok()) << exported;
  const Scope root = Scope::NewRoot();
  const auto imported = ImportMetaGraph(root, path);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const std::vector<Variable> variables = GlobalVariables(root);
  ASSERT_EQ(variables.size(), GlobalVariables(model.root).size());
  for (size_t i = 0; i < variables.size(); ++i) {
    const Variable was = GlobalVariables(model.root)[i];
    EXPECT_EQ(variables[i].name(), was.name());
    EXPECT_EQ(variables[i].shape(), was.shape());
    EXPECT_EQ(variables[i].is_resource(), was.is_resource());
  }
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok()) << root.status();
  for (const Variable& variable : variables) {
    const auto now = session.Run({variable});
    ASSERT_TRUE(now.ok()) << now.status();
    EXPECT_EQ((*now)[0].shape(), variable.shape());
  }
}

// The nodes of tf.compat.v1 in TensorFlow 2.21.
TEST(ResourceVariablesTest, NodesAreTensorFlows) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {3, 2});
  const Scope m = root.VariableScope("m", VariableScopeOptions().use_resource(true));
  const Variable w = GetVariable(m, "w", {2, 2}, OnesInitializer());
  const Variable b(m.Named("b"), {0.0f, 0.0f});
  const Output y = Add(root.Named("add"), MatMul(root.Named("y"), x, w), b);
  const Output loss = ReduceMean(root, Square(root, y));
  const Variable step = GetOrCreateGlobalStep(root);
  MomentumOptimizer optimizer(0.1, 0.9);
  optimizer.Minimize(root, loss, step);
  const Output more = BuildOutput(root, "AssignAdd", {w, Ones(root, {2, 2})});
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_TRUE(w.is_resource());
  EXPECT_FALSE(step.is_resource());
  EXPECT_EQ(TrainableVariables(root).size(), 2u);
  const std::pair<const char*, const char*> want[] = {
      {"m/w", "VarHandleOp"},
      {"m/w/IsInitialized/VarIsInitializedOp", "VarIsInitializedOp"},
      {"m/w/Assign", "AssignVariableOp"},
      {"m/w/Read/ReadVariableOp", "ReadVariableOp"},
      {"m/b/Read/ReadVariableOp", "ReadVariableOp"},
      {"y/ReadVariableOp", "ReadVariableOp"},
      {"add/ReadVariableOp", "ReadVariableOp"},
      {"global_step", "VariableV2"},
      {"m/w/Momentum", "VarHandleOp"},
      {"m/w/Momentum/IsInitialized/VarIsInitializedOp", "VarIsInitializedOp"},
      {"m/w/Momentum/Read/ReadVariableOp", "ReadVariableOp"},
      {"Momentum/update_m/w/ResourceApplyMomentum", "ResourceApplyMomentum"},
      {"Momentum/update_m/b/ResourceApplyMomentum", "ResourceApplyMomentum"},
      {"Momentum", "AssignAdd"},
      {"AssignAddVariableOp", "AssignAddVariableOp"},
      {"ReadVariableOp", "ReadVariableOp"},
  };
  for (const auto& [name, op] : want) {
    const Node* node = root.graph()->Find(name);
    ASSERT_NE(node, nullptr) << name;
    EXPECT_EQ(node->op_name(), op) << name;
  }
  EXPECT_EQ(more.name(), "ReadVariableOp:0");
  EXPECT_EQ(w.initializer().name(), "m/w/Assign");
}

TEST(ResourceVariablesTest, AReadSeesWhatItWaitsFor) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), 1.0f, VariableOptions().use_resource(true));
  const Output up = BuildOutput(root, "AssignAdd", {w, Input(1.0f)});
  const Output after = Multiply(root.ControlDependencies({up.op()}), w, 10.0f);
  const Operation init = GlobalVariablesInitializer(root);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  EXPECT_EQ(session.Run({w}).status().code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(session.Run({init}).ok());
  for (const float want : {2.0f, 3.0f}) {
    const auto out = session.Run({after, up});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<float>(), 10 * want);
    EXPECT_EQ((*out)[1].scalar<float>(), want);
  }
}

TEST(ResourceVariablesTest, WhoSaysWhatIsMade) {
  const Scope root = Scope::NewRoot();
  const Scope outer = root.VariableScope("a", VariableScopeOptions().use_resource(true));
  const Scope inner = outer.VariableScope("b");
  EXPECT_TRUE(GetVariable(inner, "w", {2}, ZerosInitializer()).is_resource());
  const GetVariableOptions plain =
      GetVariableOptions().initializer(ZerosInitializer()).use_resource(false);
  EXPECT_FALSE(GetVariable(inner, "plain", {2}, plain).is_resource());
  EXPECT_FALSE(GetVariable(root, "w", {2}, ZerosInitializer()).is_resource());
  EXPECT_TRUE(Variable(inner.Named("v"), 1.0f).is_resource());
  EXPECT_FALSE(
      Variable(inner.Named("r"), 1.0f, VariableOptions().use_resource(false)).is_resource());
  // What is there stays what it is.
  const Scope again = root.VariableScope("a/b", VariableScopeOptions().reuse(true));
  EXPECT_TRUE(GetVariable(again, "w", {2}, plain).is_resource());
  ASSERT_TRUE(root.ok()) << root.status();
}

TEST(ResourceVariablesTest, AnOpThatTakesOnlyReferences) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), {1.0f, 2.0f}, VariableOptions().use_resource(true));
  BuildOp(root, "RefIdentity", {w});
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("use_resource(false)"));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
