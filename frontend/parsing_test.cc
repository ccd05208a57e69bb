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

// Of less than 2^14 bytes.
std::string Field(int number, const std::string& bytes) {
  std::string size(1, static_cast<char>(bytes.size() & 127));
  if (bytes.size() > 127) {
    size[0] = static_cast<char>(size[0] | 128);
    size.push_back(static_cast<char>(bytes.size() >> 7));
  }
  return std::string(1, static_cast<char>(number << 3 | 2)) + size + bytes;
}
std::string Entry(const std::string& key, const std::string& feature) {
  return Field(1, Field(1, key) + Field(2, feature));
}
// tf.train.Example messages; numbers are less than 128.
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

using Splits = std::vector<std::vector<int64_t>>;

// What TensorFlow gives for partitions: of a batch of three messages and of the first alone.
struct PartitionCase {
  const char* name;
  std::vector<RaggedPartition> partitions;
  Splits batch, single;  // the outermost first
  int width;             // of the values' second dimension; 0: they have none
};

std::vector<PartitionCase> PartitionCases() {
  using P = RaggedPartition;
  const Splits by_starts = {{0, 3, 3, 4}, {0, 2, 2, 6, 8}};
  return {
      {"splits", {P::RowSplits("splits")}, {{0, 3, 3, 4}, {0, 1, 4, 6, 8}}, {{0, 1, 4, 6}}, 0},
      {"lengths",
       {P::RowLengths("lengths")},
       {{0, 3, 3, 5}, {0, 2, 2, 6, 7, 8}},
       {{0, 2, 2, 6}},
       0},
      {"starts", {P::RowStarts("starts")}, by_starts, {{0, 2, 2, 6}}, 0},
      {"limits", {P::RowLimits("limits")}, by_starts, {{0, 2, 2, 6}}, 0},
      {"ids", {P::ValueRowIds("ids")}, {{0, 3, 3, 5}, {0, 3, 3, 6, 6, 8}}, {{0, 3, 3, 6}}, 0},
      {"uniform", {P::UniformRowLength(2)}, {{0, 3, 3, 4}}, {}, 2},
      {"two",
       {P::RowSplits("outer"), P::RowSplits("sp2")},
       {{0, 1, 1, 2}, {0, 3, 4}, {0, 2, 2, 6, 8}},
       {{0, 3}, {0, 2, 2, 6}},
       0},
      {"mixed", {P::RowSplits("sp2"), P::UniformRowLength(1)}, by_starts, {{0, 2, 2, 6}}, 1},
      {"even rows of rows",
       {P::UniformRowLength(1), P::RowLengths("lengths")},
       {{0, 3, 3, 5}, {0, 1, 2, 3, 4, 5}, {0, 2, 2, 6, 7, 8}},
       {{0, 1, 2, 3}, {0, 2, 2, 6}},
       0},
  };
}

OutputList NestedSplits(const RaggedTensor& ragged) {
  OutputList all = ragged.outer_row_splits;
  all.push_back(ragged.row_splits);
  return all;
}

TEST(RaggedFeatureTest, PartitionsCutValuesAsTensorFlowDoes) {
  const std::vector<std::string> messages = {
      Example(Ints("v", {3, 1, 4, 1, 5, 9}) + Ints("splits", {0, 1, 4, 6}) +
              Ints("lengths", {2, 0, 4}) + Ints("starts", {0, 2, 2}) + Ints("limits", {2, 2, 6}) +
              Ints("ids", {0, 0, 0, 2, 2, 2}) + Ints("outer", {0, 3}) + Ints("sp2", {0, 2, 2, 6})),
      Example(""),
      Example(Ints("v", {2, 6}) + Ints("splits", {0, 2}) + Ints("lengths", {1, 1}) +
              Ints("starts", {0}) + Ints("limits", {2}) + Ints("ids", {1, 1}) +
              Ints("outer", {0, 1}) + Ints("sp2", {0, 2}))};
  for (const PartitionCase& c : PartitionCases()) {
    SCOPED_TRACE(c.name);
    const Scope root = Scope::NewRoot();
    const FeatureSpec spec = {{"x", RaggedFeature(DType::kInt64, "v", c.partitions)}};
    ParsedFeatures batch = ParseExample(root, Constant(root, messages), spec);
    ParsedFeatures single = ParseSingleExample(root, messages[0], spec);
    ASSERT_TRUE(root.ok()) << root.status();
    ClientSession session(root);
    const auto of_batch = session.Run(NestedSplits(batch.ragged["x"]));
    ASSERT_TRUE(of_batch.ok()) << of_batch.status();
    ASSERT_EQ(of_batch->size(), c.batch.size());
    for (size_t i = 0; i < c.batch.size(); ++i) {
      EXPECT_EQ(Values<int64_t>((*of_batch)[i]), c.batch[i]) << i;
    }
    const bool is_dense = c.single.empty();
    const auto values =
        session.Run({batch.ragged["x"].values, is_dense ? single["x"] : single.ragged["x"].values});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ(Values<int64_t>((*values)[0]), (std::vector<int64_t>{3, 1, 4, 1, 5, 9, 2, 6}));
    EXPECT_EQ(Values<int64_t>((*values)[1]), (std::vector<int64_t>{3, 1, 4, 1, 5, 9}));
    EXPECT_EQ((*values)[0].shape(), c.width == 0 ? Shape({8}) : Shape({8 / c.width, c.width}));
    if (is_dense) continue;
    const auto of_single = session.Run(NestedSplits(single.ragged["x"]));
    ASSERT_TRUE(of_single.ok()) << of_single.status();
    ASSERT_EQ(of_single->size(), c.single.size());
    for (size_t i = 0; i < c.single.size(); ++i) {
      EXPECT_EQ(Values<int64_t>((*of_single)[i]), c.single[i]) << i;
    }
  }
}

TEST(RaggedFeatureTest, ALengthBelowOneIsAnError) {
  const Scope root = Scope::NewRoot();
  const FeatureSpec spec = {
      {"x", RaggedFeature(DType::kInt64, "v", {RaggedPartition::UniformRowLength(0)})}};
  ParseExample(root, Constant(root, std::vector<std::string>{""}), spec);
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
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
