#include "runtime/device/cuda/cuda_device.h"

#include <cuda_architecture.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/arena.h"
#include "runtime/device/cuda/cuda_context.h"
#include "runtime/device/cuda/cuda_memory.h"
#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/cuda/cuda_stream.h"
#include "runtime/device/device_health.h"
#include "runtime/device/gpu_platform.h"

namespace warpbeam {
namespace {

class CudaDevice final : public Device, public DeviceHealth {
 public:
  CudaDevice(DeviceName name, CudaContext& context, bool runs_host_code, std::string description,
             int64_t memory_limit, std::shared_ptr<CudaMemory> memory,
             std::unique_ptr<CudaStream> compute)
      : name_(std::move(name)),
        context_(context),
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
  bool has_driver() const override { return true; }
  Allocator& allocator() override {
    Arena* const arena = MemoryScope::Current(*this);
    return arena != nullptr ? static_cast<Allocator&>(*arena) : *memory_;
  }
  Stream* compute_stream() override { return compute_.get(); }
  StatusOr<std::unique_ptr<Stream>> NewStream() override {
    WB_ASSIGN_OR_RETURN(
        std::unique_ptr<CudaStream> stream,
        CudaStream::Create(context_, "a stream beside the compute stream", runs_host_code_));
    return std::unique_ptr<Stream>(std::move(stream));
  }
  Status Synchronize() override { return compute_->Synchronize(); }

  Status status() const override { return context_.status(); }
  Status Explain(const Status& failure) override {
    compute_->Probe(failure.message());
    return context_.is_usable() ? failure : context_.status();
  }
  void ParallelFor(int64_t count, int64_t, absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    if (count > 0) fn(0, count);  // host-side preparation of a kernel's launch is short
  }
  void* ToKernelAddress(void* p) const override { return memory_->ToHost(p); }
  void* ToTensorAddress(void* p) const override { return memory_->ToGpu(p); }

 private:
  void Begin(const std::string& what) override { context_.Begin(what); }
  void End(const std::string& what) override { context_.End(what); }

  const DeviceName name_;
  CudaContext& context_;
  const bool runs_host_code_;
  const std::string description_;
  const int64_t memory_limit_;
  const std::shared_ptr<CudaMemory> memory_;
  const std::unique_ptr<CudaStream> compute_;
};

// Once in a process, whatever the number of sessions.
void WarnOnce(const std::string& what) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const said = new std::set<std::string>;
  std::lock_guard<std::mutex> lock(*mutex);
  if (said->insert(what).second) std::fprintf(stderr, "warning: %s\n", what.c_str());
}

// A driver that is too old for this build's CUDA. One that is not there has no version.
void WarnOfDriver() {
  int driver = 0, needed = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return;
  if (cudaRuntimeGetVersion(&needed) != cudaSuccess) return;
  WarnOnce(absl::StrCat("the GPUs of this machine are not used: their driver is of CUDA ",
                        driver / 1000, ".", driver % 1000 / 10, ", this build needs that of ",
                        needed / 1000, ".", needed % 1000 / 10));
}

// The ordinals of the GPUs that this build has code for: its architecture's, and newer ones, which
// translate what they have no code for. A stand-in of the tests, without multiprocessors, runs
// none.
StatusOr<std::vector<int>> UsableGpus() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver) WarnOfDriver();
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) return std::vector<int>();
  WB_RETURN_IF_ERROR(CudaStatus(error, "counting GPUs"));
  std::vector<int> usable;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties;
    WB_RETURN_IF_ERROR(CudaStatus(cudaGetDeviceProperties(&properties, ordinal),
                                  absl::StrCat("asking GPU ", ordinal)));
    const int architecture = 10 * properties.major + properties.minor;
    if (properties.multiProcessorCount == 0 || architecture >= WB_CUDA_ARCHITECTURE) {
      usable.push_back(ordinal);
      continue;
    }
    WarnOnce(absl::StrCat("the GPU ", ordinal, " (", properties.name, ", sm_", architecture,
                          ") is not used: this build has code for sm_", WB_CUDA_ARCHITECTURE,
                          " and newer"));
  }
  return usable;
}

const GpuPlatform kCuda = {"CUDA", &CountCudaGpus, &NewCudaDevice};
[[maybe_unused]] const bool registered = [] {
  RegisterGpuPlatform(&kCuda);
  return true;
}();

}  // namespace

StatusOr<int> CountCudaGpus() {
  WB_ASSIGN_OR_RETURN(const std::vector<int> usable, UsableGpus());
  return static_cast<int>(usable.size());
}

StatusOr<std::unique_ptr<Device>> NewCudaDevice(DeviceName name, int number,
                                                const GpuMemoryLimit& most) {
  WB_ASSIGN_OR_RETURN(const std::vector<int> usable, UsableGpus());
  if (number < 0 || number >= static_cast<int>(usable.size())) {
    return InvalidArgument("there are ", usable.size(), " GPUs that can be used, and no number ",
                           number);
  }
  const int ordinal = usable[static_cast<size_t>(number)];
  CudaContext& context = CudaContext::Of(ordinal);
  WB_RETURN_IF_ERROR(context.status());
  cudaDeviceProp properties;
  WB_RETURN_IF_ERROR(context.Check(cudaGetDeviceProperties(&properties, ordinal),
                                   absl::StrCat("opening GPU ", ordinal)));
  const double all = static_cast<double>(properties.totalGlobalMem);
  auto limit = static_cast<int64_t>(all * most.fraction);
  if (most.bytes > 0) limit = std::min(limit, most.bytes);
  WB_ASSIGN_OR_RETURN(std::shared_ptr<CudaMemory> memory,
                      CudaMemory::Reserve(absl::StrCat("cuda:", ordinal), context, limit));
  // A GPU without multiprocessors is a stand-in of the tests (tests/cuda_stand_in).
  const bool runs_host_code = properties.multiProcessorCount == 0;
  if (runs_host_code) WB_RETURN_IF_ERROR(memory->OpenToHost());
  WB_ASSIGN_OR_RETURN(std::unique_ptr<CudaStream> compute,
                      CudaStream::Create(context, "the compute stream", runs_host_code));
  return std::unique_ptr<Device>(
      std::make_unique<CudaDevice>(std::move(name), context, runs_host_code,
                                   absl::StrCat(properties.name, ", ", limit >> 20, " MiB"), limit,
                                   std::move(memory), std::move(compute)));
}

}  // namespace warpbeam
