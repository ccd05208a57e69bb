// Slices move before the casts of what they read, and nothing else changes.
#include "graph/passes/slice_first.h"

#include "gtest/gtest.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

class SliceFirstTest : public PassesTest {
 protected:
  OutputRef Bytes(const std::string& name) {
    return Add("Placeholder", name, {},
               {{"dtype", DType::kUInt8}, {"shape", PartialShape({-1, -1})}});
  }
  OutputRef Cast(const std::string& name, OutputRef x, DType from, DType to) {
    return Add("Cast", name, {x}, {{"SrcT", from}, {"DstT", to}});
  }
  OutputRef Ints(const std::string& name, const std::vector<int32_t>& values) {
    return Const(name, Tensor::Vector<int32_t>(values));
  }
  OutputRef Slice(const std::string& name, OutputRef x, const std::vector<int32_t>& begin,
                  DType type = DType::kFloat) {
    return Add("Slice", name, {x, Ints(name + "/begin", begin), Ints(name + "/size", {2, 2})},
               {{"T", type}, {"Index", DType::kInt32}});
  }
  static Tensor Picture() {
    std::vector<uint8_t> values(4 * 5);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i * 13);
    return Tensor::FromValues<uint8_t>(Shape({4, 5}), values);
  }
  // What the pass makes of the part that `fetches` need, without its sources.
  std::string After(const std::vector<std::string>& fetches) {
    GraphPart part;
    part.graph = graph_;
    for (const std::string& name : fetches) part.fetches.push_back({graph_->Find(name)->id(), 0});
    part.Prune();
    EXPECT_TRUE(SliceFirst(&part).ok());
    if (part.changed()) part.Prune();
    std::string text;
    for (const NodeId id : part.nodes) {
      const Node& node = part.graph->node(id);
      if (node.num_inputs() == 0) continue;
      absl::StrAppend(&text, node.name(), " = ", node.op_name(), "(",
                      part.graph->node(node.input(0).node).name(), ") ",
                      DTypeName(node.output_type(0)), "\n");
    }
    return text;
  }
};

TEST_F(SliceFirstTest, OnlyWhatIsReadIsConverted) {
  const OutputRef cast = Cast("cast", Bytes("x"), DType::kUInt8, DType::kFloat);
  Add("Shape", "shape", {cast}, {{"T", DType::kFloat}, {"out_type", DType::kInt32}});
  const OutputRef crop = Slice("crop", cast, {1, 2});
  Float("Neg", "y", {crop});
  EXPECT_EQ(After({"y", "shape", "crop"}),
            "cast = Cast(crop) float\nshape = Shape(x) int32\ncrop = Slice(x) uint8\n"
            "y = Neg(cast) float\n");
  const Outcome outcome = ExpectSame({{"x", Picture()}}, {"y", "shape", "crop"});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.fetched[0].data<float>()[0], -91.0f);
  EXPECT_EQ(outcome.fetched[1].data<int32_t>()[1], 5);
}

TEST_F(SliceFirstTest, CastsOfSlicesOfCasts) {
  const OutputRef first = Cast("first", Bytes("x"), DType::kUInt8, DType::kFloat);
  const OutputRef crop = Slice("crop", first, {1, 2});
  const OutputRef second = Cast("second", crop, DType::kFloat, DType::kInt64);
  Add("StridedSlice", "row",
      {second, Ints("row/begin", {1}), Ints("row/end", {2}), Ints("row/strides", {1})},
      {{"T", DType::kInt64}, {"Index", DType::kInt32}, {"shrink_axis_mask", 1}});
  EXPECT_EQ(After({"row"}),
            "first = Cast(crop) float\ncrop = Slice(x) uint8\nsecond = Cast(row) int64\n"
            "row = StridedSlice(first) float\n");
  const Outcome outcome = ExpectSame({{"x", Picture()}}, {"row"});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.fetched[0].data<int64_t>()[0], 156);
}

TEST_F(SliceFirstTest, WhatIsReadOtherwiseStays) {
  const OutputRef cast = Cast("cast", Bytes("x"), DType::kUInt8, DType::kFloat);
  Slice("crop", cast, {1, 2});
  Slice("other", cast, {0, 0});
  const std::string two = "cast = Cast(x) float\ncrop = Slice(cast) float\n";
  EXPECT_EQ(After({"crop", "other"}), two + "other = Slice(cast) float\n");
  EXPECT_EQ(After({"crop", "cast"}), two);
  EXPECT_EQ(After({"crop"}), "cast = Cast(crop) float\ncrop = Slice(x) uint8\n");
}

TEST_F(SliceFirstTest, ABadSliceIsStillRefused) {
  Slice("crop", Cast("cast", Bytes("x"), DType::kUInt8, DType::kFloat), {3, 0});
  const Outcome outcome = ExpectSame({{"x", Picture()}}, {"crop"});
  EXPECT_EQ(outcome.status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(outcome.status.message().find("'crop'"), std::string::npos) << outcome.status;
}

TEST_F(SliceFirstTest, AVariableIsReadWhenItWas) {
  const OutputRef v = Variable("v", Ramp({4, 5}, 1));
  const OutputRef read = Float("Identity", "read", {v});
  const OutputRef cast = Cast("cast", read, DType::kFloat, DType::kInt32);
  Slice("crop", cast, {1, 2}, DType::kInt32);
  EXPECT_NE(After({"crop"}).find("cast = Cast(read)"), std::string::npos);
}

}  // namespace
}  // namespace warpbeam
