// Patches on GPUs are what they are on the CPU.
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/nn/gpu_loops/numbers_testing.h"

namespace warpbeam {
namespace {

using Attrs = std::vector<std::pair<std::string, AttrValue>>;
using Numbers = std::vector<int64_t>;

TEST(ExtractPatchesOnGpu, Images) {
  for (const char* padding : {"SAME", "VALID"}) {
    const Attrs attrs = {{"ksizes", Numbers{1, 3, 2, 1}},
                         {"strides", Numbers{1, 2, 1, 1}},
                         {"rates", Numbers{1, 1, 2, 1}},
                         {"padding", padding}};
    for (const int64_t batch : {0, 2}) {
      const Shape shape({batch, 7, 6, 3});
      for (const DType dtype : kTestFloats) {
        const Tensor x = TestNumbers(shape, dtype, 1);
        EXPECT_EQ(GpuAsCpu({"ExtractImagePatches", attrs, {{x}}}, {}), OkStatus());
      }
      std::vector<std::complex<double>> numbers(shape.num_elements());
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = {static_cast<double>(i), 1};
      const Tensor z = Tensor::FromValues<std::complex<double>>(shape, numbers);
      EXPECT_EQ(GpuAsCpu({"ExtractImagePatches", attrs, {{z}}}, {}), OkStatus());
    }
    const Tensor x = TestNumbers(Shape({4, 4, 3}), DType::kFloat, 1);
    EXPECT_EQ(GpuAsCpu({"ExtractImagePatches", attrs, {{x}}}, {}), OkStatus());
  }
}

TEST(ExtractPatchesOnGpu, Volumes) {
  for (const char* padding : {"SAME", "VALID"}) {
    const Attrs attrs = {{"ksizes", Numbers{1, 2, 3, 2, 1}},
                         {"strides", Numbers{1, 1, 2, 3, 1}},
                         {"padding", padding}};
    for (const DType dtype : kTestFloats) {
      const Tensor x = TestNumbers(Shape({2, 5, 7, 6, 2}), dtype, 1);
      EXPECT_EQ(GpuAsCpu({"ExtractVolumePatches", attrs, {{x}}}, {}), OkStatus());
    }
  }
}

}  // namespace
}  // namespace warpbeam
