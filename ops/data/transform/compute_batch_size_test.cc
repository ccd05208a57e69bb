#include "ops/data/dataset_testing.h"

namespace warpbeam {
namespace {

using namespace testing_data;  // NOLINT: the vocabulary of this test

int64_t BatchSize(const Tensor& dataset) {
  auto size = OpRunner("ComputeBatchSize").Input(dataset).RunOne();
  EXPECT_TRUE(size.ok()) << size.status();
  return size.ok() ? size->scalar<int64_t>() : -100;
}

Tensor Batched(const Tensor& input, int64_t size) {
  return Made(Op("BatchDatasetV2")
                  .Input(input)
                  .Input(Int(size))
                  .Input(Tensor::Scalar<bool>(false))
                  .RunOne());
}
Tensor Of(const char* op, const Tensor& input, int64_t count) {
  return Made(Op(op).Input(input).Input(Int(count)).RunOne());
}
Tensor Both(const Tensor& a, const Tensor& b) {
  return Made(Op("ConcatenateDataset").Input(a).Input(b).RunOne());
}

// Each of them TensorFlow 2.21 says too.
TEST(ComputeBatchSizeTest, OfTheLastBatches) {
  const Tensor batches = Batched(Range(0, 10), 4);
  EXPECT_EQ(BatchSize(Range(0, 10)), -1);
  EXPECT_EQ(BatchSize(batches), 4);
  EXPECT_EQ(BatchSize(Batched(batches, 3)), 3);
  EXPECT_EQ(BatchSize(Made(Op("BatchDataset").Input(Range(0, 3)).Input(Int(2)).RunOne())), 2);
  for (const char* op : {"PrefetchDataset", "RepeatDataset", "TakeDataset", "SkipDataset"}) {
    EXPECT_EQ(BatchSize(Of(op, batches, 1)), 4) << op;
  }
  EXPECT_EQ(BatchSize(Made(Op("CacheDataset").Input(batches).Input(Text("")).RunOne())), 4);
  EXPECT_EQ(BatchSize(Made(Op("ShardDataset").Input(batches).Input(Int(2)).Input(Int(0)).RunOne())),
            4);
  EXPECT_EQ(BatchSize(Made(Op("UnbatchDataset").Input(batches).RunOne())), -1);
  EXPECT_EQ(
      BatchSize(Made(
          Op("OptionsDataset").Attr("serialized_options", std::string()).Input(batches).RunOne())),
      4);
}

TEST(ComputeBatchSizeTest, OfSeveralInputs) {
  const Tensor four = Batched(Range(0, 10), 4), three = Batched(Range(0, 10), 3);
  EXPECT_EQ(BatchSize(Both(four, Batched(Range(0, 5), 4))), 4);
  EXPECT_EQ(BatchSize(Both(four, three)), -1);
  EXPECT_EQ(BatchSize(Both(four, Range(0, 3))), -1);
  EXPECT_EQ(BatchSize(Both(Range(0, 3), four)), -1);
  // Every input is asked each time it is met: no pipeline takes for ever.
  Tensor wide = four;
  for (int i = 0; i < 40; ++i) wide = Both(wide, wide);
  EXPECT_EQ(BatchSize(wide), -1);
}

TEST(ComputeBatchSizeTest, NoDataset) {
  const Tensor other = Tensor::Scalar<Variant>(Variant::Of<std::string>("x"));
  EXPECT_FALSE(OpRunner("ComputeBatchSize").Input(other).RunOne().ok());
}

}  // namespace
}  // namespace warpbeam
