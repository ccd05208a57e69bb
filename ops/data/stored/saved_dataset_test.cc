// SaveDataset, SaveDatasetV2, LoadDataset and SnapshotDatasetV2 in sessions.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "graph/io/graph_file.h"
#include "gtest/gtest.h"
#include "ops/data/stored/snapshot_metadata.h"
#include "runtime/record/file.h"
#include "runtime/record/file_root.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

// Each element goes to the shard that it names.
constexpr char kGraph[] = R"(
node { name: "path" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
node { name: "count" op: "Placeholder" attr { key: "dtype" value { type: DT_INT64 } } }
node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_INT64 } }
       attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape {} int64_val: 0 } } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT64 } }
       attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape {} int64_val: 1 } } } }
node { name: "no" op: "Const" attr { key: "dtype" value { type: DT_BOOL } }
       attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape {} bool_val: false } } } }
node { name: "range" op: "RangeDataset" input: "zero" input: "count" input: "one" SPEC }
node { name: "save" op: "SaveDataset" input: "range" input: "path"
       attr { key: "compression" value { s: "COMPRESSION" } }
       attr { key: "shard_func" value { func { name: "FUNCTION" } } }
       attr { key: "Tshard_func_args" value { list {} } } }
node { name: "saving" op: "SaveDatasetV2" input: "range" input: "path" SPEC
       attr { key: "compression" value { s: "COMPRESSION" } }
       attr { key: "shard_func" value { func { name: "FUNCTION" } } }
       attr { key: "Tshard_func_args" value { list {} } } }
node { name: "load" op: "LoadDataset" input: "path" SPEC
       attr { key: "compression" value { s: "COMPRESSION" } }
       attr { key: "reader_func" value { func { name: "one_by_one" } } }
       attr { key: "Treader_func_args" value { list {} } } }
node { name: "size" op: "DatasetCardinality" input: "load" }
node { name: "batch1" op: "BatchDatasetV2" input: "load" input: "count" input: "no" SPECS }
node { name: "loaded" op: "DatasetToSingleElement" input: "batch1" SPECS }
node { name: "batch2" op: "BatchDatasetV2" input: "saving" input: "count" input: "no" SPECS }
node { name: "saved" op: "DatasetToSingleElement" input: "batch2" SPECS }
node { name: "snapshot" op: "SnapshotDatasetV2" input: "range" input: "path" SPEC
       attr { key: "compression" value { s: "COMPRESSION" } }
       attr { key: "hash_valid" value { b: KNOWN } } attr { key: "hash" value { i: 123 } }
       attr { key: "reader_func" value { func { name: "one_by_one" } } }
       attr { key: "shard_func" value { func { name: "FUNCTION" } } }
       attr { key: "Treader_func_args" value { list {} } }
       attr { key: "Tshard_func_args" value { list {} } } }
node { name: "batch3" op: "BatchDatasetV2" input: "snapshot" input: "count" input: "no" SPECS }
node { name: "kept" op: "DatasetToSingleElement" input: "batch3" SPECS }
library {
  function {
    signature { name: "same" input_arg { name: "x" type: DT_INT64 }
                output_arg { name: "y" type: DT_INT64 } }
    node_def { name: "id" op: "Identity" input: "x" attr { key: "T" value { type: DT_INT64 } } }
    ret { key: "y" value: "id:output:0" }
  }
  function {
    signature { name: "negative" input_arg { name: "x" type: DT_INT64 }
                output_arg { name: "y" type: DT_INT64 } }
    node_def { name: "c" op: "Const" attr { key: "dtype" value { type: DT_INT64 } }
         attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape {} int64_val: -1 } } } }
    ret { key: "y" value: "c:output:0" }
  }
  function {
    signature { name: "whole" input_arg { name: "x" type: DT_VARIANT }
                output_arg { name: "y" type: DT_VARIANT } }
    node_def { name: "id" op: "Identity" input: "x" attr { key: "T" value { type: DT_VARIANT } } }
    ret { key: "y" value: "id:output:0" }
  }
  function {
    signature { name: "one_by_one" input_arg { name: "x" type: DT_VARIANT }
                output_arg { name: "y" type: DT_VARIANT } }
    node_def { name: "flat" op: "FlatMapDataset" input: "x" SPEC
               attr { key: "f" value { func { name: "whole" } } }
               attr { key: "Targuments" value { list {} } } }
    ret { key: "y" value: "flat:handle:0" }
  }
}
)";
constexpr char kSpec[] =
    "attr { key: 'output_types' value { list { type: DT_INT64 } } } "
    "attr { key: 'output_shapes' value { list { shape {} } } } ";
constexpr char kSpecs[] =
    "attr { key: 'output_types' value { list { type: DT_INT64 } } } "
    "attr { key: 'output_shapes' value { list { shape { dim { size: -1 } } } } } ";

// What TensorFlow 2.21 writes for the elements 1 and 3 of one shard.
constexpr char kOneAndThree[] =
    "0e00000000000000c5e5693f0809120022080100000000000000a0bddf54"
    "0e00000000000000c5e5693f080912002208030000000000000011e144e9";

class SavedDatasetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static int count = 0;
    const char* base = std::getenv("TEST_TMPDIR");
    folder_ = absl::StrCat(base == nullptr ? "." : base, "/saved_", getpid(), "_", count++);
  }

  void Open(const std::string& compression, const std::string& function = "same",
            const char* hash_is_known = "true") {
    const std::string file = folder_ + ".pbtxt";
    std::ofstream(file) << absl::StrReplaceAll(kGraph, {{"SPECS", kSpecs},
                                                        {"SPEC", kSpec},
                                                        {"COMPRESSION", compression},
                                                        {"FUNCTION", function},
                                                        {"KNOWN", hash_is_known}});
    auto graph = std::make_shared<Graph>();
    const Status imported = ImportGraphFile(file, ImportOptions(), graph.get());
    ASSERT_TRUE(imported.ok()) << imported;
    auto session = Session::Create(SessionOptions(), std::move(graph));
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  Status Run(const std::vector<std::string>& fetches, const std::vector<std::string>& targets,
             std::vector<Tensor>* fetched) {
    const NamedTensors feeds = {{"path", Tensor::Scalar(folder_)},
                                {"count", Tensor::Scalar<int64_t>(count_)}};
    return session_->Run(RunOptions(), feeds, fetches, targets, fetched);
  }
  Status Save() { return Run({}, {"save"}, nullptr); }
  // What "loaded", "saved" or "kept" gives.
  StatusOr<std::vector<int64_t>> Read(const std::string& node) {
    std::vector<Tensor> fetched;
    WB_RETURN_IF_ERROR(Run({node}, {}, &fetched));
    const auto values = fetched[0].flat<int64_t>();
    return std::vector<int64_t>(values.begin(), values.end());
  }
  void ExpectRead(const std::string& node, const std::vector<int64_t>& expected) {
    auto values = Read(node);
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ(*values, expected);
  }
  void ExpectLoaded(const std::vector<int64_t>& expected) { ExpectRead("loaded", expected); }
  // The names of what is in the folder.
  std::vector<std::string> Folders() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  int64_t Size() {
    std::vector<Tensor> fetched;
    const Status ran = Run({"size"}, {}, &fetched);
    EXPECT_TRUE(ran.ok()) << ran;
    return ran.ok() ? fetched[0].scalar<int64_t>() : -100;
  }
  // A saved dataset of the shard 1 with these bytes in its file.
  void WriteSaved(const std::string& bytes) { WriteSaved(folder_, bytes); }
  static void WriteSaved(const std::string& folder, const std::string& bytes) {
    SnapshotMetadata metadata;
    metadata.run_id = "17";
    metadata.num_elements = 2;
    metadata.is_complete = true;
    metadata.types = {DType::kInt64};
    ASSERT_TRUE(WriteSnapshotMetadata(folder, metadata).ok());
    ASSERT_TRUE(files::MakeDirectories(folder + "/17/00000001.shard").ok());
    ASSERT_TRUE(WriteStringToFile(folder + "/17/00000001.shard/00000000.snapshot", bytes).ok());
  }

  std::string folder_;
  int64_t count_ = 5;
  std::unique_ptr<Session> session_;
};

TEST_F(SavedDatasetTest, SavedAndLoaded) {
  for (const char* compression : {"", "AUTO", "GZIP", "SNAPPY", "ZLIB"}) {
    Open(compression);
    const Status saved = Save();
    ASSERT_TRUE(saved.ok()) << saved;
    ExpectLoaded({0, 1, 2, 3, 4});
    EXPECT_EQ(Size(), 5);
  }
}

TEST_F(SavedDatasetTest, WhileTheyAreRead) {
  Open("");
  auto values = Read("saved");
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values, ElementsAre(0, 1, 2, 3, 4));
  ExpectLoaded({0, 1, 2, 3, 4});
  auto metadata = ReadSnapshotMetadata(folder_);
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_TRUE(metadata->is_complete);
  EXPECT_EQ(metadata->version, 2);
  EXPECT_THAT(metadata->types, ElementsAre(DType::kInt64));
  // Saved again, it is another run, and the one that is read.
  count_ = 3;
  ASSERT_TRUE(Save().ok());
  ExpectLoaded({0, 1, 2});
  EXPECT_NE(ReadSnapshotMetadata(folder_)->run_id, metadata->run_id);
}

TEST_F(SavedDatasetTest, TensorFlowsFiles) {
  Open("");
  const std::string bytes = absl::HexStringToBytes(kOneAndThree);
  WriteSaved(bytes);
  ExpectLoaded({1, 3});
  // The message that TensorFlow 2.21 writes, of five elements, and without the end.
  const std::string tf = absl::HexStringToBytes("120231371893cdc3debb9c980320022a01093005c03e01");
  for (const bool complete : {true, false}) {
    ASSERT_TRUE(WriteStringToFile(folder_ + "/snapshot.metadata",
                                  tf.substr(0, complete ? tf.size() : tf.size() - 5))
                    .ok());
    ExpectLoaded({1, 3});
    EXPECT_EQ(Size(), complete ? 5 : -2);
  }
  auto metadata = ReadSnapshotMetadata(folder_);
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_EQ(metadata->creation_timestamp, 1795381085136531);
  // Ours is the same.
  count_ = 4;
  ASSERT_TRUE(Save().ok());
  auto one = ReadFileToString(absl::StrCat(folder_, "/", ReadSnapshotMetadata(folder_)->run_id,
                                           "/00000001.shard/00000000.snapshot"));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(*one, bytes.substr(0, 30));
}

TEST_F(SavedDatasetTest, ASnapshotIsWrittenOnceThenRead) {
  for (const char* compression : {"", "GZIP", "SNAPPY"}) {
    folder_ += compression;
    Open(compression);
    ExpectRead("kept", {0, 1, 2, 3, 4});
    const auto metadata = ReadSnapshotMetadata(folder_ + "/123");
    ASSERT_TRUE(metadata.ok()) << metadata.status();
    EXPECT_TRUE(metadata->is_complete);
    EXPECT_EQ(metadata->graph_hash, "123");
    ExpectRead("kept", {0, 1, 2, 3, 4});
    EXPECT_EQ(ReadSnapshotMetadata(folder_ + "/123")->run_id, metadata->run_id);
  }
  Open("");
  WriteSaved(folder_ + "/123", absl::HexStringToBytes(kOneAndThree));
  ExpectRead("kept", {1, 3});
}

TEST_F(SavedDatasetTest, EachPipelineHasItsSnapshot) {
  Open("", "same", "false");
  ExpectRead("kept", {0, 1, 2, 3, 4});
  count_ = 3;
  ExpectRead("kept", {0, 1, 2});
  EXPECT_EQ(Folders().size(), 2);
  count_ = 5;
  WriteSaved(folder_ + "/" + Folders()[0], absl::HexStringToBytes(kOneAndThree));
  WriteSaved(folder_ + "/" + Folders()[1], absl::HexStringToBytes(kOneAndThree));
  ExpectRead("kept", {1, 3});
  // The same pipeline in another session.
  Open("", "same", "false");
  ExpectRead("kept", {1, 3});
  EXPECT_EQ(Folders().size(), 2);
}

TEST_F(SavedDatasetTest, ASnapshotThatIsNotComplete) {
  Open("", "negative");
  EXPECT_EQ(Read("kept").status().code(), Code::kInvalidArgument);
  EXPECT_FALSE(ReadSnapshotMetadata(folder_ + "/123")->is_complete);
  Open("");
  ExpectRead("kept", {0, 1, 2, 3, 4});
  EXPECT_TRUE(ReadSnapshotMetadata(folder_ + "/123")->is_complete);
}

TEST_F(SavedDatasetTest, Refuses) {
  Open("");
  const Status none = Read("loaded").status();
  EXPECT_EQ(none.code(), Code::kNotFound) << none;
  EXPECT_THAT(std::string(none.message()), HasSubstr("Could not find metadata file ["));
  Open("", "negative");
  EXPECT_EQ(Save().code(), Code::kInvalidArgument);
  EXPECT_FALSE(ReadSnapshotMetadata(folder_)->is_complete);
  Open("LZ4");
  EXPECT_EQ(Save().code(), Code::kInvalidArgument);
}

TEST_F(SavedDatasetTest, DamagedFiles) {
  Open("");
  const std::string bytes = absl::HexStringToBytes(kOneAndThree);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] ^= 16;
    WriteSaved(flipped);
    EXPECT_EQ(Read("loaded").status().code(), Code::kDataLoss) << "byte " << i;
    WriteSaved(bytes.substr(0, i));
    const Status read = Read("loaded").status();
    EXPECT_TRUE(i % 30 == 0 || IsDataLoss(read)) << i << " bytes: " << read;
  }
}

TEST_F(SavedDatasetTest, DamagedMetadata) {
  WriteSaved("");
  const std::string path = folder_ + "/snapshot.metadata";
  const auto bytes = ReadFileToString(path);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  for (size_t i = 0; i < bytes->size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = *bytes;
      flipped[i] ^= static_cast<char>(1 << bit);
      ASSERT_TRUE(WriteStringToFile(path, flipped).ok());
      const Status read = ReadSnapshotMetadata(folder_).status();
      EXPECT_TRUE(read.ok() || IsDataLoss(read)) << read;
    }
  }
  for (const char* run : {"", "..", "../..", "a/b", "/etc"}) {
    SnapshotMetadata metadata;
    metadata.run_id = run;
    ASSERT_TRUE(WriteSnapshotMetadata(folder_, metadata).ok());
    EXPECT_EQ(ReadSnapshotMetadata(folder_).status().code(), Code::kDataLoss) << run;
  }
}

}  // namespace
}  // namespace warpbeam
