// GPUs of which tests have a description only, as cuDNN takes it.
//
//   const auto plan = CudnnPlan::Make(A100(), convolution, /*alignment=*/16);
//
// Thread safety: any thread. Errors: a failure of the test.
#ifndef WARPBEAM_OPS_NN_CONV_DESCRIBED_GPUS_TESTING_H_
#define WARPBEAM_OPS_NN_CONV_DESCRIBED_GPUS_TESTING_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ops/nn/conv/cudnn_plan.h"

namespace warpbeam {

// Properties as the library writes them.
inline std::string Properties(const char* name, int version, int processors, int shared_memory,
                              int64_t memory) {
  return absl::StrCat(
      R"({"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],)",
      R"("regsPerBlock":65536,"warpSize":32,"maxSharedMemoryPerBlock":49152,)",
      R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,"maxCtasPerSM":32,)",
      R"("maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"pciDeviceId":0,"isTccDriver":0,)",
      R"("supportCoopLaunch":1,"smClockRateKHz":1410000,"memClockRateKHz":1215000,)",
      R"("l2CacheSize":41943040,"cudaDeviceId":0,"driverVer":13000,"multiProcessorCount":)",
      processors, R"(,"maxSharedMemoryPerBlockOptin":)", shared_memory, R"(,"totalGlobalMem":)",
      memory, R"(,"deviceVer":)", version, R"(,"deviceName":")", name, R"("})");
}

inline const CudnnGpu& A100() {
  static const auto gpu =
      CudnnGpu::Described(Properties("NVIDIA A100-SXM4-40GB", 800, 108, 166912, int64_t{40} << 30));
  EXPECT_TRUE(gpu.ok()) << gpu.status();
  return *gpu;
}
inline const CudnnGpu& H100() {
  static const auto gpu =
      CudnnGpu::Described(Properties("NVIDIA H100 80GB HBM3", 900, 132, 232448, int64_t{80} << 30));
  EXPECT_TRUE(gpu.ok()) << gpu.status();
  return *gpu;
}
inline const CudnnGpu& B200() {
  static const auto gpu =
      CudnnGpu::Described(Properties("NVIDIA B200", 1000, 148, 232448, int64_t{180} << 30));
  EXPECT_TRUE(gpu.ok()) << gpu.status();
  return *gpu;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_DESCRIBED_GPUS_TESTING_H_
