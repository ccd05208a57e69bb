#include "ops/data/dataset.h"

#include "gmock/gmock.h"
#include "ops/data/dataset_testing.h"

namespace warpbeam {
namespace {

using namespace testing_data;  // NOLINT: the vocabulary of this test
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Code = StatusCode;

Tensor Counted(const char* op, const Tensor& input, int64_t count) {
  return Made(Op(op).Input(input).Input(Int(count)).RunOne());
}

Tensor Batch(const Tensor& input, int64_t size, bool drop) {
  return Made(Op("BatchDatasetV2", DType::kInt64, PartialShape({-1}))
                  .Input(input)
                  .Input(Int(size))
                  .Input(Tensor::Scalar<bool>(drop))
                  .RunOne());
}

TEST(DatasetTest, RangeInBothDirectionsAndToTheEndsOfInt64) {
  const auto range = [](int64_t a, int64_t b, int64_t s) {
    return Made(Op("RangeDataset").Input(Int(a)).Input(Int(b)).Input(Int(s)).RunOne());
  };
  EXPECT_THAT(ReadInts(range(2, 9, 3)), ElementsAre(2, 5, 8));
  EXPECT_THAT(ReadInts(range(5, 0, -2)), ElementsAre(5, 3, 1));
  EXPECT_THAT(ReadInts(range(5, 5, 1)), IsEmpty());
  const int64_t step = int64_t{1} << 62;
  EXPECT_THAT(ReadInts(range(INT64_MIN, INT64_MAX, step)),
              ElementsAre(INT64_MIN, INT64_MIN + step, 0, step));
  EXPECT_EQ(Cardinality(range(INT64_MIN, INT64_MAX, 1)), INT64_MAX);
  EXPECT_EQ(Op("RangeDataset").Input(Int(0)).Input(Int(1)).Input(Int(0)).RunOne().status().code(),
            Code::kInvalidArgument);
}

TEST(DatasetTest, TakeSkipRepeatConcatenate) {
  EXPECT_THAT(ReadInts(Counted("TakeDataset", Range(0, 5), 2)), ElementsAre(0, 1));
  EXPECT_THAT(ReadInts(Counted("TakeDataset", Range(0, 3), -1)), ElementsAre(0, 1, 2));
  EXPECT_THAT(ReadInts(Counted("TakeDataset", Range(0, 3), 0)), IsEmpty());
  EXPECT_THAT(ReadInts(Counted("SkipDataset", Range(0, 5), 3)), ElementsAre(3, 4));
  EXPECT_THAT(ReadInts(Counted("SkipDataset", Range(0, 5), -1)), IsEmpty());
  EXPECT_THAT(ReadInts(Counted("RepeatDataset", Range(0, 2), 2)), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(ReadInts(Counted("RepeatDataset", Range(0, 2), -1), 5), ElementsAre(0, 1, 0, 1, 0));
  const Tensor both = Made(Op("ConcatenateDataset").Input(Range(0, 2)).Input(Range(7, 9)).RunOne());
  EXPECT_THAT(ReadInts(both), ElementsAre(0, 1, 7, 8));
  EXPECT_EQ(Cardinality(both), 4);
}

TEST(DatasetTest, RepeatingNothingEnds) {
  EXPECT_THAT(ReadInts(Counted("RepeatDataset", Range(0, 0), -1)), IsEmpty());
  EXPECT_THAT(ReadInts(Counted("RepeatDataset", Range(0, 0), int64_t{1} << 60)), IsEmpty());
}

TEST(DatasetTest, BatchKeepsOrDropsTheRemainder) {
  EXPECT_THAT(ReadRows(Batch(Range(0, 5), 2, false)),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
  EXPECT_THAT(ReadRows(Batch(Range(0, 5), 2, true)),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_EQ(Cardinality(Batch(Range(0, 5), 2, false)), 3);
  EXPECT_EQ(Cardinality(Batch(Range(0, 5), 2, true)), 2);
}

TEST(DatasetTest, AGenerousBatchSizeCostsNoMemory) {
  EXPECT_THAT(ReadRows(Batch(Range(0, 3), int64_t{1} << 60, false)),
              ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(DatasetTest, BatchesOfStrings) {
  const Tensor words = Made(OpRunner("TensorSliceDataset")
                                .Attr("output_shapes", std::vector<PartialShape>{PartialShape({})})
                                .InputList({Tensor::Vector<std::string>({"a", "bb", "ccc"})})
                                .RunOne());
  Reader reader(Made(Op("BatchDataset", DType::kString).Input(words).Input(Int(2)).RunOne()));
  ASSERT_TRUE(reader.Next()) << reader.status;
  EXPECT_THAT(reader.element[0].flat<std::string>(), ElementsAre("a", "bb"));
  ASSERT_TRUE(reader.Next()) << reader.status;
  EXPECT_THAT(reader.element[0].flat<std::string>(), ElementsAre("ccc"));
  EXPECT_FALSE(reader.Next());
}

TEST(DatasetTest, RowsOfDifferentShapesCannotBeBatched) {
  const Tensor row1 = Made(OpRunner("TensorDataset")
                               .Attr("output_shapes", std::vector<PartialShape>{PartialShape()})
                               .InputList({Tensor::Vector<int64_t>({1})})
                               .RunOne());
  const Tensor row2 = Made(OpRunner("TensorDataset")
                               .Attr("output_shapes", std::vector<PartialShape>{PartialShape()})
                               .InputList({Tensor::Vector<int64_t>({1, 2})})
                               .RunOne());
  Reader reader(Batch(Made(Op("ConcatenateDataset").Input(row1).Input(row2).RunOne()), 2, false));
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(reader.status.code(), Code::kInvalidArgument);
}

TEST(DatasetTest, ZipEndsWithTheShortest) {
  const Tensor zip = Made(OpRunner("ZipDataset")
                              .Attr("output_types", std::vector<DType>(2, DType::kInt64))
                              .Attr("output_shapes", std::vector<PartialShape>(2))
                              .InputList({Range(0, 3), Range(5, 7)})
                              .RunOne());
  Reader reader(zip);
  ASSERT_TRUE(reader.Next());
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.element[0].scalar<int64_t>(), 1);
  EXPECT_EQ(reader.element[1].scalar<int64_t>(), 6);
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(Cardinality(zip), 2);
}

TEST(DatasetTest, ShardTakesEveryNth) {
  const auto shard = [](int64_t n, int64_t index) {
    return Op("ShardDataset").Input(Range(0, 7)).Input(Int(n)).Input(Int(index)).RunOne();
  };
  EXPECT_THAT(ReadInts(Made(shard(3, 1))), ElementsAre(1, 4));
  EXPECT_EQ(Cardinality(Made(shard(3, 0))), 3);
  EXPECT_EQ(shard(3, 3).status().code(), Code::kInvalidArgument);
}

// A share is given out when each of the shards has an element; one that has none is just empty.
TEST(DatasetTest, ShardTellsThatThereAreTooFewElements) {
  const auto shard = [](int64_t n, int64_t index) {
    return Made(Op("ShardDataset")
                    .Attr("require_non_empty", true)
                    .Input(Range(0, n))
                    .Input(Int(3))
                    .Input(Int(index))
                    .RunOne());
  };
  EXPECT_THAT(ReadInts(shard(4, 0)), ElementsAre(0, 3));
  EXPECT_THAT(ReadInts(shard(3, 2)), ElementsAre(2));
  EXPECT_THAT(ReadInts(shard(0, 0)), IsEmpty());
  EXPECT_THAT(ReadInts(shard(2, 2)), IsEmpty());
  Reader reader(shard(2, 0));
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(reader.status.code(), Code::kInvalidArgument);
}

TEST(DatasetTest, RowsHaveTheShapesThatTheAttributeTells) {
  const Tensor x = Tensor::FromValues<float>(Shape({1, 2}), {1, 2});
  const auto slices = [&](PartialShape shape) {
    return OpRunner("TensorSliceDataset")
        .Attr("output_shapes", std::vector<PartialShape>{std::move(shape)})
        .InputList({x})
        .RunOne();
  };
  EXPECT_TRUE(slices(PartialShape({-1})).ok());
  EXPECT_TRUE(slices(PartialShape()).ok());
  EXPECT_EQ(slices(PartialShape({3})).status().code(), Code::kInvalidArgument);
}

TEST(DatasetTest, UnbatchGivesRows) {
  const Tensor rows = Made(Op("UnbatchDataset").Input(Batch(Range(0, 5), 3, false)).RunOne());
  EXPECT_THAT(ReadInts(rows), ElementsAre(0, 1, 2, 3, 4));
}

TEST(DatasetTest, WindowsOverlapAndLeaveGaps) {
  const auto windows = [](int64_t size, int64_t shift, int64_t stride, bool drop) {
    const Tensor window = Made(Op("WindowDataset", DType::kVariant)
                                   .Input(Range(0, 10))
                                   .Input(Int(size))
                                   .Input(Int(shift))
                                   .Input(Int(stride))
                                   .Input(Tensor::Scalar<bool>(drop))
                                   .RunOne());
    std::vector<std::vector<int64_t>> all;
    Reader reader(window);
    while (reader.Next()) all.push_back(ReadInts(reader.element[0]));
    EXPECT_EQ(Cardinality(window), static_cast<int64_t>(all.size()));
    return all;
  };
  EXPECT_THAT(windows(4, 3, 2, true),
              ElementsAre(ElementsAre(0, 2, 4, 6), ElementsAre(3, 5, 7, 9)));
  EXPECT_THAT(windows(2, 5, 1, false), ElementsAre(ElementsAre(0, 1), ElementsAre(5, 6)));
  EXPECT_THAT(windows(4, 4, 1, false),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7), ElementsAre(8, 9)));
}

TEST(DatasetTest, CacheGivesTheSameAgain) {
  const Tensor shuffled = Made(
      Op("ShuffleDataset").Input(Range(0, 9)).Input(Int(9)).Input(Int(0)).Input(Int(0)).RunOne());
  const Tensor cached = Made(Op("CacheDataset").Input(shuffled).Input(Text("")).RunOne());
  EXPECT_EQ(ReadInts(cached, 3).size(), 3u);  // not the whole: caches nothing
  const std::vector<int64_t> first = ReadInts(cached);
  EXPECT_EQ(first.size(), 9u);
  EXPECT_EQ(ReadInts(cached), first);
}

TEST(DatasetTest, PrefetchKeepsTheOrderAndEndsItsThreadEarly) {
  const Tensor ahead = Counted("PrefetchDataset", Range(0, 1000), 4);
  EXPECT_EQ(ReadInts(ahead), ReadInts(Range(0, 1000)));
  EXPECT_THAT(ReadInts(ahead, 2), ElementsAre(0, 1));
  const Tensor endless = Counted("PrefetchDataset", Counted("RepeatDataset", Range(0, 2), -1), -1);
  EXPECT_THAT(ReadInts(endless, 3), ElementsAre(0, 1, 0));
  EXPECT_EQ(Op("PrefetchDataset").Input(Range(0, 1)).Input(Int(-2)).RunOne().status().code(),
            Code::kInvalidArgument);
}

TEST(DatasetTest, ACancelledPipelineStopsPassingOver) {
  Reader reader(Counted("SkipDataset", Counted("RepeatDataset", Range(0, 2), -1), INT64_MAX));
  EXPECT_FALSE(reader.dataset->IsImmediate());
  reader.pipeline.Cancel();
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(reader.status.code(), Code::kCancelled);
}

// Collecting for an element of any size takes time and memory until somebody no longer wants it.
TEST(DatasetTest, ACancelledPipelineStopsCollecting) {
  const Tensor endless = Range(0, INT64_MAX);
  const Tensor shuffled = Made(Op("ShuffleDataset")
                                   .Input(endless)
                                   .Input(Int(int64_t{1} << 60))
                                   .Input(Int(1))
                                   .Input(Int(2))
                                   .RunOne());
  const Tensor padded =
      Made(OpRunner("PaddedBatchDataset")
               .Attr("output_shapes", std::vector<PartialShape>{PartialShape({-1})})
               .Input(endless)
               .Input(Int(int64_t{1} << 60))
               .InputList({Tensor::Vector<int64_t>({})})
               .InputList({Int(0)})
               .RunOne());
  for (const Tensor& dataset : {Batch(endless, int64_t{1} << 60, false), shuffled, padded}) {
    Reader reader(dataset);
    reader.pipeline.Cancel();
    EXPECT_FALSE(reader.Next());
    EXPECT_EQ(reader.status.code(), Code::kCancelled) << reader.dataset->name();
  }
}

TEST(DatasetTest, SingleElement) {
  const auto single = [](const Tensor& dataset) {
    return Op("DatasetToSingleElement").Input(dataset).RunOne();
  };
  EXPECT_EQ(Made(single(Range(4, 5))).scalar<int64_t>(), 4);
  EXPECT_EQ(single(Range(0, 0)).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(single(Range(0, 2)).status().code(), Code::kInvalidArgument);
}

TEST(DatasetTest, ATensorThatIsNoDatasetIsRefused) {
  const Tensor none = Tensor::Scalar<Variant>(Variant());
  EXPECT_EQ(Op("TakeDataset").Input(none).Input(Int(1)).RunOne().status().code(),
            Code::kInvalidArgument);
}

TEST(DatasetTest, RebatchCutsEachBatchForTheReplicas) {
  const auto rebatch = [](const Tensor& input, int64_t replicas) {
    return Op("RebatchDataset").Input(input).Input(Int(replicas)).RunOne();
  };
  EXPECT_THAT(ReadRows(Made(rebatch(Batch(Range(0, 5), 4, false), 3))),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), IsEmpty(), ElementsAre(4),
                          IsEmpty(), IsEmpty()));
  EXPECT_EQ(rebatch(Range(0, 1), 0).status().code(), Code::kInvalidArgument);
  Reader scalars(Made(rebatch(Range(0, 1), 2)));
  EXPECT_FALSE(scalars.Next());
  EXPECT_EQ(scalars.status.code(), Code::kInvalidArgument);
}

TEST(DatasetTest, RebatchGivesBatchesOfSizesInTurns) {
  const auto rebatch = [](std::vector<int64_t> sizes, bool drop) {
    return Op("RebatchDatasetV2")
        .Input(Batch(Range(0, 5), 4, false))
        .Input(Tensor::Vector<int64_t>(MakeConstSpan(sizes)))
        .Input(Tensor::Scalar<bool>(drop))
        .RunOne();
  };
  EXPECT_THAT(ReadRows(Made(rebatch({1, 3}, false))),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2, 3), ElementsAre(4)));
  EXPECT_THAT(ReadRows(Made(rebatch({2}, true))),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(ReadRows(Made(rebatch({0, 5}, false))),
              ElementsAre(IsEmpty(), ElementsAre(0, 1, 2, 3, 4), IsEmpty()));
  EXPECT_EQ(rebatch({}, false).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(rebatch({-1}, false).status().code(), Code::kInvalidArgument);
}

TEST(DatasetTest, UniqueGivesEachElementOnce) {
  const Tensor twice = Counted("RepeatDataset", Range(0, 3), 2);
  EXPECT_THAT(ReadInts(Made(Op("UniqueDataset").Input(twice).RunOne())), ElementsAre(0, 1, 2));
}

TEST(DatasetTest, RandomNumbersRepeatWithTheirSeeds) {
  const Tensor random = Made(Op("RandomDataset").Input(Int(42)).Input(Int(7)).RunOne());
  const auto first = ElementsAre(1743679276, 3847491788, 1820248629);  // TensorFlow's
  EXPECT_THAT(ReadInts(random, 3), first);
  EXPECT_THAT(ReadInts(random, 3), first);
}

}  // namespace
}  // namespace warpbeam
