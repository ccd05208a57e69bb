#include "runtime/device/cuda/cuda_device.h"

#include <utility>

#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/cuda/cuda_stream.h"
#include "runtime/device/gpu_platform.h"

namespace warpbeam {
namespace {

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(void* data, size_t bytes, int ordinal, std::shared_ptr<CudaStream> stream)
      : Buffer(data, bytes), ordinal_(ordinal), stream_(std::move(stream)) {}

 protected:
  void Release() override {
    CurrentGpu on(ordinal_);
    cudaFreeAsync(data_, stream_->handle());
    delete this;
  }

 private:
  const int ordinal_;
  const std::shared_ptr<CudaStream> stream_;  // in whose order the block is reused
};

class CudaAllocator final : public Allocator {
 public:
  CudaAllocator(int ordinal, std::shared_ptr<CudaStream> stream)
      : ordinal_(ordinal), stream_(std::move(stream)), name_(absl::StrCat("cuda:", ordinal)) {}
  const char* name() const override { return name_.c_str(); }
  BufferRef Allocate(size_t bytes) override {
    CurrentGpu on(ordinal_);
    void* data = nullptr;
    if (cudaMallocAsync(&data, bytes == 0 ? 1 : bytes, stream_->handle()) != cudaSuccess) {
      cudaGetLastError();  // out of memory must not stick to the next call
      return BufferRef();
    }
    return BufferRef(new CudaBuffer(data, bytes, ordinal_, stream_));
  }

 private:
  const int ordinal_;
  const std::shared_ptr<CudaStream> stream_;
  const std::string name_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(DeviceName name, int ordinal, std::string description, int64_t memory,
             std::shared_ptr<CudaStream> compute)
      : name_(std::move(name)),
        ordinal_(ordinal),
        description_(std::move(description)),
        memory_(memory),
        compute_(std::move(compute)),
        allocator_(ordinal, compute_) {}

  ~CudaDevice() override {
    CurrentGpu on(ordinal_);
    compute_->Synchronize().IgnoreError();
    cudaMemPool_t pool;
    if (cudaDeviceGetDefaultMemPool(&pool, ordinal_) == cudaSuccess) cudaMemPoolTrimTo(pool, 0);
  }

  const DeviceName& name() const override { return name_; }
  DeviceType type() const override { return DeviceType::kGpu; }
  ExecutionModel execution_model() const override { return ExecutionModel::kEnqueues; }
  std::string Description() const override { return description_; }
  int64_t memory_limit() const override { return memory_; }
  bool runs_host_code() const override { return false; }
  Allocator& allocator() override { return allocator_; }
  Stream* compute_stream() override { return compute_.get(); }
  absl::StatusOr<std::unique_ptr<Stream>> NewStream() override {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<CudaStream> stream, CudaStream::Create(ordinal_));
    return std::unique_ptr<Stream>(std::move(stream));
  }
  absl::Status Synchronize() override { return compute_->Synchronize(); }
  void ParallelFor(int64_t count, int64_t, absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    if (count > 0) fn(0, count);  // host-side preparation of a kernel's launch is short
  }

 private:
  const DeviceName name_;
  const int ordinal_;
  const std::string description_;
  const int64_t memory_;
  const std::shared_ptr<CudaStream> compute_;
  CudaAllocator allocator_;
};

const GpuPlatform kCuda = {"CUDA", &CountCudaGpus, &NewCudaDevice};
[[maybe_unused]] const bool registered = [] {
  RegisterGpuPlatform(&kCuda);
  return true;
}();

}  // namespace

absl::StatusOr<int> CountCudaGpus() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) return 0;
  WB_RETURN_IF_ERROR(CudaStatus(error, "counting GPUs"));
  return count;
}

absl::StatusOr<std::unique_ptr<Device>> NewCudaDevice(DeviceName name, int ordinal) {
  cudaDeviceProp properties;
  WB_RETURN_IF_ERROR(CudaStatus(cudaGetDeviceProperties(&properties, ordinal),
                                absl::StrCat("opening GPU ", ordinal)));
  CurrentGpu on(ordinal);
  cudaMemPool_t pool;
  WB_RETURN_IF_ERROR(
      CudaStatus(cudaDeviceGetDefaultMemPool(&pool, ordinal), "finding the GPU's memory pool"));
  uint64_t keep_all = UINT64_MAX;
  WB_RETURN_IF_ERROR(
      CudaStatus(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all),
                 "setting up the GPU's memory pool"));
  WB_ASSIGN_OR_RETURN(std::shared_ptr<CudaStream> compute, CudaStream::Create(ordinal));
  const int64_t memory = static_cast<int64_t>(properties.totalGlobalMem);
  return std::unique_ptr<Device>(std::make_unique<CudaDevice>(
      std::move(name), ordinal, absl::StrCat(properties.name, ", ", memory >> 20, " MiB"), memory,
      std::move(compute)));
}

}  // namespace warpbeam
