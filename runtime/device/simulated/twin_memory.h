// TwinMemory: one anonymous file mapped twice, and a best-fit allocator over it.
//
// The `guarded` mapping allows no access and gives tensors their addresses; the `writable` one is
// what kernels use. Offsets are the same in both. Behind each mapping lies a page that nobody is
// given: the end of the memory, where an empty tensor may point, is no other memory's begin.
// AddressSanitizer is told of memory that nobody had yet, such as what is between new tensors, for
// code that is instrumented.
//
//   WB_ASSIGN_OR_RETURN(std::shared_ptr<TwinMemory> memory, TwinMemory::Create("gpu:0", 1 << 28));
//   BufferRef b = memory->Allocate(bytes);       // b->data() is a guarded address
//
// Ownership: buffers keep the mapping alive. Thread safety: any thread. Errors: RESOURCE_EXHAUSTED
// when the system refuses the mapping; Allocate returns null when nothing fits.
#ifndef WARPBEAM_RUNTIME_DEVICE_SIMULATED_TWIN_MEMORY_H_
#define WARPBEAM_RUNTIME_DEVICE_SIMULATED_TWIN_MEMORY_H_

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

#include "graph/types/buffer.h"
#include "graph/types/errors.h"
#include "runtime/device/block_heap.h"
#include "runtime/memory/peak_counter.h"

namespace warpbeam {

class TwinMemory final : public Allocator,
                         public PeakCounter,
                         public std::enable_shared_from_this<TwinMemory> {
 public:
  static StatusOr<std::shared_ptr<TwinMemory>> Create(const std::string& name, int64_t bytes);
  ~TwinMemory() override;
  TwinMemory(const TwinMemory&) = delete;
  TwinMemory& operator=(const TwinMemory&) = delete;

  const char* name() const override { return name_.c_str(); }
  BufferRef Allocate(size_t bytes) override;
  int64_t peak_bytes() const override;
  void ResetPeak() override;
  int64_t bytes_in_use() const;

  // An address of the other mapping; anything else comes back as it is.
  void* ToWritable(void* p) const { return Shift(p, guarded_, writable_); }
  void* ToGuarded(void* p) const { return Shift(p, writable_, guarded_); }

 private:
  friend class TwinBuffer;
  TwinMemory(std::string name, size_t size, size_t mapped)
      : name_(std::move(name)), size_(size), mapped_(mapped) {}
  void* Shift(void* p, char* from, char* to) const {
    char* c = static_cast<char*>(p);
    // The end counts too: an empty tensor may point there.
    return c >= from && c <= from + size_ ? to + (c - from) : p;
  }
  void Free(size_t offset, size_t bytes);
  void Allow(size_t offset, size_t bytes);  // with mutex_

  // Behind what somebody had. To forbid all would write a page of the sanitizer's for every eight.
  size_t ForbiddenEnd() const { return std::min(had_ + size_t{4096}, size_); }

  const std::string name_;
  const size_t size_;
  const size_t mapped_;  // with the page behind it
  char* guarded_ = nullptr;
  char* writable_ = nullptr;
  mutable std::mutex mutex_;
  BlockHeap heap_{kAlignment};
  size_t had_ = 0;  // what somebody has or had ends there
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_SIMULATED_TWIN_MEMORY_H_
