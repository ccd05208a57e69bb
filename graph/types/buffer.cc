#include "graph/types/buffer.h"

#include <cstdlib>
#include <new>
#include <string>

#include "graph/types/tensor.h"

namespace warpbeam {
namespace {

// The counter block stands in front of the bytes, so that a tensor is one allocation.
constexpr size_t kHeader = Allocator::kAlignment;

class HostBuffer final : public Buffer {
 public:
  using Buffer::Buffer;

 protected:
  void Release() override {
    this->~HostBuffer();
    free(this);
  }
};
static_assert(sizeof(HostBuffer) <= kHeader);

class MallocAllocator final : public Allocator {
 public:
  const char* name() const override { return "host"; }
  BufferRef Allocate(size_t bytes) override {
    if (bytes > SIZE_MAX / 2) return BufferRef();
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* block = aligned_alloc(kAlignment, kHeader + rounded);
    if (block == nullptr) return BufferRef();
    return BufferRef(new (block) HostBuffer(static_cast<char*>(block) + kHeader, bytes));
  }
};

template <typename T>
class ObjectBuffer final : public Buffer {
 public:
  explicit ObjectBuffer(T* objects, int64_t count)
      : Buffer(objects, static_cast<size_t>(count) * sizeof(T)) {}

 protected:
  ~ObjectBuffer() override { delete[] static_cast<T*>(data_); }
  void Release() override { delete this; }
};

template <typename T>
BufferRef NewObjects(int64_t count) {
  if (count < 0 || static_cast<uint64_t>(count) > SIZE_MAX / 4 / sizeof(T)) return BufferRef();
  T* objects = new (std::nothrow) T[static_cast<size_t>(count)];
  if (objects == nullptr) return BufferRef();
  return BufferRef(new ObjectBuffer<T>(objects, count));
}

}  // namespace

Allocator& HostAllocator() {
  static MallocAllocator* allocator = new MallocAllocator;
  return *allocator;
}

BufferRef AllocateObjects(DType dtype, int64_t count) {
  switch (BaseType(dtype)) {
    case DType::kString:
      return NewObjects<std::string>(count);
    case DType::kResource:
      return NewObjects<ResourceHandle>(count);
    case DType::kVariant:
      return NewObjects<Variant>(count);
    default:
      return BufferRef();
  }
}

}  // namespace warpbeam
