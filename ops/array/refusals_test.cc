// What ops that rearrange elements refuse, in the words that programs match, and what they make of
// no elements. All facts are TensorFlow 2.21's.
#include <limits>
#include <utility>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

// What the kernel says, where the graph did not know the shapes.
void ExpectRefused(const char* op, const std::vector<Tensor>& inputs, const char* text) {
  OpRunner runner(op);
  for (const Tensor& t : inputs) runner.Input(t);
  const Status status = runner.Run().status();
  EXPECT_EQ(status.code(), kInvalid) << op;
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(text)) << op;
}

TEST(Refusals, ArgumentsOfAnotherRank) {
  const Tensor two = Tensor::Scalar<int32_t>(2), row = OpTest::Make<int32_t>({3}, {1, 2, 3});
  const Tensor seven = OpTest::Make<int32_t>({1}, {7});
  ExpectRefused("Slice", {row, two, two},
                "Expected begin and size arguments to be 1-D tensors of size 1");
  ExpectRefused("Tile", {seven, two}, "Expected multiples to be 1-D");
  ExpectRefused("Where", {two}, "Unhandled input dimensions: 0");
  ExpectRefused("ReverseV2", {row, Tensor::Scalar<int32_t>(0)}, "'axis' must be a vector");
  ExpectRefused("GatherV2", {row, two, OpTest::Make<int32_t>({1}, {0})}, "axis must be scalar");
  ExpectRefused("Tile", {seven, row}, "Expected multiples argument to be a vector of length 1");
  ExpectRefused("Pad", {two, OpTest::Make<int32_t>({1, 2}, {1, 2})},
                "The first dimension of paddings must be the rank of inputs");
  ExpectRefused("Pad", {seven, OpTest::Make<int32_t>({1, 3}, {1, 2, 3})},
                "paddings must be a matrix with 2 columns");
  ExpectRefused("Pad", {seven, OpTest::Make<int32_t>({1, 2}, {-1, 2})},
                "Paddings must be non-negative");
  ExpectRefused("BroadcastTo", {seven, OpTest::Make<int32_t>({1, 1}, {3})},
                "shape must be a vector of");
  ExpectRefused("Transpose",
                {OpTest::Make<int32_t>({1, 1, 1}, {7}), OpTest::Make<int32_t>({3}, {0, 1, 1})},
                "2 is missing");
}

// The length says how many dimensions there would be. Nothing of that size is made to say so.
TEST(Refusals, AreLeftToTheKernelWhereAVectorIsLongerThanAnyRank) {
  const int64_t length = int64_t{1} << 33;
  const auto shape_of = [&](const std::string& op, int vectors, const PartialShape& vector) {
    Graph graph(OpRegistry::Global());
    const auto add = [&](DType dtype, const PartialShape& shape) {
      return *NodeBuilder(&graph, "Placeholder")
                  .Attr("dtype", dtype)
                  .Attr("shape", shape)
                  .BuildOutput();
    };
    NodeBuilder node(&graph, op);
    node.Input(add(DType::kFloat, PartialShape::Unknown()));
    for (int i = 0; i < vectors; ++i) node.Input(add(DType::kInt32, vector));
    const StatusOr<OutputRef> out = node.BuildOutput();
    EXPECT_TRUE(out.ok()) << op << ": " << out.status();
    return out.ok() ? graph.node(out->node).output_shape(out->index).ToString() : "";
  };
  EXPECT_EQ(shape_of("Tile", 1, {length}), "<unknown>");
  EXPECT_EQ(shape_of("Transpose", 1, {length}), "<unknown>");
  EXPECT_EQ(shape_of("Slice", 2, {length}), "<unknown>");
  EXPECT_EQ(shape_of("Pad", 1, {length, 2}), "<unknown>");
  EXPECT_EQ(shape_of("Tile", 1, {3}), "[?,?,?]");
}

// What they add up to is no number of 64 bits.
TEST(Refusals, PaddingsBeyondInt64) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Tensor row = OpTest::Make<int32_t>({3}, {1, 2, 3});
  for (const char* op : {"Pad", "MirrorPad", "MirrorPadGrad"}) {
    for (const auto& [before, after] :
         {std::pair(kMost, kMost), std::pair(kMost, int64_t{1}), std::pair(int64_t{0}, kMost)}) {
      OpRunner runner(op);
      if (op != std::string("Pad")) runner.Attr("mode", "SYMMETRIC");
      runner.Input(row).Input(OpTest::Make<int64_t>({1, 2}, {before, after}));
      EXPECT_EQ(runner.Run().status().code(), kInvalid) << op;
      EXPECT_EQ(runner.InferShapes().status().code(), kInvalid) << op;
    }
  }
}

TEST(Refusals, SequencesAlongTheirOwnDimension) {
  const auto refuse = [](int64_t seq, int64_t batch, const char* text) {
    OpTest("ReverseSequence")
        .Attr("seq_dim", seq)
        .Attr("batch_dim", batch)
        .Input<float>({2, 2, 1}, {1, 2, 3, 4})
        .Input<int64_t>({2}, {1, 1})
        .ExpectError(kInvalid, text);
  };
  refuse(0, 0, "batch_dim == seq_dim");
  refuse(3, 0, "seq_dim must be < input rank");
  refuse(-1, 0, "seq_dim must be < input rank");
  refuse(1, 3, "batch_dim must be < input rank");
}

TEST(Refusals, RowsOfNothing) {
  const Tensor tuples = OpTest::Make<int32_t>({1, 1}, {0}),
               row = OpTest::Make<int32_t>({1, 2}, {1, 2});
  const Tensor empty = OpTest::Make<int32_t>({0, 2}, {});
  OpTest("TensorScatterUpdate")
      .Input(empty)
      .Input(tuples)
      .Input(row)
      .ExpectError(kInvalid, "Indices and updates specified for empty output");
  OpTest("ScatterNd")
      .Input(tuples)
      .Input(row)
      .Input<int32_t>({2}, {0, 2})
      .ExpectError(kInvalid, "Indices and updates specified for empty output");
  OpTest("ScatterNd")
      .Input(OpTest::Make<int32_t>({0, 1}, {}))
      .Input(empty)
      .Input<int32_t>({2}, {0, 2})
      .Expect(empty);
  OpTest("ScatterNdNonAliasingAdd")
      .Scalar<float>(1)
      .Input(tuples)
      .Input<float>({1}, {1})
      .ExpectError(kInvalid, "Output must be at least 1-D");
}

// A vector of one is an axis to concatenate along, though graphs that tell its shape are refused.
TEST(Refusals, ButNotAnAxisOfOneElement) {
  const Tensor row = OpTest::Make<int32_t>({1}, {7}), axis = OpTest::Make<int32_t>({1}, {0});
  const Tensor pair = OpTest::Make<int32_t>({2}, {0, 0});
  const auto run = [](const char* op, std::vector<Tensor> before, std::vector<Tensor> rows,
                      std::vector<Tensor> after) {
    OpRunner runner(op);
    for (const Tensor& t : before) runner.Input(t);
    runner.InputList(rows);
    for (const Tensor& t : after) runner.Input(t);
    return runner.RunOne();
  };
  const auto old_form = run("Concat", {axis}, {row, row}, {});
  ASSERT_TRUE(old_form.ok()) << old_form.status();
  EXPECT_EQ(old_form->shape(), Shape({2}));
  const auto form2 = run("ConcatV2", {}, {row, row}, {axis});
  ASSERT_TRUE(form2.ok()) << form2.status();
  EXPECT_EQ(form2->shape(), Shape({2}));
  EXPECT_EQ(run("Concat", {pair}, {row, row}, {}).status().code(), kInvalid);
}

TEST(Reshape, OfNoElementsWithAnOpenExtent) {
  const auto check = [](std::initializer_list<int64_t> from, std::initializer_list<int32_t> shape,
                        std::initializer_list<int64_t> to) {
    const Tensor sizes = Tensor::FromValues<int32_t>(Shape({static_cast<int64_t>(shape.size())}),
                                                     MakeConstSpan(shape.begin(), shape.size()));
    OpTest("Reshape")
        .Input(OpTest::Make<float>(from, {}))
        .Input(sizes)
        .Expect(OpTest::Make<float>(to, {}));
  };
  check({0, 6}, {0, -1, 3}, {0, 2, 3});
  check({0, 6}, {-1, 0}, {6, 0});
  check({0, 6}, {0, -1, 4}, {0, 1, 4});
  check({0}, {0, -1}, {0, 1});
  check({0, 6}, {0, 0, -1}, {0, 0, 6});
  check({0, 6, 0}, {0, -1, 3}, {0, 2, 3});
  check({0, 6}, {-1, 4}, {0, 4});
  OpTest("Reshape")
      .Input<float>({2, 1}, {1, 2})
      .Input<int32_t>({2}, {0, -1})
      .ExpectError(kInvalid, "reshape cannot infer the missing input size");
}

TEST(Reshape, StopsBefore254Dimensions) {
  const std::vector<int32_t> ones(254, 1);
  OpTest("Reshape")
      .Input<float>({1}, {1})
      .Input(Tensor::Vector<int32_t>(ones))
      .ExpectError(kInvalid, "too many dimensions: must be < 254, but received 254");
}

}  // namespace
}  // namespace warpbeam
