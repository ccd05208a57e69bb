// Which gradients an update waits for, and that waiting changes no number.
#include <set>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/control.h"
#include "frontend/control_flow/cond.h"
#include "frontend/control_flow/while_loop.h"
#include "frontend/graph_state.h"
#include "frontend/host_tensor/host_tensor.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "frontend/training/optimizer.h"
#include "graph/graph.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

std::set<NodeId> Ancestors(const Graph& graph, NodeId node) {
  std::set<NodeId> seen;
  std::vector<NodeId> open = {node};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    for (const OutputRef in : graph.node(id).inputs()) open.push_back(in.node);
    for (const NodeId in : graph.node(id).control_inputs()) open.push_back(in);
  }
  return seen;
}

// loss = sum(a b) + sum(c^2).
struct Model {
  explicit Model(GateGradients gate)
      : a(root.Named("a"), {{1.0f, 2.0f}}),
        b(root.Named("b"), {{3.0f}, {4.0f}}),
        c(root.Named("c"), 2.0f) {
    const Output loss =
        Add(root, ReduceSum(root, MatMul(root, a, b)), ReduceSum(root, Square(root, c)));
    GradientDescentOptimizer optimizer(0.5f);
    gradients =
        optimizer.ComputeGradients(root, loss, ComputeGradientsOptions().gate_gradients(gate));
    train = optimizer.ApplyGradients(root, gradients);
  }

  // Whether the update of `variable` waits until the gradient of `other` is computed.
  bool Waits(const Variable& variable, size_t other) const {
    const Graph& graph = *root.graph();
    Output made = gradients[other].gradient.dense();
    // What is passed on when all are there says nothing about when it is computed.
    while (graph.node(made.node()).op_name() == "Identity") {
      const OutputRef in = graph.node(made.node()).input(0);
      made = Output(made.graph(), in.node, in.index);
    }
    for (const Node& node : graph.nodes()) {
      if (node.op_name() != "ApplyGradientDescent") continue;
      if (node.input(0).node != variable.op().node()) continue;
      return Ancestors(graph, node.id()).count(made.node()) > 0;
    }
    ADD_FAILURE() << "no update of " << variable.name();
    return false;
  }

  std::vector<float> AfterOneStep() {
    const Operation init = GlobalVariablesInitializer(root);
    ClientSession session(root);
    EXPECT_TRUE(session.Run({init}).ok()) << root.status();
    EXPECT_TRUE(session.Run({train}).ok());
    const auto out = session.Run({a, b, c});
    std::vector<float> values;
    for (const Tensor& tensor : *out) {
      const auto view = ViewOf<float>(tensor);
      values.insert(values.end(), view->begin(), view->end());
    }
    return values;
  }

  const Scope root = Scope::NewRoot();
  Variable a, b, c;
  std::vector<GradientAndVariable> gradients;
  Operation train;
};

TEST(GateGradientsTest, AnUpdateWaitsForTheGradientsOfItsOperations) {
  const std::vector<float> want = {-0.5f, 0, 2.5f, 3, 0};
  Model none(GateGradients::kGateNone), op(GateGradients::kGateOp),
      graph(GateGradients::kGateGraph);
  EXPECT_FALSE(none.Waits(none.a, 1));
  EXPECT_TRUE(op.Waits(op.a, 1));
  EXPECT_TRUE(op.Waits(op.b, 0));
  EXPECT_FALSE(op.Waits(op.a, 2));
  EXPECT_TRUE(graph.Waits(graph.a, 2));
  EXPECT_TRUE(graph.Waits(graph.c, 0));
  for (Model* model : {&none, &op, &graph}) EXPECT_EQ(model->AfterOneStep(), want);
  EXPECT_TRUE(op.root.HasOperation("gradients/MatMul_grad/tuple/group_deps"));
  EXPECT_TRUE(op.root.HasOperation("gradients/MatMul_grad/tuple/control_dependency_1"));
}

TEST(GateGradientsTest, LoopsAndBranchesGiveTheSameNumbers) {
  for (const bool gate : {false, true}) {
    const Scope root = Scope::NewRoot();
    const Output x = Placeholder(root.Named("x"), DType::kFloat, Shape());
    const Output k = Constant(root.Named("k"), 3.0f);
    const std::vector<Output> looped = WhileLoop(
        root, [](const Scope&, const std::vector<Output>& v) { return v[0] < 3; },
        [&](const Scope& s, const std::vector<Output>& v) {
          const Output next = Cond(
              s, v[1] > 4.0f, [&](const Scope& t) -> std::vector<Output> { return {t(v[1]) * k}; },
              [&](const Scope& t) -> std::vector<Output> { return {t(v[1]) * v[1] + k}; })[0];
          return std::vector<Output>{v[0] + 1, next * x};
        },
        {0, x});
    GradientsOptions options;
    options.gate_gradients = gate;
    const std::vector<Gradient> gradients = Gradients(root, {looped[1]}, {x, k}, options);
    ASSERT_TRUE(root.ok()) << root.status();
    ClientSession session(root);
    const auto out = session.Run({{x, Tensor::Scalar(2.0f)}}, gradients);
    ASSERT_TRUE(out.ok()) << out.status();
    // x -> x^3 + 3 x = 14 -> 3 * 14 * x -> 3 * 84 * x with k = 3: k^2 x^3 (x^2 + k).
    EXPECT_FLOAT_EQ(*ValueOf<float>(out->at(0)), 9 * (5 * 16 + 3 * 3 * 4)) << gate;
    EXPECT_FLOAT_EQ(*ValueOf<float>(out->at(1)), 8 * (2 * 3 * 4 + 3 * 9)) << gate;
  }
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
