// CudaMemory: memory of one GPU, as one range of addresses that grows by need.
//
// Addresses for all that may ever be there are reserved at once; physical memory is mapped at the
// end of what there is, so that growing moves nothing and needs no neighbour. What is let go is
// given out again by the host's book-keeping alone (runtime/device/block_heap.h), in the order of
// the stream that the memory is for: after the first steps of a program nobody calls the driver.
//
//   WB_ASSIGN_OR_RETURN(auto memory, CudaMemory::Reserve("cuda:0", CudaContext::Of(0), limit));
//   BufferRef b = memory->Allocate(bytes);   // null: the limit, no more is there, the GPU failed
//   CudaMemory::IsOnGpu(b->data());                 // and of the host's addresses false
//
// Ownership: buffers keep the range alive; it waits for the GPU and gives all memory back when the
// last one is gone. Thread safety: any thread. Errors: UNAVAILABLE from an old driver or GPU.
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_MEMORY_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_MEMORY_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/types/buffer.h"
#include "graph/types/errors.h"
#include "runtime/device/block_heap.h"
#include "runtime/device/cuda/cuda_context.h"
#include "runtime/memory/peak_counter.h"

namespace warpbeam {

class CudaMemory final : public Allocator,
                         public PeakCounter,
                         public std::enable_shared_from_this<CudaMemory> {
 public:
  static StatusOr<std::shared_ptr<CudaMemory>> Reserve(std::string name, CudaContext& context,
                                                       int64_t limit);
  ~CudaMemory() override;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  const char* name() const override { return name_.c_str(); }
  BufferRef Allocate(size_t bytes) override;
  int64_t peak_bytes() const override;
  void ResetPeak() override;
  // Why the driver gave no more to who was refused last: its call and the error. Empty: it was the
  // limit, or nobody was.
  std::string refusal() const;
  size_t bytes_in_use() const;
  size_t bytes_mapped() const;

  // Of a GPU that runs host code: finds where that may use the memory, INTERNAL if nowhere.
  Status OpenToHost();
  // From the GPU's addresses to the host's and back; another address comes back as it is, and every
  // one before OpenToHost.
  void* ToHost(void* p) const { return Shift(p, base_, host_); }
  void* ToGpu(void* p) const { return Shift(p, host_, base_); }

  // Whether the address is in a range of any GPU.
  static bool IsOnGpu(const void* p);

 private:
  friend class CudaBuffer;
  struct Piece {
    unsigned long long handle;
    size_t offset, bytes;
  };
  CudaMemory(std::string name, CudaContext& context)
      : name_(std::move(name)), context_(context), ordinal_(context.ordinal()) {}
  Status Open(int64_t limit);
  // Maps at least `missing` bytes more, or says why not in refusal_. Under the lock.
  bool Grow(size_t missing);
  Status AskForMore(size_t least, size_t room);
  Status MapPiece(size_t bytes);
  void Free(size_t offset, size_t bytes);
  // The end counts too: an empty tensor may point there.
  void* Shift(void* p, char* from, char* to) const {
    char* const c = static_cast<char*>(p);
    return host_ != nullptr && c >= from && c <= from + limit_ ? to + (c - from) : p;
  }

  const std::string name_;
  CudaContext& context_;
  const int ordinal_;
  char* base_ = nullptr;
  char* host_ = nullptr;
  size_t granularity_ = 0;
  size_t limit_ = 0;
  std::vector<int> readers_;  // the GPUs that reach this one's memory, itself the first
  mutable std::mutex mutex_;
  BlockHeap heap_{256};
  std::vector<Piece> pieces_;
  std::string refusal_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_MEMORY_H_
