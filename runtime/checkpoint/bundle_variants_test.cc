#include "runtime/checkpoint/bundle_variants.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/bundle_writer.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

const std::string kFixture = "runtime/checkpoint/testdata/variants";

Tensor Numbers() {
  Tensor tensor = *Tensor::Allocate(DType::kVariant, Shape({2}));
  tensor.data<Variant>()[0] = Variant::Of<int32_t>(3);
  tensor.data<Variant>()[1] = Variant::Of<int32_t>(-4);
  return tensor;
}

TEST(BundleVariantsTest, AreReadAndWrittenAsTensorFlowDoes) {
  const auto reader = BundleReader::Open(kFixture);
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto numbers = (*reader)->Read("numbers");
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  ASSERT_EQ(numbers->shape(), Shape({2}));
  for (int i = 0; i < 2; ++i) {
    const int32_t* value = numbers->data<Variant>()[i].get<int32_t>();
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(*value, i == 0 ? 3 : -4);
  }

  const std::string prefix = ::testing::TempDir() + "/variants";
  const auto writer = BundleWriter::Create(prefix);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Add("numbers", Numbers()).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  for (const char* file : {".index", ".data-00000-of-00001"}) {
    const auto ours = ReadFileToString(prefix + file);
    const auto theirs = ReadFileToString(kFixture + file);
    ASSERT_TRUE(ours.ok() && theirs.ok());
    EXPECT_EQ(*ours, *theirs) << file;
  }
}

TEST(BundleVariantsTest, DamageIsFound) {
  uint32_t masked = 0;
  const auto bytes = EncodeVariants(Numbers(), &masked);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  Tensor tensor = *Tensor::Allocate(DType::kVariant, Shape({2}));
  EXPECT_TRUE(DecodeVariants(*bytes, masked, &tensor).ok());
  EXPECT_EQ(DecodeVariants(*bytes, masked + 1, &tensor).code(), Code::kDataLoss);
  EXPECT_EQ(DecodeVariants(*bytes + "x", masked, &tensor).code(), Code::kDataLoss);
  for (size_t i = 0; i < bytes->size(); ++i) {
    EXPECT_EQ(DecodeVariants(bytes->substr(0, i), masked, &tensor).code(), Code::kDataLoss) << i;
    std::string flipped = *bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    EXPECT_EQ(DecodeVariants(flipped, masked, &tensor).code(), Code::kDataLoss) << i;
  }
}

TEST(BundleVariantsTest, WhatHasNoMessageIsNamed) {
  Tensor tensor = *Tensor::Allocate(DType::kVariant, Shape());
  *tensor.data<Variant>() = Variant::Of<std::string>("no codec");
  const auto writer = BundleWriter::Create(::testing::TempDir() + "/unwritable");
  ASSERT_TRUE(writer.ok()) << writer.status();
  const Status s = (*writer)->Add("odd", tensor);
  EXPECT_EQ(s.code(), Code::kUnimplemented);
  EXPECT_NE(s.message().find("'odd'"), absl::string_view::npos) << s;
}

}  // namespace
}  // namespace warpbeam
