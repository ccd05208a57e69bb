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

// x and as many more as x / (x - bad).
class StopKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<StopKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const int64_t x = ctx.input(0).scalar<int64_t>(), bad = ctx.input(1).scalar<int64_t>();
    if (x == bad) return InvalidArgument("no source for ", x);
    ctx.set_output(0, Tensor::Scalar<int64_t>(x + x / (x - bad)));
    return OkStatus();
  }
};
WB_OP("TestStopOfSource")
    .Input("x: int64")
    .Input("bad: int64")
    .Output("stop: int64")
    .Shape(shapes::Scalar);
WB_KERNEL("TestStopOfSource", StopKernel).Cpu();

class Interleaving : public ::testing::Test {
 protected:
  // "f_sources": the numbers from x to the source's stop, and an error for x = bad.
  Interleaving() {
    auto f = std::make_shared<Function>();
    f->signature = *OpSchemaBuilder("f_sources")
                        .Input("x: int64")
                        .Input("bad: int64")
                        .Input("one: int64")
                        .Output("result: variant")
                        .Build();
    NodeSpec stop, range;
    stop.name = "stop";
    stop.op = "TestStopOfSource";
    stop.inputs = {"x", "bad"};
    range.name = "range";
    range.op = "RangeDataset";
    range.inputs = {"x", "stop:stop:0", "one"};
    range.attrs.Set("output_types", std::vector<DType>{DType::kInt64});
    range.attrs.Set("output_shapes", std::vector<PartialShape>{PartialShape(Shape())});
    f->nodes = {stop, range};
    f->returns = {{"result", "range:handle:0"}};
    EXPECT_TRUE(graph_->functions().Add(std::move(f)).ok());
  }
  OutputRef Int(int64_t value) {
    return {(*AddConstant(graph_.get(), "c", Tensor::Scalar<int64_t>(value)))->id(), 0};
  }
  static OutputRef Typed(NodeBuilder& builder) {
    auto made = builder.Attr("output_types", std::vector<DType>{DType::kInt64})
                    .Attr("output_shapes", std::vector<PartialShape>{PartialShape(Shape())})
                    .BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  struct Input {
    int64_t start, stop, step, bad;
  };
  // What the sources of the numbers give, -1 for an error; `calls` of 0 is the version without
  // threads.
  std::vector<int64_t> Elements(Input numbers, int64_t cycle, int64_t block, int64_t calls) {
    NodeBuilder range(graph_.get(), "RangeDataset");
    const OutputRef input =
        Typed(range.Input(Int(numbers.start)).Input(Int(numbers.stop)).Input(Int(numbers.step)));
    NodeBuilder made(graph_.get(), calls > 0 ? "ParallelInterleaveDatasetV2" : "InterleaveDataset");
    made.Input(input)
        .Input(std::vector<OutputRef>{Int(numbers.bad), Int(1)})
        .Input(Int(cycle))
        .Input(Int(block))
        .Attr("f", FunctionRef{"f_sources", {}})
        .Attr("Targuments", std::vector<DType>{DType::kInt64, DType::kInt64});
    if (calls > 0) made.Input(Int(calls));
    const OutputRef dataset = Typed(made);
    NodeBuilder shared(graph_.get(), "IteratorV2");
    const OutputRef iterator = Typed(shared.Attr("shared_name", "").Attr("container", ""));
    EXPECT_TRUE(NodeBuilder(graph_.get(), "MakeIterator")
                    .Name("init")
                    .Input(dataset)
                    .Input(iterator)
                    .Build()
                    .ok());
    NodeBuilder next(graph_.get(), "IteratorGetNext");
    Typed(next.Name("next").Input(iterator));
    auto session = Session::Create({}, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    const Status begun = (*session)->Run({}, {}, {}, {"init"}, nullptr);
    EXPECT_TRUE(begun.ok()) << begun;
    if (!begun.ok()) return {};
    std::vector<int64_t> all;
    std::vector<Tensor> out;
    for (;;) {
      const Status s = (*session)->Run({}, {}, {"next"}, {}, &out);
      if (s.code() == StatusCode::kOutOfRange || all.size() > 99) return all;
      all.push_back(s.ok() ? out[0].scalar<int64_t>() : -1);
    }
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

// The elements are those of TensorFlow.
TEST_F(Interleaving, PlacesThatNoSourceFillsAreSkipped) {
  EXPECT_THAT(Elements({5, 8, 1, 4}, 7, 1, 0), ElementsAre(5, 6, 7, 6, 7, 8, 7, 8, 8, 9));
}
TEST_F(Interleaving, PlacesThatNoSourceFillsAreSkippedWithThreads) {
  EXPECT_THAT(Elements({5, 8, 1, 4}, 7, 1, 3), ElementsAre(5, 6, 7, 6, 7, 8, 7, 8, 8, 9));
}
TEST_F(Interleaving, BlocksEndWithTheirSource) {
  EXPECT_THAT(Elements({5, 8, 1, 4}, 7, 2, 0), ElementsAre(5, 6, 6, 7, 7, 8, 7, 8, 8, 9));
}
TEST_F(Interleaving, ANewSourceTakesThePlaceOfOneThatHasEnded) {
  EXPECT_THAT(Elements({5, 8, 1, 4}, 2, 1, 0), ElementsAre(5, 6, 6, 7, 7, 8, 8, 9, 7, 8));
}
TEST_F(Interleaving, AnErrorHasItsPlace) {
  EXPECT_THAT(Elements({6, 3, -1, 4}, 3, 1, 0), ElementsAre(6, 5, -1, 7, 6, 8, 7, 8, 9));
}
TEST_F(Interleaving, AnErrorHasItsPlaceWhereSourcesAreOpenedAhead) {
  EXPECT_THAT(Elements({6, 3, -1, 4}, 3, 1, 3), ElementsAre(6, 5, -1, 7, 6, 8, 7, 8, 9));
}
TEST_F(Interleaving, AnErrorOfALaterSourceHasItsPlace) {
  EXPECT_THAT(Elements({8, 3, -1, 6}, 2, 1, 2),
              ElementsAre(8, 7, 9, 8, 10, 9, 11, 10, 11, -1, 12, 13));
}

}  // namespace
}  // namespace warpbeam
