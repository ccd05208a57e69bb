// Buffer: the counted block of memory behind tensors, and Allocator, where blocks come from.
//
// Ownership: `BufferRef` is one counted reference; the last one returns the block to the allocator
// that made it. Several tensors may share one buffer (views, variables). An Allocator must outlive
// its buffers. Buffers hold raw bytes; for strings, resources and variants they hold constructed
// objects, which the buffer destroys.
//
//   BufferRef b = HostAllocator().Allocate(bytes);    // null when memory has run out
//   if (b->IsUnique()) …                               // nobody else can see these bytes
//
// Thread safety: counts are atomic; the bytes are the users' own affair.
#ifndef WARPBEAM_GRAPH_TYPES_BUFFER_H_
#define WARPBEAM_GRAPH_TYPES_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "graph/types/dtype.h"

namespace warpbeam {

class Buffer {
 public:
  Buffer(void* data, size_t bytes) : data_(data), bytes_(bytes) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool IsUnique() const { return refs_.load(std::memory_order_acquire) == 1; }

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    // A sole owner needs no atomic subtraction: nobody else can add a reference meanwhile.
    if (refs_.load(std::memory_order_acquire) == 1 ||
        refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Release();
    }
  }

 protected:
  virtual ~Buffer() = default;
  // Gives the block (and this object) back; called once, by the last reference.
  virtual void Release() = 0;
  void ResetRefs() { refs_.store(1, std::memory_order_relaxed); }

  void* data_;
  size_t bytes_;

 private:
  std::atomic<int32_t> refs_{1};
};

class BufferRef {
 public:
  BufferRef() = default;
  explicit BufferRef(Buffer* adopted) : buffer_(adopted) {}
  BufferRef(const BufferRef& other) : buffer_(other.buffer_) {
    if (buffer_ != nullptr) buffer_->Ref();
  }
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() {
    if (buffer_ != nullptr) buffer_->Unref();
  }
  Buffer* get() const { return buffer_; }
  Buffer* operator->() const { return buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }

 private:
  Buffer* buffer_ = nullptr;
};

class Allocator {
 public:
  static constexpr size_t kAlignment = 64;
  virtual ~Allocator() = default;
  virtual const char* name() const = 0;
  // A block of at least `bytes`, aligned to kAlignment; null when there is no memory for it.
  virtual BufferRef Allocate(size_t bytes) = 0;
};

// Plain host memory from the C library: for constants and whatever lives outside steps.
Allocator& HostAllocator();

// A host buffer of `count` default-constructed elements of a host-only type (string, resource,
// variant); the objects are destroyed with the buffer. Null when memory has run out.
BufferRef AllocateObjects(DType dtype, int64_t count);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_BUFFER_H_
