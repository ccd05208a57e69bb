#include "frontend/device/device_functions.h"

#include "frontend/build.h"
#include "frontend/gradients.h"
#include "frontend/graph_def/import_graph.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "frontend/variables/variable.h"
#include "graph/graph.h"
#include "graph/io/graph_export.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

// Variables to the ps, everything else to a worker.
StatusOr<std::string> PsAndWorker(const Operation& operation) {
  const bool is_variable = operation.type() == "VariableV2" || operation.type() == "VarHandleOp";
  return std::string(is_variable ? "/job:ps/task:3" : "/job:worker/task:1");
}

DeviceFunction Always(const std::string& device) {
  return [device](const Operation&) { return StatusOr<std::string>(device); };
}

TEST(DeviceFunctionsTest, InnerPartsWinOverTheFunctionAndItsOverOuterOnes) {
  const Scope root = Scope::NewRoot();
  const Scope outer = root.Device("/job:a/replica:7/task:7/gpu:7").Device(Always("/job:b/task:2"));
  EXPECT_EQ(Constant(outer, 1.0f).op().device(), "/job:b/replica:7/task:2/device:GPU:7");
  EXPECT_EQ(Constant(outer.Device("/task:5/cpu:0"), 1.0f).op().device(),
            "/job:b/replica:7/task:5/device:CPU:0");
  EXPECT_EQ(outer.Device("/cpu:0").device(), "/device:CPU:0");
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(DeviceFunctionsTest, FunctionsInEachOtherAreAskedFromTheInnermost) {
  std::string seen;
  const Scope root = Scope::NewRoot();
  const Scope scope = root.Device([&seen](const Operation& operation) -> StatusOr<std::string> {
                            seen = operation.device();
                            return std::string("/job:outer/task:1/gpu:1");
                          })
                          .Device("/task:2")
                          .Device(Always("/gpu:3"));
  EXPECT_EQ(Constant(scope, 1.0f).op().device(), "/job:outer/task:2/device:GPU:3");
  EXPECT_EQ(seen, "/task:2/device:GPU:3");
}

TEST(DeviceFunctionsTest, AFunctionKnowsNameTypeAttributesAndOutputs) {
  int calls = 0;
  const Scope root = Scope::NewRoot();
  const Scope scope = root.Device([&](const Operation& operation) -> StatusOr<std::string> {
    ++calls;
    EXPECT_EQ(operation.name(), "inside/x");
    EXPECT_EQ(operation.type(), "Placeholder");
    EXPECT_EQ(operation.output(0).dtype(), DType::kFloat);
    EXPECT_EQ(operation.output(0).shape().ToString(), "[2,3]");
    EXPECT_EQ(operation.attrs().GetOr<DType>("dtype", DType::kInvalid), DType::kFloat);
    return std::string();
  });
  const Output x =
      BuildOutput(scope.NameScope("inside").Named("x"), "Placeholder", {},
                  OpAttrs().Set("dtype", DType::kFloat).Set("shape", PartialShape(Shape({2, 3}))));
  EXPECT_EQ(x.op().device(), "");
  EXPECT_EQ(calls, 1);
}

TEST(DeviceFunctionsTest, VariablesBringWhatBelongsToThem) {
  for (const bool use_resource : {false, true}) {
    const Scope root = Scope::NewRoot();
    const Scope scope = root.Device(PsAndWorker);
    const Variable w(scope.Named("w"), Constant(scope.Named("initial"), {1.0f, 2.0f}),
                     VariableOptions().use_resource(use_resource));
    ASSERT_TRUE(root.ok()) << root.status();
    EXPECT_EQ(w.op().device(), "/job:ps/task:3");
    EXPECT_EQ(w.initializer().device(), "/job:ps/task:3");
    EXPECT_EQ(static_cast<Output>(w).op().device(), "/job:ps/task:3");
    EXPECT_EQ(w.initial_value().op().device(), "/job:worker/task:1");
    const Output y = Multiply(scope, w, 2.0f);
    EXPECT_EQ(y.op().device(), "/job:worker/task:1");
    // What is built beside another node, or without a device, is not the function's business.
    EXPECT_EQ(Constant(scope.ColocateWith(w.op()), 1.0f).op().device(), "/job:ps/task:3");
    EXPECT_EQ(Constant(scope.NoDevice(), 1.0f).op().device(), "");
    EXPECT_EQ(Constant(root, 1.0f).op().device(), "");
  }
}

TEST(DeviceFunctionsTest, GradientsAreAskedForToo) {
  for (const bool colocate : {false, true}) {
    const Scope root = Scope::NewRoot();
    const Scope scope = root.Device(PsAndWorker);
    const Variable w(scope.Named("w"), Constant(scope, {1.0f, 2.0f}));
    const Output loss = ReduceSum(scope, Multiply(scope, w, w));
    GradientsOptions options;
    options.colocate_with_ops = colocate;
    const int before = root.graph()->num_nodes();
    Gradients(scope, {loss}, {w}, options);
    ASSERT_TRUE(root.ok()) << root.status();
    ASSERT_GT(root.graph()->num_nodes(), before + 2);
    int on_worker = 0;
    for (int id = before; id < root.graph()->num_nodes(); ++id) {
      const std::string& device = root.graph()->node(id).device();
      EXPECT_NE(device, "") << root.graph()->node(id).name();
      on_worker += device == "/job:worker/task:1";
    }
    EXPECT_GT(on_worker, 2);
  }
}

TEST(DeviceFunctionsTest, ImportedNodesAreAskedFor) {
  const Scope from = Scope::NewRoot();
  Constant(from.Named("free"), 1.0f);
  Constant(from.Device("/gpu:1").Named("bound"), 1.0f);
  const auto bytes = ExportGraphDef(*from.graph());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const Scope root = Scope::NewRoot();
  ImportGraphOptions options;
  options.return_elements = {"free", "bound"};
  const auto imported = ImportGraphDef(root.Device(Always("/task:4/gpu:0")), *bytes, options);
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ((*imported)[0].op.device(), "/task:4/device:GPU:0");
  EXPECT_EQ((*imported)[1].op.device(), "/task:4/device:GPU:1");
}

TEST(DeviceFunctionsTest, ErrorsOfFunctionsAreThoseOfBuilding) {
  const Scope root = Scope::NewRoot();
  Constant(root.Device([](const Operation&) -> StatusOr<std::string> {
                 return ResourceExhausted("no room on any task");
               })
               .Named("c"),
           1.0f);
  EXPECT_EQ(root.status().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(root.status().message().find("'c'"), absl::string_view::npos) << root.status();

  const Scope other = Scope::NewRoot();
  Constant(other.Device(Always("no device")), 1.0f);
  EXPECT_EQ(other.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
