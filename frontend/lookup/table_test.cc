// Tables give the numbers that TensorFlow's give, of words, of buckets and of files.
#include "frontend/lookup/table.h"

#include <fstream>
#include <functional>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TableTest : public testing::Test {
 protected:
  std::vector<int64_t> Numbers(const Output& output) {
    const Tensor got = Run(output);
    return std::vector<int64_t>(got.data<int64_t>(), got.data<int64_t>() + got.num_elements());
  }

  Tensor Run(const Output& output) {
    EXPECT_TRUE(root.ok()) << root.status();
    if (!root.ok()) return Tensor::Scalar<int64_t>(-77);
    const Operation init = TablesInitializer(root);
    ClientSession session(root);
    EXPECT_TRUE(session.Run({init}).ok());
    const auto got = session.Run({output});
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() ? (*got)[0] : Tensor::Scalar<int64_t>(-77);
  }

  const Scope root = Scope::NewRoot();
  const Output words = Constant(root, {"cat", "dog", "emu"});
};

TEST_F(TableTest, StaticTables) {
  const lookup::KeyValueTensorInitializer entries(root, Constant(root, {"cat", "dog"}),
                                                  {int64_t{7}, int64_t{9}});
  const lookup::StaticHashTable table(root, entries, int64_t{-1});
  const Output found = table.Lookup(root, words);
  EXPECT_EQ(table.name(), "hash_table");
  EXPECT_EQ(found.name(), "hash_table_Lookup/LookupTableFindV2:0");
  EXPECT_EQ(found.shape().ToString(), "[3]");
  EXPECT_THAT(Numbers(found), ElementsAre(7, 9, -1));
  EXPECT_THAT(Numbers(table.Size(root)), ElementsAre(2));
}

TEST_F(TableTest, VocabulariesWithBuckets) {
  const lookup::KeyValueTensorInitializer entries(root, Constant(root, {"cat", "dog"}),
                                                  {int64_t{0}, int64_t{1}});
  const lookup::StaticVocabularyTable table(root, entries, 5);
  const lookup::StaticVocabularyTable buckets(root.Named("b"), 5);
  // What tf.lookup.StaticVocabularyTable of TensorFlow 2.21 gives.
  EXPECT_THAT(Numbers(table.Lookup(root, words)), ElementsAre(0, 1, 4));
  EXPECT_THAT(Numbers(table.Size(root)), ElementsAre(7));
  EXPECT_THAT(Numbers(buckets.Lookup(root, words)), ElementsAre(1, 2, 2));
}

TEST_F(TableTest, FilesAndBack) {
  const std::string path = testing::TempDir() + "/vocabulary.txt";
  std::ofstream(path) << "emu\ncat\n";
  const auto index = lookup::IndexTableFromFile(root, path);
  const auto with_bucket =
      lookup::IndexTableFromFile(root, path, lookup::IndexTableOptions().num_oov_buckets(1));
  const auto back = lookup::IndexToStringTableFromFile(root, path);
  const Output ids = index.Lookup(root, words);
  EXPECT_THAT(Numbers(ids), ElementsAre(1, -1, 0));
  EXPECT_THAT(Numbers(with_bucket.Lookup(root, words)), ElementsAre(1, 2, 0));
  const Tensor text = Run(back.Lookup(root, ids));
  EXPECT_EQ(text.data<std::string>()[0], "cat");
  EXPECT_EQ(text.data<std::string>()[1], "UNK");
  const auto from_tensor = lookup::IndexTableFromTensor(root, Constant(root, {"dog", "emu"}));
  EXPECT_THAT(Numbers(from_tensor.Lookup(root, words)), ElementsAre(-1, 0, 1));
}

TEST_F(TableTest, MutableTables) {
  const lookup::MutableHashTable table(root, DType::kString, DType::kInt64, int64_t{-1});
  const Operation insert = table.Insert(root, words, {int64_t{1}, int64_t{2}, int64_t{3}});
  const Operation remove = table.Remove(root, Constant(root, {"dog"}));
  const Output found = table.Lookup(root, words), size = table.Size(root);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  ASSERT_TRUE(session.Run({insert}).ok());
  ASSERT_TRUE(session.Run({remove}).ok());
  const auto got = session.Run({found, size});
  ASSERT_TRUE(got.ok()) << got.status();
  const int64_t* ids = (*got)[0].data<int64_t>();
  EXPECT_EQ(std::vector<int64_t>(ids, ids + 3), (std::vector<int64_t>{1, -1, 3}));
  EXPECT_EQ((*got)[1].scalar<int64_t>(), 2);
}

TEST(TableErrors, SayWhatDoesNotFit) {
  const auto refused = [](const std::function<void(const Scope&)>& build) {
    const Scope root = Scope::NewRoot();
    build(root);
    return std::string(root.status().message());
  };
  EXPECT_THAT(refused([](const Scope& s) { lookup::StaticHashTable().Lookup(s, "x"); }),
              HasSubstr("never made"));
  EXPECT_THAT(refused([](const Scope& s) { lookup::StaticVocabularyTable(s, 0); }),
              HasSubstr("needs one or more, got 0"));
  EXPECT_THAT(refused([](const Scope& s) {
                lookup::StaticHashTable(
                    s, lookup::TextFileInitializer("f", DType::kFloat, 0, DType::kInt64, -3), 0);
              }),
              HasSubstr("TextFileInitializer of 'f'"));
  EXPECT_THAT(refused([](const Scope& s) {
                const lookup::KeyValueTensorInitializer entries(s, Constant(s, {"a"}), {1.0f});
                lookup::StaticHashTable(s, entries, 0.0f).Lookup(s, Constant(s, {1}));
              }),
              HasSubstr("has keys of the type string"));
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
