// The side of real GPUs of GpuCommunicator: NCCL.
//
// A communicator has one of NCCL's for each rank, all made at once by this process. A call is a
// group of the ranks' parts, which NCCL launches together. Averages are sums that a kernel of ours
// divides, as the CPU does: NCCL's own would be rounded otherwise.
#include <nccl.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ops/collective/gpu_merge.h"
#include "runtime/comm/gpu_communicator.h"
#include "runtime/device/cuda/cuda_context.h"
#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/device_health.h"

namespace warpbeam {
namespace {

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

StatusOr<int> OrdinalOf(Device& device) {
  int ordinal = 0;
  if (const auto* health = dynamic_cast<const DeviceHealth*>(&device)) {
    WB_RETURN_IF_ERROR(health->status());
  }
  device.compute_stream()->native_handle();  // makes its GPU the current one
  WB_RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&ordinal), "asking for the current GPU"));
  return ordinal;
}

class NcclCommunicator final : public GpuCommunicator {
 public:
  NcclCommunicator(std::vector<ncclComm_t> ranks, std::vector<const CudaContext*> gpus)
      : gpus_(std::move(gpus)), ranks_(std::move(ranks)) {}
  ~NcclCommunicator() override {
    const bool may_wait = Usable(gpus_).ok();
    for (const ncclComm_t rank : ranks_) may_wait ? ncclCommDestroy(rank) : ncclCommAbort(rank);
  }

  Status Enqueue(const GpuCall& call) override {
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
      status_ = NcclStatus(asked != ncclSuccess ? asked : error, "a collective under way");
    }
    return status_;
  }

  void Abort() override {
    std::vector<ncclComm_t> ranks;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (status_.ok()) status_ = Aborted("the communicator of these GPUs was aborted");
      ranks.swap(ranks_);
    }
    for (const ncclComm_t rank : ranks) ncclCommAbort(rank);
  }

 private:
  Status Add(const GpuCall& call, ncclDataType_t type, size_t r) {
    const GpuRank& rank = call.ranks[r];
    const auto stream = static_cast<cudaStream_t>(rank.stream->native_handle());
    const auto n = static_cast<int64_t>(ranks_.size());
    const auto count = static_cast<size_t>(call.count);
    const auto share = static_cast<size_t>(call.count / n);
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
    const size_t share = static_cast<size_t>(call.count) / ranks_.size();
    const size_t bytes = share * DTypeSize(call.dtype);
    for (size_t peer = 0; peer < ranks_.size(); ++peer) {
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
    const auto n = static_cast<int64_t>(ranks_.size());
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
  std::mutex mutex_;  // of what follows
  std::vector<ncclComm_t> ranks_;
  Status status_;
};

bool Has(DType dtype) { return NcclTypeOf(dtype).ok(); }

StatusOr<std::shared_ptr<GpuCommunicator>> Make(const std::vector<Device*>& devices) {
  std::vector<int> ordinals;
  std::vector<const CudaContext*> gpus;
  for (Device* device : devices) {
    WB_ASSIGN_OR_RETURN(const int ordinal, OrdinalOf(*device));
    if (std::count(ordinals.begin(), ordinals.end(), ordinal) > 0) {
      return Unimplemented("NCCL has no ranks that share a GPU, as ", device->name().ToString(),
                           " does with another");
    }
    ordinals.push_back(ordinal);
    gpus.push_back(&CudaContext::Of(ordinal));
  }
  std::vector<ncclComm_t> ranks(devices.size());
  WB_RETURN_IF_ERROR(NcclStatus(
      ncclCommInitAll(ranks.data(), static_cast<int>(ranks.size()), ordinals.data()),
      absl::StrCat("ncclCommInitAll, making a communicator of ", ranks.size(), " GPUs")));
  return std::shared_ptr<GpuCommunicator>(new NcclCommunicator(std::move(ranks), std::move(gpus)));
}

const GpuCommunicatorSide nccl = {&Has, &Make};
const GpuCommunicatorRegistration registration(&nccl);

}  // namespace
}  // namespace warpbeam
