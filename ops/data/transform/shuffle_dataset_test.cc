// The orders were taken from TensorFlow 2.21 with the same seeds.

#include <algorithm>

#include "gmock/gmock.h"
#include "ops/data/dataset_testing.h"

namespace warpbeam {
namespace {

using namespace testing_data;  // NOLINT: the vocabulary of this test
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

OpRunner Shuffle(const char* op, const Tensor& input, int64_t buffer_size, bool reshuffle = true) {
  OpRunner runner = Op(op);
  runner.Attr("reshuffle_each_iteration", reshuffle).Input(input).Input(Int(buffer_size));
  runner.Input(Int(5)).Input(Int(9));
  return runner;
}

Tensor Repeat(const Tensor& input, int64_t count) {
  return Made(Op("RepeatDataset").Input(input).Input(Int(count)).RunOne());
}

const std::vector<int64_t> kReshuffled = {1, 3, 2, 0, 4, 5, 0, 2, 3, 1, 5, 4, 0, 1, 3, 2, 4, 5};
const std::vector<int64_t> kSameEachTime = {2, 0, 5, 1, 4, 3, 2, 0, 5, 1, 4, 3, 2, 0, 5, 1, 4, 3};

TEST(ShuffleDatasetTest, SeedsGiveTensorFlowsOrder) {
  EXPECT_THAT(ReadInts(Made(Shuffle("ShuffleDataset", Range(0, 10), 4).RunOne())),
              ElementsAre(1, 3, 2, 4, 6, 5, 0, 7, 9, 8));
  EXPECT_THAT(ReadInts(Made(Shuffle("ShuffleDataset", Range(0, 10), 100).RunOne())),
              ElementsAre(5, 9, 2, 8, 3, 6, 0, 7, 1, 4));
  EXPECT_THAT(ReadInts(Made(Op("ShuffleDataset")
                                .Input(Range(0, 8))
                                .Input(Int(8))
                                .Input(Int(-3))
                                .Input(Int((int64_t{1} << 40) + 1))
                                .RunOne())),
              ElementsAre(1, 7, 0, 3, 2, 4, 6, 5));
}

TEST(ShuffleDatasetTest, EachPassHasAnOrderOfItsOwnUnlessAskedOtherwise) {
  const Tensor reshuffled = Made(Shuffle("ShuffleDataset", Range(0, 6), 4).RunOne());
  EXPECT_THAT(ReadInts(Repeat(reshuffled, 3)), ElementsAreArray(kReshuffled));
  const Tensor same = Made(Shuffle("ShuffleDataset", Range(0, 6), 4, false).RunOne());
  EXPECT_THAT(ReadInts(Repeat(same, 3)), ElementsAreArray(kSameEachTime));
}

TEST(ShuffleDatasetTest, ShuffleAndRepeatMixesPassesAsTensorFlowDoes) {
  EXPECT_THAT(
      ReadInts(Made(Shuffle("ShuffleAndRepeatDataset", Range(0, 6), 4).Input(Int(3)).RunOne())),
      ElementsAreArray(kReshuffled));
  EXPECT_THAT(
      ReadInts(
          Made(Shuffle("ShuffleAndRepeatDataset", Range(0, 6), 4, false).Input(Int(3)).RunOne())),
      ElementsAreArray(kSameEachTime));
  EXPECT_THAT(
      ReadInts(Made(Shuffle("ShuffleAndRepeatDataset", Range(0, 3), 20).Input(Int(6)).RunOne())),
      ElementsAre(0, 1, 2, 2, 0, 1, 2, 1, 0, 2, 0, 1, 2, 1, 0, 2, 1, 0));
}

TEST(ShuffleDatasetTest, TheWholeInputAsBuffer) {
  const Tensor all = Made(Shuffle("ShuffleDataset", Range(0, 6), -2).RunOne());
  EXPECT_THAT(ReadInts(Repeat(all, 2)), ElementsAre(3, 5, 2, 0, 4, 1, 2, 1, 3, 0, 5, 4));
}

TEST(ShuffleDatasetTest, SeedGeneratorsAreResources) {
  ResourceStore store;
  for (const bool reshuffle : {true, false}) {
    auto made = OpRunner("AnonymousSeedGenerator")
                    .Input(Int(5))
                    .Input(Int(9))
                    .Input(Tensor::Scalar<bool>(reshuffle))
                    .Resources(&store)
                    .Run();
    ASSERT_TRUE(made.ok()) << made.status();
    const Tensor shuffled = Made(
        Shuffle("ShuffleDatasetV3", Range(0, 6), 4).Input((*made)[0]).Resources(&store).RunOne());
    EXPECT_THAT(ReadInts(Repeat(shuffled, 3)),
                ElementsAreArray(reshuffle ? kReshuffled : kSameEachTime));
    EXPECT_TRUE(OpRunner("DeleteSeedGenerator")
                    .Input((*made)[0])
                    .Input((*made)[1])
                    .Resources(&store)
                    .Run()
                    .ok());
  }
  EXPECT_TRUE(store.Names().empty());
}

TEST(ShuffleDatasetTest, WithoutSeedsEveryElementComesOnce) {
  const Tensor shuffled = Made(
      Op("ShuffleDataset").Input(Range(0, 50)).Input(Int(20)).Input(Int(0)).Input(Int(0)).RunOne());
  std::vector<int64_t> values = ReadInts(shuffled);
  EXPECT_NE(values, ReadInts(Range(0, 50)));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, ReadInts(Range(0, 50)));
}

TEST(ShuffleDatasetTest, RefusesABufferOfNothing) {
  EXPECT_EQ(Shuffle("ShuffleDataset", Range(0, 3), 0).RunOne().status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
