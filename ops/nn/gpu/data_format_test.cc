// DataFormatDimMap and DataFormatVecPermute on simulated GPUs give what they give on the CPU.
#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"

namespace warpbeam {
namespace {

template <class T>
void ExpectFormats() {
  const Tensor dims = Tensor::FromValues<T>(Shape({2, 5}), {0, 1, 2, 3, -1, -2, -3, -4, 7, -9});
  const Tensor four = Tensor::Vector<T>({7, 8, 9, 10}), two = Tensor::Vector<T>({7, 8});
  const Tensor pairs = Tensor::FromValues<T>(Shape({4, 2}), {1, 2, 3, 4, 5, 6, 7, 8});
  for (const char* to : {"NCHW", "HWNC", "NHWC"}) {
    for (const Tensor& x : {dims, four, Tensor::Vector<T>({})}) {
      EXPECT_EQ(GpuAsCpu({"DataFormatDimMap", {{"dst_format", to}}, {{x}}}, {}), OkStatus());
    }
    for (const Tensor& x : {four, two, pairs, dims}) {
      EXPECT_EQ(GpuAsCpu({"DataFormatVecPermute", {{"dst_format", to}}, {{x}}}, {}), OkStatus());
    }
  }
  EXPECT_EQ(GpuAsCpu({"DataFormatDimMap", {{"dst_format", "NCH"}}, {{four}}}, {}), OkStatus());
}

TEST(DataFormatOnGpu, TypesAndFormats) {
  ExpectFormats<int32_t>();
  ExpectFormats<int64_t>();
}

}  // namespace
}  // namespace warpbeam
