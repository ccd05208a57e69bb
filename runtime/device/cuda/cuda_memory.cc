#include "runtime/device/cuda/cuda_memory.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/cuda/driver.h"
#include "runtime/memory/taken_memory.h"

namespace warpbeam {
namespace {

// The ranges of all GPUs, for IsOnGpu: who copies asks for each address, so looking takes no lock.
// A place is free while its begin is 0.
struct Ranges {
  static constexpr int kMost = 256;
  struct Range {
    std::atomic<uintptr_t> begin{0};
    std::atomic<uintptr_t> end{0};
  };
  Range ranges[kMost];
  std::mutex mutex;

  static Ranges& Get() {
    static auto* const all = new Ranges;
    return *all;
  }
  bool Add(const void* base, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    for (Range& range : ranges) {
      if (range.begin.load() != 0) continue;
      range.end.store(reinterpret_cast<uintptr_t>(base) + bytes);
      range.begin.store(reinterpret_cast<uintptr_t>(base));
      return true;
    }
    return false;
  }
  void Remove(const void* base) {
    std::lock_guard<std::mutex> lock(mutex);
    for (Range& range : ranges) {
      if (range.begin.load() != reinterpret_cast<uintptr_t>(base)) continue;
      range.begin.store(0);
      range.end.store(0);
    }
  }
};

CUmemAllocationProp OnGpu(int ordinal) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = ordinal;
  return properties;
}

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(std::shared_ptr<CudaMemory> memory, void* data, size_t bytes, size_t offset)
      : Buffer(data, bytes), memory_(std::move(memory)), offset_(offset) {}

 protected:
  void Release() override {
    memory_->Free(offset_, bytes_);
    delete this;
  }

 private:
  const std::shared_ptr<CudaMemory> memory_;
  const size_t offset_;
};

StatusOr<std::shared_ptr<CudaMemory>> CudaMemory::Reserve(std::string name, CudaContext& context,
                                                          int64_t limit) {
  std::shared_ptr<CudaMemory> memory(new CudaMemory(std::move(name), context));
  WB_RETURN_IF_ERROR(memory->Open(limit));
  return memory;
}

Status CudaMemory::Open(int64_t limit) {
  const CurrentGpu on(ordinal_);
  WB_RETURN_IF_ERROR(context_.Check(on));
  // The first call of a thread makes its GPU's context, which the driver's functions want.
  WB_RETURN_IF_ERROR(context_.Check(cudaFree(nullptr), "opening the GPU's memory (cudaFree)"));
  WB_ASSIGN_OR_RETURN(const Driver* driver, Driver::Get());
  int is_supported = 0;
  WB_RETURN_IF_ERROR(context_.CheckDriver(
      driver->device_get_attribute(
          &is_supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, ordinal_),
      "asking what the GPU can do (cuDeviceGetAttribute)"));
  if (is_supported == 0) {
    return Unavailable("the GPU cannot map memory at addresses that were reserved");
  }
  const CUmemAllocationProp properties = OnGpu(ordinal_);
  WB_RETURN_IF_ERROR(context_.CheckDriver(
      driver->mem_get_allocation_granularity(&granularity_, &properties,
                                             CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
      "asking how the GPU's memory is mapped (cuMemGetAllocationGranularity)"));
  readers_ = {ordinal_};
  int gpus = 0;
  WB_RETURN_IF_ERROR(
      context_.Check(cudaGetDeviceCount(&gpus), "counting GPUs (cudaGetDeviceCount)"));
  for (int peer = 0; peer < gpus; ++peer) {
    int reaches = 0;
    if (peer != ordinal_ && cudaDeviceCanAccessPeer(&reaches, peer, ordinal_) == cudaSuccess &&
        reaches != 0) {
      readers_.push_back(peer);
    }
  }
  limit_ = RoundUp(static_cast<size_t>(std::max<int64_t>(limit, 1)), granularity_);
  CUdeviceptr base = 0;
  WB_RETURN_IF_ERROR(context_.CheckDriver(driver->mem_address_reserve(&base, limit_, 0, 0, 0),
                                          "reserving addresses of the GPU (cuMemAddressReserve)"));
  base_ = reinterpret_cast<char*>(base);
  if (!Ranges::Get().Add(base_, limit_)) {
    return ResourceExhausted("there are too many devices with memory of their own");
  }
  return OkStatus();
}

Status CudaMemory::OpenToHost() {
  const CurrentGpu on(ordinal_);
  WB_RETURN_IF_ERROR(context_.Check(on));
  cudaPointerAttributes attributes;
  WB_RETURN_IF_ERROR(
      context_.Check(cudaPointerGetAttributes(&attributes, base_),
                     "asking where the host finds the GPU's memory (cudaPointerGetAttributes)"));
  if (attributes.hostPointer == nullptr) {
    return Internal("the GPU runs host code, which has no address of its memory");
  }
  host_ = static_cast<char*>(attributes.hostPointer);
  return OkStatus();
}

CudaMemory::~CudaMemory() {
  if (base_ == nullptr) return;
  const CurrentGpu on(ordinal_);
  const Driver* const driver = Driver::Get().value_or(nullptr);
  if (driver == nullptr) return;
  // What was let go may still be read.
  if (context_.is_usable())
    context_.Check(cudaDeviceSynchronize(), "ending (cudaDeviceSynchronize)").IgnoreError();
  for (const Piece& piece : pieces_) {
    driver->mem_unmap(reinterpret_cast<CUdeviceptr>(base_ + piece.offset), piece.bytes);
    driver->mem_release(piece.handle);
  }
  Ranges::Get().Remove(base_);
  driver->mem_address_free(reinterpret_cast<CUdeviceptr>(base_), limit_);
}

Status CudaMemory::MapPiece(size_t bytes) {
  WB_ASSIGN_OR_RETURN(const Driver* driver, Driver::Get());
  const CUmemAllocationProp properties = OnGpu(ordinal_);
  CUmemGenericAllocationHandle handle = 0;
  WB_RETURN_IF_ERROR(context_.CheckDriver(driver->mem_create(&handle, bytes, &properties, 0),
                                          "taking the GPU's memory (cuMemCreate)"));
  const size_t offset = heap_.size();
  const auto at = reinterpret_cast<CUdeviceptr>(base_ + offset);
  Status mapped = context_.CheckDriver(driver->mem_map(at, bytes, 0, handle, 0),
                                       "mapping the GPU's memory (cuMemMap)");
  if (mapped.ok()) {
    std::vector<CUmemAccessDesc> access(readers_.size());
    for (size_t i = 0; i < readers_.size(); ++i) {
      access[i].location.type = CU_MEM_LOCATION_TYPE_DEVICE;
      access[i].location.id = readers_[i];
      access[i].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    mapped = context_.CheckDriver(driver->mem_set_access(at, bytes, access.data(), access.size()),
                                  "making the GPU's memory accessible (cuMemSetAccess)");
    if (!mapped.ok()) driver->mem_unmap(at, bytes);
  }
  if (!mapped.ok()) {
    driver->mem_release(handle);
    return mapped;
  }
  pieces_.push_back({handle, offset, bytes});
  heap_.Grow(bytes);
  return OkStatus();
}

bool CudaMemory::Grow(size_t missing) {
  const size_t room = limit_ - heap_.size();
  const size_t least = RoundUp(missing, granularity_);
  refusal_.clear();
  if (least > room) return false;
  const Status grown = AskForMore(least, room);
  refusal_ = std::string(grown.message());
  return grown.ok();
}

Status CudaMemory::AskForMore(size_t least, size_t room) {
  const CurrentGpu on(ordinal_);
  WB_RETURN_IF_ERROR(context_.Check(on));
  // Half as much again as there is, so that a program asks the driver a few times only; where the
  // GPU has not as much left, what is needed.
  const size_t wanted =
      std::min(room, std::max(least, RoundUp(heap_.size() / 2 + 1, granularity_)));
  if (wanted > least && MapPiece(wanted).ok()) return OkStatus();
  return MapPiece(least);
}

BufferRef CudaMemory::Allocate(size_t bytes) {
  if (!context_.is_usable()) return BufferRef();
  std::optional<size_t> offset;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (bytes > limit_) {
      refusal_.clear();
      return BufferRef();
    }
    offset = heap_.Allocate(bytes);
    if (!offset.has_value()) {
      if (!Grow(heap_.Missing(bytes))) return BufferRef();
      offset = heap_.Allocate(bytes);
    }
  }
  if (!offset.has_value()) return BufferRef();
  TakenMemory::Add(static_cast<int64_t>(bytes));
  return BufferRef(new CudaBuffer(shared_from_this(), base_ + *offset, bytes, *offset));
}

void CudaMemory::Free(size_t offset, size_t bytes) {
  TakenMemory::Add(-static_cast<int64_t>(bytes));
  std::lock_guard<std::mutex> lock(mutex_);
  heap_.Free(offset, bytes);
}

int64_t CudaMemory::peak_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(heap_.most_in_use());
}

void CudaMemory::ResetPeak() {
  std::lock_guard<std::mutex> lock(mutex_);
  heap_.ResetMost();
}

std::string CudaMemory::refusal() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return refusal_;
}
size_t CudaMemory::bytes_in_use() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return heap_.bytes_in_use();
}
size_t CudaMemory::bytes_mapped() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return heap_.size();
}

bool CudaMemory::IsOnGpu(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p);
  for (const Ranges::Range& range : Ranges::Get().ranges) {
    const uintptr_t begin = range.begin.load(std::memory_order_acquire);
    if (begin != 0 && address >= begin && address <= range.end.load(std::memory_order_acquire)) {
      return true;
    }
  }
  return false;
}

}  // namespace warpbeam
