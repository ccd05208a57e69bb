// Loops and conditionals that nodes of two tasks take part in.
#include "frontend/ops/resource_variable_ops.h"
#include "frontend/ops/state_ops.h"
#include "tests/tasks/two_tasks.h"

namespace warpbeam {
namespace frontend {
namespace {

using Outputs = std::vector<Output>;

TEST(TaskLoopsTest, ABodyOnTheOtherTask) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Outputs r = WhileLoop(
      root, [](const Scope& s, const Outputs& v) { return Less(s, v[0], 10); },
      [](const Scope& s, const Outputs& v) {
        const Scope ps = s.Device(kPs);
        return Outputs{Add(s, v[0], 1), Multiply(ps, Add(ps, v[1], 1.5f), 1.25f)};
      },
      {0, 1.0f});
  const Output sum = Identity(root.Named("sum"), r[1]);
  TwoTasks both(root);
  for (int i = 0; i < 20; ++i) both.ExpectEqual({sum.name()});
}

TEST(TaskLoopsTest, TheConditionOnTheOtherTask) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Outputs r = WhileLoop(
      root, [](const Scope& s, const Outputs& v) { return Less(s.Device(kPs), v[0], 7); },
      [](const Scope& s, const Outputs& v) {
        return Outputs{Add(s.Device(kPs), v[0], 1), Add(s, v[1], v[0])};
      },
      {0, 0});
  TwoTasks both(root);
  both.ExpectEqual({r[0].name(), r[1].name()});
}

TEST(TaskLoopsTest, NoIterationAtAll) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output limit = Placeholder(root.Named("limit"), DType::kInt32, PartialShape(Shape()));
  const Outputs r = WhileLoop(
      root, [&](const Scope& s, const Outputs& v) { return Less(s, v[0], limit); },
      [](const Scope& s, const Outputs& v) {
        return Outputs{Add(s, v[0], 1), Add(s.Device(kPs), v[1], v[0])};
      },
      {0, 5});
  TwoTasks both(root);
  for (const int n : {0, 1, 3, 0, 100}) {
    both.ExpectEqual({r[0].name(), r[1].name()}, {{"limit:0", Tensor::Scalar<int32_t>(n)}});
  }
}

TEST(TaskLoopsTest, ALoopInALoopInTurns) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Outputs r = WhileLoop(
      root, [](const Scope& s, const Outputs& v) { return Less(s, v[0], 5); },
      [](const Scope& s, const Outputs& v) {
        const Scope ps = s.Device(kPs);
        const Outputs inner = WhileLoop(
            ps, [&](const Scope& t, const Outputs& w) { return LessEqual(t, w[0], v[0]); },
            [](const Scope& t, const Outputs& w) {
              return Outputs{Add(t, w[0], 1), Add(t.Device(kWorker), w[1], w[0])};
            },
            {0, v[1]});
        return Outputs{Add(s, v[0], 1), Multiply(s, inner[1], 2)};
      },
      {0, 1});
  TwoTasks both(root);
  for (int i = 0; i < 20; ++i) both.ExpectEqual({r[1].name()});
}

TEST(TaskLoopsTest, BothBranchesOfAConditional) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
  const Outputs r = Cond(
      root, Less(root, x, 1.0f),
      [&](const Scope& s) {
        const Scope ps = s.Device(kPs);
        return Outputs{Add(s, Multiply(ps, x, 3.0f), 1.0f)};
      },
      [&](const Scope& s) { return Outputs{Subtract(s.Device(kPs), x, 4.0f)}; });
  TwoTasks both(root);
  for (const float v : {0.5f, 2.5f, 0.25f, 9.0f}) {
    both.ExpectEqual({r[0].name()}, {{"x:0", Tensor::Scalar(v)}});
  }
}

TEST(TaskLoopsTest, ALoopInABranchThatIsNotTaken) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kInt32, PartialShape(Shape()));
  const Outputs r = Cond(
      root, Less(root, x, 10),
      [&](const Scope& s) {
        const Outputs w = WhileLoop(
            s, [](const Scope& t, const Outputs& v) { return Less(t, v[0], 20); },
            [](const Scope& t, const Outputs& v) { return Outputs{Add(t.Device(kPs), v[0], 3)}; },
            {x});
        return Outputs{w[0]};
      },
      [&](const Scope& s) { return Outputs{Negative(s.Device(kPs), x)}; });
  TwoTasks both(root);
  for (const int v : {1, 50, 2, 11}) {
    both.ExpectEqual({r[0].name()}, {{"x:0", Tensor::Scalar<int32_t>(v)}});
  }
}

TEST(TaskLoopsTest, WhoWaitsForTheOtherTaskSeesItsUpdate) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  for (const bool resource : {false, true}) {
    const Variable v(ps.Named(resource ? "resource" : "reference"), 3.0f,
                     VariableOptions().use_resource(resource));
    const Operation added = resource ? ops::AssignAddVariableOp(ps, v.ref(), 1.0f)
                                     : ops::AssignAdd(ps, v.ref(), 1.0f).op();
    const Scope after = root.ControlDependencies({added});
    Multiply(after.Named(resource ? "of_resource" : "of_reference"),
             Identity(ps.ControlDependencies({added}),
                      resource ? ops::ReadVariableOp(ps.ControlDependencies({added}), v.ref(),
                                                     DType::kFloat)
                               : v.ref()),
             2.0f);
  }
  const Operation init = GlobalVariablesInitializer(root.Named("init"));
  TwoTasks both(root);
  both.Run({init.name()});
  for (int i = 0; i < 5; ++i) both.ExpectEqual({"of_resource:0", "of_reference:0"});
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
