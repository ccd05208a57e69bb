#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

// Two sessions of one graph that share their resources, as clients of one server do.
class IteratorSharing : public ::testing::Test {
 protected:
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.Attr("output_types", std::vector<DType>{DType::kInt64})
                    .Attr("output_shapes", std::vector<PartialShape>{PartialShape(Shape())})
                    .BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Const(int64_t value) {
    return {(*AddConstant(graph_.get(), "c", Tensor::Scalar<int64_t>(value)))->id(), 0};
  }
  void Build(const char* shared_name) {
    NodeBuilder range(graph_.get(), "RangeDataset");
    const OutputRef dataset = Built(range.Input(Const(0)).Input(Const(9)).Input(Const(1)));
    NodeBuilder made(graph_.get(), "IteratorV2");
    const OutputRef iterator =
        Built(made.Attr("shared_name", std::string(shared_name)).Attr("container", ""));
    ASSERT_TRUE(NodeBuilder(graph_.get(), "MakeIterator")
                    .Name("init")
                    .Input(dataset)
                    .Input(iterator)
                    .Build()
                    .ok());
    NodeBuilder next(graph_.get(), "IteratorGetNext");
    Built(next.Name("next").Input(iterator));
    SessionOptions options;
    options.resources = resources_;
    for (auto& session : sessions_) session = *Session::Create(options, graph_);
  }
  // What sessions share outlives them: an iterator keeps the functions that it calls, and they the
  // resources that it is among.
  void TearDown() override { resources_->Clear(); }
  Status Init(int i) { return sessions_[i]->Run({}, {}, {}, {"init"}, nullptr); }
  // -1 after an error.
  int64_t Next(int i) {
    std::vector<Tensor> out;
    const Status s = sessions_[i]->Run({}, {}, {"next"}, {}, &out);
    return s.ok() ? out[0].scalar<int64_t>() : -1;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  const std::shared_ptr<ResourceStore> resources_ = std::make_shared<ResourceStore>();
  std::shared_ptr<Session> sessions_[2];
};

TEST_F(IteratorSharing, WithoutASharedNameEachSessionHasItsOwn) {
  Build("");
  ASSERT_TRUE(Init(0).ok());
  EXPECT_EQ(Next(0), 0);
  EXPECT_EQ(Next(1), -1);
  ASSERT_TRUE(Init(1).ok());
  EXPECT_EQ(Next(1), 0);
  EXPECT_EQ(Next(0), 1);
  sessions_[0].reset();
  EXPECT_EQ(Next(1), 1);
}

TEST_F(IteratorSharing, ASharedNameIsShared) {
  Build("it");
  ASSERT_TRUE(Init(0).ok());
  EXPECT_EQ(Next(0), 0);
  EXPECT_EQ(Next(1), 1);
  sessions_[0].reset();
  EXPECT_EQ(Next(1), 2);
}

}  // namespace
}  // namespace warpbeam
