// GeneratorDataset in a session.
#include <atomic>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "ops/data/dataset_kernel.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using Code = StatusCode;

std::atomic<int64_t> generated{0};
std::atomic<int64_t> put_away{0};
std::atomic<int> inits{0};

// The state is what the init function closes over; elements are multiples of it, up to three.
Status InitState(KernelContext& ctx) {
  ++inits;
  generated = 0;
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}
Status NextMultiple(KernelContext& ctx) {
  const int64_t number = ++generated;
  const int64_t factor = ctx.input(0).scalar<int64_t>(), wrong = ctx.input(1).scalar<int64_t>();
  if (number == wrong) return InvalidArgument("this element is wrong");
  if (number > 3) return OutOfRange("there are no more");
  ctx.set_output(0, Tensor::Scalar<int64_t>(number * factor));
  return OkStatus();
}
Status PutAway(KernelContext& ctx) {
  put_away = ctx.input(0).scalar<int64_t>();
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

template <Status (*F)(KernelContext&)>
class FnKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FnKernel>();
  }
  Status Compute(KernelContext& ctx) override { return F(ctx); }
};

WB_OP("TestInitState").Input("x: int64").Output("y: int64").Stateful().Shape(shapes::Scalar);
WB_OP("TestNextMultiple")
    .Input("x: int64")
    .Input("wrong: int64")
    .Output("y: int64")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("TestPutAway").Input("x: int64").Output("y: int64").Stateful().Shape(shapes::Scalar);
WB_KERNEL("TestInitState", FnKernel<InitState>).Cpu();
WB_KERNEL("TestNextMultiple", FnKernel<NextMultiple>).Cpu();
WB_KERNEL("TestPutAway", FnKernel<PutAway>).Cpu();

class GeneratorTest : public ::testing::Test {
 protected:
  GeneratorTest() {
    generated = put_away = 0;
    inits = 0;
    AddFunction("TestInitState", {"x"});
    AddFunction("TestNextMultiple", {"x", "wrong"});
    AddFunction("TestPutAway", {"x"});
  }
  void AddFunction(const std::string& op, const std::vector<std::string>& args) {
    auto f = std::make_shared<Function>();
    OpSchemaBuilder signature("f_" + op);
    for (const std::string& arg : args) signature.Input(arg + ": int64");
    f->signature = *signature.Output("result: int64").Build();
    NodeSpec node;
    node.name = "the_node";
    node.op = op;
    node.inputs = args;
    f->nodes = {node};
    f->returns = {{"result", "the_node:y:0"}};
    ASSERT_TRUE(graph_->functions().Add(std::move(f)).ok());
  }
  static NodeBuilder& Typed(NodeBuilder& b) {
    return b.Attr("output_types", std::vector<DType>{DType::kInt64})
        .Attr("output_shapes", std::vector<PartialShape>{PartialShape(Shape())});
  }
  Node* Built(StatusOr<Node*> node) {
    EXPECT_TRUE(node.ok()) << node.status();
    return node.ok() ? *node : nullptr;
  }
  std::vector<OutputRef> Captured(int64_t value) {
    Node* node = Built(AddConstant(graph_.get(), "c", Tensor::Scalar<int64_t>(value)));
    return {OutputRef{node->id(), 0}};
  }
  // Multiples of `factor`, of which number `wrong` fails; the first `count` of them.
  void Iterate(int64_t factor, int64_t wrong, int64_t count) {
    NodeBuilder b(graph_.get(), "GeneratorDataset");
    b.Input(Captured(factor)).Input(Captured(wrong)).Input(std::vector<OutputRef>{});
    b.Attr("init_func", FunctionRef{"f_TestInitState", {}});
    b.Attr("next_func", FunctionRef{"f_TestNextMultiple", {}});
    b.Attr("finalize_func", FunctionRef{"f_TestPutAway", {}});
    b.Attr("Tfinalize_func_args", AttrValue::EmptyList());
    NodeBuilder take(graph_.get(), "TakeDataset");
    take.Input(Built(Typed(b).Build())).Input(Captured(count)[0]);
    Node* dataset = Built(Typed(take).Build());
    NodeBuilder it(graph_.get(), "IteratorV2");
    Node* iterator = Built(Typed(it.Attr("shared_name", "it").Attr("container", "")).Build());
    NodeBuilder make(graph_.get(), "MakeIterator");
    Built(make.Name("init").Input(dataset).Input(iterator).Build());
    NodeBuilder next(graph_.get(), "IteratorGetNext");
    Built(Typed(next.Name("next").Input(iterator)).Build());
    auto session = Session::Create({}, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    const Status s = session_->Run({}, {}, {}, {"init"}, nullptr);
    ASSERT_TRUE(s.ok()) << s;
  }
  std::vector<int64_t> ReadAll() {
    std::vector<int64_t> values;
    std::vector<Tensor> out;
    while ((end_ = session_->Run({}, {}, {"next"}, {}, &out)).ok()) {
      values.push_back(out[0].scalar<int64_t>());
    }
    return values;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  Status end_;
};

TEST_F(GeneratorTest, ElementsUntilOutOfRange) {
  Iterate(10, -1, -1);
  EXPECT_THAT(ReadAll(), ElementsAre(10, 20, 30));
  EXPECT_EQ(end_.code(), Code::kOutOfRange);
  EXPECT_EQ(put_away, 10);
  EXPECT_EQ(inits, 1);
  EXPECT_THAT(ReadAll(), ElementsAre());
  EXPECT_EQ(generated, 4);
}

TEST_F(GeneratorTest, AnElementThatFailsIsNotTheEnd) {
  Iterate(7, 2, -1);
  EXPECT_THAT(ReadAll(), ElementsAre(7));
  EXPECT_EQ(end_.code(), Code::kInvalidArgument);
  EXPECT_THAT(ReadAll(), ElementsAre(21));
  EXPECT_EQ(end_.code(), Code::kOutOfRange);
  EXPECT_EQ(put_away, 7);
}

TEST_F(GeneratorTest, AnIteratorThatIsGivenUpPutsItsStateAway) {
  Iterate(5, -1, 2);
  EXPECT_THAT(ReadAll(), ElementsAre(5, 10));
  session_.reset();
  EXPECT_EQ(put_away, 5);
}

}  // namespace
}  // namespace warpbeam
