// The driver's functions that map memory, and how the runtime library finds them.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "tests/cuda_stand_in/libraries.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam::cuda_stand_in {
namespace {

constexpr size_t kGranularity = 2 << 20;

// Addresses of a GPU's memory and, as far behind each other, the host's.
struct Range {
  char* host;
  size_t bytes;
  std::map<char*, size_t> mapped;  // of the GPU's addresses
};

struct Memory {
  std::mutex mutex;
  std::map<char*, Range> ranges;      // by their begin
  std::map<uint64_t, size_t> pieces;  // file descriptors: how many bytes they have
  int64_t bytes[8] = {};              // taken of each GPU
  std::map<uint64_t, int> gpu_of;     // of each piece
};

Memory& TheMemory() {
  static auto* const memory = new Memory;
  return *memory;
}

// The range that an address is in; its end counts, for empty tensors.
Range* Find(Memory& memory, char* at, char** begin) {
  auto found = memory.ranges.upper_bound(at);
  if (found == memory.ranges.begin()) return nullptr;
  --found;
  if (at > found->first + found->second.bytes) return nullptr;
  *begin = found->first;
  return &found->second;
}

char* Reserve(size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

CUresult GetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  if (MustFail("cuDeviceGetAttribute")) return CUDA_ERROR_INVALID_VALUE;
  *value = attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult Granularity(size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
  if (MustFail("cuMemGetAllocationGranularity")) return CUDA_ERROR_INVALID_VALUE;
  *bytes = kGranularity;
  return CUDA_SUCCESS;
}

CUresult AddressReserve(CUdeviceptr* at, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
  if (MustFail("cuMemAddressReserve")) return CUDA_ERROR_OUT_OF_MEMORY;
  // The page behind it is nobody's: an empty tensor may point to the end.
  char* const gpu = Reserve(bytes + kGranularity);
  char* const host = Reserve(bytes + kGranularity);
  if (gpu == nullptr || host == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  Memory& memory = TheMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  memory.ranges[gpu] = Range{host, bytes, {}};
  *at = reinterpret_cast<CUdeviceptr>(gpu);
  Count(&Leftovers::ranges, 1);
  return CUDA_SUCCESS;
}

CUresult AddressFree(CUdeviceptr at, size_t bytes) {
  Memory& memory = TheMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  const auto found = memory.ranges.find(reinterpret_cast<char*>(at));
  if (found == memory.ranges.end() || found->second.bytes != bytes) return CUDA_ERROR_INVALID_VALUE;
  if (!found->second.mapped.empty()) return CUDA_ERROR_INVALID_VALUE;
  munmap(found->first, bytes + kGranularity);
  munmap(found->second.host, bytes + kGranularity);
  ForgetUses(found->second.host, bytes);
  memory.ranges.erase(found);
  Count(&Leftovers::ranges, -1);
  return CUDA_SUCCESS;
}

CUresult Create(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* of,
                unsigned long long) {
  if (MustFail("cuMemCreate")) return CUDA_ERROR_OUT_OF_MEMORY;
  Memory& memory = TheMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  const int gpu = of->location.id;
  if (HasFaulted(gpu)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  if (bytes % kGranularity != 0) return CUDA_ERROR_INVALID_VALUE;
  if (memory.bytes[gpu] + static_cast<int64_t>(bytes) > kMemoryBytes) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const int file = memfd_create("stand_in", 0);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = static_cast<CUmemGenericAllocationHandle>(file);
  memory.pieces[*handle] = bytes;
  memory.gpu_of[*handle] = gpu;
  memory.bytes[gpu] += static_cast<int64_t>(bytes);
  Count(&Leftovers::pieces, 1);
  return CUDA_SUCCESS;
}

CUresult Release(CUmemGenericAllocationHandle handle) {
  Memory& memory = TheMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  const auto found = memory.pieces.find(handle);
  if (found == memory.pieces.end()) return CUDA_ERROR_INVALID_VALUE;
  memory.bytes[memory.gpu_of[handle]] -= static_cast<int64_t>(found->second);
  memory.gpu_of.erase(handle);
  memory.pieces.erase(found);
  close(static_cast<int>(handle));
  Count(&Leftovers::pieces, -1);
  return CUDA_SUCCESS;
}

CUresult Map(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
             unsigned long long) {
  if (MustFail("cuMemMap")) return CUDA_ERROR_OUT_OF_MEMORY;
  Memory& memory = TheMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  char* begin = nullptr;
  auto* const gpu = reinterpret_cast<char*>(at);
  Range* const range = Find(memory, gpu, &begin);
  const auto piece = memory.pieces.find(handle);
  if (range == nullptr || gpu + bytes > begin + range->bytes || piece == memory.pieces.end() ||
      offset != 0 || piece->second != bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const void* const host = mmap(range->host + (gpu - begin), bytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_FIXED, static_cast<int>(handle), 0);
  if (host == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  range->mapped[gpu] = bytes;
  return CUDA_SUCCESS;
}

CUresult Unmap(CUdeviceptr at, size_t bytes) {
  Memory& memory = TheMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  char* begin = nullptr;
  auto* const gpu = reinterpret_cast<char*>(at);
  Range* const range = Find(memory, gpu, &begin);
  if (range == nullptr || range->mapped.count(gpu) == 0 || range->mapped[gpu] != bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  mmap(range->host + (gpu - begin), bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  range->mapped.erase(gpu);
  return CUDA_SUCCESS;
}

CUresult SetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc*, size_t count) {
  if (MustFail("cuMemSetAccess")) return CUDA_ERROR_INVALID_VALUE;
  Memory& memory = TheMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  char* begin = nullptr;
  auto* const gpu = reinterpret_cast<char*>(at);
  Range* const range = Find(memory, gpu, &begin);
  if (range == nullptr || range->mapped.count(gpu) == 0 || range->mapped[gpu] != bytes ||
      count == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

}  // namespace

bool IsDeviceMemory(const void* address, size_t bytes) {
  Memory& memory = TheMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  const auto* const at = static_cast<const char*>(address);
  for (const auto& [begin, range] : memory.ranges) {
    const char* first = begin;
    if (at >= range.host && at < range.host + range.bytes) first = range.host;
    if (at < first || at >= first + range.bytes) continue;
    // Pieces that are mapped side by side are one.
    char* const wanted = begin + (at - first);
    char* end = wanted;
    for (const auto& [piece, size] : range.mapped) {
      if (piece <= end && end < piece + size) end = piece + size;
    }
    return end >= wanted + bytes;
  }
  return false;
}

void* HostAddress(const void* address) {
  Memory& memory = TheMemory();
  std::lock_guard<std::mutex> lock(memory.mutex);
  char* begin = nullptr;
  auto* const at = static_cast<char*>(const_cast<void*>(address));
  const Range* const range = Find(memory, at, &begin);
  return range == nullptr ? at : range->host + (at - begin);
}

}  // namespace warpbeam::cuda_stand_in

namespace stand_in = warpbeam::cuda_stand_in;

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                                        unsigned, unsigned long long,
                                                        cudaDriverEntryPointQueryResult* result) {
  if (stand_in::MustFail("cudaGetDriverEntryPointByVersion")) return cudaErrorInvalidValue;
  const std::map<std::string, void*> functions = {
      {"cuDeviceGetAttribute", reinterpret_cast<void*>(&stand_in::GetAttribute)},
      {"cuMemGetAllocationGranularity", reinterpret_cast<void*>(&stand_in::Granularity)},
      {"cuMemAddressReserve", reinterpret_cast<void*>(&stand_in::AddressReserve)},
      {"cuMemAddressFree", reinterpret_cast<void*>(&stand_in::AddressFree)},
      {"cuMemCreate", reinterpret_cast<void*>(&stand_in::Create)},
      {"cuMemRelease", reinterpret_cast<void*>(&stand_in::Release)},
      {"cuMemMap", reinterpret_cast<void*>(&stand_in::Map)},
      {"cuMemUnmap", reinterpret_cast<void*>(&stand_in::Unmap)},
      {"cuMemSetAccess", reinterpret_cast<void*>(&stand_in::SetAccess)},
  };
  const auto found = functions.find(symbol);
  *function = found == functions.end() ? nullptr : found->second;
  *result =
      found == functions.end() ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

extern "C" cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                                const void* address) {
  if (stand_in::MustFail("cudaPointerGetAttributes")) return cudaErrorInvalidValue;
  *attributes = {};
  void* const host = stand_in::HostAddress(address);
  attributes->type = host == address ? cudaMemoryTypeUnregistered : cudaMemoryTypeDevice;
  attributes->hostPointer = host;
  attributes->devicePointer = const_cast<void*>(address);
  return cudaSuccess;
}
