// Conditionals, loops and calls of functions whose nodes are on two tasks.
#include <functional>

#include "absl/strings/str_cat.h"
#include "frontend/function_graph.h"
#include "frontend/ops/functional_ops.h"
#include "frontend/ops/math_ops.h"
#include "frontend/ops/resource_variable_ops.h"
#include "tests/tasks/two_tasks.h"

namespace warpbeam {
namespace frontend {
namespace {

using Outputs = std::vector<Output>;
using Build = std::function<Outputs(const Scope&, const Outputs&)>;

constexpr DType kFloat = DType::kFloat;
constexpr DType kInt = DType::kInt32;
constexpr DType kResource = DType::kResource;

// A function of scalars and resources.
FunctionRef Function(const Scope& root, const std::vector<DType>& types, const Build& build) {
  FunctionGraph body(root);
  Outputs args;
  for (const DType type : types) args.push_back(body.AddArg(type, PartialShape(Shape())));
  const StatusOr<FunctionRef> made = body.Finish(build(body.scope(), args), "test");
  EXPECT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(body.captures().empty());
  return made.ok() ? *made : FunctionRef();
}

NamedTensors Feed(const std::string& name, float value) { return {{name, Tensor::Scalar(value)}}; }
NamedTensors FeedInt(const std::string& name, int32_t value) {
  return {{name, Tensor::Scalar(value)}};
}

TEST(TaskFunctionsTest, AConditionalWhoseBranchesAreElsewhere) {
  const Scope root = Scope::NewRoot();
  const FunctionRef then = Function(root, {kFloat, kFloat}, [](const Scope& s, const Outputs& v) {
    return Outputs{Multiply(s.Device(kPs), v[0], 3.0f), Add(s, v[1], 1.0f)};
  });
  const FunctionRef other = Function(root, {kFloat, kFloat}, [](const Scope& s, const Outputs& v) {
    return Outputs{v[1], Subtract(s.Device(kPs), v[0], 4.0f)};
  });
  const Scope worker = root.Device(kWorker);
  const Output x = Placeholder(worker.Named("x"), kFloat, PartialShape(Shape()));
  const Outputs r = ops::If(worker, Less(worker, x, 1.0f), {x, Negative(worker, x)},
                            {kFloat, kFloat}, then, other);
  // A number is true where it is not zero.
  const Outputs by_number = ops::StatelessIf(worker, x, {x, x}, {kFloat, kFloat}, then, other);
  TwoTasks both(root);
  for (const float v : {0.5f, 2.5f, 0.0f, 9.0f}) {
    both.ExpectEqual({r[0].name(), r[1].name(), by_number[0].name()}, Feed("x:0", v));
  }
}

TEST(TaskFunctionsTest, OneOfManyBranches) {
  const Scope root = Scope::NewRoot();
  std::vector<FunctionRef> branches;
  for (int i = 0; i < 4; ++i) {
    branches.push_back(Function(root, {kFloat}, [i](const Scope& s, const Outputs& v) {
      return Outputs{Add(s.Device(i % 2 == 0 ? kPs : kWorker), v[0], static_cast<float>(i))};
    }));
  }
  const Scope worker = root.Device(kWorker);
  const Output index = Placeholder(worker.Named("index"), kInt, PartialShape(Shape()));
  const Outputs r = ops::Case(worker, index, {Constant(worker, 10.0f)}, {kFloat}, branches);
  TwoTasks both(root);
  for (const int i : {0, 1, 2, 3, -1, 4, 100}) {
    both.ExpectEqual({r[0].name()}, FeedInt("index:0", i));
  }
}

TEST(TaskFunctionsTest, ALoopWhoseBodyIsElsewhere) {
  const Scope root = Scope::NewRoot();
  const std::vector<DType> types = {kInt, kFloat, kInt};
  const FunctionRef cond = Function(
      root, types, [](const Scope& s, const Outputs& v) { return Outputs{Less(s, v[0], v[2])}; });
  const FunctionRef body = Function(root, types, [](const Scope& s, const Outputs& v) {
    const Scope ps = s.Device(kPs);
    return Outputs{Add(s, v[0], 1), Multiply(ps, Add(ps, v[1], 1.5f), 1.25f), v[2]};
  });
  const Scope worker = root.Device(kWorker);
  const Output limit = Placeholder(worker.Named("limit"), kInt, PartialShape(Shape()));
  const Outputs r =
      ops::While(worker, {Constant(worker, 0), Constant(worker, 1.0f), limit}, cond, body);
  TwoTasks both(root);
  for (const int n : {0, 1, 7, 0, 50}) {
    both.ExpectEqual({r[0].name(), r[1].name(), r[2].name()}, FeedInt("limit:0", n));
  }
}

TEST(TaskFunctionsTest, AVariableOfTheOtherTaskInALoop) {
  const Scope root = Scope::NewRoot();
  const Scope worker = root.Device(kWorker);
  const Variable v(root.Device(kPs).Named("v"), 3.0f, VariableOptions().use_resource(true));
  const std::vector<DType> types = {kInt, kResource};
  const FunctionRef cond = Function(root, types, [](const Scope& s, const Outputs& a) {
    // Nobody asks for a place: reading goes where the variable is.
    return Outputs{Less(s, ops::ReadVariableOp(s, a[1], kFloat), 10.0f)};
  });
  const FunctionRef body = Function(root, types, [](const Scope& s, const Outputs& a) {
    const Operation added =
        ops::AssignAddVariableOp(s, a[1], Multiply(s, ops::ReadVariableOp(s, a[1], kFloat), 0.5f));
    return Outputs{Add(s.ControlDependencies({added}), a[0], 1), a[1]};
  });
  const Outputs r = ops::While(worker.Named("loop"), {Constant(worker, 0), v.ref()}, cond, body);
  const Output after = ops::ReadVariableOp(
      root.Device(kPs).ControlDependencies({r[0].op()}).Named("after"), v.ref(), kFloat);
  const Operation init = GlobalVariablesInitializer(root.Named("init"));
  TwoTasks both(root);
  for (int i = 0; i < 3; ++i) {
    both.Run({init.name()});
    both.ExpectEqual({r[0].name(), after.name()});
  }
}

TEST(TaskFunctionsTest, ALoopOfEffectsAlone) {
  const Scope root = Scope::NewRoot();
  const Scope worker = root.Device(kWorker);
  const Variable v(root.Device(kPs).Named("v"), 1.0f, VariableOptions().use_resource(true));
  const FunctionRef cond = Function(root, {kResource}, [](const Scope& s, const Outputs& a) {
    return Outputs{Less(s, ops::ReadVariableOp(s, a[0], kFloat), 100.0f)};
  });
  const FunctionRef body = Function(root, {kResource}, [](const Scope& s, const Outputs& a) {
    const Output twice = Multiply(s, ops::ReadVariableOp(s, a[0], kFloat), 2.0f);
    ops::AssignVariableOp(s, a[0], twice);
    return Outputs{a[0]};
  });
  const Outputs r = ops::While(worker.Named("loop"), {v.ref()}, cond, body);
  const Output after = ops::ReadVariableOp(
      root.Device(kPs).ControlDependencies({r[0].op()}).Named("after"), v.ref(), kFloat);
  const Operation init = GlobalVariablesInitializer(root.Named("init"));
  TwoTasks both(root);
  both.Run({init.name()});
  both.ExpectEqual({after.name()});
}

TEST(TaskFunctionsTest, ALoopInABranchInALoop) {
  const Scope root = Scope::NewRoot();
  const std::vector<DType> types = {kInt, kInt};
  const FunctionRef inner_cond = Function(root, types, [](const Scope& s, const Outputs& v) {
    return Outputs{Less(s.Device(kPs), v[0], 3)};
  });
  const FunctionRef inner_body = Function(root, types, [](const Scope& s, const Outputs& v) {
    return Outputs{Add(s, v[0], 1), Add(s.Device(kWorker), v[1], v[0])};
  });
  const FunctionRef then = Function(root, {kInt}, [&](const Scope& s, const Outputs& v) {
    return Outputs{ops::While(s, {Constant(s, 0), v[0]}, inner_cond, inner_body)[1]};
  });
  const FunctionRef other = Function(
      root, {kInt}, [](const Scope& s, const Outputs& v) { return Outputs{Subtract(s, v[0], 1)}; });
  const FunctionRef cond = Function(
      root, types, [](const Scope& s, const Outputs& v) { return Outputs{Less(s, v[0], 6)}; });
  const FunctionRef body = Function(root, types, [&](const Scope& s, const Outputs& v) {
    const Output even = Equal(s, ops::FloorMod(s, v[0], 2), 0);
    return Outputs{Add(s, v[0], 1), ops::If(s, even, {v[1]}, {kInt}, then, other)[0]};
  });
  const Scope worker = root.Device(kWorker);
  const Output x = Placeholder(worker.Named("x"), kInt, PartialShape(Shape()));
  const Outputs r = ops::While(worker, {Constant(worker, 0), x}, cond, body);
  TwoTasks both(root);
  for (const int v : {1, -50, 2}) both.ExpectEqual({r[0].name(), r[1].name()}, FeedInt("x:0", v));
}

TEST(TaskFunctionsTest, ACallInABranchOfNodes) {
  const Scope root = Scope::NewRoot();
  // The branch is dead node by node, the call as a whole.
  const FunctionRef f = Function(root, {kFloat}, [](const Scope& s, const Outputs& v) {
    return Outputs{Add(s.Device(kPs), v[0], Constant(s.Device(kPs), 2.0f)), Constant(s, 7.0f)};
  });
  const Scope worker = root.Device(kWorker);
  const Output x = Placeholder(worker.Named("x"), kFloat, PartialShape(Shape()));
  const Outputs r = Cond(
      worker, Less(worker, x, 1.0f),
      [&](const Scope& s) {
        return Outputs{Add(s, ops::PartitionedCall(s, {x}, {kFloat, kFloat}, f)[0], 1.0f)};
      },
      [&](const Scope& s) {
        return Outputs{ops::StatefulPartitionedCall(s, {x}, {kFloat, kFloat}, f)[1]};
      });
  TwoTasks both(root);
  for (const float v : {0.5f, 2.5f}) both.ExpectEqual({r[0].name()}, Feed("x:0", v));
}

TEST(TaskFunctionsTest, ACallOnTheOtherTask) {
  const Scope root = Scope::NewRoot();
  const FunctionRef f = Function(root, {kFloat}, [](const Scope& s, const Outputs& v) {
    return Outputs{Multiply(s, v[0], 5.0f)};
  });
  const Scope worker = root.Device(kWorker);
  const Output x = Placeholder(worker.Named("x"), kFloat, PartialShape(Shape()));
  const Outputs r = ops::RemoteCall(
      worker, Constant(worker, absl::StrCat("/job:ps/replica:0/task:0/device:CPU:0")), {x},
      {kFloat}, f);
  const FunctionRef outer = Function(root, {kFloat}, [&](const Scope& s, const Outputs& v) {
    const Output target = Constant(s, absl::StrCat("/job:ps/task:0/cpu:0"));
    return Outputs{Add(s, ops::RemoteCall(s, target, {v[0]}, {kFloat}, f)[0], 1.0f)};
  });
  const Outputs nested = ops::PartitionedCall(worker, {x}, {kFloat}, outer);
  auto session = NewTaskGroupSession(WorkerAndPs(), root.graph());
  ASSERT_TRUE(session.ok()) << session.status();
  std::vector<Tensor> out;
  const Status ran =
      (*session)->Run({}, Feed("x:0", 1.5f), {r[0].name(), nested[0].name()}, {}, &out);
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_EQ(*out[0].data<float>(), 7.5f);
  EXPECT_EQ(*out[1].data<float>(), 8.5f);
}

TEST(TaskFunctionsTest, AVariableOfOneTaskInCallsOfTheOther) {
  const Scope root = Scope::NewRoot();
  const Variable v(root.Device(kPs).Named("v"), 3.0f, VariableOptions().use_resource(true));
  const Scope worker = root.Device(kWorker);
  const FunctionRef twice = Function(root, {kResource}, [](const Scope& s, const Outputs& a) {
    return Outputs{Multiply(s, ops::ReadVariableOp(s, a[0], kFloat), 2.0f)};
  });
  const Output called = ops::StatefulPartitionedCall(worker, {v.ref()}, {kFloat}, twice)[0];
  const Output chosen =
      ops::If(worker, Constant(worker, true), {v.ref()}, {kFloat}, twice, twice)[0];
  const Output sum = Add(worker.Named("sum"), called, chosen);
  const Operation init = GlobalVariablesInitializer(root.Named("init"));
  TwoTasks both(root);
  both.Run({init.name()});
  both.ExpectEqual({sum.name()});
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
