#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/functions/function_library.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "gtest/gtest.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;

class UnlessThreeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<UnlessThreeKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    if (ctx.input(0).scalar<int64_t>() == 3) return InvalidArgument("three is wrong");
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }
};
WB_OP("TestUnlessThree").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_KERNEL("TestUnlessThree", UnlessThreeKernel).Cpu();

// The windows of 0 to 6, where 3 is an error: their elements, and none for one that is an error.
std::vector<std::vector<int64_t>> Windows(int64_t size, int64_t shift, int64_t stride) {
  auto graph = std::make_shared<Graph>();
  auto f = std::make_shared<Function>();
  f->signature = *OpSchemaBuilder("f_unless").Input("x: int64").Output("result: int64").Build();
  NodeSpec node;
  node.name = "node";
  node.op = "TestUnlessThree";
  node.inputs = {"x"};
  f->nodes = {node};
  f->returns = {{"result", "node:y:0"}};
  EXPECT_TRUE(graph->functions().Add(std::move(f)).ok());
  const auto number = [&](int64_t value) {
    return OutputRef{(*AddConstant(graph.get(), "c", Tensor::Scalar<int64_t>(value)))->id(), 0};
  };
  const auto typed = [](NodeBuilder& builder) {
    auto made = builder.Attr("output_types", std::vector<DType>{DType::kInt64})
                    .Attr("output_shapes", std::vector<PartialShape>{PartialShape()})
                    .BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  };
  NodeBuilder range(graph.get(), "RangeDataset");
  const OutputRef numbers = typed(range.Input(number(0)).Input(number(7)).Input(number(1)));
  NodeBuilder map(graph.get(), "MapDataset");
  const OutputRef some = typed(map.Input(numbers)
                                   .Input(std::vector<OutputRef>{})
                                   .Attr("f", FunctionRef{"f_unless", {}})
                                   .Attr("Targuments", AttrValue::EmptyList()));
  NodeBuilder windows(graph.get(), "ExperimentalSlidingWindowDataset");
  const OutputRef dataset =
      typed(windows.Input(some).Input(number(size)).Input(number(shift)).Input(number(stride)));
  NodeBuilder own(graph.get(), "IteratorV2");
  const OutputRef iterator = typed(own.Attr("shared_name", "").Attr("container", ""));
  NodeBuilder init(graph.get(), "MakeIterator");
  EXPECT_TRUE(init.Name("init").Input(dataset).Input(iterator).Build().ok());
  NodeBuilder next(graph.get(), "IteratorGetNext");
  typed(next.Name("next").Input(iterator));
  auto session = Session::Create({}, graph);
  EXPECT_TRUE(session.ok()) << session.status();
  const Status begun = (*session)->Run({}, {}, {}, {"init"}, nullptr);
  EXPECT_TRUE(begun.ok()) << begun;
  std::vector<std::vector<int64_t>> all;
  while (begun.ok() && all.size() < 99) {
    std::vector<Tensor> out;
    const Status s = (*session)->Run({}, {}, {"next"}, {}, &out);
    if (s.code() == StatusCode::kOutOfRange) break;
    all.emplace_back();
    if (s.ok()) all.back().assign(out[0].flat<int64_t>().begin(), out[0].flat<int64_t>().end());
  }
  return all;
}

TEST(WindowDatasetErrors, OnlyWindowsWithTheElementHaveItsError) {
  EXPECT_THAT(Windows(2, 2, 1), ElementsAre(ElementsAre(0, 1), ElementsAre(), ElementsAre(4, 5)));
  EXPECT_THAT(Windows(2, 1, 2), ElementsAre(ElementsAre(0, 2), ElementsAre(), ElementsAre(2, 4),
                                            ElementsAre(), ElementsAre(4, 6)));
  EXPECT_THAT(Windows(2, 4, 1), ElementsAre(ElementsAre(0, 1), ElementsAre(4, 5)));
}

}  // namespace
}  // namespace warpbeam
