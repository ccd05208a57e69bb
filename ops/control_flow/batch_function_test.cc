// Functions over batches, and on other devices; values as TensorFlow 2.21 gives them.
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/types/tensor.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using Code = StatusCode;

NodeSpec BatchedSpec(std::string name, std::string op, std::vector<std::string> inputs,
                     std::vector<std::pair<std::string, AttrValue>> attrs) {
  NodeSpec spec;
  spec.name = std::move(name);
  spec.op = std::move(op);
  spec.inputs = std::move(inputs);
  for (auto& attr : attrs) spec.attrs.Set(attr.first, attr.second);
  return spec;
}

Tensor ThreeRows() { return OpTest::Make<float>({3, 2}, {1, 2, 3, 4, 5, 6}); }

class Calls : public ::testing::Test {
 protected:
  using Attrs = std::vector<std::pair<const char*, AttrValue>>;

  Calls() {
    const std::pair<std::string, AttrValue> type = {"T", DType::kFloat};
    // x less the sum of its rows.
    Add("less_sum", {"x: float"},
        {BatchedSpec("axis", "Const", {},
                     {{"value", Tensor::Vector<int32_t>({0})}, {"dtype", DType::kInt32}}),
         BatchedSpec("sum", "Sum", {"x", "axis:output:0"},
                     {type, {"Tidx", DType::kInt32}, {"keep_dims", true}}),
         BatchedSpec("z", "Sub", {"x", "sum:output:0"}, {type})},
        "z:z:0");
    Add("product", {"x: float", "y: float"}, {BatchedSpec("z", "Mul", {"x", "y"}, {type})},
        "z:z:0");
    Add("scalar", {"x: float"},
        {BatchedSpec("z", "Const", {},
                     {{"value", Tensor::Scalar(1.0f)}, {"dtype", DType::kFloat}})},
        "z:output:0");
    Add("one_row", {"x: float"},
        {BatchedSpec("z", "Const", {},
                     {{"value", Tensor::Vector<float>({1})}, {"dtype", DType::kFloat}})},
        "z:output:0");
    Add("endless", {"x: float"},
        {BatchedSpec("to", "Const", {},
                     {{"value", Tensor::Scalar<std::string>("/cpu:0")}, {"dtype", DType::kString}}),
         BatchedSpec("z", "RemoteCall", {"to:output:0", "x"},
                     {{"Tin", std::vector<DType>{DType::kFloat}},
                      {"Tout", std::vector<DType>{DType::kFloat}},
                      {"f", FunctionRef{"endless", {}}}})},
        "z:output:0");
  }

  void Add(const char* name, const std::vector<std::string>& args, std::vector<NodeSpec> nodes,
           const char* result) {
    auto f = std::make_shared<Function>();
    OpSchemaBuilder signature(name);
    for (const std::string& arg : args) signature.Input(arg);
    f->signature = *signature.Output("result: float").Build();
    f->nodes = std::move(nodes);
    f->returns = {{"result", result}};
    ASSERT_TRUE(graph_->functions().Add(f).ok());
  }
  OutputRef Const(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }
  std::vector<OutputRef> Consts(std::vector<Tensor> values) {
    std::vector<OutputRef> all;
    for (Tensor& value : values) all.push_back(Const(std::move(value)));
    return all;
  }
  StatusOr<Tensor> Batched(const char* f, std::vector<Tensor> in, std::vector<Tensor> captured,
                           const Attrs& attrs = {}) {
    NodeBuilder builder(graph_.get(), "BatchFunction");
    builder.Name("call").Input(Consts(std::move(in))).Input(Consts(std::move(captured)));
    builder.Attr("num_batch_threads", int64_t{1}).Attr("batch_timeout_micros", int64_t{0});
    builder.Attr("f", FunctionRef{f, {}}).Attr("Tout", std::vector<DType>{DType::kFloat});
    bool has_size = false;
    for (const auto& attr : attrs) {
      builder.Attr(attr.first, attr.second);
      has_size |= std::string(attr.first) == "max_batch_size";
    }
    if (!has_size) builder.Attr("max_batch_size", int64_t{8});
    return Run(builder);
  }
  StatusOr<Tensor> Remote(const char* f, const std::string& target, std::vector<Tensor> args) {
    NodeBuilder builder(graph_.get(), "RemoteCall");
    builder.Name("call").Input(Const(Tensor::Scalar<std::string>(target)));
    builder.Input(Consts(std::move(args))).Attr("f", FunctionRef{f, {}});
    builder.Attr("Tout", std::vector<DType>{DType::kFloat});
    return Run(builder);
  }
  StatusOr<Tensor> Run(NodeBuilder& builder) {
    WB_RETURN_IF_ERROR(builder.Build().status());
    WB_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create({}, graph_));
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session->Run({}, {}, {"call:0"}, {}, &out, nullptr));
    return out[0];
  }
  static void Expect(const StatusOr<Tensor>& got, const Tensor& expected) {
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(got->ToString(), expected.ToString());
  }
  static void ExpectRefused(const StatusOr<Tensor>& got, Code code, const char* why) {
    EXPECT_EQ(got.status().code(), code) << got.status();
    EXPECT_THAT(std::string(got.status().message()), HasSubstr(why));
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

using Sizes = std::vector<int64_t>;

TEST_F(Calls, ARequestIsABatch) {
  Expect(Batched("product", {ThreeRows()}, {Tensor::Scalar(3.0f)}),
         OpTest::Make<float>({3, 2}, {3, 6, 9, 12, 15, 18}));
}

TEST_F(Calls, SeveralTensors) {
  Expect(Batched("product", {ThreeRows(), OpTest::Make<float>({3, 1}, {1, 3, 5})}, {}),
         OpTest::Make<float>({3, 2}, {1, 2, 9, 12, 25, 30}));
}

TEST_F(Calls, CopiesOfTheFirstRowFillABatchUp) {
  Expect(Batched("less_sum", {ThreeRows()}, {}, {{"allowed_batch_sizes", Sizes{4, 8}}}),
         OpTest::Make<float>({3, 2}, {-9, -12, -7, -10, -5, -8}));
}

TEST_F(Calls, NoRows) {
  Expect(Batched("less_sum", {OpTest::Make<float>({0, 2}, {})}, {}), Tensor::Vector<float>({}));
}

TEST_F(Calls, BatchesThatDoNotFit) {
  const Tensor x = ThreeRows();
  ExpectRefused(Batched("product", {x, OpTest::Make<float>({2, 2}, {1, 2, 3, 4})}, {}),
                Code::kInvalidArgument, "equal 0th-dimension size");
}

TEST_F(Calls, BatchesOfScalars) {
  ExpectRefused(Batched("less_sum", {Tensor::Scalar(1.0f)}, {}), Code::kInvalidArgument,
                "must have at least one dimension");
}

TEST_F(Calls, BatchesThatAreTooLarge) {
  ExpectRefused(Batched("less_sum", {ThreeRows()}, {}, {{"max_batch_size", int64_t{2}}}),
                Code::kInvalidArgument, "Task size 3 is larger than maximum input batch size 2");
}

TEST_F(Calls, ResultsWithoutRows) {
  ExpectRefused(Batched("scalar", {ThreeRows()}, {}), Code::kFailedPrecondition,
                "Batched output tensor has 0 dimensions");
}

TEST_F(Calls, ResultsOfOtherSizes) {
  ExpectRefused(Batched("one_row", {ThreeRows()}, {}), Code::kFailedPrecondition,
                "0th dimension size: 1; batch size: 3");
}

TEST_F(Calls, SizesThatDoNotIncrease) {
  ExpectRefused(Batched("less_sum", {ThreeRows()}, {}, {{"allowed_batch_sizes", Sizes{8, 4}}}),
                Code::kInvalidArgument, "monotonically increasing");
}

TEST_F(Calls, SizesThatEndBelowTheGreatest) {
  ExpectRefused(Batched("less_sum", {ThreeRows()}, {}, {{"allowed_batch_sizes", Sizes{4, 6}}}),
                Code::kInvalidArgument, "must equal max_batch_size");
}

TEST_F(Calls, OnADeviceOfThisTask) {
  for (const char* target : {"/cpu:0", "/job:localhost/replica:0/task:0/device:CPU:0", ""}) {
    graph_ = std::make_shared<Graph>();
    Add("again", {"x: float", "y: float"},
        {BatchedSpec("z", "Mul", {"x", "y"}, {{"T", DType::kFloat}})}, "z:z:0");
    Expect(Remote("again", target, {Tensor::Scalar(2.0f), Tensor::Scalar(3.0f)}),
           Tensor::Scalar(6.0f));
  }
}

TEST_F(Calls, OnADeviceOfAnotherTask) {
  ExpectRefused(Remote("less_sum", "/job:worker/replica:0/task:1/cpu:0", {ThreeRows()}),
                Code::kUnimplemented, "another task");
}

TEST_F(Calls, OnNoDevice) {
  ExpectRefused(Remote("less_sum", "/device:XPU:0", {ThreeRows()}), Code::kInvalidArgument,
                "no device");
}

TEST_F(Calls, OnWhatIsNoName) {
  ExpectRefused(Remote("less_sum", "cpu", {ThreeRows()}), Code::kInvalidArgument, "cpu");
}

TEST_F(Calls, WithoutEnd) {
  ExpectRefused(Remote("endless", "/cpu:0", {Tensor::Scalar(1.0f)}), Code::kResourceExhausted,
                "endless");
}

}  // namespace
}  // namespace warpbeam
