// Tensor arrays in a session: all three kinds of handles, what is refused, gradients' arrays.
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/gradients/gradients.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

// A graph in which every op on the array comes after the one before, by its flow.
class ArrayTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::string Op(const char* op) const { return absl::StrCat(op, generation()); }
  virtual const char* generation() const { return GetParam(); }
  OutputRef Const(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }
  OutputRef Floats(std::initializer_list<float> values) {
    return Const(Tensor::Vector<float>(values));
  }
  OutputRef Indices(std::initializer_list<int32_t> values) {
    return Const(Tensor::Vector<int32_t>(values));
  }
  Node* Built(NodeBuilder& builder) {
    // V1 and V2 arrays have no flow of their own: control edges order all alike.
    if (last_ != nullptr) builder.ControlInput(last_->id());
    auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return last_ = made.ok() ? *made : nullptr;
  }
  Node* Built(NodeBuilder&& builder) { return Built(builder); }
  NodeBuilder Array(int32_t size) {
    NodeBuilder builder(graph_.get(), Op("TensorArray"));
    builder.Name("array").Attr("dtype", DType::kFloat).Input(Const(Tensor::Scalar<int32_t>(size)));
    return builder;
  }
  void Make(int32_t size) {
    NodeBuilder builder = Array(size);
    handle_ = {Built(builder)->id(), 0};
    flow_ = Const(Tensor::Scalar<float>(0));
  }
  NodeBuilder On(const char* op, const char* name, OutputRef handle) {
    NodeBuilder builder(graph_.get(), Op(op));
    builder.Name(name).Input(handle);
    return builder;
  }
  void Write(OutputRef handle, int32_t index, OutputRef value) {
    Built(On("TensorArrayWrite", "write", handle)
              .Input(Const(Tensor::Scalar<int32_t>(index)))
              .Input(value)
              .Input(flow_));
  }
  void Write(int32_t index, std::initializer_list<float> value) {
    Write(handle_, index, Floats(value));
  }
  void Read(OutputRef handle, int32_t index, const char* name, DType type = DType::kFloat) {
    Built(On("TensorArrayRead", name, handle)
              .Input(Const(Tensor::Scalar<int32_t>(index)))
              .Input(flow_)
              .Attr("dtype", type));
  }
  void Gather(OutputRef indices, const char* name, PartialShape shape = PartialShape()) {
    Built(On("TensorArrayGather", name, handle_)
              .Input(indices)
              .Input(flow_)
              .Attr("dtype", DType::kFloat)
              .Attr("element_shape", std::move(shape)));
  }
  void Scatter(OutputRef indices, OutputRef value) {
    Built(On("TensorArrayScatter", "scatter", handle_).Input(indices).Input(value).Input(flow_));
  }
  void Split(OutputRef value, std::initializer_list<int64_t> lengths) {
    Built(On("TensorArraySplit", "split", handle_)
              .Input(value)
              .Input(Const(Tensor::Vector<int64_t>(lengths)))
              .Input(flow_));
  }
  void Concat(OutputRef handle, const char* name, PartialShape shape = PartialShape()) {
    Built(On("TensorArrayConcat", name, handle)
              .Input(flow_)
              .Attr("dtype", DType::kFloat)
              .Attr("element_shape_except0", std::move(shape)));
  }
  OutputRef Gradient(const char* source) {
    return {Built(On("TensorArrayGrad", "grad", handle_).Input(flow_).Attr("source", source))->id(),
            0};
  }
  void Size(const char* name) { Built(On("TensorArraySize", name, handle_).Input(flow_)); }

  Status Run(const std::vector<std::string>& fetches) {
    auto session = Session::Create({}, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    out_.clear();
    const Status s = (*session)->Run({}, {}, fetches, {last_->name()}, &out_, nullptr);
    if (!s.ok()) return s;
    // The next step begins with a new array.
    return (*session)->Run({}, {}, fetches, {last_->name()}, &out_, nullptr);
  }
  void ExpectRefused(const char* text) {
    const Status s = Run({});
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << s;
    EXPECT_THAT(std::string(s.message()), HasSubstr(text));
  }
  std::vector<float> Values(int i) const {
    return {out_[i].data<float>(), out_[i].data<float>() + out_[i].num_elements()};
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  OutputRef handle_, flow_;
  Node* last_ = nullptr;
  std::vector<Tensor> out_;
};

TEST_P(ArrayTest, WhatIsWrittenIsRead) {
  Make(3);
  Write(0, {1, 2});
  Write(2, {3});
  Read(handle_, 2, "a");
  Read(handle_, 0, "b");
  Size("size");
  ASSERT_TRUE(Run({"a", "b", "size"}).ok());
  EXPECT_THAT(Values(0), ElementsAre(3));
  EXPECT_THAT(Values(1), ElementsAre(1, 2));
  EXPECT_EQ(out_[2].scalar<int32_t>(), 3);
}

TEST_P(ArrayTest, GathersAndScattersRows) {
  Make(3);
  Scatter(Indices({2, 0, 1}), Const(Tensor::FromValues<float>(Shape({3, 2}), {1, 2, 3, 4, 5, 6})));
  Gather(Indices({1, 2, 0}), "rows");
  ASSERT_TRUE(Run({"rows"}).ok());
  EXPECT_EQ(out_[0].shape(), Shape({3, 2}));
  EXPECT_THAT(Values(0), ElementsAre(5, 6, 1, 2, 3, 4));
}

TEST_P(ArrayTest, SplitsAndConcatenates) {
  Make(3);
  Split(Floats({1, 2, 3, 4}), {2, 0, 2});
  Concat(handle_, "all");
  ASSERT_TRUE(Run({"all:0", "all:1"}).ok());
  EXPECT_THAT(Values(0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(out_[1].flat<int64_t>(), ElementsAre(2, 0, 2));
}

TEST_P(ArrayTest, GradientsAreAddedUp) {
  Make(2);
  Write(0, {1, 2});
  const OutputRef gradient = Gradient("gradients");
  const OutputRef same = Gradient("gradients");
  const OutputRef other = Gradient("gradients_1");
  Write(gradient, 0, Floats({10, 20}));
  Write(same, 0, Floats({1, 2}));
  Write(same, 0, Floats({100, 200}));
  Read(gradient, 0, "sum");
  Read(other, 0, "nothing");
  ASSERT_TRUE(Run({"sum", "nothing"}).ok());
  EXPECT_THAT(Values(0), ElementsAre(111, 222));
  EXPECT_THAT(Values(1), ElementsAre(0, 0));
}

TEST_P(ArrayTest, AGradientConcatenatesWhatWasSplit) {
  Make(2);
  Split(Floats({1, 2, 3}), {1, 2});
  Concat(Gradient("gradients"), "zeros");
  ASSERT_TRUE(Run({"zeros:0", "zeros:1"}).ok());
  EXPECT_THAT(Values(0), ElementsAre(0, 0, 0));
  EXPECT_THAT(out_[1].flat<int64_t>(), ElementsAre(1, 2));
}

TEST_P(ArrayTest, ClosedIsClosed) {
  Make(2);
  Built(On("TensorArrayClose", "close", handle_));
  Size("size");
  ExpectRefused("closed");
}

INSTANTIATE_TEST_SUITE_P(Generations, ArrayTest, ::testing::Values("", "V2", "V3"));

class ArrayV3Test : public ArrayTest {
 protected:
  const char* generation() const override { return "V3"; }
  void Make(NodeBuilder& builder) {
    handle_ = {Built(builder)->id(), 0};
    flow_ = {handle_.node, 1};
  }
  void Make(NodeBuilder&& builder) { Make(builder); }
  using ArrayTest::Make;
};
INSTANTIATE_TEST_SUITE_P(Resources, ArrayV3Test, ::testing::Values("V3"));

TEST_P(ArrayV3Test, RefusesIndicesThatAreNotThere) {
  Make(3);
  Write(3, {1});
  ExpectRefused("Tried to write to index 3 but array is not resizeable and size is: 3");
}
TEST_P(ArrayV3Test, RefusesNegativeIndices) {
  Make(3);
  Write(-1, {1});
  ExpectRefused("Tried to write to index -1");
}
TEST_P(ArrayV3Test, RefusesASecondWrite) {
  Make(3);
  Write(1, {1});
  Write(1, {1});
  ExpectRefused("Could not write to TensorArray index 1 because it has already been written to.");
}
TEST_P(ArrayV3Test, RefusesASecondReadOfWhatWasCleared) {
  Make(3);
  Write(1, {1});
  Read(handle_, 1, "a");
  Read(handle_, 1, "b");
  ExpectRefused(
      "Could not read index 1 twice because it was cleared after a previous read (perhaps try "
      "setting clear_after_read = false?)");
}
TEST_P(ArrayV3Test, ReadsAgainWhatIsKept) {
  Make(Array(3).Attr("clear_after_read", false));
  Write(1, {1});
  Read(handle_, 1, "a");
  Read(handle_, 1, "b");
  ASSERT_TRUE(Run({"a", "b"}).ok());
  EXPECT_THAT(Values(1), ElementsAre(1));
  Write(1, {1});
  ExpectRefused("Could not write to TensorArray index 1 because it has already been read.");
}
TEST_P(ArrayV3Test, RefusesOtherTypes) {
  Make(3);
  Write(handle_, 1, Indices({1}));
  ExpectRefused("TensorArray dtype is float but Op is trying to write dtype int32");
}
TEST_P(ArrayV3Test, RefusesToReadAnotherType) {
  Make(3);
  Write(1, {1});
  Read(handle_, 1, "a", DType::kInt32);
  ExpectRefused("TensorArray dtype is float but Op requested dtype int32");
}
TEST_P(ArrayV3Test, HoldsElementsToTheirShape) {
  Make(Array(3).Attr("element_shape", PartialShape({-1, 2})));
  Write(1, {1});
  ExpectRefused("Could not write to TensorArray index 1 because the value shape");
}
TEST_P(ArrayV3Test, TheFirstWriteFixesIdenticalShapes) {
  Make(Array(3).Attr("identical_element_shapes", true));
  Write(0, {1});
  Write(1, {1, 2});
  ExpectRefused("inferred element shape: [1]");
}
TEST_P(ArrayV3Test, WhatWasNotWrittenIsZerosWhereTheShapeIsKnown) {
  Make(Array(3).Attr("element_shape", PartialShape({2})));
  Write(1, {1, 2});
  Gather(Indices({0, 1}), "rows");
  Read(handle_, 2, "zeros");
  ASSERT_TRUE(Run({"rows", "zeros"}).ok());
  EXPECT_THAT(Values(0), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(Values(1), ElementsAre(0, 0));
}
TEST_P(ArrayV3Test, WhatWasNotWrittenCannotBeReadElsewhere) {
  Make(3);
  Read(handle_, 2, "zeros");
  ExpectRefused("Could not read from TensorArray index 2");
}
TEST_P(ArrayV3Test, GrowsWhenItMay) {
  Make(Array(0).Attr("dynamic_size", true));
  Write(4, {1});
  Size("size");
  ASSERT_TRUE(Run({"size"}).ok());
  EXPECT_EQ(out_[0].scalar<int32_t>(), 5);
  Gradient("gradients");
  Write(5, {1});
  ExpectRefused("not resizeable");
}
TEST_P(ArrayV3Test, NoMemoryForAnIndexThatIsTooLarge) {
  Make(Array(0).Attr("dynamic_size", true));
  Write(2147483647, {1});
  EXPECT_EQ(Run({}).code(), Code::kResourceExhausted);
}
TEST_P(ArrayV3Test, RefusesNegativeSizes) {
  Make(-1);
  ExpectRefused("Size should be >= 0");
}
TEST_P(ArrayV3Test, GathersNothingOfAKnownShape) {
  Make(3);
  Gather(Indices({}), "rows", PartialShape({2}));
  ASSERT_TRUE(Run({"rows"}).ok());
  EXPECT_EQ(out_[0].shape(), Shape({0, 2}));
}
TEST_P(ArrayV3Test, GathersNothingOfAnUnknownShape) {
  Make(3);
  Gather(Indices({}), "rows");
  const Status s = Run({});
  EXPECT_EQ(s.code(), Code::kUnimplemented);
  EXPECT_THAT(std::string(s.message()),
              HasSubstr("TensorArray has size zero, but element shape <unknown> is not fully"));
}
TEST_P(ArrayV3Test, RefusesToGatherDifferentShapes) {
  Make(2);
  Write(0, {1});
  Write(1, {1, 2});
  Gather(Indices({0, 1}), "rows");
  ExpectRefused("has inconsistent shapes");
}
TEST_P(ArrayV3Test, RefusesRowsWithoutAnIndex) {
  Make(3);
  Scatter(Indices({0, 1}), Floats({1, 2, 3}));
  ExpectRefused("Expected len(indices) == values.shape[0], but saw: 2 vs. 3");
}
TEST_P(ArrayV3Test, RefusesToScatterBeyondTheEnd) {
  Make(3);
  Scatter(Indices({0, 5}), Floats({1, 2}));
  ExpectRefused("Max scatter index must be < array size (5 vs. 3)");
}
TEST_P(ArrayV3Test, RefusesLengthsThatDoNotAddUp) {
  for (auto lengths : {std::vector<int64_t>{1, 1}, {3, -1}, {1, 9}}) {
    graph_ = std::make_shared<Graph>();
    last_ = nullptr;
    Make(2);
    Split(Floats({1, 2, 3}), {lengths[0], lengths[1]});
    ExpectRefused("lengths");
  }
}
TEST_P(ArrayV3Test, SaysWhatTheLengthsAddUpTo) {
  Make(3);
  Split(Floats({1, 2, 3}), {1, 1});
  ExpectRefused("but sum of lengths is 2 and value's shape is: [3]");
}
TEST_P(ArrayV3Test, RefusesAnotherNumberOfLengthsThanElements) {
  Make(3);
  Split(Floats({1, 2, 3}), {1, 2});
  ExpectRefused("TensorArray's size is not equal to the size of lengths (3 vs. 2)");
}
TEST_P(ArrayV3Test, RefusesGradientsOfAnotherShape) {
  Make(1);
  const OutputRef gradient = Gradient("gradients");
  Write(gradient, 0, Floats({1}));
  Write(gradient, 0, Floats({1, 2}));
  ExpectRefused("existing shape is [1] but the new input shape is [2]");
}
TEST_P(ArrayV3Test, RefusesToConcatenateScalars) {
  Make(1);
  Write(handle_, 0, Const(Tensor::Scalar<float>(1)));
  Concat(handle_, "all");
  ExpectRefused("Concat saw a scalar shape at index 0 but requires at least vectors");
}
TEST_P(ArrayV3Test, RefusesToAddStrings) {
  Make(Array(1).Attr("dtype", DType::kString));
  const OutputRef word = Const(Tensor::Scalar<std::string>("a"));
  Write(handle_, 0, word);
  const OutputRef gradient = Gradient("gradients");
  Write(gradient, 0, word);
  Write(gradient, 0, word);
  ExpectRefused("no sum of string");
}
TEST_P(ArrayV3Test, GradientElementsMayHaveDimensionsInFront) {
  Make(1);
  Write(0, {1, 2});
  NodeBuilder builder(graph_.get(), "TensorArrayGradWithShape");
  const OutputRef gradient = {
      Built(builder.Input(handle_).Input(flow_).Input(Indices({3})).Attr("source", "gradients"))
          ->id(),
      0};
  Read(gradient, 0, "zeros");
  ASSERT_TRUE(Run({"zeros"}).ok());
  EXPECT_EQ(out_[0].shape(), Shape({3, 2}));
}

TEST_P(ArrayV3Test, GradientsFlowThroughArrays) {
  const OutputRef x = Floats({1, 2, 3, 4});
  const OutputRef matrix =
      *NodeBuilder(graph_.get(), "Reshape").Input(x).Input(Indices({2, 2})).BuildOutput();
  Make(Array(2));
  const auto next = [&](const char* op) {
    NodeBuilder builder(graph_.get(), Op(op));
    builder.Name(op).Input(handle_);
    return builder;
  };
  const OutputRef full =
      *next("TensorArrayScatter").Input(Indices({1, 0})).Input(matrix).Input(flow_).BuildOutput();
  const OutputRef rows = *next("TensorArrayGather")
                              .Input(Indices({0, 1}))
                              .Input(full)
                              .Attr("dtype", DType::kFloat)
                              .BuildOutput();
  const OutputRef loss = *NodeBuilder(graph_.get(), "Mul").Input(rows).Input(matrix).BuildOutput();
  auto gradients = AddGradients(*graph_, {loss}, {x});
  ASSERT_TRUE(gradients.ok()) << gradients.status();
  const std::string dx = graph_->node((*gradients)[0].dense.node).name();
  const Status s = Run({dx});
  ASSERT_TRUE(s.ok()) << s;
  // rows = {x2, x3, x0, x1}, so that the loss is 2 (x0 x2 + x1 x3).
  EXPECT_THAT(Values(0), ElementsAre(6, 8, 2, 4));
}

TEST_P(ArrayV3Test, GradientsFlowThroughWritesAndParts) {
  const OutputRef x = Floats({1, 2, 3});
  Make(Array(2));
  const auto on = [&](const char* op) { return On(op, op, handle_); };
  const OutputRef split = *on("TensorArraySplit")
                               .Input(x)
                               .Input(Const(Tensor::Vector<int64_t>({1, 2})))
                               .Input(flow_)
                               .BuildOutput();
  const OutputRef one = Const(Tensor::Scalar<int32_t>(1));
  const OutputRef part =
      *on("TensorArrayRead").Input(one).Input(split).Attr("dtype", DType::kFloat).BuildOutput();
  Make(Array(1));
  const OutputRef zero = Const(Tensor::Scalar<int32_t>(0));
  const OutputRef square = *NodeBuilder(graph_.get(), "Mul").Input(part).Input(part).BuildOutput();
  const OutputRef written =
      *on("TensorArrayWrite").Input(zero).Input(square).Input(flow_).BuildOutput();
  const OutputRef all =
      *on("TensorArrayConcat").Input(written).Attr("dtype", DType::kFloat).BuildOutput();
  auto gradients = AddGradients(*graph_, {all}, {x});
  ASSERT_TRUE(gradients.ok()) << gradients.status();
  const std::string dx = graph_->node((*gradients)[0].dense.node).name();
  const Status s = Run({dx});
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_THAT(Values(0), ElementsAre(0, 4, 6));
}

}  // namespace
}  // namespace warpbeam
