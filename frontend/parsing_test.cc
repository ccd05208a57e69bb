// What is parsed, and the shapes of sparse tensors, are those of TensorFlow 2.21.
#include "frontend/parsing.h"

#include <string>
#include <vector>

#include "frontend/array.h"
#include "frontend/client_session.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

std::string Field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(bytes.size())) + bytes;
}
std::string Entry(const std::string& key, const std::string& feature) {
  return Field(1, Field(1, key) + Field(2, feature));
}
// tf.train.Example messages of less than 128 bytes.
std::string Ints(const std::string& key, const std::vector<int>& values) {
  std::string packed;
  for (int v : values) packed.push_back(static_cast<char>(v));
  return Entry(key, Field(3, Field(1, packed)));
}
std::string Texts(const std::string& key, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& v : values) list += Field(1, v);
  return Entry(key, Field(1, list));
}
std::string Example(const std::string& entries) { return Field(1, entries); }

const std::string& First() {
  static const std::string* const text =
      new std::string(Example(Ints("tags", {3, 1, 4}) + Texts("name", {"x"}) + Ints("n", {5})));
  return *text;
}
const std::string& Second() {
  static const std::string* const text = new std::string(Example(Texts("name", {"y", "z"})));
  return *text;
}

FeatureSpec Spec() {
  return {{"tags", VarLenFeature(DType::kInt64)},
          {"name", VarLenFeature(DType::kString)},
          {"n", FixedLenFeature({}, DType::kInt64, Tensor::Scalar<int64_t>(-1))}};
}

template <typename T>
std::vector<T> Values(const Tensor& t) {
  return std::vector<T>(t.data<T>(), t.data<T>() + t.num_elements());
}

FeatureSpec RaggedSpec() {
  return {{"tokens", RaggedFeature(DType::kString, "words")}, {"n", RaggedFeature(DType::kInt64)}};
}

TEST(RaggedFeatureTest, RowsOfABatch) {
  const Scope root = Scope::NewRoot();
  const std::vector<std::string> messages = {Example(Texts("words", {"a", "bc"}) + Ints("n", {1})),
                                             Example(""),
                                             Example(Texts("words", {"d"}) + Ints("n", {2, 3, 4}))};
  ParsedFeatures parsed = ParseExample(root, Constant(root, messages), RaggedSpec());
  ParsedFeatures single = ParseSingleExample(root, messages[2], RaggedSpec());
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const auto out = session.Run({parsed.ragged["tokens"].values, parsed.ragged["tokens"].row_splits,
                                parsed.ragged["n"].values, parsed.ragged["n"].row_splits,
                                single["tokens"], single["n"]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Values<std::string>((*out)[0]), (std::vector<std::string>{"a", "bc", "d"}));
  EXPECT_EQ(Values<int64_t>((*out)[1]), (std::vector<int64_t>{0, 2, 2, 3}));
  EXPECT_EQ(Values<int64_t>((*out)[2]), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(Values<int64_t>((*out)[3]), (std::vector<int64_t>{0, 1, 1, 4}));
  EXPECT_EQ(Values<std::string>((*out)[4]), (std::vector<std::string>{"d"}));
  EXPECT_EQ(Values<int64_t>((*out)[5]), (std::vector<int64_t>{2, 3, 4}));
}

TEST(RaggedFeatureTest, NotOfSequences) {
  const Scope root = Scope::NewRoot();
  ParseSequenceExample(root, Constant(root, std::vector<std::string>{""}), {}, RaggedSpec());
  EXPECT_FALSE(root.ok());
  const Scope failed = Scope::NewRoot();
  ParsedFeatures none = ParseExample(failed, Output(), RaggedSpec());
  EXPECT_FALSE(none.ragged["n"].valid());
  EXPECT_FALSE(ParseSingleExample(failed, "", RaggedSpec())["n"].valid());
  EXPECT_FALSE(failed.ok());
}

TEST(VarLenFeatureTest, OfManyExamples) {
  const Scope root = Scope::NewRoot();
  const Output serialized =
      Constant(root, std::vector<std::string>{First(), Second(), Example(Ints("tags", {1}))});
  ParsedFeatures parsed = ParseExample(root, serialized, Spec());
  ASSERT_TRUE(root.ok()) << root.status();
  const SparseOutput tags = parsed.sparse["tags"], name = parsed.sparse["name"];
  EXPECT_EQ(tags.indices.name(), "ParseExample/ParseExampleV2:1");
  ClientSession session(root);
  auto out = session.Run({tags.indices, tags.values, tags.dense_shape, name.indices, name.values,
                          name.dense_shape, parsed["n"]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), Shape({4, 2}));
  EXPECT_EQ(Values<int64_t>((*out)[0]), (std::vector<int64_t>{0, 0, 0, 1, 0, 2, 2, 0}));
  EXPECT_EQ(Values<int64_t>((*out)[1]), (std::vector<int64_t>{3, 1, 4, 1}));
  EXPECT_EQ(Values<int64_t>((*out)[2]), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(Values<int64_t>((*out)[3]), (std::vector<int64_t>{0, 0, 1, 0, 1, 1}));
  EXPECT_EQ(Values<std::string>((*out)[4]), (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(Values<int64_t>((*out)[5]), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(Values<int64_t>((*out)[6]), (std::vector<int64_t>{5, -1, -1}));
}

TEST(VarLenFeatureTest, OfOneExample) {
  const Scope root = Scope::NewRoot();
  for (const bool is_first : {true, false}) {
    ParsedFeatures parsed =
        ParseSingleExample(root, Constant(root, is_first ? First() : Second()), Spec());
    ASSERT_TRUE(root.ok()) << root.status();
    const SparseOutput tags = parsed.sparse["tags"];
    ClientSession session(root);
    auto out = session.Run({tags.indices, tags.values, tags.dense_shape});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].shape(), Shape({is_first ? 3 : 0, 1}));
    EXPECT_EQ(Values<int64_t>((*out)[1]),
              is_first ? (std::vector<int64_t>{3, 1, 4}) : std::vector<int64_t>());
    EXPECT_EQ(Values<int64_t>((*out)[2]), (std::vector<int64_t>{is_first ? 3 : 0}));
  }
}

TEST(VarLenFeatureTest, WhatIsNotThere) {
  const Scope root = Scope::NewRoot();
  ParsedFeatures parsed = ParseSingleExample(root, Constant(root, First()), Spec());
  EXPECT_FALSE(parsed["tags"].valid());  // it is sparse
  EXPECT_FALSE(parsed["other"].valid());
  const Scope wrong = Scope::NewRoot();
  ParseSingleExample(wrong, Constant(wrong, First()), {{"n", VarLenFeature(DType::kInt32)}});
  EXPECT_EQ(wrong.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
