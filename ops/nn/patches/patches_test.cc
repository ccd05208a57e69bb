#include <string>
#include <vector>

#include "graph/build/node_builder.h"
#include "graph/gradients/gradients.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

OpTest& Steps(OpTest& op, const char* padding) {
  const std::vector<int64_t> ones = {1, 1, 1, 1};
  return op.Attr("strides", ones).Attr("rates", ones).Attr("padding", std::string(padding));
}

TEST(Dilation2D, GreatestSumAndItsGradients) {
  const auto x = OpTest::Make<float>({1, 2, 2, 1}, {1, 5, 2, 3});
  const auto filter = OpTest::Make<float>({2, 1, 1}, {0, 4});
  const auto dy = OpTest::Make<float>({1, 1, 2, 1}, {10, 20});
  OpTest forward("Dilation2D"), to_input("Dilation2DBackpropInput"),
      to_filter("Dilation2DBackpropFilter");
  Steps(forward, "VALID").Input(x).Input(filter).Expect<float>({1, 1, 2, 1}, {6, 7});
  Steps(to_input, "VALID").Input(x).Input(filter).Input(dy);
  to_input.Expect<float>({1, 2, 2, 1}, {0, 0, 10, 20});
  Steps(to_filter, "VALID").Input(x).Input(filter).Input(dy);
  to_filter.Expect<float>({2, 1, 1}, {0, 30});
}

TEST(Dilation2D, PaddingIsNoMaximumAndEqualsGoToTheFirst) {
  const auto x = OpTest::Make<int32_t>({1, 1, 2, 1}, {-5, -5});
  const auto filter = OpTest::Make<int32_t>({1, 2, 1}, {0, 0});
  OpTest forward("Dilation2D"), to_input("Dilation2DBackpropInput");
  Steps(forward, "SAME").Input(x).Input(filter).Expect<int32_t>({1, 1, 2, 1}, {-5, -5});
  Steps(to_input, "SAME").Input(x).Input(filter).Input<int32_t>({1, 1, 2, 1}, {1, 2});
  to_input.Expect<int32_t>({1, 1, 2, 1}, {1, 2});
}

TEST(Dilation2D, RefusesBadInput) {
  const auto x = OpTest::Make<float>({1, 1, 1, 2}, {1, 2});
  OpTest channels("Dilation2D"), rates("Dilation2D"), gradient("Dilation2DBackpropInput");
  Steps(channels, "SAME").Input(x).Input<float>({1, 1, 1}, {1}).ExpectError(kInvalid);
  Steps(rates, "SAME").Attr("rates", std::vector<int64_t>{1, 1, 1, 2});
  rates.Input(x).Input<float>({1, 1, 2}, {1, 1}).ExpectError(StatusCode::kUnimplemented);
  Steps(gradient, "SAME").Input(x).Input<float>({1, 1, 2}, {1, 1});
  gradient.Input<float>({1, 1, 2, 2}, {1, 1, 1, 1}).ExpectError(kInvalid);
}

TEST(ExtractImagePatches, PatchesAndPadding) {
  OpTest op("ExtractImagePatches");
  Steps(op, "SAME")
      .Attr("ksizes", std::vector<int64_t>{1, 1, 2, 1})
      .Input<int32_t>({1, 1, 3, 1}, {1, 2, 3})
      .Expect<int32_t>({1, 1, 3, 2}, {1, 2, 2, 3, 3, 0});
  OpTest rates("ExtractImagePatches");
  Steps(rates, "VALID")
      .Attr("ksizes", std::vector<int64_t>{1, 1, 2, 1})
      .Attr("rates", std::vector<int64_t>{1, 1, 2, 1})
      .Input<float>({1, 1, 3, 1}, {1, 2, 3})
      .Expect<float>({1, 1, 1, 2}, {1, 3});
  OpTest zero("ExtractImagePatches");
  Steps(zero, "SAME")
      .Attr("ksizes", std::vector<int64_t>{1, 0, 2, 1})
      .Input<float>({1, 1, 1, 1}, {1})
      .ExpectError(StatusCode::kOutOfRange);
}

TEST(ExtractVolumePatches, ReachOverDepth) {
  OpTest("ExtractVolumePatches")
      .Attr("ksizes", std::vector<int64_t>{1, 2, 1, 1, 1})
      .Attr("strides", std::vector<int64_t>{1, 1, 1, 1, 1})
      .Attr("padding", std::string("VALID"))
      .Input<float>({1, 2, 1, 2, 1}, {1, 2, 3, 4})
      .Expect<float>({1, 1, 1, 2, 2}, {1, 3, 2, 4});
}

// What no tensor can hold is refused, whatever the data has.
TEST(ExtractVolumePatches, WindowsLargerThanAnyTensor) {
  constexpr int64_t kMost = 0x7fffffff;
  for (const int64_t batch : {0, 1}) {
    for (const int64_t size : {kMost, int64_t{1} << 21}) {
      OpRunner op("ExtractVolumePatches");
      op.Attr("ksizes", std::vector<int64_t>{1, size, size, size, 1});
      op.Attr("strides", std::vector<int64_t>{1, kMost, kMost, kMost, 1});
      op.Attr("padding", std::string("SAME"));
      op.Input(*Tensor::Allocate(DType::kFloat, Shape({batch, 1, 1, 2, 3})));
      EXPECT_EQ(op.Run().status().code(), kInvalid) << batch << " " << size;
    }
  }
}

// Its gradient numbers the pixels by 32 bits.
TEST(ExtractImagePatches, GradientOfTooManyPixels) {
  for (const int64_t rows : {int64_t{1} << 31, int64_t{1} << 62}) {
    for (const int64_t columns : {int64_t{0}, int64_t{1}, rows}) {
      Graph graph(OpRegistry::Global());
      const std::vector<int64_t> ones = {1, 1, 1, 1};
      const auto x = NodeBuilder(&graph, "Placeholder")
                         .Attr("dtype", DType::kFloat)
                         .Attr("shape", PartialShape({1, rows, columns, 1}))
                         .BuildOutput();
      ASSERT_TRUE(x.ok()) << x.status();
      NodeBuilder patches(&graph, "ExtractImagePatches");
      patches.Input(*x).Attr("ksizes", ones).Attr("strides", ones).Attr("rates", ones);
      const auto y = patches.Attr("padding", "SAME").BuildOutput();
      if (!y.ok()) continue;  // the op itself refuses such an image
      const Status added = AddGradients(graph, {*y}, {*x}).status();
      EXPECT_EQ(added.code(), StatusCode::kUnimplemented) << rows << " x " << columns;
    }
  }
}

}  // namespace
}  // namespace warpbeam
