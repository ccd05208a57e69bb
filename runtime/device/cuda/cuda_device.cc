#include "runtime/device/cuda/cuda_device.h"

#include <utility>

#include "runtime/device/arena.h"
#include "runtime/device/cuda/cuda_memory.h"
#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/cuda/cuda_stream.h"
#include "runtime/device/gpu_platform.h"

namespace warpbeam {
namespace {

class CudaDevice final : public Device {
 public:
  CudaDevice(DeviceName name, int ordinal, bool runs_host_code, std::string description,
             int64_t memory_limit, std::shared_ptr<CudaMemory> memory,
             std::unique_ptr<CudaStream> compute)
      : name_(std::move(name)),
        ordinal_(ordinal),
        runs_host_code_(runs_host_code),
        description_(std::move(description)),
        memory_limit_(memory_limit),
        memory_(std::move(memory)),
        compute_(std::move(compute)) {}

  const DeviceName& name() const override { return name_; }
  DeviceType type() const override { return DeviceType::kGpu; }
  ExecutionModel execution_model() const override { return ExecutionModel::kEnqueues; }
  std::string Description() const override { return description_; }
  int64_t memory_limit() const override { return memory_limit_; }
  bool runs_host_code() const override { return runs_host_code_; }
  bool runs_gpu_kernels() const override { return true; }
  Allocator& allocator() override {
    Arena* const arena = MemoryScope::Current(*this);
    return arena != nullptr ? static_cast<Allocator&>(*arena) : *memory_;
  }
  Stream* compute_stream() override { return compute_.get(); }
  StatusOr<std::unique_ptr<Stream>> NewStream() override {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<CudaStream> stream,
                        CudaStream::Create(ordinal_, runs_host_code_));
    return std::unique_ptr<Stream>(std::move(stream));
  }
  Status Synchronize() override { return compute_->Synchronize(); }
  void ParallelFor(int64_t count, int64_t, absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    if (count > 0) fn(0, count);  // host-side preparation of a kernel's launch is short
  }
  void* ToKernelAddress(void* p) const override { return memory_->ToHost(p); }
  void* ToTensorAddress(void* p) const override { return memory_->ToGpu(p); }

 private:
  const DeviceName name_;
  const int ordinal_;
  const bool runs_host_code_;
  const std::string description_;
  const int64_t memory_limit_;
  const std::shared_ptr<CudaMemory> memory_;
  const std::unique_ptr<CudaStream> compute_;
};

const GpuPlatform kCuda = {"CUDA", &CountCudaGpus, &NewCudaDevice};
[[maybe_unused]] const bool registered = [] {
  RegisterGpuPlatform(&kCuda);
  return true;
}();

}  // namespace

StatusOr<int> CountCudaGpus() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) return 0;
  WB_RETURN_IF_ERROR(CudaStatus(error, "counting GPUs"));
  return count;
}

StatusOr<std::unique_ptr<Device>> NewCudaDevice(DeviceName name, int ordinal,
                                                double memory_fraction) {
  cudaDeviceProp properties;
  WB_RETURN_IF_ERROR(CudaStatus(cudaGetDeviceProperties(&properties, ordinal),
                                absl::StrCat("opening GPU ", ordinal)));
  const double all = static_cast<double>(properties.totalGlobalMem);
  const auto limit = static_cast<int64_t>(all * memory_fraction);
  WB_ASSIGN_OR_RETURN(std::shared_ptr<CudaMemory> memory,
                      CudaMemory::Reserve(absl::StrCat("cuda:", ordinal), ordinal, limit));
  // A GPU without multiprocessors is a stand-in of the tests (tests/cuda_stand_in).
  const bool runs_host_code = properties.multiProcessorCount == 0;
  if (runs_host_code) WB_RETURN_IF_ERROR(memory->OpenToHost());
  WB_ASSIGN_OR_RETURN(std::unique_ptr<CudaStream> compute,
                      CudaStream::Create(ordinal, runs_host_code));
  return std::unique_ptr<Device>(
      std::make_unique<CudaDevice>(std::move(name), ordinal, runs_host_code,
                                   absl::StrCat(properties.name, ", ", limit >> 20, " MiB"), limit,
                                   std::move(memory), std::move(compute)));
}

}  // namespace warpbeam
