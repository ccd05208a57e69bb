#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

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
  rates.Input(x).Input<float>({1, 1, 2}, {1, 1}).ExpectError(absl::StatusCode::kUnimplemented);
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
      .ExpectError(absl::StatusCode::kOutOfRange);
}

TEST(ExtractVolumePatches, ReachOverDepth) {
  OpTest("ExtractVolumePatches")
      .Attr("ksizes", std::vector<int64_t>{1, 2, 1, 1, 1})
      .Attr("strides", std::vector<int64_t>{1, 1, 1, 1, 1})
      .Attr("padding", std::string("VALID"))
      .Input<float>({1, 2, 1, 2, 1}, {1, 2, 3, 4})
      .Expect<float>({1, 1, 1, 2, 2}, {1, 3, 2, 4});
}

}  // namespace
}  // namespace warpbeam
