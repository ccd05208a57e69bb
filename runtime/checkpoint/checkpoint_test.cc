// Checkpoints of both versions: files that TensorFlow wrote are read and written byte for byte,
// damaged files are refused, merging keeps every tensor.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/checkpoint/bundle_merge.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/bundle_writer.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/checkpoint/slice_file_reader.h"
#include "runtime/checkpoint/slice_file_writer.h"
#include "runtime/checkpoint/slice_key.h"
#include "runtime/checkpoint/table_format.h"
#include "runtime/checkpoint/table_reader.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/record_format.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

const std::string kData = "runtime/checkpoint/testdata/";

std::string Folder(const std::string& name) {
  const char* base = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(base != nullptr ? base : "/tmp") + "/" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

std::string Contents(const std::string& path) {
  auto contents = ReadFileToString(path);
  EXPECT_TRUE(contents.ok()) << contents.status();
  return contents.ok() ? *contents : "";
}

TensorSlice Slice(const char* text) { return *TensorSlice::Parse(text); }

// 0 to 5 as [2,3] of a type: what the fixtures hold under the name of the type.
template <typename T>
Tensor ZeroToFive() {
  std::vector<T> values;
  for (int i = 0; i < 6; ++i) values.push_back(static_cast<T>(static_cast<float>(i)));
  return Tensor::FromValues<T>(Shape({2, 3}), MakeConstSpan(values));
}

std::vector<std::pair<std::string, Tensor>> TypedTensors() {
  return {{"t_float32", ZeroToFive<float>()},
          {"t_float64", ZeroToFive<double>()},
          {"t_int32", ZeroToFive<int32_t>()},
          {"t_uint8", ZeroToFive<uint8_t>()},
          {"t_int16", ZeroToFive<int16_t>()},
          {"t_int8", ZeroToFive<int8_t>()},
          {"t_complex64", ZeroToFive<std::complex<float>>()},
          {"t_int64", ZeroToFive<int64_t>()},
          {"t_bool",
           Tensor::FromValues<uint8_t>(Shape({2, 3}), {0, 1, 1, 1, 1, 1}).Bitcast(DType::kBool)},
          {"t_bfloat16", ZeroToFive<BFloat16>()},
          {"t_uint16", ZeroToFive<uint16_t>()},
          {"t_complex128", ZeroToFive<std::complex<double>>()},
          {"t_float16", ZeroToFive<Half>()},
          {"t_uint32", ZeroToFive<uint32_t>()},
          {"t_uint64", ZeroToFive<uint64_t>()}};
}

Tensor Rows(int32_t begin, int32_t end) {
  std::vector<int32_t> values;
  for (int32_t i = 3 * begin; i < 3 * end; ++i) values.push_back(i);
  return Tensor::FromValues<int32_t>(Shape({end - begin, 3}), MakeConstSpan(values));
}

Tensor Words() {
  return Tensor::Vector<std::string>({"", "a", "zw\xc3\xb6lf", std::string(300, 'x')});
}

void ExpectSame(const StatusOr<Tensor>& got, const Tensor& want, const std::string& name) {
  ASSERT_TRUE(got.ok()) << name << ": " << got.status();
  EXPECT_EQ(got->dtype(), want.dtype()) << name;
  EXPECT_EQ(got->shape(), want.shape()) << name;
  if (want.dtype() == DType::kString) {
    EXPECT_EQ(got->flat<std::string>(), want.flat<std::string>()) << name;
  } else if (got->shape() == want.shape() && got->dtype() == want.dtype()) {
    EXPECT_EQ(memcmp(got->raw_data(), want.raw_data(), want.bytes()), 0) << name;
  }
}

Status WriteFixture(const std::string& prefix) {
  WB_ASSIGN_OR_RETURN(auto writer, BundleWriter::Create(prefix));
  for (const auto& [name, tensor] : TypedTensors()) {
    WB_RETURN_IF_ERROR(writer->Add(name, tensor));
  }
  WB_RETURN_IF_ERROR(writer->Add("strings", Words()));
  WB_RETURN_IF_ERROR(writer->Add("scalar", Tensor::Scalar<float>(7.5f)));
  WB_RETURN_IF_ERROR(writer->Add("empty", Tensor::FromValues<float>(Shape({0, 3}), {})));
  WB_RETURN_IF_ERROR(writer->Add("no_strings", Tensor::Vector<std::string>({})));
  WB_RETURN_IF_ERROR(writer->AddSlice("part", Shape({4, 3}), Slice("0,1:-"), Rows(0, 1)));
  WB_RETURN_IF_ERROR(writer->AddSlice("part", Shape({4, 3}), Slice("1,3:-"), Rows(1, 4)));
  return writer->Finish();
}

void CheckFixture(const std::string& prefix) {
  auto opened = BundleReader::Open(prefix);
  ASSERT_TRUE(opened.ok()) << opened.status();
  BundleReader& reader = **opened;
  for (const auto& [name, tensor] : TypedTensors()) ExpectSame(reader.Read(name), tensor, name);
  ExpectSame(reader.Read("strings"), Words(), "strings");
  ExpectSame(reader.Read("scalar"), Tensor::Scalar<float>(7.5f), "scalar");
  ExpectSame(reader.Read("empty"), Tensor::FromValues<float>(Shape({0, 3}), {}), "empty");
  ExpectSame(reader.Read("no_strings"), Tensor::Vector<std::string>({}), "no_strings");
  ExpectSame(reader.Read("part"), Rows(0, 4), "part");
  ExpectSame(reader.ReadSlice("part", Slice("0,3:-")), Rows(0, 3), "rows of part");
  ExpectSame(reader.ReadSlice("part", Slice("0,2:1,2")),
             Tensor::FromValues<int32_t>(Shape({2, 2}), {1, 2, 4, 5}), "columns of part");
  ExpectSame(reader.ReadSlice("strings", Slice("1,2")),
             Tensor::Vector<std::string>({"a", "zw\xc3\xb6lf"}), "strings 1 and 2");
  EXPECT_EQ(reader.names().size(), TypedTensors().size() + 5);
  EXPECT_TRUE(reader.Contains("part"));
  EXPECT_EQ(reader.Read("nothing").status().code(), Code::kNotFound);
  EXPECT_EQ(reader.Read("").status().code(), Code::kNotFound);
  EXPECT_EQ(reader.ReadSlice("part", Slice("2,3:-")).status().code(), Code::kInternal);
}

TEST(BundleTest, ReadsWhatTensorFlowWrote) { CheckFixture(kData + "bundle"); }

TEST(BundleTest, WritesWhatTensorFlowWrites) {
  const std::string prefix = Folder("written") + "/made/bundle";
  const Status written = WriteFixture(prefix);
  ASSERT_TRUE(written.ok()) << written;
  CheckFixture(prefix);
  for (const char* file : {".index", ".data-00000-of-00001"}) {
    EXPECT_EQ(Contents(prefix + file), Contents(kData + "bundle" + file)) << file;
  }
  // Nothing else is left.
  int files = 0;
  for (const auto& unused :
       std::filesystem::directory_iterator(std::filesystem::path(prefix).parent_path())) {
    (void)unused;
    ++files;
  }
  EXPECT_EQ(files, 2);
}

TEST(BundleTest, AnUnfinishedWriterLeavesNothing) {
  const std::string folder = Folder("unfinished");
  {
    auto writer = BundleWriter::Create(folder + "/m");
    ASSERT_TRUE(writer.ok()) << writer.status();
    ASSERT_TRUE((*writer)->Add("x", Tensor::Scalar<float>(1)).ok());
    EXPECT_EQ((*writer)->Add("x", Tensor::Scalar<float>(1)).code(), Code::kInvalidArgument);
    EXPECT_EQ((*writer)->Add("", Tensor::Scalar<float>(1)).code(), Code::kInvalidArgument);
    EXPECT_EQ((*writer)->Add("v", Tensor::Scalar<Variant>(Variant::Of<std::string>(""))).code(),
              Code::kUnimplemented);
    EXPECT_EQ((*writer)->AddSlice("w", Shape({4}), Slice("0,2"), Tensor::Vector<float>({1})).code(),
              Code::kInvalidArgument);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_EQ(BundleWriter::Create(folder + "/a/b/m").status().code(), Code::kNotFound);
  EXPECT_EQ(BundleReader::Open(folder + "/m").status().code(), Code::kNotFound);
}

TEST(BundleTest, ManyTensorsTakeManyBlocks) {
  const std::string prefix = Folder("many") + "/m";
  constexpr int kCount = 20000;
  {
    auto writer = BundleWriter::Create(prefix);
    ASSERT_TRUE(writer.ok());
    for (int i = 0; i < kCount; ++i) {
      ASSERT_TRUE(
          (*writer)->Add(absl::StrCat("scope/", i % 7, "/v", i), Tensor::Scalar<int32_t>(i)).ok());
    }
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  EXPECT_GT(Contents(prefix + ".index").size(), kTableBlockBytes);
  auto reader = BundleReader::Open(prefix);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->names().size(), size_t{kCount});
  for (int i = 0; i < kCount; i += 997) {
    ExpectSame((*reader)->Read(absl::StrCat("scope/", i % 7, "/v", i)), Tensor::Scalar<int32_t>(i),
               absl::StrCat(i));
  }
}

TEST(BundleTest, ThreadsReadAtTheSameTime) {
  const std::string prefix = Folder("threads") + "/m";
  constexpr int kCount = 64;
  const auto value = [](int i) {
    const std::vector<int32_t> elements(i * 100, i);
    return Tensor::FromValues<int32_t>(Shape({i * 100}), elements);
  };
  {
    auto writer = BundleWriter::Create(prefix);
    ASSERT_TRUE(writer.ok());
    for (int i = 0; i < kCount; ++i) {
      ASSERT_TRUE((*writer)->Add(absl::StrCat("v", i), value(i)).ok());
    }
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  auto reader = BundleReader::Open(prefix);
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCount; ++i) {
        const int which = (i * 7 + t * 16) % kCount;
        ExpectSame((*reader)->Read(absl::StrCat("v", which)), value(which), absl::StrCat(which));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Every bit of the index and of the data may be wrong, and the files may end anywhere: then every
// tensor is as it was or refused.
class DamageTest : public ::testing::Test {
 protected:
  void TryAll(const char* what) {
    auto reader = BundleReader::Open(prefix_);
    if (!reader.ok()) {
      EXPECT_NE(reader.status().code(), Code::kUnknown) << what;
      return;
    }
    for (const std::string& name : (*reader)->names()) {
      auto got = (*reader)->Read(name);
      if (!got.ok()) ++refused_;
    }
  }
  std::string folder_ = Folder("damage");
  std::string prefix_ = folder_ + "/m";
  std::string index_ = Contents(kData + "bundle.index");
  std::string data_ = Contents(kData + "bundle.data-00000-of-00001");
  int refused_ = 0;

  void Write(const std::string& index, const std::string& data) {
    ASSERT_TRUE(WriteStringToFile(prefix_ + ".index", index).ok());
    ASSERT_TRUE(WriteStringToFile(prefix_ + ".data-00000-of-00001", data).ok());
  }
};

TEST_F(DamageTest, FlippedBitsOfTheIndexAreFound) {
  for (size_t i = 0; i < index_.size(); i += 2) {
    std::string damaged = index_;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    Write(damaged, data_);
    TryAll("index");
  }
  for (size_t size = 0; size < index_.size(); size += 7) {
    Write(index_.substr(0, size), data_);
    EXPECT_EQ(BundleReader::Open(prefix_).status().code(), Code::kDataLoss) << size;
  }
}

TEST_F(DamageTest, FlippedBitsOfTheDataAreFound) {
  for (size_t i = 0; i < data_.size(); i += 7) {
    std::string damaged = data_;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    Write(index_, damaged);
    refused_ = 0;
    TryAll("data");
    EXPECT_EQ(refused_, 1) << "byte " << i;
  }
  Write(index_, data_.substr(0, data_.size() - 1));
  auto reader = BundleReader::Open(prefix_);
  ASSERT_TRUE(reader.ok());
  const Status s = (*reader)->Read("part").status();
  EXPECT_EQ(s.code(), Code::kOutOfRange);
  EXPECT_NE(s.message().find("data-00000-of-00001"), absl::string_view::npos) << s;
  std::filesystem::remove(prefix_ + ".data-00000-of-00001");
  EXPECT_EQ((*BundleReader::Open(prefix_))->Read("scalar").status().code(), Code::kNotFound);
}

// An index whose checksums are right but whose contents are hostile.
void WriteEntries(const std::string& prefix, std::map<std::string, BundleEntry> entries,
                  BundleHeader header = {}) {
  auto index = WriteIndex(prefix, header, entries);
  ASSERT_TRUE(index.ok()) << index.status();
  ASSERT_TRUE((*index)->Commit().ok());
  ASSERT_TRUE(WriteStringToFile(prefix + ".data-00000-of-00001", "\1\2\3\4\5\6\7\10").ok());
}

TEST(HostileBundleTest, NothingLargeIsAllocated) {
  const std::string prefix = Folder("hostile") + "/m";
  BundleEntry huge;
  huge.dtype = DType::kFloat;
  huge.shape = Shape({int64_t{1} << 40});
  huge.size = int64_t{1} << 42;
  BundleEntry wrong_size = huge;
  wrong_size.size = 8;
  BundleEntry strings = huge;
  strings.dtype = DType::kString;
  strings.shape = Shape({8});
  strings.size = 8;
  BundleEntry parts = huge;
  parts.slices = {Slice("0,1099511627776")};
  BundleEntry overlapping = huge;
  overlapping.shape = Shape({4});
  overlapping.slices = {Slice("0,2"), Slice("1,2")};
  BundleEntry other_shard = strings;
  other_shard.shard = 7;
  BundleEntry resource = strings;
  resource.dtype = DType::kResource;
  BundleEntry far = huge;
  far.offset = INT64_MAX - 8;
  WriteEntries(prefix, {{"huge", huge},
                        {"far", far},
                        {"wrong", wrong_size},
                        {"strings", strings},
                        {"parts", parts},
                        {"overlapping", overlapping},
                        {"shard", other_shard},
                        {"resource", resource}});
  auto reader = BundleReader::Open(prefix);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Read("huge").status().code(), Code::kOutOfRange);
  EXPECT_EQ((*reader)->Read("far").status().code(), Code::kDataLoss);
  EXPECT_EQ((*reader)->Read("wrong").status().code(), Code::kDataLoss);
  EXPECT_EQ((*reader)->Read("strings").status().code(), Code::kDataLoss);
  EXPECT_EQ((*reader)->Read("parts").status().code(), Code::kNotFound);
  EXPECT_EQ((*reader)->Read("overlapping").status().code(), Code::kInvalidArgument);
  EXPECT_EQ((*reader)->Read("shard").status().code(), Code::kDataLoss);
  EXPECT_EQ((*reader)->Read("resource").status().code(), Code::kUnimplemented);
}

TEST(HostileBundleTest, NobodyLooksForMillionsOfFiles) {
  const std::string prefix = Folder("shards") + "/m";
  BundleHeader header;
  for (const int32_t shards : {-1, 100'001, INT32_MAX}) {
    header.num_shards = shards;
    WriteEntries(prefix, {}, header);
    EXPECT_EQ(BundleReader::Open(prefix).status().code(), Code::kDataLoss) << shards;
  }
  header.num_shards = 100'000;
  WriteEntries(prefix, {}, header);
  EXPECT_TRUE(BundleReader::Open(prefix).ok());
}

TEST(HostileBundleTest, BigEndianDataIsConverted) {
  const std::string prefix = Folder("big_endian") + "/m";
  BundleEntry entry;
  entry.dtype = DType::kInt32;
  entry.shape = Shape({2});
  entry.size = 8;
  entry.masked_crc = MaskCrc32c(Crc32c("\1\2\3\4\5\6\7\10", 8));
  BundleEntry complex = entry;
  complex.dtype = DType::kComplex64;
  complex.shape = Shape({1});
  BundleHeader header;
  header.is_big_endian = true;
  WriteEntries(prefix, {{"x", entry}, {"z", complex}}, header);
  auto reader = BundleReader::Open(prefix);
  ASSERT_TRUE(reader.ok()) << reader.status();
  ExpectSame((*reader)->Read("x"), Tensor::Vector<int32_t>({0x01020304, 0x05060708}), "x");
  auto z = (*reader)->Read("z");
  ASSERT_TRUE(z.ok());
  EXPECT_EQ(LoadLittle32(z->data<char>()), 0x01020304u);
  header.min_consumer = 2;
  WriteEntries(prefix, {{"x", entry}}, header);
  EXPECT_EQ(BundleReader::Open(prefix).status().code(), Code::kFailedPrecondition);
}

TEST(HostileTableTest, KeysOutOfProportionAreRefused) {
  // Each entry shares a long key with the one before and adds a byte: the keys together are the
  // square of the file.
  std::string block;
  AppendVarint(0, &block);
  AppendVarint(60000, &block);
  AppendVarint(0, &block);
  block.append(60000, 'k');
  for (int i = 0; i < 20000; ++i) {
    AppendVarint(60000 + i, &block);
    AppendVarint(1, &block);
    AppendVarint(0, &block);
    block.push_back('k');
  }
  block.append(std::string("\0\0\0\0\1\0\0\0", 8));
  const auto with_trailer = [](std::string b) {
    b.push_back(0);
    char crc[4];
    StoreLittle32(MaskCrc32c(Crc32c(b.data(), b.size())), crc);
    return b + std::string(crc, 4);
  };
  std::string handle;
  AppendVarint(0, &handle);
  AppendVarint(block.size(), &handle);
  std::string file = with_trailer(block);
  std::string index;
  AppendVarint(0, &index);
  AppendVarint(1, &index);
  AppendVarint(handle.size(), &index);
  index += "z" + handle + std::string("\0\0\0\0\1\0\0\0", 8);
  std::string footer = handle;
  AppendVarint(file.size(), &footer);
  AppendVarint(index.size(), &footer);
  footer.resize(kTableHandlesBytes);
  file += with_trailer(index) + footer;
  char magic[8];
  StoreLittle64(kTableMagic, magic);
  file.append(magic, 8);
  const Status s = Table::Parse(file, "hostile").status();
  EXPECT_EQ(s.code(), Code::kDataLoss);
  EXPECT_NE(s.message().find("out of proportion"), absl::string_view::npos) << s;
}

TEST(MergeTest, ShardsAndSlicesComeTogether) {
  const std::string folder = Folder("merge");
  const auto write = [&](const std::string& name, const std::string& tensor, const char* slice,
                         Tensor rows) {
    auto writer = BundleWriter::Create(folder + "/" + name);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Add(tensor, Words()).ok());
    ASSERT_TRUE((*writer)->AddSlice("w", Shape({4, 3}), Slice(slice), rows).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  };
  write("tmp/a", "x", "0,1:-", Rows(0, 1));
  write("tmp/b", "y", "1,3:-", Rows(1, 4));
  EXPECT_EQ(MergeBundles({folder + "/tmp/a", folder + "/none"}, folder + "/m", false).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(MergeBundles({folder + "/none"}, folder + "/m", true).code(), Code::kInvalidArgument);
  const Status merged =
      MergeBundles({folder + "/tmp/a", folder + "/none", folder + "/tmp/b"}, folder + "/m", true);
  ASSERT_TRUE(merged.ok()) << merged;
  auto reader = BundleReader::Open(folder + "/m");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->header().num_shards, 2);
  ExpectSame((*reader)->Read("x"), Words(), "x");
  ExpectSame((*reader)->Read("y"), Words(), "y");
  ExpectSame((*reader)->Read("w"), Rows(0, 4), "w");
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/tmp"));
  write("tmp/c", "x", "0,1:-", Rows(0, 1));
  write("tmp/d", "x", "1,3:-", Rows(1, 4));
  EXPECT_EQ(MergeBundles({folder + "/tmp/c", folder + "/tmp/d"}, folder + "/n", false).code(),
            Code::kInvalidArgument);
}

std::vector<std::string> Aside(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".writing-") != std::string::npos) names.push_back(name);
  }
  return names;
}

// What a process leaves that ends in the middle of `save`.
template <typename Save>
void EndWithin(Save save) {
  const pid_t child = fork();
  if (child == 0) {
    save();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
}

TEST(LeftBehindTest, TheNextSaveRemovesWhatAKilledOneLeft) {
  const std::string folder = Folder("left_behind"), prefix = folder + "/m";
  for (int i = 0; i < 3; ++i) {
    EndWithin([&] { BundleWriter::Create(prefix).value().release(); });
  }
  EndWithin([&] { DurableFile::Create(prefix + ".index").value().release(); });
  EndWithin([&] { DurableFile::Create(folder + "/other.index").value().release(); });
  EXPECT_EQ(Aside(folder).size(), 3u);  // each Create has removed what the one before left
  // A number that a process has again says nothing: in containers the next server has the same.
  const std::string mine = absl::StrCat(prefix, ".index.writing-", getpid(), "-12345");
  ASSERT_TRUE(std::ofstream(mine).good());
  ASSERT_TRUE(std::ofstream(prefix + ".writing-me-1").good());  // nothing of ours
  // Somebody else writes beside.
  auto other = DurableFile::Create(prefix + ".note");
  ASSERT_TRUE(other.ok()) << other.status();
  auto writer = BundleWriter::Create(prefix);
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_FALSE(std::filesystem::exists(mine));
  ASSERT_TRUE((*writer)->Add("x", Tensor::Scalar<float>(1)).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ(Aside(folder).size(), 3u) << absl::StrJoin(Aside(folder), " ");
  ASSERT_TRUE((*other)->Commit().ok());
  EXPECT_EQ(Aside(folder).size(), 2u) << absl::StrJoin(Aside(folder), " ");
  EXPECT_TRUE(std::filesystem::exists(prefix + ".writing-me-1"));
}

TEST(LeftBehindTest, PartsOfAKilledSaverAreRemovedByTheNextMerge) {
  const std::string folder = Folder("left_parts"), prefix = folder + "/m";
  EndWithin([&] { BundleWriter::Create(prefix + "_temp_1/part-0").value().release(); });
  EndWithin([&] { DurableFile::Create(folder + "/slices").value().release(); });
  EXPECT_EQ(Aside(folder).size(), 2u);
  auto part = BundleWriter::Create(prefix + "_temp_2/part-0");
  ASSERT_TRUE(part.ok()) << part.status();
  ASSERT_TRUE((*part)->Add("x", Tensor::Scalar<float>(1)).ok());
  ASSERT_TRUE((*part)->Finish().ok());
  const Status merged = MergeBundles({prefix + "_temp_2/part-0"}, prefix, false);
  ASSERT_TRUE(merged.ok()) << merged;
  EXPECT_FALSE(std::filesystem::exists(prefix + "_temp_1"));
  SliceFileWriter slices;
  ASSERT_TRUE(slices.Write(folder + "/slices").ok());
  EXPECT_TRUE(Aside(folder).empty());
}

TEST(SliceFileTest, ReadsWhatTensorFlowWrote) {
  auto reader = SliceFileReader::Open(kData + "slices-0000[01]-of-00002");
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (const auto& [name, tensor] : TypedTensors()) {
    if ((*reader)->Find(name) == nullptr) continue;
    ExpectSame((*reader)->Read(name, TensorSlice::Whole(2)), tensor, name);
  }
  EXPECT_EQ((*reader)->tensors().size(), 14u);
  ExpectSame((*reader)->Read("part", TensorSlice::Whole(2)), Rows(0, 4), "part");
  ExpectSame((*reader)->Read("part", Slice("2,2:-")), Rows(2, 4), "part");
  ExpectSame((*reader)->Read("strings", TensorSlice::Whole(1)),
             Tensor::Vector<std::string>({"", "a"}), "strings");
  EXPECT_EQ((*reader)->Read("no", TensorSlice()).status().code(), Code::kNotFound);
  EXPECT_EQ(SliceFileReader::Open(kData + "nothing*").status().code(), Code::kNotFound);
  auto half = SliceFileReader::Open(kData + "slices-00000-of-00002");
  ASSERT_TRUE(half.ok());
  EXPECT_EQ((*half)->Read("part", TensorSlice::Whole(2)).status().code(), Code::kInvalidArgument);
}

TEST(SliceFileTest, WritesWhatTensorFlowWrites) {
  const std::string folder = Folder("slices");
  SliceFileWriter first, second;
  for (const auto& [name, tensor] : TypedTensors()) {
    const Status s = first.Add(name, Shape({2, 3}), TensorSlice::Whole(2), tensor);
    const bool refused = name == "t_bfloat16" || name == "t_uint32" || name == "t_uint64";
    EXPECT_EQ(s.ok(), !refused) << name << s;
  }
  ASSERT_TRUE(
      first
          .Add("strings", Shape({2}), TensorSlice::Whole(1), Tensor::Vector<std::string>({"", "a"}))
          .ok());
  ASSERT_TRUE(first.Add("part", Shape({4, 3}), Slice("1,3:-"), Rows(1, 4)).ok());
  ASSERT_TRUE(second.Add("part", Shape({4, 3}), Slice("0,1:0,3"), Rows(0, 1)).ok());
  EXPECT_EQ(second.Add("part", Shape({5, 3}), Slice("0,1:0,3"), Rows(0, 1)).code(),
            Code::kInternal);
  const std::string path = folder + "/slices-";
  ASSERT_TRUE(first.Write(path + "0").ok());
  ASSERT_TRUE(second.Write(path + "1").ok());
  EXPECT_EQ(Contents(path + "0"), Contents(kData + "slices-00000-of-00002"));
  EXPECT_EQ(Contents(path + "1"), Contents(kData + "slices-00001-of-00002"));
}

TEST(SliceFileTest, DamageIsRefused) {
  const std::string path = Folder("slices_damage") + "/s";
  const std::string good = Contents(kData + "slices-00000-of-00002");
  for (size_t i = 0; i < good.size(); i += 5) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    ASSERT_TRUE(WriteStringToFile(path, damaged).ok());
    auto reader = SliceFileReader::Open(path);
    if (!reader.ok()) continue;
    // Only bytes that nothing reads (padding of the footer) may be wrong unnoticed.
    for (const auto& [name, stored] : (*reader)->tensors()) {
      if (name == "part") continue;
      EXPECT_TRUE((*reader)->Read(name, TensorSlice::Whole(stored.full.rank())).ok())
          << name << " byte " << i;
    }
  }
  ASSERT_TRUE(WriteStringToFile(path, good.substr(0, 100)).ok());
  EXPECT_EQ(SliceFileReader::Open(path).status().code(), Code::kDataLoss);
}

TEST(TensorSliceTest, Text) {
  auto part = ShapeAndSlice::Parse("4 3 -:0,2");
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(part->full, Shape({4, 3}));
  EXPECT_EQ(part->shape, Shape({4, 2}));
  EXPECT_EQ(part->slice.ToString(), "-:0,2");
  EXPECT_FALSE(ShapeAndSlice::Parse("")->is_given);
  for (const char* bad : {"foo", "4 3", "x 0,1", "4 0;1", "4 0,0", "4 -1,2", "4 1,", "-4 0,1",
                          "9223372036854775807 9223372036854775807 -:-"}) {
    EXPECT_EQ(ShapeAndSlice::Parse(bad).status().code(), Code::kInvalidArgument) << bad;
  }
  for (const char* outside :
       {"4 0,5", "4 4,1", "4 9223372036854775807,9223372036854775807", "4 3 0,1"}) {
    EXPECT_EQ(ShapeAndSlice::Parse(outside).status().code(), Code::kInternal) << outside;
  }
}

TEST(SliceKeyTest, Bytes) {
  EXPECT_EQ(SliceKey("a", Slice("0,1")), std::string("\0a\0\1\1\1\x80\x81", 8));
  EXPECT_EQ(SliceKey(std::string("\0\xff", 2), TensorSlice()),
            std::string("\0\0\xff\xff\0\0\1\0", 8));
  EXPECT_EQ(SliceKey("", TensorSlice({{64, 8191}, {8192, TensorSlice::kWhole}})),
            std::string("\0\0\1\1\2\xc0\x40\xdf\xff\xe0\x20\0\x7f", 13));
}

}  // namespace
}  // namespace warpbeam
