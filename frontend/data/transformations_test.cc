#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/data/dataset.h"
#include "frontend/host_tensor/host_tensor.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

using Rows = std::vector<std::vector<int64_t>>;

// All elements, each the values of all its int64 components one after the other.
Rows ElementsOf(const Dataset& dataset) {
  Rows rows;
  const Element next = dataset.MakeOneShotIterator().GetNext();
  EXPECT_TRUE(dataset.scope().ok()) << dataset.scope().status();
  ClientSession session(dataset.scope());
  for (int i = 0; i < 100; ++i) {
    const auto element = session.Run(next);
    if (!element.ok()) {
      EXPECT_EQ(element.status().code(), StatusCode::kOutOfRange) << element.status();
      return rows;
    }
    std::vector<int64_t> row;
    for (const Tensor& component : *element) {
      const auto values = ValuesOf<int64_t>(component);
      EXPECT_TRUE(values.ok()) << values.status();
      if (values.ok()) row.insert(row.end(), values->begin(), values->end());
    }
    rows.push_back(row);
  }
  return rows;
}

Dataset Numbers(const Scope& scope, int64_t stop) { return Range(scope, 0, stop); }

TEST(DatasetTest, JoinedDatasets) {
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(ElementsOf(Zip({Numbers(root, 3), Range(root, 5, 9)})), (Rows{{0, 5}, {1, 6}, {2, 7}}));
  EXPECT_EQ(ElementsOf(Numbers(root, 2).Concatenate(Range(root, 7, 8))), (Rows{{0}, {1}, {7}}));
  EXPECT_EQ(ElementsOf(Range(root, 7, 9).Enumerate(3)), (Rows{{3, 7}, {4, 8}}));
}

TEST(DatasetTest, PartsOfDatasets) {
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(ElementsOf(Numbers(root, 7).Shard(3, 1)), (Rows{{1}, {4}}));
  EXPECT_EQ(ElementsOf(Numbers(root, 7).TakeWhile(
                [](const Scope&, const Element& e) { return e[0] < 2; })),
            (Rows{{0}, {1}}));
  const auto half = [](const Scope& s, const Element& e) -> Element {
    return {FloorDivide(s, e[0], 2)};
  };
  EXPECT_EQ(ElementsOf(Numbers(root, 5).Map(half).Unique()), (Rows{{0}, {1}, {2}}));
  EXPECT_EQ(ElementsOf(Numbers(root, 5).Batch(2).Unbatch().Skip(3)), (Rows{{3}, {4}}));
  EXPECT_EQ(ElementsOf(Numbers(root, 5).Batch(2).Rebatch(3)), (Rows{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(ElementsOf(Numbers(root, 2).Cache().Repeat(2)), (Rows{{0}, {1}, {0}, {1}}));
}

TEST(DatasetTest, Interleave) {
  const auto twice = [](const Scope& s, const Element& e) {
    return FromTensors(s, {e[0]}).Repeat(2);
  };
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(ElementsOf(Numbers(root, 3).Interleave(twice, 2, 1)),
            (Rows{{0}, {1}, {0}, {1}, {2}, {2}}));
  EXPECT_EQ(ElementsOf(Numbers(root, 3).Interleave(twice, 2, 2, 2)),
            (Rows{{0}, {0}, {1}, {1}, {2}, {2}}));
}

TEST(DatasetTest, WindowsAreDatasets) {
  const Scope root = Scope::NewRoot();
  const Dataset numbers = Numbers(root, 5);
  const auto batch = [&](const Scope& s, const Element& window) {
    return FromVariant(s, window[0], numbers.spec()).Batch(3);
  };
  EXPECT_EQ(ElementsOf(numbers.Window(3, 1, 1, true).FlatMap(batch)),
            (Rows{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}}));
  EXPECT_EQ(ElementsOf(numbers.Window(3).FlatMap(batch)), (Rows{{0, 1, 2}, {3, 4}}));
}

TEST(DatasetTest, PaddedBatchesAndBuckets) {
  const Scope root = Scope::NewRoot();
  const auto up_to = [](const Scope& s, const Element& e) -> Element {
    const Output range = BuildOutput(s, "Range", {Constant(s, int64_t{0}), e[0], int64_t{1}});
    return {range};
  };
  const Dataset lists = Range(root, 1, 4).Map(up_to);
  EXPECT_EQ(ElementsOf(lists.PaddedBatch(2)), (Rows{{0, 0, 0, 1}, {0, 1, 2}}));
  EXPECT_EQ(ElementsOf(lists.PaddedBatch(2, {PartialShape({3})}, {-1}, true)),
            (Rows{{0, -1, -1, 0, 1, -1}}));
  const auto length = [](const Scope& s, const Element& e) {
    return BuildOutput(s, "Size", {e[0]});
  };
  EXPECT_EQ(ElementsOf(lists.Repeat(2).BucketBySequenceLength(length, {2}, {2, 2})),
            (Rows{{0, 1, 0, 0, 1, 2}, {0, 0}, {0, 1, 0, 0, 1, 2}}));
  const Scope wrong = Scope::NewRoot();
  Numbers(wrong, 3).PaddedBatch(2, {PartialShape(), PartialShape()});
  EXPECT_FALSE(wrong.ok());
}

TEST(DatasetTest, StatesGoThroughDatasets) {
  const Scope root = Scope::NewRoot();
  const Dataset sums = Numbers(root, 4).Scan(
      {int64_t{10}}, [](const Scope&, const Element& state, const Element& e) {
        const Output sum = state[0] + e[0];
        return std::pair<Element, Element>({sum}, {sum, e[0]});
      });
  EXPECT_EQ(ElementsOf(sums), (Rows{{10, 0}, {11, 1}, {13, 2}, {16, 3}}));
  const Element total = Numbers(root, 4).Reduce(
      {int64_t{0}}, [](const Scope&, const Element& state, const Element& e) -> Element {
        return {state[0] + e[0]};
      });
  ClientSession session(root);
  EXPECT_EQ(*ValueOf<int64_t>(session.Run(total)->at(0)), 6);
  EXPECT_EQ(*ValueOf<int64_t>(session.Run({Numbers(root, 4).Cardinality()})->at(0)), 4);
  EXPECT_EQ(*ValueOf<int64_t>(session.Run(Range(root, 7, 8).GetSingleElement())->at(0)), 7);
}

TEST(DatasetTest, AStateMayChangeItsShape) {
  const Scope root = Scope::NewRoot();
  const Element all = Numbers(root, 3).Reduce(
      {Constant(root, {int64_t{9}})},
      [](const Scope& s, const Element& state, const Element& e) -> Element {
        return {Concat(s, {state[0], ExpandDims(s, e[0], 0)}, 0)};
      });
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(all[0].shape().rank(), 1);
  ClientSession session(root);
  EXPECT_EQ(*ValuesOf<int64_t>(session.Run(all)->at(0)), (std::vector<int64_t>{9, 0, 1, 2}));
}

TEST(DatasetTest, GroupsOfOneKey) {
  const Scope root = Scope::NewRoot();
  const auto parity = [](const Scope&, const Element& e) { return e[0] % 2; };
  const auto batch = [](const Scope&, const Output&, const Dataset& window) {
    return window.Batch(2);
  };
  EXPECT_EQ(ElementsOf(Numbers(root, 5).GroupByWindow(parity, batch, 2)),
            (Rows{{0, 2}, {1, 3}, {4}}));
}

TEST(DatasetTest, WhateverFollowsHasTheOptions) {
  const Scope root = Scope::NewRoot();
  const std::string wanted = Options().deterministic(true).Serialize();
  const Dataset numbers = Numbers(root, 2).WithOptions(Options().deterministic(true));
  const auto same = [](const Scope&, const Element& e) { return e; };
  const auto any = [](const Scope& at, const Element&) { return Constant(at, true); };
  const auto one = [](const Scope& at, const Element& e) { return FromTensors(at, {e[0]}); };
  for (const Dataset& next :
       {numbers.Map(same), numbers.Map(same, 2), numbers.Filter(any), numbers.FlatMap(one),
        numbers.Interleave(one, 2), numbers.TakeWhile(any), numbers.PaddedBatch(2),
        numbers.Batch(2).Repeat(3)}) {
    EXPECT_EQ(next.options().Serialize(), wanted) << next.variant().name();
  }
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(DatasetTest, ErrorsAndCounts) {
  const Scope root = Scope::NewRoot();
  const auto invert = [](const Scope& s, const Element& e) -> Element {
    return {FloorDivide(s, int64_t{4}, e[0])};
  };
  EXPECT_EQ(ElementsOf(Numbers(root, 3).Map(invert).IgnoreErrors()), (Rows{{4}, {2}}));
  const Element two = Numbers(root, 2).AssertCardinality(3).Batch(5).GetSingleElement();
  ClientSession session(root);
  EXPECT_EQ(session.Run(two).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(ElementsOf(Numbers(root, 2).WithOptions(Options().deterministic(true))),
            (Rows{{0}, {1}}));
  // As TensorFlow writes them.
  EXPECT_EQ(Options().autotune_enabled(true).Serialize(), std::string("\x12\0\x1a\0*\0:\x02\x08\x01"
                                                                      "b\0",
                                                                      12));
  EXPECT_EQ(Options().deterministic(true).dataset_name("abc").Serialize(),
            std::string("\x08\x01\x12\0\x1a\0*\0:\0R\x03"
                        "abcb\0",
                        17));
  EXPECT_EQ(Options().deterministic(true).private_threadpool_size(2).Serialize(),
            std::string("\x08\x01\x12\x00\x1a\x00*\x02\x10\x02:\x00"
                        "b\x00",
                        14));
}

TEST(IteratorTest, BatchSizesAndSourcesMayBeFed) {
  const Scope root = Scope::NewRoot();
  const Output size = Placeholder(root, DType::kInt64, Shape());
  const Iterator iterator = Numbers(root, 5).Batch(size).MakeInitializableIterator();
  const Element next = iterator.GetNext();
  ClientSession session(root);
  ASSERT_TRUE(session.Run({{size, Tensor::Scalar<int64_t>(4)}}, {iterator.initializer()}).ok());
  EXPECT_EQ(session.Run(next)->at(0).shape(), Shape({4}));
}

TEST(IteratorTest, OneIteratorForSeveralDatasets) {
  const Scope root = Scope::NewRoot();
  const Iterator iterator = Iterator::FromStructure(root, Numbers(root, 1).spec());
  const Operation to_low = iterator.MakeInitializer(Numbers(root, 3));
  const Operation to_high = iterator.MakeInitializer(Range(root, 10, 12));
  const Element next = iterator.GetNext();
  const Output optional = iterator.GetNextAsOptional();
  const Output has_value = BuildOutput(root, "OptionalHasValue", {optional});
  ClientSession session(root);
  ASSERT_TRUE(session.Run({to_high}).ok());
  EXPECT_EQ(*ValueOf<int64_t>(session.Run(next)->at(0)), 10);
  ASSERT_TRUE(session.Run({to_low}).ok());
  EXPECT_EQ(*ValueOf<int64_t>(session.Run(next)->at(0)), 0);
  EXPECT_TRUE(*ValueOf<bool>(session.Run({has_value})->at(0)));
  EXPECT_TRUE(*ValueOf<bool>(session.Run({has_value})->at(0)));
  EXPECT_FALSE(*ValueOf<bool>(session.Run({has_value})->at(0)));
  iterator.MakeInitializer(FromTensors(root, {1.0f}));
  EXPECT_FALSE(root.ok());
}

TEST(IteratorTest, AFeedableIteratorReadsWhatIsFed) {
  const Scope root = Scope::NewRoot();
  const Iterator low = Numbers(root, 3).MakeOneShotIterator();
  const Iterator high = Range(root, 10, 12).MakeOneShotIterator();
  const Output handle = Placeholder(root, DType::kString, Shape());
  const Element next = Iterator::FromStringHandle(root, handle, low.spec()).GetNext();
  ClientSession session(root);
  const auto handles = session.Run({low.string_handle(), high.string_handle()});
  ASSERT_TRUE(handles.ok()) << handles.status();
  EXPECT_EQ(*ValueOf<int64_t>(session.Run({{handle, (*handles)[1]}}, next)->at(0)), 10);
  EXPECT_EQ(*ValueOf<int64_t>(session.Run({{handle, (*handles)[0]}}, next)->at(0)), 0);
}

}  // namespace
}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
