// List ops one by one: results, what is refused, and that lists are values.
#include "ops/list/tensor_list.h"

#include "gmock/gmock.h"
#include "graph/io/tensor_io.h"
#include "graph/io/variant_codec.h"
#include "gtest/gtest.h"
#include "ops/data/optional.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

Tensor Floats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }
Tensor Ints(std::initializer_list<int32_t> values) { return Tensor::Vector<int32_t>(values); }
Tensor Longs(std::initializer_list<int64_t> values) { return Tensor::Vector<int64_t>(values); }
Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
Tensor Matrix(int64_t rows, int64_t cols, std::initializer_list<float> values) {
  return Tensor::FromValues<float>(Shape({rows, cols}), values);
}
const Tensor& Unknown() {
  static const Tensor shape = Int(-1);
  return shape;
}

std::vector<float> Values(const StatusOr<Tensor>& t) {
  EXPECT_TRUE(t.ok()) << t.status();
  if (!t.ok()) return {};
  return {t->data<float>(), t->data<float>() + t->num_elements()};
}
void ExpectRefused(const Status& s, const char* text) {
  EXPECT_EQ(s.code(), Code::kInvalidArgument) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr(text));
}
template <typename T>
T OrEmpty(StatusOr<T> value) {
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : T();
}

Tensor Empty(const Tensor& shape, int32_t max = -1) {
  return OrEmpty(OpRunner("EmptyTensorList")
                     .Attr("element_dtype", DType::kFloat)
                     .Input(shape)
                     .Input(Int(max))
                     .RunOne());
}
StatusOr<Tensor> TryReserve(const Tensor& shape, int32_t size) {
  return OpRunner("TensorListReserve")
      .Attr("element_dtype", DType::kFloat)
      .Input(shape)
      .Input(Int(size))
      .RunOne();
}
Tensor Reserve(const Tensor& shape, int32_t size) { return OrEmpty(TryReserve(shape, size)); }
StatusOr<Tensor> Push(const Tensor& list, const Tensor& value) {
  return OpRunner("TensorListPushBack").Input(list).Input(value).RunOne();
}
Tensor ListOf(std::initializer_list<Tensor> values, const Tensor& shape = Unknown()) {
  Tensor list = Empty(shape);
  for (const Tensor& v : values) list = OrEmpty(Push(list, v));
  return list;
}
StatusOr<std::vector<Tensor>> Pop(const Tensor& list, const Tensor& shape = Unknown()) {
  return OpRunner("TensorListPopBack")
      .Attr("element_dtype", DType::kFloat)
      .Input(list)
      .Input(shape)
      .Run();
}
StatusOr<Tensor> Get(const Tensor& list, int32_t i, const Tensor& shape = Unknown()) {
  return OpRunner("TensorListGetItem")
      .Attr("element_dtype", DType::kFloat)
      .Input(list)
      .Input(Int(i))
      .Input(shape)
      .RunOne();
}
StatusOr<Tensor> Set(const Tensor& list, int32_t i, const Tensor& value, bool resizes = false) {
  return OpRunner("TensorListSetItem")
      .Attr("resize_if_index_out_of_bounds", resizes)
      .Input(list)
      .Input(Int(i))
      .Input(value)
      .RunOne();
}
StatusOr<Tensor> Stack(const Tensor& list, const Tensor& shape = Unknown(), int64_t n = -1) {
  return OpRunner("TensorListStack")
      .Attr("element_dtype", DType::kFloat)
      .Attr("num_elements", n)
      .Input(list)
      .Input(shape)
      .RunOne();
}
StatusOr<Tensor> Gather(const Tensor& list, const Tensor& indices) {
  return OpRunner("TensorListGather")
      .Attr("element_dtype", DType::kFloat)
      .Input(list)
      .Input(indices)
      .Input(Unknown())
      .RunOne();
}
StatusOr<Tensor> Resize(const Tensor& list, int32_t size) {
  return OpRunner("TensorListResize").Input(list).Input(Int(size)).RunOne();
}
int32_t Length(const Tensor& list) {
  return OrEmpty(OpRunner("TensorListLength").Input(list).RunOne()).scalar<int32_t>();
}
StatusOr<std::vector<Tensor>> Concat(const Tensor& list, const Tensor& shape = Unknown(),
                                     const Tensor& leading = Longs({})) {
  return OpRunner("TensorListConcatV2")
      .Attr("element_dtype", DType::kFloat)
      .Input(list)
      .Input(shape)
      .Input(leading)
      .Run();
}
StatusOr<Tensor> Split(const Tensor& t, const Tensor& lengths, const Tensor& shape = Unknown()) {
  return OpRunner("TensorListSplit").Input(t).Input(shape).Input(lengths).RunOne();
}
StatusOr<Tensor> ScatterV2(const Tensor& t, const Tensor& indices, int32_t size) {
  return OpRunner("TensorListScatterV2")
      .Input(t)
      .Input(indices)
      .Input(Unknown())
      .Input(Int(size))
      .RunOne();
}
StatusOr<Tensor> ScatterInto(const Tensor& list, const Tensor& t, const Tensor& indices) {
  return OpRunner("TensorListScatterIntoExistingList").Input(list).Input(t).Input(indices).RunOne();
}

TEST(TensorLists, PushAndPop) {
  const Tensor list = ListOf({Floats({1, 2}), Floats({3})});
  EXPECT_EQ(Length(list), 2);
  auto popped = Pop(list);
  ASSERT_TRUE(popped.ok()) << popped.status();
  EXPECT_THAT(Values((*popped)[1]), ElementsAre(3));
  EXPECT_EQ(Length((*popped)[0]), 1);
  EXPECT_EQ(Length(list), 2);  // a list is a value
  ExpectRefused(Pop(Empty(Unknown())).status(), "empty");
  ExpectRefused(Push(Empty(Unknown(), 0), Floats({1})).status(), "full");
  ExpectRefused(Push(Empty(Ints({2})), Floats({1})).status(),
                "Tried to append a tensor with incompatible shape to a list. Op element shape: [1] "
                "list shape: [2]");
  ExpectRefused(Push(Empty(Ints({2})), Ints({1, 2})).status(),
                "Invalid data types; op elements int32 but list elements float");
  ExpectRefused(Push(Floats({1}).Bitcast(DType::kFloat), Floats({1})).status(), "variant");
}

TEST(TensorLists, AreChangedInPlaceOnlyWhereNobodySees) {
  Tensor list = ListOf({Floats({1})});
  const TensorList* before = list.scalar<Variant>().get<TensorList>();
  auto longer = OpRunner("TensorListPushBack")
                    .Input(std::move(list))
                    .Input(Floats({2}))
                    .ForwardInputs()
                    .RunOne();
  ASSERT_TRUE(longer.ok()) << longer.status();
  EXPECT_EQ(longer->scalar<Variant>().get<TensorList>(), before);
  EXPECT_EQ(Length(*longer), 2);
  // A copy of the variant in another tensor sees nothing of it.
  const Tensor copy = Tensor::Scalar<Variant>(longer->scalar<Variant>());
  auto longest = OpRunner("TensorListPushBack")
                     .Input(*std::move(longer))
                     .Input(Floats({3}))
                     .ForwardInputs()
                     .RunOne();
  ASSERT_TRUE(longest.ok()) << longest.status();
  EXPECT_EQ(Length(copy), 2);
  EXPECT_EQ(Length(*longest), 3);
}

TEST(TensorLists, ItemsThatWereNeverSetAreZeros) {
  EXPECT_THAT(Values(Get(Reserve(Ints({2}), 3), 1)), ElementsAre(0, 0));
  EXPECT_THAT(Values(Get(Reserve(Ints({-1}), 3), 1, Ints({2}))), ElementsAre(0, 0));
  EXPECT_THAT(Values(Get(*Set(Reserve(Ints({-1}), 3), 0, Floats({1, 2})), 1)), ElementsAre(0, 0));
  ExpectRefused(Get(Reserve(Ints({-1}), 3), 1).status(), "uninitialized");
  ExpectRefused(Get(Reserve(Ints({2}), 3), 1, Ints({3})).status(),
                "Incompatible shapes during merge: [3] vs. [2]");
  EXPECT_THAT(Values((*Pop(Reserve(Unknown(), 3), Ints({1})))[1]), ElementsAre(0));
  ExpectRefused(Pop(Reserve(Unknown(), 3)).status(), "uninitialized");
}

TEST(TensorLists, ItemsByIndex) {
  const Tensor list = OrEmpty(Set(Reserve(Ints({1}), 3), 2, Floats({5})));
  EXPECT_THAT(Values(Get(list, 2)), ElementsAre(5));
  for (int32_t i : {-1, 3}) {
    ExpectRefused(Get(list, i).status(), "in a list with 3 elements.");
    ExpectRefused(Set(list, i, Floats({1})).status(), "in a list with 3 elements.");
  }
  ExpectRefused(Set(list, -1, Floats({1}), true).status(), "in a list with 3 elements.");
  EXPECT_EQ(Length(OrEmpty(Set(list, 5, Floats({1}), true))), 6);
  EXPECT_EQ(Set(list, 2147483647, Floats({1}), true).status().code(), Code::kResourceExhausted);
  ExpectRefused(Set(list, 0, Floats({1, 2})).status(),
                "Tried to set a tensor with incompatible shape at a list index");
  ExpectRefused(Set(list, 0, Ints({1})).status(), "int32");
  ExpectRefused(TryReserve(Ints({1}), -3).status(), "-3");
  ExpectRefused(TryReserve(Int(5), 3).status(), "scalar");
  ExpectRefused(TryReserve(Ints({-2}), 3).status(), "-2");
  EXPECT_EQ(TryReserve(Ints({1}), 2147483647).status().code(), Code::kResourceExhausted);
}

TEST(TensorLists, Stack) {
  auto rows = Stack(ListOf({Floats({1, 2}), Floats({3, 4})}));
  EXPECT_THAT(Values(rows), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(rows->shape(), Shape({2, 2}));
  EXPECT_THAT(Values(Stack(*Set(Reserve(Unknown(), 2), 1, Floats({7})))), ElementsAre(0, 7));
  EXPECT_EQ(Stack(Empty(Unknown()), Ints({2, 3}))->shape(), Shape({0, 2, 3}));
  ExpectRefused(
      Stack(Empty(Unknown())).status(),
      "Tried to stack elements of an empty list with non-fully-defined element_shape: <unknown>");
  ExpectRefused(Stack(Reserve(Unknown(), 2)).status(),
                "Tried to stack list which only contains uninitialized tensors");
  ExpectRefused(Stack(ListOf({Floats({1, 2}), Floats({3})})).status(), "Incompatible");
  ExpectRefused(Stack(ListOf({Floats({1})}), Ints({2})).status(), "Incompatible");
  ExpectRefused(Stack(ListOf({Floats({1})}), Unknown(), 2).status(), "2 elements");
  EXPECT_THAT(Values(Stack(*Resize(ListOf({Floats({1})}), 2))), ElementsAre(1, 0));
  EXPECT_EQ(Length(*Resize(ListOf({Floats({1})}), 0)), 0);
  ExpectRefused(Resize(ListOf({}), -1).status(), "-1");
}

TEST(TensorLists, FromRowsAndBack) {
  const auto from = [](const Tensor& t, const Tensor& shape) {
    return OpRunner("TensorListFromTensor").Input(t).Input(shape).RunOne();
  };
  const Tensor list = OrEmpty(from(Matrix(2, 2, {1, 2, 3, 4}), Ints({-1})));
  EXPECT_THAT(Values(Get(list, 1)), ElementsAre(3, 4));
  auto shape =
      OpRunner("TensorListElementShape").Attr("shape_type", DType::kInt64).Input(list).RunOne();
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_THAT(shape->flat<int64_t>(), ElementsAre(-1));
  ExpectRefused(from(Matrix(1, 2, {1, 2}), Ints({3})).status(), "shape");
  ExpectRefused(from(Tensor::Scalar<float>(1), Unknown()).status(), "must be at least a vector");
}

TEST(TensorLists, GatherAndScatter) {
  const Tensor list = ListOf({Floats({1}), Floats({2}), Floats({3})});
  EXPECT_THAT(Values(Gather(list, Ints({2, 0, 0}))), ElementsAre(3, 1, 1));
  for (int32_t i : {-1, 3})
    ExpectRefused(Gather(list, Ints({i})).status(), "in a list with 3 elements");
  ExpectRefused(Gather(Reserve(Unknown(), 2), Ints({0})).status(),
                "from a list with non-fully-defined element_shape: <unknown>");
  ExpectRefused(Gather(list, Ints({})).status(),
                "Tried to gather 0-elements from a list with non-fully-defined shape");
  EXPECT_THAT(Values(Stack(*ScatterV2(Floats({1, 2}), Ints({3, 0}), -1))), ElementsAre(2, 0, 0, 1));
  EXPECT_EQ(Length(*ScatterV2(Floats({1, 2}), Ints({3, 0}), 7)), 7);
  ExpectRefused(ScatterV2(Floats({1, 2}), Ints({3, 0}), 2).status(), "at index 3");
  ExpectRefused(ScatterV2(Floats({1, 2}), Ints({3, 0}), -2).status(), "-2");
  ExpectRefused(ScatterV2(Floats({1, 2}), Ints({-1, 0}), -1).status(), "-1");
  ExpectRefused(ScatterV2(Floats({1, 2}), Ints({0}), -1).status(), "Invalid number of rows");
  ExpectRefused(ScatterV2(Tensor::Scalar<float>(1), Ints({0}), -1).status(),
                "must be at least a vector");
  const Tensor more = OrEmpty(ScatterInto(list, Matrix(2, 1, {8, 9}), Ints({4, 1})));
  EXPECT_THAT(Values(Stack(more)), ElementsAre(1, 9, 3, 0, 8));
  EXPECT_EQ(Length(list), 3);
  ExpectRefused(ScatterInto(list, Matrix(1, 1, {8}), Ints({-4})).status(), "-4");
  ExpectRefused(ScatterInto(list, Ints({8}), Ints({0})).status(), "int32");
  EXPECT_EQ(ScatterV2(Floats({1}), Ints({2147483647}), -1).status().code(),
            Code::kResourceExhausted);
}

TEST(TensorLists, Concat) {
  auto joined = Concat(ListOf({Floats({1}), Floats({2, 3})}));
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_THAT(Values((*joined)[0]), ElementsAre(1, 2, 3));
  EXPECT_THAT((*joined)[1].flat<int64_t>(), ElementsAre(1, 2));
  const Tensor gaps = OrEmpty(Set(Reserve(Ints({-1}), 3), 1, Floats({1, 2})));
  EXPECT_THAT(Values((*Concat(gaps))[0]), ElementsAre(0, 0, 1, 2, 0, 0));
  EXPECT_THAT(Values((*Concat(gaps, Unknown(), Longs({1, 5, 0})))[0]), ElementsAre(0, 1, 2));
  ExpectRefused(Concat(gaps, Unknown(), Longs({-1})).status(), "negative");
  const Tensor uneven =
      OrEmpty(Set(*Set(Reserve(Ints({-1}), 3), 1, Floats({1, 2})), 0, Floats({1})));
  ExpectRefused(Concat(uneven).status(), "at index 2");
  ExpectRefused(Concat(ListOf({Tensor::Scalar<float>(1)})).status(), "scalar");
  ExpectRefused(Concat(ListOf({Matrix(1, 1, {1}), Matrix(1, 2, {1, 2})})).status(), "Incompatible");
  EXPECT_EQ((*Concat(Empty(Ints({-1, 3}))))[0].shape(), Shape({0, 3}));
  ExpectRefused(Concat(Empty(Unknown())).status(), "must be fully defined");
  auto old = OpRunner("TensorListConcat")
                 .Attr("element_dtype", DType::kFloat)
                 .Input(ListOf({Floats({1}), Floats({2})}))
                 .Run();
  ASSERT_TRUE(old.ok()) << old.status();
  EXPECT_THAT(Values((*old)[0]), ElementsAre(1, 2));
}

TEST(TensorLists, Split) {
  const Tensor list = OrEmpty(Split(Floats({1, 2, 3}), Longs({1, 0, 2})));
  EXPECT_EQ(Length(list), 3);
  EXPECT_THAT(Values(Get(list, 2)), ElementsAre(2, 3));
  for (const Tensor& lengths :
       {Longs({1, 1}), Longs({1, 7}), Longs({4, -1}), Longs({9223372036854775807, 1})}) {
    EXPECT_EQ(Split(Floats({1, 2, 3}), lengths).status().code(), Code::kInvalidArgument);
  }
  ExpectRefused(Split(Tensor::Scalar<float>(1), Longs({1})).status(), "must be at least a vector");
  ExpectRefused(Split(Floats({1}), Tensor::Scalar<int64_t>(1)).status(), "engths");
  ExpectRefused(Split(Matrix(1, 2, {1, 2}), Longs({1}), Ints({-1, 3})).status(), "shape");
}

TEST(TensorLists, ManyAtOnce) {
  const auto pair = [](const Tensor& a, const Tensor& b) {
    return Tensor::Vector<Variant>({a.scalar<Variant>(), b.scalar<Variant>()});
  };
  const Tensor lists = pair(ListOf({Floats({1})}), ListOf({Floats({2})}));
  auto pushed =
      OpRunner("TensorListPushBackBatch").Input(lists).Input(Matrix(2, 1, {5, 6})).RunOne();
  ASSERT_TRUE(pushed.ok()) << pushed.status();
  EXPECT_THAT(Values(Stack(Tensor::Scalar<Variant>(pushed->data<Variant>()[1]))),
              ElementsAre(2, 6));
  ExpectRefused(OpRunner("TensorListPushBackBatch")
                    .Input(lists)
                    .Input(Matrix(3, 1, {5, 6, 7}))
                    .RunOne()
                    .status(),
                "one list for each row");
  ExpectRefused(OpRunner("TensorListPushBackBatch")
                    .Input(pair(Empty(Ints({1})), Empty(Ints({2}))))
                    .Input(Matrix(2, 1, {5, 6}))
                    .RunOne()
                    .status(),
                "incompatible shape to a list at index 1. Op element shape: [1] list shape: [2]");
  const auto join = [](const Tensor& a, const Tensor& b, DType dtype = DType::kFloat) {
    return OpRunner("TensorListConcatLists")
        .Attr("element_dtype", dtype)
        .Input(a)
        .Input(b)
        .RunOne();
  };
  EXPECT_THAT(Values(Stack(*join(ListOf({Floats({1})}), ListOf({Floats({2})})))),
              ElementsAre(1, 2));
  ExpectRefused(join(ListOf({}), lists).status(), "one shape");
  ExpectRefused(join(ListOf({}), ListOf({}), DType::kInt32).status(), "int32");
  ExpectRefused(join(ListOf({}), ListOf({}, Ints({1}))).status(), "element shapes differ");
}

TEST(TensorLists, ZerosAndSums) {
  const Tensor list = ListOf({Floats({1, 2}), Floats({3})});
  auto zeros = OpRunner("ZerosLike").Input(list).RunOne();
  ASSERT_TRUE(zeros.ok()) << zeros.status();
  EXPECT_THAT(Values(Get(*zeros, 0)), ElementsAre(0, 0));
  EXPECT_THAT(Values(Get(*zeros, 1)), ElementsAre(0));
  const auto sum = [](std::vector<Tensor> lists) {
    return OpRunner("AddN").InputList(std::move(lists)).RunOne();
  };
  EXPECT_THAT(Values(Get(*sum({list, list, list}), 0)), ElementsAre(3, 6));
  EXPECT_THAT(Values(Get(list, 0)), ElementsAre(1, 2));
  const Tensor half = OrEmpty(Set(Reserve(Unknown(), 2), 1, Floats({4})));
  EXPECT_THAT(Values(Get(*sum({half, list}), 1)), ElementsAre(7));
  EXPECT_THAT(Values(Get(*sum({half, list}), 0)), ElementsAre(1, 2));
  ExpectRefused(sum({list, ListOf({Floats({1})})}).status(), "different lengths");
  ExpectRefused(sum({ListOf({}, Ints({1})), ListOf({}, Ints({2}))}).status(), "Incompatible");
  ExpectRefused(sum({list, ListOf({Floats({1}), Floats({2})})}).status(), "one shape");
}

// A list as a message gives it, and what the message says of it again.
TEST(TensorLists, InMessages) {
  const Tensor elements = ListOf({Floats({1, 2}), Floats({3, 4})});
  const auto bytes = SerializeTensor(elements);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const Tensor read = OrEmpty(ParseTensor(*bytes));
  EXPECT_THAT(Values(Get(read, 1)), ElementsAre(3, 4));
  EXPECT_THAT(Values(Get(OrEmpty(Push(read, Floats({5, 6}))), 2)), ElementsAre(5, 6));

  const Tensor half = OrEmpty(Set(Reserve(Ints({2}), 3), 1, Floats({7, 8})));
  const Tensor again = OrEmpty(ParseTensor(OrEmpty(SerializeTensor(half))));
  EXPECT_THAT(Values(Get(again, 1)), ElementsAre(7, 8));
  EXPECT_THAT(Values(Get(again, 2)), ElementsAre(0, 0));
  EXPECT_EQ(OrEmpty(ListFromVariant(again.scalar<Variant>()))->element_shape, PartialShape({2}));
}

TEST(TensorLists, MessagesThatAreNone) {
  const VariantCodec* codec = FindVariantCodec("tensorflow::TensorList");
  ASSERT_NE(codec, nullptr);
  const auto read = [&](std::string metadata, std::vector<Tensor> tensors) {
    return codec->read({std::move(metadata), std::move(tensors)}).status();
  };
  // No element without a value, float, any number of elements, scalars: as TensorFlow writes it.
  const std::string whole("\0\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12);
  EXPECT_TRUE(read(whole, {Tensor::Scalar(1.0f)}).ok());
  ExpectRefused(read(whole, {Int(1)}), "Invalid data types");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(read(whole.substr(0, size), {}).code(), Code::kInvalidArgument) << size;
  }
  ExpectRefused(read("\1\5\1\1", {}), "the element 5 without a value is none of the 1");
  ExpectRefused(read("\2\1\1\1\1", {}), "out of order");
  ExpectRefused(read("\xff\xff\x7f\1", {}), "the metadata end");
}

TEST(Variants, ZerosAndSumsOfNumbers) {
  const auto variant = [](auto value) { return Tensor::Scalar<Variant>(Variant::Of(value)); };
  const auto zero = [](const Tensor& of) {
    return OrEmpty(OpRunner("ZerosLike").Input(of).RunOne());
  };
  const auto sum = [](Tensor a, Tensor b) {
    return OpRunner("AddN").InputList({std::move(a), std::move(b)}).RunOne();
  };
  EXPECT_EQ(*zero(variant(int32_t{3})).scalar<Variant>().get<int32_t>(), 0);
  EXPECT_EQ(*zero(variant(true)).scalar<Variant>().get<bool>(), false);
  EXPECT_EQ(*OrEmpty(sum(variant(2.5f), variant(1.0f))).scalar<Variant>().get<float>(), 3.5f);
  EXPECT_EQ(*OrEmpty(sum(variant(2.5), variant(1.0))).scalar<Variant>().get<double>(), 3.5);
  EXPECT_EQ(*OrEmpty(sum(variant(true), variant(true))).scalar<Variant>().get<bool>(), true);
  const Tensor most = variant(int32_t{INT32_MAX});
  EXPECT_EQ(*OrEmpty(sum(most, most)).scalar<Variant>().get<int32_t>(), -2);
  EXPECT_EQ(sum(variant(1.0f), variant(1.0)).status().code(), Code::kInternal);
  const auto nothing = OpRunner("ZerosLike").Input(Tensor::Scalar<Variant>(Variant())).RunOne();
  EXPECT_EQ(nothing.status().code(), Code::kInternal);
}

TEST(Variants, ZerosAndSumsOfOptionals) {
  const auto optional = [](std::vector<Tensor> components) {
    return OptionalToTensor(&components);
  };
  const Tensor none = OptionalToTensor(nullptr);
  const auto zero = [](const Tensor& of) {
    return OrEmpty(OpRunner("ZerosLike").Input(of).RunOne());
  };
  const auto sum = [](std::vector<Tensor> all) {
    return OpRunner("AddN").InputList(std::move(all)).RunOne();
  };
  const auto values = [](const Tensor& t, size_t i) {
    return Values((*OrEmpty(OptionalFromTensor(t)))[i]);
  };
  const Tensor one = optional({Floats({1, 2}), Floats({3})});
  EXPECT_THAT(values(zero(one), 0), ElementsAre(0, 0));
  EXPECT_THAT(values(zero(one), 1), ElementsAre(0));
  EXPECT_EQ(OrEmpty(OptionalFromTensor(zero(none))), nullptr);
  EXPECT_THAT(values(OrEmpty(sum({one, one, one})), 0), ElementsAre(3, 6));
  EXPECT_EQ(OrEmpty(OptionalFromTensor(OrEmpty(sum({none, none})))), nullptr);
  ExpectRefused(sum({one, none}).status(), "one has a value and the other doesn't");
  ExpectRefused(sum({one, optional({Floats({1, 2})})}).status(), "different numbers of components");
  ExpectRefused(sum({one, optional({Floats({1, 2}), Ints({3})})}).status(), "one dtype");

  const Tensor read = OrEmpty(ParseTensor(OrEmpty(SerializeTensor(one))));
  EXPECT_THAT(values(read, 0), ElementsAre(1, 2));
  EXPECT_EQ(OrEmpty(OptionalFromTensor(OrEmpty(ParseTensor(OrEmpty(SerializeTensor(none)))))),
            nullptr);
}

}  // namespace
}  // namespace warpbeam
