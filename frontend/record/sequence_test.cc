// Sequence examples, lists and sparse features are parsed as TensorFlow 2.21 parses them.
#include <cmath>
#include <limits>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/parsing.h"
#include "frontend/record/example.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using train::FloatFeature;
using train::Int64Feature;

std::string First() {
  return train::SequenceExample({{"n", Int64Feature({5})}},
                                {{"x", {FloatFeature({1, 2}), FloatFeature({3, 4})}},
                                 {"tags", {Int64Feature({7}), Int64Feature({8, 9})}}})
      .SerializeToString();
}

std::string Second() {
  return train::SequenceExample({{"n", Int64Feature({6})}},
                                {{"x", {FloatFeature({5, 6})}}, {"tags", {Int64Feature({1})}}})
      .SerializeToString();
}

template <typename T>
std::vector<T> ValuesOf(const Scope& root, const Output& output) {
  EXPECT_TRUE(root.ok()) << root.status();
  if (!root.ok()) return {};
  ClientSession session(root);
  const auto got = session.Run({output});
  EXPECT_TRUE(got.ok()) << got.status();
  if (!got.ok()) return {};
  return std::vector<T>((*got)[0].data<T>(), (*got)[0].data<T>() + (*got)[0].num_elements());
}

TEST(SequenceTest, BatchesArePadded) {
  const Scope root = Scope::NewRoot();
  const ParsedSequence parsed = ParseSequenceExample(
      root, Constant(root, std::vector<std::string>{First(), Second()}),
      {{"n", FixedLenFeature({}, DType::kInt64)}},
      {{"x", FixedLenSequenceFeature({2}, DType::kFloat)}, {"tags", VarLenFeature(DType::kInt64)}});
  EXPECT_THAT(ValuesOf<int64_t>(root, parsed.context["n"]), ElementsAre(5, 6));
  EXPECT_THAT(ValuesOf<float>(root, parsed.sequence["x"]), ElementsAre(1, 2, 3, 4, 5, 6, 0, 0));
  EXPECT_THAT(ValuesOf<int64_t>(root, parsed.lengths.at("x")), ElementsAre(2, 1));
  const SparseOutput& tags = parsed.sequence.sparse.at("tags");
  EXPECT_THAT(ValuesOf<int64_t>(root, tags.values), ElementsAre(7, 8, 9, 1));
  EXPECT_THAT(ValuesOf<int64_t>(root, tags.dense_shape), ElementsAre(2, 2, 2));
  EXPECT_THAT(ValuesOf<int64_t>(root, tags.indices),
              ElementsAre(0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0));
}

TEST(SequenceTest, OneMessage) {
  const Scope root = Scope::NewRoot();
  const ParsedSequence parsed = ParseSingleSequenceExample(
      root, First(), {{"n", FixedLenFeature({}, DType::kInt64)}},
      {{"x", FixedLenSequenceFeature({2}, DType::kFloat)},
       {"none", FixedLenSequenceFeature({}, DType::kInt64, /*allow_missing_lists=*/true)}});
  EXPECT_THAT(ValuesOf<float>(root, parsed.sequence["x"]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ValuesOf<int64_t>(root, parsed.sequence["none"]), ElementsAre());
  const auto again = train::SequenceExample::ParseFromString(First());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->SerializeToString(), First());
  EXPECT_EQ(again->feature_lists().at("x").size(), 2u);
  EXPECT_FALSE(train::SequenceExample::ParseFromString("\x07").ok());
}

TEST(SequenceTest, ExamplesWithListsAndSparseFeatures) {
  const Scope root = Scope::NewRoot();
  const auto message = [](std::vector<float> list, std::vector<int64_t> at,
                          std::vector<float> values) {
    return train::Example(
               {{"l", FloatFeature(list)}, {"i", Int64Feature(at)}, {"v", FloatFeature(values)}})
        .SerializeToString();
  };
  const ParsedFeatures parsed = ParseExample(
      root,
      Constant(root, std::vector<std::string>{message({1, 2, 3, 4}, {4, 1}, {0.5f, 0.25f}),
                                              message({5, 6}, {0}, {2})}),
      {{"l", FixedLenSequenceFeature({2}, DType::kFloat, true, Tensor::Scalar<float>(-1))},
       {"sp", SparseFeature("i", "v", DType::kFloat, 6)}});
  EXPECT_THAT(ValuesOf<float>(root, parsed.dense.at("l")), ElementsAre(1, 2, 3, 4, 5, 6, -1, -1));
  ASSERT_EQ(parsed.sparse.size(), 1u);
  const SparseOutput& merged = parsed.sparse.at("sp");
  EXPECT_THAT(ValuesOf<int64_t>(root, merged.indices), ElementsAre(0, 1, 0, 4, 1, 0));
  EXPECT_THAT(ValuesOf<float>(root, merged.values), ElementsAre(0.25f, 0.5f, 2));
  EXPECT_THAT(ValuesOf<int64_t>(root, merged.dense_shape), ElementsAre(2, 6));
}

TEST(SequenceTest, SaysWhatDoesNotFit) {
  const auto refused = [](const FeatureSpec& context, const FeatureSpec& steps) {
    const Scope root = Scope::NewRoot();
    ParseSequenceExample(root, Constant(root, std::vector<std::string>{""}), context, steps);
    return std::string(root.status().message());
  };
  EXPECT_THAT(refused({}, {}), HasSubstr("needs a feature"));
  EXPECT_THAT(refused({}, {{"x", FixedLenFeature({}, DType::kFloat)}}),
              HasSubstr("'x' of a sequence's steps"));
  EXPECT_THAT(refused({{"c", SparseFeature("i", "v", DType::kFloat, 1)}}, {}),
              HasSubstr("'c' of a sequence's context"));
  const Scope root = Scope::NewRoot();
  ParseExample(root, "", {{"l", FixedLenSequenceFeature({}, DType::kFloat)}});
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("must be allowed to be missing"));
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
