// OnGpu: a GPU of the stand-in with some memory, and another one, for tests of what is launched.
//
//   class Cufft : public OnGpu { … };
//   TEST_F(Cufft, …) { Put(0, {1, 2}); …(at(0), stream_)…; EXPECT_EQ(Get(0, 2), …); }
//
// Thread safety: one thread. Errors: those of the test.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_ON_GPU_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_ON_GPU_H_

#include <cuda_runtime_api.h>

#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/device/gpu_platform.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {

class OnGpu : public ::testing::Test {
 protected:
  static constexpr size_t kBytes = 1 << 16;

  void SetUp() override {
    cuda_stand_in::SetGpus(2);
    gpu_ = NewGpu(0);
    other_ = NewGpu(1);
    memory_ = gpu_->allocator().Allocate(kBytes);
    stream_ = static_cast<cudaStream_t>(gpu_->compute_stream()->native_handle());
  }
  static std::unique_ptr<Device> NewGpu(int id) {
    auto gpu = RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, id), id, {0.1});
    EXPECT_TRUE(gpu.ok()) << gpu.status();
    return *std::move(gpu);
  }
  char* at(size_t offset) const { return static_cast<char*>(memory_->data()) + offset; }
  void Put(size_t offset, const std::vector<float>& values) {
    const size_t bytes = values.size() * sizeof(float);
    ASSERT_TRUE(gpu_->compute_stream()->Copy(at(offset), values.data(), bytes).ok());
    ASSERT_TRUE(gpu_->Synchronize().ok());
  }
  template <class T = float>
  std::vector<T> Get(size_t offset, size_t count) {
    std::vector<T> values(count);
    const size_t bytes = count * sizeof(T);
    EXPECT_TRUE(gpu_->compute_stream()->Copy(values.data(), at(offset), bytes).ok());
    EXPECT_TRUE(gpu_->Synchronize().ok());
    return values;
  }

  std::unique_ptr<Device> gpu_, other_;
  BufferRef memory_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_ON_GPU_H_
