// QuantizeAndDequantize ops on simulated GPUs give what they give on the CPU.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"

namespace warpbeam {
namespace {

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

template <class T>
Tensor Spread(const Shape& shape, int factor) {
  std::vector<T> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(static_cast<int>(i) * factor % 257) / 16 - 7;
  }
  return Tensor::FromValues<T>(shape, values);
}

template <class T>
void ExpectRounding(const Shape& shape, const Attrs& attrs) {
  const Tensor x = Spread<T>(shape, 37);
  const Tensor low = Tensor::Scalar<T>(-2), high = Tensor::Scalar<T>(3);
  const Tensor bits = Tensor::Scalar<int32_t>(6);
  for (const bool is_signed : {false, true}) {
    for (const bool given : {false, true}) {
      Attrs all = attrs;
      all.insert(all.end(), {{"signed_input", is_signed}, {"range_given", given}});
      for (const char* op : {"QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"}) {
        Attrs half_up = all;
        half_up.emplace_back("round_mode", "HALF_UP");
        EXPECT_EQ(GpuAsCpu({op, all, {{x}, {low}, {high}}}, {}), OkStatus()) << shape.ToString();
        EXPECT_EQ(GpuAsCpu({op, half_up, {{x}, {low}, {high}}}, {}), OkStatus());
      }
      EXPECT_EQ(GpuAsCpu({"QuantizeAndDequantizeV3", all, {{x}, {low}, {high}, {bits}}}, {}),
                OkStatus());
    }
  }
}

TEST(QuantizeAndDequantizeOnGpu, OneRange) {
  for (const Shape& shape : {Shape({3, 5}), Shape({40, 900}), Shape({0, 2}), Shape()}) {
    for (const bool narrow : {false, true}) {
      ExpectRounding<float>(shape, {{"narrow_range", narrow}});
      ExpectRounding<double>(shape, {{"narrow_range", narrow}});
    }
    const Tensor x = Spread<float>(shape, 37);
    EXPECT_EQ(GpuAsCpu({"QuantizeAndDequantize",
                        {{"range_given", true}, {"input_min", -2.0f}, {"input_max", 1.0f}},
                        {{x}}},
                       {}),
              OkStatus());
    EXPECT_EQ(GpuAsCpu({"QuantizeAndDequantize", {}, {{x}}}, {}), OkStatus());
  }
}

TEST(QuantizeAndDequantizeOnGpu, RangesOfChannels) {
  const Tensor x = Spread<float>(Shape({4, 3, 700}), 37), dy = Spread<float>(Shape({4, 3, 700}), 5);
  const Tensor low = Tensor::Vector<float>({-1, -2, 0}), high = Tensor::Vector<float>({1, 2, 3});
  for (const bool given : {false, true}) {
    const Attrs attrs = {{"axis", int64_t{1}}, {"range_given", given}};
    EXPECT_EQ(GpuAsCpu({"QuantizeAndDequantizeV2", attrs, {{x}, {low}, {high}}}, {}), OkStatus());
  }
  EXPECT_EQ(
      GpuAsCpu({"QuantizeAndDequantizeV4Grad", {{"axis", int64_t{1}}}, {{dy}, {x}, {low}, {high}}},
               {}),
      OkStatus());
  const Tensor one = Tensor::Scalar<float>(1), two = Tensor::Scalar<float>(2);
  EXPECT_EQ(GpuAsCpu({"QuantizeAndDequantizeV4Grad", {}, {{dy}, {x}, {one}, {two}}}, {}),
            OkStatus());
}

TEST(QuantizeAndDequantizeOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = Spread<float>(Shape({4, 3}), 37), one = Tensor::Scalar<float>(1);
  const Tensor two = Tensor::Scalar<float>(2), three = Tensor::Vector<float>({1, 2, 3});
  const Attrs given = {{"range_given", true}};
  EXPECT_EQ(GpuAsCpu({"QuantizeAndDequantizeV2", given, {{x}, {two}, {one}}}, {}), OkStatus());
  EXPECT_EQ(GpuAsCpu({"QuantizeAndDequantizeV2", given, {{x}, {three}, {three}}}, {}), OkStatus());
  EXPECT_EQ(
      GpuAsCpu({"QuantizeAndDequantizeV2", {{"num_bits", int64_t{0}}}, {{x}, {one}, {two}}}, {}),
      OkStatus());
  EXPECT_EQ(GpuAsCpu({"QuantizeAndDequantizeV4Grad", {}, {{three}, {x}, {one}, {two}}}, {}),
            OkStatus());
}

}  // namespace
}  // namespace warpbeam
