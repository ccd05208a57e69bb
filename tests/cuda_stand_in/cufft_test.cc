// What the stand-in of cuFFT computes and refuses, as the library does, beyond what our kernels ask
// of it.
#include <cufft.h>
#include <cufftXt.h>

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tests/cuda_stand_in/on_gpu.h"

namespace warpbeam {
namespace {

constexpr size_t kIn = 0, kOut = 16384, kWorkspace = 32768;

class Cufft : public OnGpu {
 protected:
  // Arrays of one dimension, their numbers one after another.
  struct Lines {
    long long length, in_distance, out_distance, batch = 1;
    cudaDataType in = CUDA_C_32F, out = CUDA_C_32F, execution = CUDA_C_32F;
  };

  void SetUp() override {
    OnGpu::SetUp();
    ASSERT_EQ(cufftCreate(&plan_), CUFFT_SUCCESS);
    ASSERT_EQ(cufftSetAutoAllocation(plan_, 0), CUFFT_SUCCESS);
  }
  void TearDown() override { cufftDestroy(plan_); }
  cufftResult Make(Lines x) {
    return cufftXtMakePlanMany(plan_, 1, &x.length, &x.in_distance, 1, x.in_distance, x.in,
                               &x.out_distance, 1, x.out_distance, x.out, x.batch,
                               &workspace_bytes_, x.execution);
  }
  cufftResult Execute(void* in, void* out, void* workspace, int direction = CUFFT_FORWARD) {
    EXPECT_EQ(cufftSetWorkArea(plan_, workspace), CUFFT_SUCCESS);
    return cufftXtExec(plan_, in, out, direction);
  }

  cufftHandle plan_ = CUFFT_PLAN_NULL;
  size_t workspace_bytes_ = 0;
};

TEST_F(Cufft, WorksInSoMuchMemory) {
  ASSERT_EQ(Make({11, 11, 11}), CUFFT_SUCCESS);
  ASSERT_GT(workspace_bytes_, 0u);
  ASSERT_EQ(cufftSetStream(plan_, stream_), CUFFT_SUCCESS);
  Put(kIn, std::vector<float>(22, 1));
  Put(kWorkspace, {7});
  EXPECT_EQ(Execute(at(kIn), at(kOut), nullptr), CUFFT_NO_WORKSPACE);
  EXPECT_EQ(Execute(at(kIn), at(kOut), at(kWorkspace)), CUFFT_SUCCESS);
  const std::vector<float> sums = Get(kOut, 4);
  EXPECT_FLOAT_EQ(sums[0], 11);
  EXPECT_NEAR(sums[2], 0, 1e-5);
  EXPECT_NE(Get(kWorkspace, 1)[0], 7);
  EXPECT_EQ(Get(kIn, 1)[0], 1);
}

TEST_F(Cufft, ToRealNumbersOverwritesItsInput) {
  ASSERT_EQ(Make({4, 3, 4, 1, CUDA_C_32F, CUDA_R_32F}), CUFFT_SUCCESS);
  EXPECT_EQ(workspace_bytes_, 0u);
  ASSERT_EQ(cufftSetStream(plan_, stream_), CUFFT_SUCCESS);
  Put(kIn, {10, 0, -2, 2, -2, 0});
  EXPECT_EQ(Execute(at(kIn), at(kOut), nullptr), CUFFT_SUCCESS);
  EXPECT_EQ(Get(kOut, 4), std::vector<float>({4, 8, 12, 16}));
  EXPECT_TRUE(std::isnan(Get(kIn, 1)[0]));
  // No spectrum of real numbers.
  Put(kIn, {10, 1, -2, 2, -2, 0});
  EXPECT_EQ(Execute(at(kIn), at(kOut), nullptr), CUFFT_SUCCESS);
  EXPECT_TRUE(std::isnan(Get(kOut, 1)[0]));
}

TEST_F(Cufft, RefusesOtherMemoryAndStreams) {
  ASSERT_EQ(Make({4, 4, 3, 2, CUDA_R_32F, CUDA_C_32F}), CUFFT_SUCCESS);
  EXPECT_EQ(Execute(at(kIn), at(kOut), nullptr), CUFFT_EXEC_FAILED);  // there is no stream
  auto* const others = static_cast<cudaStream_t>(other_->compute_stream()->native_handle());
  EXPECT_EQ(cufftSetStream(plan_, others), CUFFT_INVALID_VALUE);
  ASSERT_EQ(cufftSetStream(plan_, stream_), CUFFT_SUCCESS);
  std::vector<double> host(16);
  EXPECT_EQ(Execute(host.data(), at(kOut), nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(Execute(at(kIn), host.data(), nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(Execute(at(kIn) + 4, at(kOut), nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(Execute(at(kIn), at(kIn), nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(Execute(at(kIn), at(kOut), nullptr, 0), CUFFT_INVALID_VALUE);
  EXPECT_EQ(Execute(at(kIn), at(kOut), nullptr), CUFFT_SUCCESS);
}

TEST_F(Cufft, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(cufftXtExec(plan_, at(kIn), at(kOut), CUFFT_FORWARD), CUFFT_INVALID_PLAN);
  EXPECT_EQ(Make({0, 1, 1}), CUFFT_INVALID_SIZE);
  EXPECT_EQ(Make({4, 4, 4, 0}), CUFFT_INVALID_SIZE);
  EXPECT_EQ(Make({4, 3, 4, 2}), CUFFT_INVALID_VALUE);
  EXPECT_EQ(Make({4, 4, 4, 1, CUDA_C_64F, CUDA_C_32F}), CUFFT_INVALID_TYPE);
  EXPECT_EQ(Make({4, 4, 4, 1, CUDA_R_32F, CUDA_R_32F}), CUFFT_INVALID_TYPE);
  EXPECT_EQ(Make({4, 4, 4, 1, CUDA_C_32F, CUDA_C_32F, CUDA_C_64F}), CUFFT_INVALID_TYPE);
  cufftSetAutoAllocation(plan_, 1);
  EXPECT_EQ(Make({4, 4, 4}), CUFFT_NOT_SUPPORTED);
  cufftSetAutoAllocation(plan_, 0);
  other_->compute_stream()->native_handle();  // its GPU is the current one
  EXPECT_EQ(Make({4, 4, 4}), CUFFT_INVALID_DEVICE);
  gpu_->compute_stream()->native_handle();
  EXPECT_EQ(Make({4, 4, 4}), CUFFT_SUCCESS);
  EXPECT_EQ(Make({4, 4, 4}), CUFFT_INVALID_PLAN);  // a second time
  EXPECT_EQ(cufftSetStream(CUFFT_PLAN_NULL, stream_), CUFFT_INVALID_PLAN);
}

// Its tables are gone.
TEST_F(Cufft, WhatIsRecordedOfAPlanNeedsIt) {
  ASSERT_EQ(Make({4, 4, 4}), CUFFT_SUCCESS);
  ASSERT_EQ(cufftSetStream(plan_, stream_), CUFFT_SUCCESS);
  Put(kIn, std::vector<float>(8, 1));
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(Execute(at(kIn), at(kOut), nullptr), CUFFT_SUCCESS);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t playable = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&playable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(playable, stream_), cudaSuccess);
  EXPECT_EQ(Get(kOut, 1)[0], 4);
  cufftDestroy(plan_);
  ASSERT_EQ(cudaGraphLaunch(playable, stream_), cudaSuccess);
  EXPECT_TRUE(std::isnan(Get(kOut, 1)[0]));
  cudaGraphExecDestroy(playable);
  cudaGraphDestroy(graph);
  ASSERT_EQ(cufftCreate(&plan_), CUFFT_SUCCESS);
}

}  // namespace
}  // namespace warpbeam
