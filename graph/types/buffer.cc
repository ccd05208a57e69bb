#include "graph/types/buffer.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "graph/types/object_memory.h"
#include "graph/types/tensor.h"

namespace warpbeam {
namespace {

// The counter block stands in front of the bytes, so that a tensor is one allocation.
constexpr size_t kHeader = Allocator::kAlignment;

std::atomic<int64_t>& ObjectBytes() {
  static auto* const bytes = new std::atomic<int64_t>(0);
  return *bytes;
}

int64_t HeldByString(const std::string& s) {
  // Short ones lie in their objects; the others have a block of the C library's.
  constexpr int64_t kBlockCost = 16;
  static const size_t short_capacity = std::string().capacity();
  return s.capacity() <= short_capacity ? 0 : static_cast<int64_t>(s.capacity()) + kBlockCost;
}

class HostBuffer final : public Buffer {
 public:
  HostBuffer(void* data, size_t bytes) : Buffer(data, bytes) {
    ObjectMemory::Add(static_cast<int64_t>(bytes));
  }

 protected:
  void Release() override {
    ObjectMemory::Add(-static_cast<int64_t>(bytes_));
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
void DeleteObjects(T* objects) {
  delete[] objects;
}

// Variants hold tensors of variants, as deep as a program makes them: what goes while others go
// waits until they have gone.
void DeleteObjects(Variant* objects) {
  static thread_local std::vector<Variant*>* waiting = nullptr;
  if (waiting != nullptr) return waiting->push_back(objects);
  std::vector<Variant*> next;
  waiting = &next;
  for (;;) {
    delete[] objects;
    if (next.empty()) break;
    objects = next.back();
    next.pop_back();
  }
  waiting = nullptr;
}

template <typename T>
class ObjectBuffer final : public Buffer {
 public:
  explicit ObjectBuffer(T* objects, int64_t count)
      : Buffer(objects, static_cast<size_t>(count) * sizeof(T)) {
    ObjectBytes().fetch_add(static_cast<int64_t>(bytes_), std::memory_order_relaxed);
  }

  // See ObjectMemory::ContentsOf.
  int64_t Contents() {
    int64_t known = contents_.load(std::memory_order_acquire);
    if (known != kNotCounted) return known;
    int64_t contents = 0;
    const auto* objects = static_cast<const T*>(data_);
    for (size_t i = 0; i < bytes_ / sizeof(T); ++i) contents += HeldBy(objects[i]);
    // Who comes second has counted the same.
    if (!contents_.compare_exchange_strong(known, contents)) return known;
    ObjectBytes().fetch_add(contents, std::memory_order_relaxed);
    return contents;
  }

 protected:
  ~ObjectBuffer() override {
    const int64_t contents = contents_.load(std::memory_order_relaxed);
    ObjectBytes().fetch_sub(static_cast<int64_t>(bytes_) + (contents == kNotCounted ? 0 : contents),
                            std::memory_order_relaxed);
    DeleteObjects(static_cast<T*>(data_));
  }
  void Release() override { delete this; }

 private:
  static constexpr int64_t kNotCounted = -1;

  static int64_t HeldBy(const std::string& s) { return HeldByString(s); }
  template <typename Other>
  static int64_t HeldBy(const Other&) {
    return 0;
  }

  std::atomic<int64_t> contents_{kNotCounted};
};

template <typename T>
BufferRef NewObjects(int64_t count) {
  if (count < 0 || static_cast<uint64_t>(count) > SIZE_MAX / 4 / sizeof(T)) return BufferRef();
  T* objects = new (std::nothrow) T[static_cast<size_t>(count)];
  if (objects == nullptr) return BufferRef();
  return BufferRef(new ObjectBuffer<T>(objects, count));
}

}  // namespace

int64_t ObjectMemory::bytes_in_use() { return ObjectBytes().load(std::memory_order_relaxed); }

int64_t ObjectMemory::ContentsOf(const Tensor& tensor) {
  if (tensor.dtype() != DType::kString) return 0;
  auto* const strings = dynamic_cast<ObjectBuffer<std::string>*>(tensor.buffer().get());
  return strings == nullptr ? 0 : strings->Contents();
}

int64_t ObjectMemory::HeldBy(const Tensor& tensor, int64_t begin, int64_t count) {
  if (tensor.dtype() != DType::kString) return 0;
  int64_t held = 0;
  for (int64_t i = begin; i < begin + count; ++i)
    held += HeldByString(tensor.data<std::string>()[i]);
  return held;
}

void ObjectMemory::Add(int64_t bytes) { ObjectBytes().fetch_add(bytes, std::memory_order_relaxed); }

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
