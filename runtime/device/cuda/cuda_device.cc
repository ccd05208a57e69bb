#include "runtime/device/cuda/cuda_device.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "runtime/device/arena.h"
#include "runtime/device/cuda/cuda_context.h"
#include "runtime/device/cuda/cuda_memory.h"
#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/cuda/cuda_stream.h"
#include "runtime/device/device_health.h"
#include "runtime/device/gpu_architectures.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/device/gpu_warning.h"

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
    Allocator* const memory = MemoryScope::Current(*this);
    return memory != nullptr ? *memory : *memory_;
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
    return context_.is_usable() ? WithRefusal(failure) : context_.status();
  }
  void ParallelFor(int64_t count, int64_t, absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    if (count > 0) fn(0, count);  // host-side preparation of a kernel's launch is short
  }
  void* ToKernelAddress(void* p) const override { return memory_->ToHost(p); }
  void* ToTensorAddress(void* p) const override { return memory_->ToGpu(p); }

 private:
  void Begin(const std::string& what) override { context_.Begin(what); }
  void End(const std::string& what) override { context_.End(what); }

  // Who allocates learns that there is no memory, and not that it was the driver that had none.
  Status WithRefusal(const Status& failure) const {
    const std::string no_memory = absl::StrCat("out of memory in '", memory_->name(), "'");
    if (!IsResourceExhausted(failure) || !absl::StrContains(failure.message(), no_memory)) {
      return failure;
    }
    const std::string refusal = memory_->refusal();
    if (refusal.empty() || absl::StrContains(failure.message(), refusal)) return failure;
    return failure.WithMessage(absl::StrCat(failure.message(), "; ", refusal));
  }

  const DeviceName name_;
  CudaContext& context_;
  const bool runs_host_code_;
  const std::string description_;
  const int64_t memory_limit_;
  const std::shared_ptr<CudaMemory> memory_;
  const std::unique_ptr<CudaStream> compute_;
};

// What can be done about an error that CUDA gives whoever asks for its GPUs.
absl::string_view AdviceFor(cudaError_t error) {
  switch (error) {
    case cudaErrorInitializationError:
      return "start the process anew, as CUDA does not survive a fork; else see what nvidia-smi "
             "says";
    case cudaErrorStubLibrary:
      return "take the toolkit's folder `stubs` out of LD_LIBRARY_PATH";
    case cudaErrorSystemNotReady:
      return "wait until the machine's services are up; GPUs with NVSwitches need "
             "nvidia-fabricmanager";
    case cudaErrorSystemDriverMismatch:
      return "restart the machine, whose driver was exchanged while it was loaded";
    case cudaErrorCompatNotSupportedOnDevice:
      return "take CUDA's folder `compat` out of LD_LIBRARY_PATH";
    default:
      return "see what nvidia-smi says, and restart the machine if it shows no GPUs";
  }
}

// Of a driver that is not there, which has no version, or is too old for this build's CUDA.
Status DriverDoesNotSuffice() {
  int driver = 0, needed = 0;
  cudaError_t error = cudaDriverGetVersion(&driver);
  if (error == cudaSuccess) error = cudaRuntimeGetVersion(&needed);
  if (error != cudaSuccess) {
    return Unavailable("the GPUs of this machine are not used: their driver does not suffice, and ",
                       "asking for its version gave ", CudaErrorText(error),
                       "; install a newer driver");
  }
  if (driver == 0) return NoGpuDriver("libcuda.so.1");
  return Unavailable("the GPUs of this machine are not used: their driver is of CUDA ",
                     driver / 1000, ".", driver % 1000 / 10, ", this build needs that of ",
                     needed / 1000, ".", needed % 1000 / 10, "; install a newer driver");
}

// UNAVAILABLE, and why, where there is nobody who knows of GPUs.
StatusOr<int> CountGpus() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess) return count;
  // Not the driver's, but what a GPU has left behind that has failed for this process.
  if (BreaksContext(error)) return CudaStatus(error, "counting GPUs");
  if (error == cudaErrorInsufficientDriver) return DriverDoesNotSuffice();
  if (error == cudaErrorNoDevice) {
    return Unavailable(
        "no GPU is used: the driver shows none; where the machine has one, see what "
        "nvidia-smi says, and in a container whether it was given GPUs");
  }
  return Unavailable("the GPUs of this machine are not used: counting them gave ",
                     CudaErrorText(error), "; ", AdviceFor(error));
}

// Whether this build has code for a GPU that answers. A line says why not; others may have some. A
// stand-in of the tests, without multiprocessors, runs none.
bool IsUsable(int ordinal) {
  static const auto* const code = new GpuArchitectures(WB_CUDA_ARCHITECTURES);
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, ordinal);
  if (error != cudaSuccess) {
    WarnOfGpus(absl::StrCat("the GPU ", ordinal, " is not used: asking what it is gave ",
                            CudaErrorText(error), "; ", AdviceFor(error)));
    return false;
  }
  const bool has_code = code->RunOn(properties.major, properties.minor);
  if (properties.multiProcessorCount == 0 || has_code) return true;
  const std::string architecture = absl::StrCat(properties.major, properties.minor);
  WarnOfGpus(absl::StrCat("the GPU ", ordinal, " (", properties.name, ", sm_", architecture,
                          ") is not used: this build has code for ", code->ToString(),
                          "; to use it build with WARPBEAM_CUDA_ARCH=", architecture));
  return false;
}

// The ordinals of the GPUs that can be used, once some have been found.
struct FoundGpus {
  std::mutex mutex;
  std::vector<int> ordinals;

  static FoundGpus& Get() {
    static auto* const found = new FoundGpus;
    return *found;
  }
};

// Looked for until there are some. Which there are CUDA says once for the process; a GPU that fails
// later stays among them and is refused for what it is (CudaContext), so that the others keep their
// numbers.
StatusOr<std::vector<int>> UsableGpus() {
  FoundGpus& found = FoundGpus::Get();
  std::lock_guard<std::mutex> lock(found.mutex);
  if (!found.ordinals.empty()) return found.ordinals;
  WB_ASSIGN_OR_RETURN(const int count, CountGpus());
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    if (IsUsable(ordinal)) found.ordinals.push_back(ordinal);
  }
  return found.ordinals;
}

std::string ErrorText(int error) { return CudaErrorText(static_cast<cudaError_t>(error)); }

const GpuPlatform kCuda = {"CUDA", &CountCudaGpus, &NewCudaDevice, &ErrorText};
[[maybe_unused]] const bool registered = [] {
  RegisterGpuPlatform(&kCuda);
  return true;
}();

}  // namespace

void LookForCudaGpusAgain() {
  FoundGpus& found = FoundGpus::Get();
  std::lock_guard<std::mutex> lock(found.mutex);
  found.ordinals.clear();
}

StatusOr<int> CountCudaGpus() {
  const StatusOr<std::vector<int>> usable = UsableGpus();
  if (usable.ok()) return static_cast<int>(usable->size());
  if (!IsUnavailable(usable.status())) return usable.status();
  WarnOfGpus(std::string(usable.status().message()));
  return 0;
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
  WB_RETURN_IF_ERROR(
      context.Check(cudaGetDeviceProperties(&properties, ordinal),
                    absl::StrCat("opening GPU ", ordinal, " (cudaGetDeviceProperties)")));
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
