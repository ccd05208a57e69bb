// The side of real GPUs of GpuCommunicator: NCCL.
//
// A communicator has one of NCCL's for each rank of this process, all made at once. A call is a
// group of the ranks' parts, which NCCL launches together. Averages are sums that a kernel of ours
// divides, as the CPU does: NCCL's own would be rounded otherwise.
//
// NCCL's calls return at once, having begun what may have to wait for other ranks, and are asked
// whether it is done (`blocking` is 0): so that somebody can give up.
#include <nccl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "ops/collective/gpu_merge.h"
#include "runtime/comm/gpu_communicator.h"
#include "runtime/device/cuda/cuda_context.h"
#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/device_health.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// How often NCCL is asked whether it has done what it returned from. Of GPUs in one process that
// takes microseconds once they are connected, so that it is asked without a pause at first.
constexpr std::chrono::microseconds kPoll(200), kWithoutPause(500);

Status NcclStatus(ncclResult_t result, absl::string_view call) {
  if (result == ncclSuccess || result == ncclInProgress) return OkStatus();
  const std::string why = absl::StrCat(call, ": ", ncclGetErrorString(result), " (NCCL)");
  return result == ncclRemoteError ? Unavailable(why) : Internal(why);
}

// What has no arithmetic is but bytes.
StatusOr<ncclDataType_t> NcclTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return ncclFloat16;
    case DType::kBFloat16:
      return ncclBfloat16;
    case DType::kFloat:
      return ncclFloat32;
    case DType::kDouble:
      return ncclFloat64;
    case DType::kInt32:
      return ncclInt32;
    case DType::kInt64:
      return ncclInt64;
    case DType::kBool:
      return ncclUint8;
    default:
      return Unimplemented("collectives of ", DTypeName(dtype), " by NCCL");
  }
}

ncclRedOp_t NcclOpOf(MergeOp op) {
  switch (op) {
    case MergeOp::kAdd:
      return ncclSum;
    case MergeOp::kMul:
      return ncclProd;
    case MergeOp::kMin:
      return ncclMin;
    case MergeOp::kMax:
      return ncclMax;
  }
  return ncclSum;
}

// OK as long as all of them can be used. NCCL would wait for a GPU that cannot.
Status Usable(const std::vector<const CudaContext*>& gpus) {
  for (const CudaContext* gpu : gpus) WB_RETURN_IF_ERROR(gpu->status());
  return OkStatus();
}

Status HealthOf(const Device& device) {
  const auto* const health = dynamic_cast<const DeviceHealth*>(&device);
  return health == nullptr ? OkStatus() : health->status();
}

// The GPU that a device is on, which becomes the current one. A stream says which is its own,
// whatever came of making it that.
StatusOr<int> OrdinalOf(Device& device) {
  WB_RETURN_IF_ERROR(HealthOf(device));
  int ordinal = 0;
  const auto stream = static_cast<cudaStream_t>(device.compute_stream()->native_handle());
  WB_RETURN_IF_ERROR(CudaStatus(cudaStreamGetDevice(stream, &ordinal),
                                "asking for a stream's GPU (cudaStreamGetDevice)"));
  WB_RETURN_IF_ERROR(CudaContext::Of(ordinal).Check(
      cudaSetDevice(ordinal), "making a GPU the current one (cudaSetDevice)"));
  return ordinal;
}

// Held while a call is enqueued on these GPUs. All calls take the GPUs' locks in one order and hold
// them together, so that of two calls the same one comes first on each GPU that both use.
class EnqueueLock {
 public:
  explicit EnqueueLock(const std::vector<const CudaContext*>& gpus) {
    static std::mutex of_map;
    static auto* const mutexes = new std::map<int, std::mutex>;
    std::vector<int> ordinals;
    for (const CudaContext* gpu : gpus) ordinals.push_back(gpu->ordinal());
    std::sort(ordinals.begin(), ordinals.end());
    for (const int ordinal : ordinals) {
      std::unique_lock<std::mutex> map_lock(of_map);
      std::mutex& mutex = (*mutexes)[ordinal];
      map_lock.unlock();
      locks_.emplace_back(mutex);
    }
  }

 private:
  std::vector<std::unique_lock<std::mutex>> locks_;
};

// The ranks of this process among all, and whether those are not to be waited for any longer.
struct Place {
  int size = 0, first = 0;
  std::function<bool()> is_over;
};

class NcclCommunicator final : public GpuCommunicator {
 public:
  NcclCommunicator(std::vector<ncclComm_t> ranks, std::vector<const CudaContext*> gpus, Place place)
      : gpus_(std::move(gpus)), place_(std::move(place)), ranks_(std::move(ranks)) {}
  // All streams have come by, so that an abort ends nothing early. It waits for nobody, whether or
  // not other ranks end theirs, too.
  ~NcclCommunicator() override {
    for (const ncclComm_t rank : ranks_) {
      if (rank != nullptr) ncclCommAbort(rank);
    }
  }

  // Until what NCCL has begun is done: nothing else may be asked of it before.
  Status Settle(absl::string_view call, const std::function<bool()>& gives_up) {
    const auto begin = std::chrono::steady_clock::now();
    while (true) {
      std::vector<int> waits;
      for (size_t r = 0; r < ranks_.size(); ++r) {
        ncclResult_t state = ncclInProgress, asked = ncclSuccess;
        if (ranks_[r] != nullptr) asked = ncclCommGetAsyncError(ranks_[r], &state);
        WB_RETURN_IF_ERROR(NcclStatus(asked, absl::StrCat(call, ", ncclCommGetAsyncError")));
        WB_RETURN_IF_ERROR(NcclStatus(state, call));
        if (state == ncclInProgress) waits.push_back(gpus_[r]->ordinal());
      }
      if (waits.empty()) return OkStatus();
      if (gives_up()) {
        return Aborted(call, ": not waited for any longer on GPU ", absl::StrJoin(waits, ", "),
                       " (NCCL)");
      }
      const bool is_long = std::chrono::steady_clock::now() - begin > kWithoutPause;
      is_long ? std::this_thread::sleep_for(kPoll) : std::this_thread::yield();
    }
  }

  Status Enqueue(const GpuCall& call) override {
    const EnqueueLock in_one_order(gpus_);
    std::lock_guard<std::mutex> lock(mutex_);
    WB_RETURN_IF_ERROR(Usable(gpus_));
    WB_RETURN_IF_ERROR(status_);
    WB_ASSIGN_OR_RETURN(const ncclDataType_t type, NcclTypeOf(call.dtype));
    WB_RETURN_IF_ERROR(NcclStatus(ncclGroupStart(), "ncclGroupStart"));
    Status added;
    for (size_t r = 0; r < ranks_.size() && added.ok(); ++r) added = Add(call, type, r);
    // A group that was begun is ended, whatever has failed in it.
    const Status ended = NcclStatus(ncclGroupEnd(), "ncclGroupEnd");
    WB_RETURN_IF_ERROR(added);
    WB_RETURN_IF_ERROR(ended);
    WB_RETURN_IF_ERROR(Settle("enqueuing a collective",
                              [this] { return is_given_up_.load() || place_.is_over(); }));
    const bool divides = call.kind == kReduction || call.kind == kReduceScatter;
    return divides && call.divide != nullptr ? Divide(call) : OkStatus();
  }

  Status status() override {
    // While a call is being enqueued there is nothing to be said yet.
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return OkStatus();
    if (status_.ok()) status_ = Usable(gpus_);
    for (const ncclComm_t rank : ranks_) {
      if (!status_.ok()) break;
      ncclResult_t error = ncclSuccess;
      const ncclResult_t asked = ncclCommGetAsyncError(rank, &error);
      status_ = NcclStatus(asked, "ncclCommGetAsyncError");
      if (status_.ok()) status_ = NcclStatus(error, "a collective under way");
    }
    return status_;
  }

  void Abort() override {
    is_given_up_ = true;  // who holds the lock waits for ranks no longer
    std::vector<ncclComm_t> ranks;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (status_.ok()) status_ = Aborted("the communicator of these GPUs was aborted");
      ranks.swap(ranks_);
    }
    for (const ncclComm_t rank : ranks) {
      if (rank != nullptr) ncclCommAbort(rank);
    }
  }

 private:
  Status Add(const GpuCall& call, ncclDataType_t type, size_t r) {
    const GpuRank& rank = call.ranks[r];
    const auto stream = static_cast<cudaStream_t>(rank.stream->native_handle());
    const auto count = static_cast<size_t>(call.count);
    const size_t share = count / static_cast<size_t>(place_.size);
    const ncclComm_t comm = ranks_[r];
    switch (call.kind) {
      case kReduction:
        return NcclStatus(
            ncclAllReduce(rank.in, rank.out, count, type, NcclOpOf(call.merge_op), comm, stream),
            "ncclAllReduce");
      case kReduceScatter:
        return NcclStatus(ncclReduceScatter(rank.in, rank.out, share, type, NcclOpOf(call.merge_op),
                                            comm, stream),
                          "ncclReduceScatter");
      case kBroadcast:
        return NcclStatus(ncclBroadcast(rank.in != nullptr ? rank.in : rank.out, rank.out, count,
                                        type, static_cast<int>(call.source), comm, stream),
                          "ncclBroadcast");
      case kGather:
        return NcclStatus(ncclAllGather(rank.in, rank.out, count, type, comm, stream),
                          "ncclAllGather");
      case kAllToAll:
        return Exchange(call, type, r, stream);
      default:
        return Unimplemented("a collective of kind ", call.kind, " by NCCL");
    }
  }

  Status Exchange(const GpuCall& call, ncclDataType_t type, size_t r, cudaStream_t stream) {
    const auto size = static_cast<size_t>(place_.size);
    const size_t share = static_cast<size_t>(call.count) / size;
    const size_t bytes = share * DTypeSize(call.dtype);
    for (size_t peer = 0; peer < size; ++peer) {
      const auto* const in = static_cast<const char*>(call.ranks[r].in) + peer * bytes;
      auto* const out = static_cast<char*>(call.ranks[r].out) + peer * bytes;
      WB_RETURN_IF_ERROR(NcclStatus(
          ncclSend(in, share, type, static_cast<int>(peer), ranks_[r], stream), "ncclSend"));
      WB_RETURN_IF_ERROR(NcclStatus(
          ncclRecv(out, share, type, static_cast<int>(peer), ranks_[r], stream), "ncclRecv"));
    }
    return OkStatus();
  }

  Status Divide(const GpuCall& call) {
    const int64_t n = place_.size;
    GpuDivision division;
    division.dtype = call.dtype;
    division.count = call.kind == kReduceScatter ? call.count / n : call.count;
    division.by = n;
    for (const GpuRank& rank : call.ranks) {
      division.data = rank.device->ToKernelAddress(rank.out);
      WB_RETURN_IF_ERROR(DivideOnGpu(*rank.device, *rank.stream, division));
    }
    return OkStatus();
  }

  const std::vector<const CudaContext*> gpus_;
  const Place place_;
  std::atomic<bool> is_given_up_{false};
  std::mutex mutex_;  // of what follows
  std::vector<ncclComm_t> ranks_;
  Status status_;
};

bool Has(DType dtype) { return NcclTypeOf(dtype).ok(); }

struct Gpus {
  std::vector<int> ordinals;
  std::vector<const CudaContext*> contexts;
};

StatusOr<Gpus> DifferentGpus(const std::vector<Device*>& devices) {
  Gpus gpus;
  // Before CUDA is asked anything.
  for (const Device* device : devices) WB_RETURN_IF_ERROR(HealthOf(*device));
  for (Device* device : devices) {
    WB_ASSIGN_OR_RETURN(const int ordinal, OrdinalOf(*device));
    if (std::count(gpus.ordinals.begin(), gpus.ordinals.end(), ordinal) > 0) {
      return Unimplemented("NCCL has no ranks that share a GPU, as ", device->name().ToString(),
                           " does with another");
    }
    gpus.ordinals.push_back(ordinal);
    gpus.contexts.push_back(&CudaContext::Of(ordinal));
  }
  return gpus;
}

StatusOr<GpuIdentity> Identify(Device& device) {
  WB_ASSIGN_OR_RETURN(const int ordinal, OrdinalOf(device));
  cudaDeviceProp properties = {};
  WB_RETURN_IF_ERROR(
      CudaContext::Of(ordinal).Check(cudaGetDeviceProperties(&properties, ordinal),
                                     "asking what the GPU is (cudaGetDeviceProperties)"));
  int version = 0;
  WB_RETURN_IF_ERROR(NcclStatus(ncclGetVersion(&version), "ncclGetVersion"));
  GpuIdentity identity;
  identity.gpu.assign(properties.uuid.bytes, sizeof(properties.uuid.bytes));
  identity.library = version;
  return identity;
}

StatusOr<std::string> NewId() {
  ncclUniqueId id = {};
  WB_RETURN_IF_ERROR(NcclStatus(ncclGetUniqueId(&id), "ncclGetUniqueId"));
  return std::string(id.internal, sizeof(id.internal));
}

// The ranks of this process, as far as they are made; NCCL may set them until they have joined, so
// that they stay where they are.
Status BeginToJoin(const GpuRanks& of_task, std::vector<ncclComm_t>* ranks) {
  ncclUniqueId id = {};
  if (of_task.id.size() != sizeof(id.internal)) {
    return Internal("the id of a communicator of GPUs has ", of_task.id.size(), " bytes, not ",
                    sizeof(id.internal));
  }
  memcpy(id.internal, of_task.id.data(), sizeof(id.internal));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  WB_RETURN_IF_ERROR(NcclStatus(ncclGroupStart(), "ncclGroupStart"));
  Status begun;
  for (size_t r = 0; r < of_task.devices.size() && begun.ok(); ++r) {
    begun = OrdinalOf(*of_task.devices[r]).status();  // which makes it the current GPU
    if (!begun.ok()) break;
    begun = NcclStatus(ncclCommInitRankConfig(&(*ranks)[r], of_task.size, id,
                                              of_task.first + static_cast<int>(r), &config),
                       "ncclCommInitRankConfig");
  }
  const Status ended = NcclStatus(ncclGroupEnd(), "ncclGroupEnd");
  return begun.ok() ? ended : begun;
}

// An abort may wait for what hangs, and nobody waits for that.
void EndMeanwhile(std::shared_ptr<NcclCommunicator> communicator) {
  StatusOr<std::thread> thread =
      NewThread([communicator = std::move(communicator)]() mutable { communicator = nullptr; });
  if (thread.ok()) thread->detach();
}

StatusOr<std::shared_ptr<GpuCommunicator>> Join(const GpuRanks& of_task,
                                                const std::function<bool()>& gives_up) {
  WB_ASSIGN_OR_RETURN(Gpus gpus, DifferentGpus(of_task.devices));
  std::vector<ncclComm_t> ranks(of_task.devices.size());
  const Status begun = BeginToJoin(of_task, &ranks);
  auto joined =
      std::make_shared<NcclCommunicator>(std::move(ranks), std::move(gpus.contexts),
                                         Place{of_task.size, of_task.first, of_task.is_over});
  const Status settled = begun.ok() ? joined->Settle("ncclCommInitRankConfig", gives_up) : begun;
  if (settled.ok()) return std::shared_ptr<GpuCommunicator>(std::move(joined));
  EndMeanwhile(std::move(joined));
  return settled;
}

// All ranks are of this process.
StatusOr<std::shared_ptr<GpuCommunicator>> Make(const std::vector<Device*>& devices,
                                                const std::function<bool()>& gives_up) {
  WB_RETURN_IF_ERROR(DifferentGpus(devices).status());  // of others NCCL is asked nothing
  GpuRanks ranks;
  WB_ASSIGN_OR_RETURN(ranks.id, NewId());
  ranks.size = static_cast<int>(devices.size());
  ranks.devices = devices;
  ranks.is_over = [] { return false; };
  return Join(ranks, gives_up);
}

const GpuCommunicatorSide nccl = {&Has, &Make, &Identify, &NewId, &Join};
const GpuCommunicatorRegistration registration(&nccl);

}  // namespace
}  // namespace warpbeam
