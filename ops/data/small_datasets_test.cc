// Dataset ops that are small each; the values and errors are TensorFlow 2.21's.
#include <cstdlib>
#include <filesystem>

#include "gmock/gmock.h"
#include "ops/data/dataset_testing.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using namespace testing_data;  // NOLINT: the vocabulary of this test
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Code = StatusCode;
using Rows = std::vector<std::vector<int64_t>>;

Tensor Words(const std::vector<std::string>& words) {
  return Tensor::Vector<std::string>(MakeConstSpan(words));
}

TEST(AssertCardinalityDatasetTest, CountsToTheEnd) {
  const auto counted = [](int64_t n) {
    return Made(Op("AssertCardinalityDataset").Input(Range(0, 3)).Input(Int(n)).RunOne());
  };
  EXPECT_THAT(ReadInts(counted(3)), ElementsAre(0, 1, 2));
  EXPECT_EQ(Cardinality(counted(5)), 5);
  const auto message_after = [&](int64_t n, int elements) {
    Reader reader(counted(n));
    for (int i = 0; i < elements; ++i) EXPECT_TRUE(reader.Next());
    EXPECT_FALSE(reader.Next());
    EXPECT_EQ(reader.status.code(), Code::kFailedPrecondition);
    return std::string(reader.status.message());
  };
  const std::string begin = "Input dataset was expected to contain ";
  EXPECT_EQ(message_after(5, 3), begin + "5 elements but contained only 3 elements.");
  EXPECT_EQ(message_after(1, 1), begin + "1 element but contained at least 2 elements.");
  EXPECT_EQ(message_after(0, 0), begin + "0 elements but contained at least 1 element.");
  EXPECT_EQ(message_after(-1, 3),
            begin + "an infinite number of elements but contained only 3 elements.");
}

TEST(SamplingDatasetTest, DrawsWhatTensorFlowDraws) {
  const auto sampled = [](int64_t n, float rate) {
    return Made(Op("SamplingDataset")
                    .Input(Range(0, n))
                    .Input(Tensor::Scalar<float>(rate))
                    .Input(Int(7))
                    .Input(Int(9))
                    .RunOne());
  };
  EXPECT_THAT(ReadInts(sampled(30, 0.4f)), ElementsAre(7, 8, 13, 14, 18, 20, 21, 27, 28));
  EXPECT_THAT(ReadInts(sampled(3, 1)), ElementsAre(0, 1, 2));
  EXPECT_THAT(ReadInts(sampled(3, 0)), IsEmpty());
}

TEST(RandomDatasetTest, V2MayDrawAnewInEachPass) {
  const auto made = [](bool rerandomize) {
    return Made(Op("RandomDatasetV2")
                    .Attr("rerandomize_each_iteration", rerandomize)
                    .Input(Int(1))
                    .Input(Int(2))
                    .Input(Tensor::Scalar<ResourceHandle>({}))
                    .RunOne());
  };
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_THAT(ReadInts(made(false), 2), ElementsAre(3878945999, 2364392915));
  }
  const Tensor anew = made(true);
  EXPECT_THAT(ReadInts(anew, 2), ElementsAre(1801043212, 1974464429));
  EXPECT_THAT(ReadInts(anew, 2), ElementsAre(3111139111, 2247037790));
  EXPECT_THAT(ReadInts(anew, 2), ElementsAre(348776392, 2642007845));
}

StatusOr<Tensor> Sliding(int64_t n, int64_t size, int64_t shift, int64_t stride, bool drop) {
  return Op("SlidingWindowDataset", DType::kInt64, PartialShape({-1}))
      .Attr("drop_remainder", drop)
      .Input(Range(0, n))
      .Input(Int(size))
      .Input(Int(shift))
      .Input(Int(stride))
      .RunOne();
}

TEST(SlidingWindowDatasetTest, WindowsAsTensors) {
  const Rows full = {{0, 1, 2}, {2, 3, 4}, {4, 5, 6}};
  EXPECT_EQ(ReadRows(Made(Sliding(7, 3, 2, 1, true))), full);
  EXPECT_EQ(Cardinality(Made(Sliding(7, 3, 2, 1, true))), 3);
  Rows all = full;
  all.push_back({6});
  EXPECT_EQ(ReadRows(Made(Sliding(7, 3, 2, 1, false))), all);
  EXPECT_EQ(ReadRows(Made(Sliding(10, 3, 5, 2, true))), (Rows{{0, 2, 4}, {5, 7, 9}}));
  EXPECT_EQ(ReadRows(Made(Sliding(12, 3, 4, 2, false))), (Rows{{0, 2, 4}, {4, 6, 8}, {8, 10}}));
  EXPECT_THAT(ReadRows(Made(Sliding(2, 3, 1, 1, true))), IsEmpty());
  EXPECT_EQ(Cardinality(Made(Sliding(2, 3, 1, 1, true))), 2);
  EXPECT_EQ(Sliding(2, 0, 1, 1, true).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Sliding(2, 1, 0, 1, true).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Sliding(2, 1, 1, 0, true).status().code(), Code::kInvalidArgument);
}

// Elements in several windows stay whole.
TEST(SlidingWindowDatasetTest, StringsOfSeveralWindows) {
  const Tensor words =
      Made(OpRunner("TensorSliceDataset")
               .Attr("output_shapes", std::vector<PartialShape>{PartialShape(Shape())})
               .InputList({Words({"a", "b", "c"})})
               .RunOne());
  Reader reader(Made(Op("ExperimentalSlidingWindowDataset", DType::kString, PartialShape({-1}))
                         .Input(words)
                         .Input(Int(2))
                         .Input(Int(1))
                         .Input(Int(1))
                         .RunOne()));
  std::string all;
  while (reader.Next()) {
    for (const std::string& s : reader.element[0].flat<std::string>()) all += s;
  }
  EXPECT_EQ(all, "abbc");
}

StatusOr<Tensor> SparseRows(const std::vector<int64_t>& indices, std::vector<float> values,
                            const std::vector<int64_t>& dims) {
  const auto rank = static_cast<int64_t>(dims.size());
  return OpRunner("SparseTensorSliceDataset")
      .Input(Tensor::FromValues<int64_t>(Shape({static_cast<int64_t>(indices.size()) / rank, rank}),
                                         indices))
      .Input(Tensor::Vector<float>(MakeConstSpan(values)))
      .Input(Tensor::Vector<int64_t>(MakeConstSpan(dims)))
      .RunOne();
}

TEST(SparseTensorSliceDatasetTest, OneSparseTensorForEachRow) {
  Reader reader(Made(SparseRows({0, 0, 0, 3, 2, 1}, {1, 2, 3}, {4, 5})));
  const Rows indices = {{0, 3}, {}, {1}, {}};
  for (size_t row = 0; row < indices.size(); ++row) {
    ASSERT_TRUE(reader.Next());
    const auto got = reader.element[0].flat<int64_t>();
    EXPECT_EQ(std::vector<int64_t>(got.begin(), got.end()), indices[row]);
    EXPECT_EQ(reader.element[1].num_elements(), static_cast<int64_t>(indices[row].size()));
    EXPECT_THAT(reader.element[2].flat<int64_t>(), ElementsAre(5));
    if (row == 2) {
      EXPECT_EQ(reader.element[1].data<float>()[0], 3);
    }
  }
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.status.ok());
  // Rows that the shape does not have are in none; one dimension leaves none.
  EXPECT_EQ(Cardinality(Made(SparseRows({0, 9, 5, 3}, {1, 2}, {4, 5}))), 4);
  Reader vector(Made(SparseRows({1}, {7}, {2})));
  ASSERT_TRUE(vector.Next());
  ASSERT_TRUE(vector.Next());
  EXPECT_EQ(vector.element[0].shape(), Shape({1, 0}));
  EXPECT_EQ(vector.element[1].data<float>()[0], 7);
}

TEST(SparseTensorSliceDatasetTest, Refuses) {
  EXPECT_EQ(SparseRows({2, 0, 0, 3}, {1, 2}, {4, 5}).status().code(), Code::kUnimplemented);
  EXPECT_EQ(SparseRows({0, 0}, {1}, {-4, 5}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(SparseRows({0, 0, 1, 3}, {1}, {4, 5}).status().code(), Code::kInvalidArgument);
}

// Elements [0], [0, 1], … of growing length, as windows that are not full.
StatusOr<Tensor> Sparse(int64_t n, int64_t batch_size, const std::vector<int64_t>& row_shape) {
  const Tensor rows = Made(Sliding(n, n, 1, 1, false));
  return Op("DenseToSparseBatchDataset", DType::kVariant, PartialShape({3}))
      .Input(rows)
      .Input(Int(batch_size))
      .Input(Tensor::Vector<int64_t>(MakeConstSpan(row_shape)))
      .RunOne();
}

TEST(DenseToSparseBatchDatasetTest, RowsOfDifferentLengths) {
  Reader reader(Made(Sparse(3, 2, {-1})));  // [0, 1, 2], [1, 2] and [2]
  ASSERT_TRUE(reader.Next()) << reader.status;
  const auto part = [&reader](int i) {
    const Tensor* const held = reader.element[0].data<Variant>()[i].get<Tensor>();
    return held == nullptr ? Tensor() : *held;
  };
  EXPECT_THAT(part(0).flat<int64_t>(), ElementsAre(0, 0, 0, 1, 0, 2, 1, 0, 1, 1));
  EXPECT_THAT(part(1).flat<int64_t>(), ElementsAre(0, 1, 2, 1, 2));
  EXPECT_THAT(part(2).flat<int64_t>(), ElementsAre(2, 3));
  ASSERT_TRUE(reader.Next());
  EXPECT_THAT(part(2).flat<int64_t>(), ElementsAre(1, 1));
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.status.ok());
}

TEST(DenseToSparseBatchDatasetTest, ElementsThatDoNotFit) {
  Reader large(Made(Sparse(3, 1, {2})));
  EXPECT_FALSE(large.Next());
  EXPECT_EQ(large.status.code(), Code::kDataLoss);
  EXPECT_TRUE(large.Next());
  Reader rank(Made(Sparse(3, 1, {2, 2})));
  EXPECT_FALSE(rank.Next());
  EXPECT_EQ(rank.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(Sparse(3, 0, {2}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Sparse(3, 1, {-2}).status().code(), Code::kInvalidArgument);
}

TEST(SleepDatasetTest, PassesElementsOn) {
  const auto sleeping = [](int64_t microseconds) {
    return Op("SleepDataset").Input(Range(0, 2)).Input(Int(microseconds)).RunOne();
  };
  EXPECT_THAT(ReadInts(Made(sleeping(10))), ElementsAre(0, 1));
  EXPECT_EQ(sleeping(-10).status().code(), Code::kInvalidArgument);
  Reader cancelled(Made(sleeping(INT64_MAX)));
  cancelled.pipeline.Cancel();
  EXPECT_FALSE(cancelled.Next());
  EXPECT_EQ(cancelled.status.code(), Code::kCancelled);
}

TEST(MatchingFilesDatasetTest, SortedByPattern) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string root = absl::StrCat(folder == nullptr ? "." : folder, "/matching/");
  std::filesystem::create_directories(root + "sub");
  std::filesystem::create_directories(root + "z.txt");
  for (const char* name : {"b.txt", "a.txt", "c.dat", ".h.txt", "sub/a.txt"}) {
    ASSERT_TRUE(WriteStringToFile(root + name, "x").ok());
  }
  const auto read = [&root](std::vector<std::string> patterns, Status* status) {
    for (std::string& p : patterns) p = root + p;
    Reader reader(Made(OpRunner("MatchingFilesDataset").Input(Words(patterns)).RunOne()));
    std::vector<std::string> names;
    while (reader.Next()) {
      names.push_back(reader.element[0].scalar<std::string>().substr(root.size()));
    }
    *status = reader.status;
    return names;
  };
  Status status;
  EXPECT_THAT(read({"b*", "*.txt"}, &status), ElementsAre("b.txt", ".h.txt", "a.txt", "b.txt"));
  EXPECT_THAT(read({"*/a.txt"}, &status), ElementsAre("sub/a.txt"));
  EXPECT_THAT(read({"none*", "c.dat"}, &status), ElementsAre("c.dat"));
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(read({"none*"}, &status), IsEmpty());
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(read({"nowhere/*"}, &status), IsEmpty());
  EXPECT_EQ(status.code(), Code::kNotFound);
}

TEST(DatasetToTFRecordTest, WritesTensorFlowsBytes) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = absl::StrCat(folder == nullptr ? "." : folder, "/out.tfrecord");
  const auto write = [&](const Tensor& dataset, const std::string& to, const char* compression) {
    return OpRunner("DatasetToTFRecord")
        .Input(dataset)
        .Input(Text(to))
        .Input(Text(compression))
        .Run()
        .status();
  };
  const Tensor words =
      Made(OpRunner("TensorSliceDataset")
               .Attr("output_shapes", std::vector<PartialShape>{PartialShape(Shape())})
               .InputList({Words({"a", "bb", ""})})
               .RunOne());
  const Status written = write(words, path, "");
  ASSERT_TRUE(written.ok()) << written;
  const std::string length(7, '\0');
  EXPECT_EQ(*ReadFileToString(path), "\x01" + length +
                                         "\x01u\xde"
                                         "Aaxn\xe4(" +
                                         "\x02" + length +
                                         "x'\x0b"
                                         "4bbc\x97\xe2\xa5" +
                                         length + std::string(1, '\0') +
                                         ")\x03\x98\x07\xd8\xea\x82\xa2");
  EXPECT_EQ(write(Range(0, 3), path, "").code(), Code::kInvalidArgument);
  EXPECT_EQ(write(words, path + ".no/x", "").code(), Code::kNotFound);
  EXPECT_EQ(write(words, path, "FOO").code(), Code::kInvalidArgument);
}

TEST(ChooseFastestDatasetTest, TheFirst) {
  const auto chosen = [](int64_t n) {
    return Op("ChooseFastestDataset")
        .Attr("num_experiments", int64_t{2})
        .InputList({Range(0, 3), Range(0, n)})
        .RunOne();
  };
  EXPECT_THAT(ReadInts(Made(chosen(3))), ElementsAre(0, 1, 2));
  EXPECT_EQ(chosen(5).status().code(), Code::kInvalidArgument);
}

TEST(AutoShardDatasetTest, SharesOutElements) {
  const auto share = [](int64_t workers, int64_t index, int64_t policy) {
    return Op("AutoShardDataset")
        .Attr("auto_shard_policy", policy)
        .Input(Range(0, 6))
        .Input(Int(workers))
        .Input(Int(index))
        .RunOne();
  };
  for (const int64_t policy : {0, 2}) {
    EXPECT_THAT(ReadInts(Made(share(2, 1, policy))), ElementsAre(1, 3, 5));
  }
  for (const int64_t policy : {-1, 3}) EXPECT_EQ(Cardinality(Made(share(2, 1, policy))), 6);
  EXPECT_EQ(share(2, 1, 1).status().code(), Code::kUnimplemented);
  EXPECT_EQ(share(2, 2, 0).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(share(0, 0, 0).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(share(2, 0, 4).status().code(), Code::kInvalidArgument);
}

TEST(ListDatasetTest, TensorsAreElements) {
  for (const char* op : {"ListDataset", "WindowOp"}) {
    const Tensor list = Made(Op(op).InputList({Int(1), Int(5)}).RunOne());
    EXPECT_THAT(ReadInts(list), ElementsAre(1, 5));
    EXPECT_EQ(Cardinality(list), 2);
  }
  EXPECT_FALSE(Op("ListDataset").InputList({Text("x")}).RunOne().ok());
}

TEST(PassThroughTest, PoolsStatisticsAndAssertionsOfNothing) {
  ResourceStore store;
  const Tensor pool = Made(OpRunner("ThreadPoolHandle")
                               .Attr("num_threads", int64_t{2})
                               .Attr("display_name", std::string("p"))
                               .Resources(&store)
                               .RunOne());
  EXPECT_THAT(
      ReadInts(
          Made(Op("ThreadPoolDataset").Resources(&store).Input(Range(0, 2)).Input(pool).RunOne())),
      ElementsAre(0, 1));
  const Tensor statistics = Made(OpRunner("StatsAggregatorHandle")
                                     .Attr("shared_name", std::string("s"))
                                     .Resources(&store)
                                     .RunOne());
  EXPECT_THAT(ReadInts(Made(Op("SetStatsAggregatorDataset")
                                .Resources(&store)
                                .Input(Range(0, 2))
                                .Input(statistics)
                                .Input(Text("t"))
                                .Input(Text("p"))
                                .RunOne())),
              ElementsAre(0, 1));
  EXPECT_EQ(Made(OpRunner("StatsAggregatorSummary").Resources(&store).Input(statistics).RunOne())
                .scalar<std::string>(),
            "");
  EXPECT_FALSE(
      Op("ThreadPoolDataset").Resources(&store).Input(Range(0, 2)).Input(statistics).RunOne().ok());
  EXPECT_EQ(OpRunner("ThreadPoolHandle")
                .Attr("num_threads", int64_t{-1})
                .Attr("display_name", std::string("p"))
                .Resources(&store)
                .RunOne()
                .status()
                .code(),
            Code::kInvalidArgument);
  const auto limited = [](int64_t n) {
    return Op("PrivateThreadPoolDataset").Input(Range(0, 2)).Input(Int(n)).RunOne();
  };
  EXPECT_THAT(ReadInts(Made(limited(0))), ElementsAre(0, 1));
  EXPECT_EQ(limited(-1).status().code(), Code::kInvalidArgument);
  const auto asserted = [](const std::vector<std::string>& names) {
    return Op("AssertNextDataset").Input(Range(0, 2)).Input(Words(names)).RunOne();
  };
  EXPECT_THAT(ReadInts(Made(asserted({}))), ElementsAre(0, 1));
  EXPECT_EQ(asserted({"Map"}).status().code(), Code::kInvalidArgument);
}

TEST(MemoryCacheTest, NamesForCacheDatasetV2) {
  ResourceStore store;
  auto made = OpRunner("AnonymousMemoryCache").Resources(&store).Run();
  ASSERT_TRUE(made.ok()) << made.status();
  const Tensor dummy = Made(OpRunner("DummyMemoryCache").Resources(&store).RunOne());
  for (const Tensor& cache : {(*made)[0], dummy}) {
    EXPECT_THAT(ReadInts(Made(Op("CacheDatasetV2")
                                  .Resources(&store)
                                  .Input(Range(0, 2))
                                  .Input(Text(""))
                                  .Input(cache)
                                  .RunOne())),
                ElementsAre(0, 1));
  }
  const auto remove = [&] {
    return OpRunner("DeleteMemoryCache")
        .Resources(&store)
        .Input((*made)[0])
        .Input((*made)[1])
        .Run()
        .status();
  };
  EXPECT_TRUE(remove().ok());
  EXPECT_EQ(remove().code(), Code::kNotFound);
}

}  // namespace
}  // namespace warpbeam
