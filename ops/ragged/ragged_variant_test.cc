// Ragged tensors as variants, against what TensorFlow 2.21 gives.
#include "ops/ragged/ragged_variant.h"

#include <gtest/gtest.h>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/gradients/gradients.h"
#include "ops/launch/op_record.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

Tensor RaggedSplits(std::initializer_list<int64_t> values) {
  return Tensor::Vector<int64_t>(values);
}
Tensor RaggedFloats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }
Tensor Five() { return RaggedFloats({1, 2, 3, 4, 5}); }

Tensor Encoded(const std::vector<Tensor>& splits, const Tensor& values, bool is_batched) {
  auto made = OpRunner("RaggedTensorToVariant")
                  .Attr("batched_input", is_batched)
                  .InputList(splits)
                  .Input(values)
                  .RunOne();
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? *std::move(made) : Tensor();
}

OpRunner Decoding(Tensor variants, int in_rank, int out_rank, DType values = DType::kFloat,
                  DType splits = DType::kInt64) {
  OpRunner run("RaggedTensorFromVariant");
  run.Attr("input_ragged_rank", in_rank).Attr("output_ragged_rank", out_rank);
  run.Attr("Tvalues", values).Attr("Tsplits", splits).Input(std::move(variants));
  return run;
}

OpRunner Gradient(Tensor variants, Tensor splits, Tensor shape) {
  OpRunner run("RaggedTensorToVariantGradient");
  run.Attr("Tvalues", DType::kFloat).Input(std::move(variants)).Input(std::move(splits));
  run.Input(std::move(shape));
  return run;
}

void Expect(OpRunner run, const std::vector<Tensor>& expected) {
  const auto shapes = run.InferShapes();
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  const auto got = run.Run();
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ((*got)[i].ToString(), expected[i].ToString());
    EXPECT_TRUE((*shapes)[i].IsCompatibleWith(PartialShape(expected[i].shape())));
  }
}

void ExpectRefused(OpRunner run, const char* why) {
  const Status status = run.Run().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(why));
}

TEST(RaggedVariant, AWholeTensor) {
  const Tensor dense = Encoded({}, Five(), false);
  EXPECT_EQ(dense.rank(), 0);
  Expect(Decoding(dense, 0, 0), {Five()});
  for (const int rank : {-1, 2}) {
    Expect(Decoding(Encoded({RaggedSplits({0, 1, 2}), RaggedSplits({0, 2, 5})}, Five(), false),
                    rank, 2),
           {RaggedSplits({0, 1, 2}), RaggedSplits({0, 2, 5}), Five()});
  }
  Expect(Decoding(Encoded({}, Tensor::Scalar<float>(3), false), 0, 0), {Tensor::Scalar<float>(3)});
}

TEST(RaggedVariant, RowByRow) {
  const Tensor rows = Encoded({RaggedSplits({0, 2, 5})}, Five(), true);
  ASSERT_EQ(rows.shape(), Shape({2}));
  const RaggedVariant* second = rows.data<Variant>()[1].get<RaggedVariant>();
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(second->splits.empty());
  EXPECT_EQ(second->values.ToString(), RaggedFloats({3, 4, 5}).ToString());
  for (const int rank : {-1, 0}) {
    Expect(Decoding(rows, rank, 1), {RaggedSplits({0, 2, 5}), Five()});
  }
  // A row of values has no splits, so its own dtype of splits is free.
  Expect(Decoding(rows, 0, 1, DType::kFloat, DType::kInt32),
         {Tensor::Vector<int32_t>({0, 2, 5}), Five()});
  Expect(
      Decoding(Encoded({RaggedSplits({0, 1, 3}), RaggedSplits({0, 2, 4, 5})}, Five(), true), 1, 2),
      {RaggedSplits({0, 1, 3}), RaggedSplits({0, 2, 4, 5}), Five()});
  Expect(Decoding(Encoded({}, OpTest::Make<float>({2, 2}, {1, 2, 3, 4}), true), 0, 1),
         {RaggedSplits({0, 2, 4}), RaggedFloats({1, 2, 3, 4})});
  Expect(Decoding(Encoded({RaggedSplits({0, 0, 0})}, RaggedFloats({}), true), 0, 1),
         {RaggedSplits({0, 0, 0}), RaggedFloats({})});
  Expect(Decoding(Encoded({RaggedSplits({0})}, RaggedFloats({}), true), 0, 1),
         {RaggedSplits({0}), RaggedFloats({})});
}

TEST(RaggedVariant, StackedToAHigherRank) {
  auto packed = Tensor::Allocate(DType::kVariant, Shape({2, 2}));
  ASSERT_TRUE(packed.ok());
  for (int i = 0; i < 4; ++i) {
    const Tensor values = i % 2 == 0 ? RaggedFloats({1}) : RaggedFloats({1, 2});
    packed->data<Variant>()[i] =
        Encoded({RaggedSplits({0, i % 2 + 1})}, values, false).scalar<Variant>();
  }
  Expect(Decoding(*packed, 1, 3),
         {RaggedSplits({0, 2, 4}), RaggedSplits({0, 1, 2, 3, 4}), RaggedSplits({0, 1, 3, 4, 6}),
          RaggedFloats({1, 1, 2, 1, 1, 2})});
}

TEST(RaggedVariant, NoVariantsOfAnyExtent) {
  const auto none = [](std::initializer_list<int64_t> dims) {
    auto made = Tensor::Allocate(DType::kVariant, Shape(dims));
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *std::move(made) : Tensor();
  };
  Expect(Decoding(none({0}), 0, 1), {RaggedSplits({0}), RaggedFloats({})});
  Expect(Decoding(none({2, 0}), 0, 2),
         {RaggedSplits({0, 0, 0}), RaggedSplits({0}), RaggedFloats({})});
  const Status status = Decoding(none({int64_t{1} << 50, 0}), 0, 2).Run().status();
  EXPECT_FALSE(status.ok());
}

TEST(RaggedVariant, RefusesSplitsThatDoNotFit) {
  const auto refused = [](std::vector<Tensor> splits, Tensor values, const char* why) {
    for (const bool is_batched : {false, true}) {
      OpTest("RaggedTensorToVariant")
          .Attr("batched_input", is_batched)
          .InputList(splits)
          .Input(values)
          .ExpectError(kInvalid, why);
    }
  };
  refused({RaggedSplits({0, 2, 6})}, Five(), "splits");
  refused({RaggedSplits({0, 2, 4})}, Five(), "splits");
  refused({RaggedSplits({0, 3, 2})}, Five(), "splits");
  refused({RaggedSplits({-1, 3, 5})}, Five(), "splits");
  refused({RaggedSplits({1, 3, 5})}, Five(), "splits");
  refused({RaggedSplits({})}, Five(), "splits");
  refused({RaggedSplits({0, 1, 3}), RaggedSplits({0, 2, 5})}, Five(), "splits");
  refused({OpTest::Make<int64_t>({1, 2}, {0, 5})}, Five(), "");
  refused({RaggedSplits({0, 2})}, Tensor::Scalar<float>(2), "");
  OpTest("RaggedTensorToVariant")
      .Attr("batched_input", true)
      .InputList({})
      .Scalar<float>(3)
      .ExpectError(kInvalid);
}

TEST(RaggedVariant, RefusesWhatIsNotStacked) {
  const Tensor rows = Encoded({RaggedSplits({0, 2, 5})}, Five(), true);
  const auto refused = [](Tensor variants, int in_rank, int out_rank, const char* why,
                          DType values = DType::kFloat, DType splits = DType::kInt64) {
    ExpectRefused(Decoding(std::move(variants), in_rank, out_rank, values, splits), why);
  };
  refused(rows, 1, 1, "output_ragged_rank must be equal");
  refused(rows, 1, 2, "Encoded input RaggedTensorVariant has ragged_rank=0.");
  refused(rows, 0, 1, "Expected values Tensor dtype: int32, found: float", DType::kInt32);
  refused(Encoded({RaggedSplits({0, 2, 5})}, Five(), false), 1, 1,
          "Expected row_splits Tensor dtype: int32, found: int64", DType::kFloat, DType::kInt32);
  refused(rows, -1, 0, "output_ragged_rank");
  refused(Encoded({}, Five(), true), 0, 1, "Ragged values must have rank >= 1");
  refused(Tensor::Scalar<Variant>(Variant()), 0, 0, "doesn't hold a RaggedTensorVariant");
  auto mixed = Tensor::Allocate(DType::kVariant, Shape({2}));
  ASSERT_TRUE(mixed.ok());
  mixed->data<Variant>()[0] = Variant::Of(RaggedVariant{{}, OpTest::Make<float>({1, 2}, {1, 2})});
  mixed->data<Variant>()[1] = Variant::Of(RaggedVariant{{}, OpTest::Make<float>({1, 1}, {1})});
  refused(*mixed, 0, 1, "All flat_values must have compatible shapes");
}

TEST(RaggedVariant, GradientsAreTheValuesInside) {
  const Tensor shape = Tensor::Vector<int32_t>({5});
  const Tensor rows = Encoded({RaggedSplits({0, 2, 5})}, Five(), true);
  Expect(Gradient(rows, RaggedSplits({0, 2, 5}), shape), {Five()});
  Expect(Gradient(Encoded({}, Five(), false), RaggedSplits({0, 5}), shape), {Five()});
  Expect(Gradient(rows, RaggedSplits({0, 2, 5}), Tensor::Vector<int32_t>({5, 1})),
         {OpTest::Make<float>({5, 1}, {1, 2, 3, 4, 5})});
  // A row that nothing flowed into.
  auto unused = rows.Clone();
  ASSERT_TRUE(unused.ok());
  unused->data<Variant>()[0] = Variant();
  Expect(Gradient(*unused, RaggedSplits({0, 2, 5}), shape), {RaggedFloats({0, 0, 3, 4, 5})});
  ExpectRefused(Gradient(rows, RaggedSplits({0, 2, 5}), Tensor::Vector<int32_t>({6})),
                "hold 5 values");
  ExpectRefused(
      Gradient(rows, RaggedSplits({0, 2, 5}), Tensor::Vector<int32_t>({1 << 30, 1 << 30})),
      "hold 5 values");
}

// d(sum of squares)/dx through variants and back.
StatusOr<Tensor> GradientThroughVariants(bool is_batched) {
  auto graph = std::make_shared<Graph>();
  WB_ASSIGN_OR_RETURN(Node * x, AddConstant(graph.get(), "x", Five()));
  WB_ASSIGN_OR_RETURN(Node * splits, AddConstant(graph.get(), "splits", RaggedSplits({0, 2, 5})));
  WB_ASSIGN_OR_RETURN(Node * variants, NodeBuilder(graph.get(), "RaggedTensorToVariant")
                                           .Input({OutputRef{splits->id(), 0}})
                                           .Input(x)
                                           .Attr("batched_input", is_batched)
                                           .Build());
  WB_ASSIGN_OR_RETURN(Node * back, NodeBuilder(graph.get(), "RaggedTensorFromVariant")
                                       .Input(variants)
                                       .Attr("input_ragged_rank", is_batched ? 0 : 1)
                                       .Attr("output_ragged_rank", 1)
                                       .Attr("Tvalues", DType::kFloat)
                                       .Build());
  WB_ASSIGN_OR_RETURN(Node * y,
                      NodeBuilder(graph.get(), "Square").Input(OutputRef{back->id(), 1}).Build());
  WB_ASSIGN_OR_RETURN(const std::vector<GradientValue> dx,
                      AddGradients(*graph, {{y->id(), 0}}, {{x->id(), 0}}));
  WB_ASSIGN_OR_RETURN(const OutputRef dense, ToDense(*graph, dx[0]));
  const std::string fetch = absl::StrCat(graph->node(dense.node).name(), ":", dense.index);
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create({}, graph));
  std::vector<Tensor> out;
  WB_RETURN_IF_ERROR(session->Run({}, {}, {fetch}, {}, &out, nullptr));
  return out[0];
}

TEST(RaggedVariant, GradientsFlowThrough) {
  for (const bool is_batched : {false, true}) {
    const auto dx = GradientThroughVariants(is_batched);
    ASSERT_TRUE(dx.ok()) << dx.status();
    EXPECT_EQ(dx->ToString(), RaggedFloats({2, 4, 6, 8, 10}).ToString());
  }
}

}  // namespace
}  // namespace warpbeam
