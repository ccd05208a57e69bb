#include "examples/mnist_batches.h"

#include <set>

#include "gtest/gtest.h"

namespace warpbeam {
namespace examples {
namespace {

// Digits of two pixels, of which the first says which digit it is.
Digits Numbered(int count) {
  Digits digits;
  digits.images.dims = {count, 1, 2};
  for (int i = 0; i < count; ++i) {
    digits.images.values.push_back(static_cast<uint8_t>(i));
    digits.images.values.push_back(255);
    digits.labels.push_back(static_cast<uint8_t>(i % 10));
  }
  return digits;
}

int NumberOf(const MnistBatches::Batch& batch, int row) {
  return static_cast<int>(batch.images.data<float>()[2 * row] * 255 + 0.5f);
}

TEST(MnistBatchesTest, EveryDigitComesOnceInARound) {
  auto batches = MnistBatches::Make(Numbered(50), 1);
  ASSERT_TRUE(batches.ok()) << batches.status();
  EXPECT_EQ(batches->num_training_digits(), 45);
  std::multiset<int> seen;
  for (int i = 0; i < 6; ++i) {
    const MnistBatches::Batch batch = batches->Next(15);
    EXPECT_EQ(batch.images.shape().ToString(), "[15,2]");
    for (int row = 0; row < 15; ++row) seen.insert(NumberOf(batch, row));
  }
  for (int digit = 0; digit < 50; ++digit) EXPECT_EQ(seen.count(digit), digit < 5 ? 0u : 2u);
}

TEST(MnistBatchesTest, PixelsAreScaledAndLabelsOneHot) {
  auto batches = MnistBatches::Make(Numbered(50), 1);
  ASSERT_TRUE(batches.ok()) << batches.status();
  const MnistBatches::Batch& kept = batches->validation();
  ASSERT_EQ(kept.labels.shape().ToString(), "[5,10]");
  for (int row = 0; row < 5; ++row) {
    EXPECT_EQ(NumberOf(kept, row), row);
    EXPECT_EQ(kept.images.data<float>()[2 * row + 1], 1.0f);
    for (int c = 0; c < 10; ++c) {
      EXPECT_EQ(kept.labels.data<float>()[10 * row + c], c == row ? 1.0f : 0.0f);
    }
  }
}

TEST(MnistBatchesTest, SeedsMakeOrders) {
  const auto order = [](uint32_t seed) {
    auto batches = MnistBatches::Make(Numbered(50), seed);
    const MnistBatches::Batch batch = batches->Next(45);
    std::vector<int> numbers;
    for (int row = 0; row < 45; ++row) numbers.push_back(NumberOf(batch, row));
    return numbers;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(MnistBatchesTest, RefusesWhatItCannotUse) {
  EXPECT_EQ(MnistBatches::Make(Numbered(9), 1).status().code(), StatusCode::kInvalidArgument);
  Digits wrong = Numbered(20);
  wrong.labels[3] = 10;
  EXPECT_EQ(MnistBatches::Make(wrong, 1).status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(MnistBatches::Read("/nowhere", 1).ok());
}

}  // namespace
}  // namespace examples
}  // namespace warpbeam
