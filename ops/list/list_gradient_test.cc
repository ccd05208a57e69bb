// Gradients through lists, against numbers worked out by hand.
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/gradients/gradients.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;

class ListGradients : public ::testing::Test {
 protected:
  OutputRef Const(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }
  OutputRef Ints(std::initializer_list<int32_t> values) {
    return Const(Tensor::Vector<int32_t>(values));
  }
  OutputRef Int(int32_t value) { return Const(Tensor::Scalar<int32_t>(value)); }
  OutputRef Matrix(std::initializer_list<float> values) {
    return Const(Tensor::FromValues<float>(Shape({2, 2}), values));
  }
  NodeBuilder Op(const char* op, bool typed = false) {
    NodeBuilder builder(graph_.get(), op);
    if (typed) builder.Attr("element_dtype", DType::kFloat);
    return builder;
  }
  OutputRef Built(NodeBuilder& builder, int output = 0) {
    auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? OutputRef{(*made)->id(), output} : OutputRef();
  }
  OutputRef FromTensor(OutputRef t) {
    return Built(Op("TensorListFromTensor").Input(t).Input(Ints({2})));
  }
  OutputRef Stack(OutputRef list) {
    return Built(Op("TensorListStack", true).Input(list).Input(Ints({2})));
  }
  OutputRef Times(OutputRef a, OutputRef b) { return Built(Op("Mul").Input(a).Input(b)); }
  // d(sum of y)/dx for each x.
  std::vector<std::vector<float>> Gradients(OutputRef y, const std::vector<OutputRef>& xs) {
    auto gradients = AddGradients(*graph_, {y}, xs);
    EXPECT_TRUE(gradients.ok()) << gradients.status();
    if (!gradients.ok()) return {};
    std::vector<std::string> fetches;
    for (const GradientValue& g : *gradients) {
      auto dense = ToDense(*graph_, g);
      EXPECT_TRUE(dense.ok()) << dense.status();
      if (!dense.ok()) return {};
      fetches.push_back(absl::StrCat(graph_->node(dense->node).name(), ":", dense->index));
    }
    auto session = Session::Create({}, graph_);
    std::vector<Tensor> out;
    const Status s = (*session)->Run({}, {}, fetches, {}, &out, nullptr);
    EXPECT_TRUE(s.ok()) << s;
    std::vector<std::vector<float>> values;
    for (const Tensor& t : out)
      values.push_back({t.data<float>(), t.data<float>() + t.num_elements()});
    return values;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

TEST_F(ListGradients, PushPopAndStack) {
  const OutputRef x = Matrix({1, 2, 3, 4});
  const OutputRef y = Const(Tensor::Vector<float>({5, 6}));
  const OutputRef longer = Built(Op("TensorListPushBack").Input(FromTensor(x)).Input(y));
  const OutputRef popped = Built(Op("TensorListPopBack", true).Input(longer).Input(Ints({2})));
  const OutputRef last = {popped.node, 1};
  const OutputRef stacked = Times(Stack(popped), Matrix({1, 10, 100, 1000}));
  const OutputRef loss = Built(Op("AddV2").Input(stacked).Input(Times(last, last)));
  const auto dx = Gradients(loss, {x, y});
  ASSERT_EQ(dx.size(), 2u);
  EXPECT_THAT(dx[0], ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(dx[1], ElementsAre(20, 24));  // 2 y, in both rows of the sum
}

TEST_F(ListGradients, ItemsSetAndRead) {
  const OutputRef x = Matrix({1, 2, 3, 4});
  const OutputRef y = Const(Tensor::Vector<float>({5, 6}));
  const OutputRef list = Built(Op("TensorListSetItem").Input(FromTensor(x)).Input(Int(1)).Input(y));
  const auto item = [&](int32_t i) {
    return Built(Op("TensorListGetItem", true).Input(list).Input(Int(i)).Input(Ints({2})));
  };
  const auto dx = Gradients(Times(item(0), item(1)), {x, y});
  ASSERT_EQ(dx.size(), 2u);
  EXPECT_THAT(dx[0], ElementsAre(5, 6, 0, 0));
  EXPECT_THAT(dx[1], ElementsAre(1, 2));
}

TEST_F(ListGradients, GatheredAndScattered) {
  const OutputRef x = Matrix({1, 2, 3, 4});
  const OutputRef y = Const(Tensor::FromValues<float>(Shape({1, 2}), {5, 6}));
  const OutputRef scattered =
      Built(Op("TensorListScatterV2").Input(x).Input(Ints({2, 0})).Input(Ints({2})).Input(Int(3)));
  const OutputRef list =
      Built(Op("TensorListScatterIntoExistingList").Input(scattered).Input(y).Input(Ints({1})));
  const OutputRef rows =
      Built(Op("TensorListGather", true).Input(list).Input(Ints({2, 1})).Input(Ints({2})));
  const auto dx = Gradients(Times(rows, rows), {x, y});
  ASSERT_EQ(dx.size(), 2u);
  EXPECT_THAT(dx[0], ElementsAre(2, 4, 0, 0));
  EXPECT_THAT(dx[1], ElementsAre(10, 12));
}

TEST_F(ListGradients, SplitConcatenatedAndResized) {
  const OutputRef x = Matrix({1, 2, 3, 4});
  const OutputRef lengths = Const(Tensor::Vector<int64_t>({1, 1}));
  const OutputRef parts = Built(Op("TensorListSplit").Input(x).Input(Ints({-1, 2})).Input(lengths));
  const OutputRef first = Built(Op("TensorListResize").Input(parts).Input(Int(1)));
  const auto concat = [&](OutputRef list) {
    return Built(Op("TensorListConcatV2", true)
                     .Input(list)
                     .Input(Ints({-1, 2}))
                     .Input(Const(Tensor::Vector<int64_t>({}))));
  };
  const OutputRef all = concat(parts);
  const OutputRef loss = Built(Op("AddV2").Input(Times(all, all)).Input(concat(first)));
  const auto dx = Gradients(loss, {x});
  ASSERT_EQ(dx.size(), 1u);
  EXPECT_THAT(dx[0], ElementsAre(4, 6, 6, 8));  // 2 x, and 2 more for the row that is in both rows
}

}  // namespace
}  // namespace warpbeam
