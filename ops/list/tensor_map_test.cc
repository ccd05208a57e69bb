// Maps from tensors to tensors, against what TensorFlow 2.21 gives; zeros and sums of maps and of
// ragged tensors.
#include "ops/list/tensor_map.h"

#include <limits>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/gradients/gradients.h"
#include "graph/io/tensor_io.h"
#include "graph/io/variant_codec.h"
#include "gtest/gtest.h"
#include "ops/launch/op_runner.h"
#include "ops/ragged/ragged_variant.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

Tensor Key(int32_t key) { return Tensor::Scalar<int32_t>(key); }
Tensor Value(float value) { return Tensor::Scalar<float>(value); }
Tensor Made(StatusOr<Tensor> made) {
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? *std::move(made) : Tensor();
}

Tensor Empty() { return Made(OpRunner("EmptyTensorMap").RunOne()); }
Tensor Insert(Tensor map, Tensor key, Tensor value) {
  return Made(OpRunner("TensorMapInsert")
                  .Input(std::move(map))
                  .Input(std::move(key))
                  .Input(std::move(value))
                  .RunOne());
}
OpRunner With(const char* op, Tensor map, Tensor key, DType value = DType::kFloat) {
  OpRunner run(op);
  run.Input(std::move(map)).Input(std::move(key)).Attr("value_dtype", value);
  return run;
}
StatusOr<Tensor> Lookup(Tensor map, Tensor key, DType type = DType::kFloat) {
  return With("TensorMapLookup", std::move(map), std::move(key), type).RunOne();
}
StatusOr<Tensor> Erase(Tensor map, Tensor key) {
  return With("TensorMapErase", std::move(map), std::move(key)).RunOne();
}
bool HasKey(Tensor map, Tensor key) {
  OpRunner run("TensorMapHasKey");
  return Made(run.Input(std::move(map)).Input(std::move(key)).RunOne()).scalar<bool>();
}
int32_t SizeOf(Tensor map) {
  return Made(OpRunner("TensorMapSize").Input(std::move(map)).RunOne()).scalar<int32_t>();
}
StatusOr<Tensor> Keys(Tensor map, DType type) {
  return OpRunner("TensorMapStackKeys").Attr("key_dtype", type).Input(std::move(map)).RunOne();
}
void ExpectMapRefused(const Status& status, const char* why) {
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(why));
}

TEST(TensorMap, ValuesUnderKeys) {
  const Tensor one = Insert(Empty(), Key(1), Value(2)), changed = Insert(one, Key(1), Value(3));
  EXPECT_EQ(SizeOf(changed), 1);
  EXPECT_EQ(Made(Lookup(changed, Key(1))).scalar<float>(), 3);
  // The map that was changed is as it was.
  EXPECT_EQ(Made(Lookup(one, Key(1))).scalar<float>(), 2);
  EXPECT_EQ(SizeOf(Made(Erase(one, Key(1)))), 0);
  EXPECT_EQ(SizeOf(one), 1);
  const Tensor texts = Insert(Empty(), Tensor::Scalar<std::string>("a"), Value(5));
  EXPECT_EQ(Made(Lookup(texts, Tensor::Scalar<std::string>("a"))).scalar<float>(), 5);
}

TEST(TensorMap, KeysDifferInTypeAndShape) {
  const Tensor map = Insert(Empty(), Tensor::Vector<int32_t>({1, 2}), Value(2));
  EXPECT_TRUE(HasKey(map, Tensor::Vector<int32_t>({1, 2})));
  EXPECT_FALSE(HasKey(map, Tensor::FromValues<int32_t>(Shape({1, 2}), {1, 2})));
  EXPECT_FALSE(HasKey(map, Tensor::Vector<int64_t>({1, 2})));
  const Tensor nan = Tensor::Scalar(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(HasKey(Insert(Empty(), nan, Value(2)), nan));
  const Tensor texts = Insert(Empty(), Tensor::Vector<std::string>({"a", "bc"}), Value(1));
  EXPECT_FALSE(HasKey(texts, Tensor::Vector<std::string>({"ab", "c"})));
}

TEST(TensorMap, KeysInTheOrderInWhichTheyCame) {
  Tensor map = Empty();
  for (const int32_t key : {3, 1, 2, 1}) map = Insert(map, Key(key), Value(0));
  EXPECT_EQ(Made(Keys(map, DType::kInt32)).ToString(),
            Tensor::Vector<int32_t>({3, 1, 2}).ToString());
  ExpectMapRefused(Keys(map, DType::kFloat).status(), "Key does not match requested dtype");
  ExpectMapRefused(Keys(Empty(), DType::kInt32).status(), "cannot be called on empty map");
  map = Insert(map, Tensor::Vector<int32_t>({1}), Value(0));
  ExpectMapRefused(Keys(map, DType::kInt32).status(), "Keys must all have the same shape");
}

TEST(TensorMap, Refused) {
  const Tensor map = Insert(Empty(), Key(1), Value(2));
  ExpectMapRefused(Lookup(map, Key(2)).status(), "Trying to lookup non-existent key");
  ExpectMapRefused(Lookup(map, Key(1), DType::kInt32).status(),
                   "Type mismatch: actual float vs. expect int32");
  ExpectMapRefused(Erase(map, Key(2)).status(), "Trying to erase non-existent item");
  ExpectMapRefused(OpRunner("TensorMapSize").Input(Tensor::Scalar(Variant())).RunOne().status(),
                   "Input handle is not a map");
  auto two = Tensor::Allocate(DType::kVariant, Shape({2}));
  ASSERT_TRUE(two.ok());
  ExpectMapRefused(OpRunner("TensorMapSize").Input(*two).RunOne().status(), "must be a scalar");
  ExpectMapRefused(Lookup(map, map).status(), "cannot be a key");
}

TEST(TensorMap, ZerosAndSums) {
  const Tensor a = Insert(Insert(Empty(), Key(1), Value(2)), Key(2), Value(3));
  const Tensor b = Insert(Insert(Empty(), Key(2), Value(10)), Key(4), Value(20));
  const Tensor zeros = Made(OpRunner("ZerosLike").Input(a).RunOne());
  EXPECT_EQ(Made(Lookup(zeros, Key(2))).scalar<float>(), 0);
  const Tensor sum = Made(OpRunner("AddN").InputList({a, b}).RunOne());
  EXPECT_EQ(SizeOf(sum), 3);
  EXPECT_EQ(Made(Lookup(sum, Key(1))).scalar<float>(), 2);
  EXPECT_EQ(Made(Lookup(sum, Key(2))).scalar<float>(), 13);
  EXPECT_EQ(Made(Lookup(sum, Key(4))).scalar<float>(), 20);
}

TEST(TensorMap, InMessages) {
  const Tensor map = Insert(Insert(Empty(), Key(1), Value(2)), Key(2), Value(3));
  const Tensor read = Made(ParseTensor(*SerializeTensor(map)));
  EXPECT_EQ(SizeOf(read), 2);
  EXPECT_EQ(Made(Lookup(read, Key(2))).scalar<float>(), 3);
  const VariantCodec* codec = FindVariantCodec("tensorflow::TensorMap");
  ASSERT_NE(codec, nullptr);
  ExpectMapRefused(codec->read({"", {Key(1)}}).status(), "the last key has no value");
  ExpectMapRefused(codec->read({"", {map, Key(1)}}).status(), "cannot be a key");
}

TEST(RaggedVariants, InMessages) {
  const Tensor splits = Tensor::Vector<int64_t>({0, 2, 3});
  const Tensor whole = Tensor::Scalar<Variant>(
      Variant::Of(RaggedVariant{{splits}, Tensor::Vector<float>({1, 2, 3})}));
  const Tensor read = Made(ParseTensor(*SerializeTensor(whole)));
  const RaggedVariant* held = read.scalar<Variant>().get<RaggedVariant>();
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->splits[0].ToString(), splits.ToString());
  EXPECT_EQ(held->values.ToString(), Tensor::Vector<float>({1, 2, 3}).ToString());
  const VariantCodec* codec = FindVariantCodec("RaggedTensorVariant");
  ASSERT_NE(codec, nullptr);
  ExpectMapRefused(codec->read({"", {}}).status(), "it has no values");
  ExpectMapRefused(codec->read({"", {held->values, held->values}}).status(),
                   "row splits are vectors");
}

TEST(RaggedVariants, ZerosAndSums) {
  const auto ragged = [](std::vector<Tensor> splits, std::initializer_list<float> values) {
    return Tensor::Scalar<Variant>(
        Variant::Of(RaggedVariant{std::move(splits), Tensor::Vector<float>(values)}));
  };
  const Tensor splits = Tensor::Vector<int64_t>({0, 2, 3});
  const Tensor a = ragged({splits}, {1, 2, 3});
  const auto values = [](const Tensor& t) {
    const RaggedVariant* held = t.scalar<Variant>().get<RaggedVariant>();
    EXPECT_NE(held, nullptr);
    EXPECT_EQ(held->splits.size(), 1u);
    return held->values.ToString();
  };
  EXPECT_EQ(values(Made(OpRunner("ZerosLike").Input(a).RunOne())),
            Tensor::Vector<float>({0, 0, 0}).ToString());
  const auto add = [&](Tensor b) { return OpRunner("AddN").InputList({a, std::move(b)}).RunOne(); };
  EXPECT_EQ(values(Made(add(ragged({splits}, {10, 20, 30})))),
            Tensor::Vector<float>({11, 22, 33}).ToString());
  ExpectMapRefused(add(ragged({Tensor::Vector<int64_t>({0, 1, 3})}, {10, 20, 30})).status(),
                   "different row_splits");
  ExpectMapRefused(add(ragged({}, {10, 20, 30})).status(), "different ragged rank");
}

// Differentiates a sum of products of values that have gone through maps.
class MapGradient : public ::testing::Test {
 protected:
  OutputRef Op(const char* op, std::vector<OutputRef> inputs, bool typed = false) {
    NodeBuilder builder(graph_.get(), op);
    for (const OutputRef& input : inputs) builder.Input(input);
    if (typed) builder.Attr("value_dtype", DType::kFloat);
    auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? OutputRef{(*made)->id(), 0} : OutputRef();
  }
  OutputRef Const(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }
  OutputRef Insert(OutputRef map, int32_t key, OutputRef value) {
    return Op("TensorMapInsert", {map, Const(Key(key)), value});
  }
  OutputRef Lookup(OutputRef map, int32_t key) {
    return Op("TensorMapLookup", {map, Const(Key(key))}, true);
  }
  void Expect(OutputRef y, const std::vector<OutputRef>& xs, std::vector<float> expected) {
    auto dx = AddGradients(*graph_, {y}, xs);
    ASSERT_TRUE(dx.ok()) << dx.status();
    std::vector<std::string> fetches;
    for (const GradientValue& g : *dx) {
      ASSERT_TRUE(g.is_dense());
      fetches.push_back(absl::StrCat(graph_->node(g.dense.node).name(), ":", g.dense.index));
    }
    auto session = Session::Create({}, graph_);
    std::vector<Tensor> out;
    const Status s = (*session)->Run({}, {}, fetches, {}, &out, nullptr);
    ASSERT_TRUE(s.ok()) << s;
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(out[i].scalar<float>(), expected[i]);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

TEST_F(MapGradient, OfWhatIsLookedUp) {
  const OutputRef v = Const(Value(3)), w = Const(Value(4));
  const OutputRef map = Insert(Insert(Op("EmptyTensorMap", {}), 1, v), 2, w);
  const OutputRef product = Op("Mul", {Lookup(map, 1), Lookup(map, 2)});
  const OutputRef five = Op("Mul", {Lookup(map, 1), Const(Value(5))});
  Expect(Op("AddV2", {product, five}), {v, w}, {9, 3});
}

TEST_F(MapGradient, OfWhatIsReplacedOrErased) {
  const OutputRef v = Const(Value(3)), w = Const(Value(4));
  OutputRef map = Insert(Insert(Op("EmptyTensorMap", {}), 1, v), 1, w);
  map = Op("TensorMapErase", {Insert(map, 2, v), Const(Key(2))}, true);
  Expect(Op("Mul", {Lookup(map, 1), Const(Value(5))}), {v, w}, {0, 5});
}

}  // namespace
}  // namespace warpbeam
