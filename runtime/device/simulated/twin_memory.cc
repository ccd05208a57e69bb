#include "runtime/device/simulated/twin_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "runtime/device/simulated/address_sanitizer.h"
#include "runtime/memory/taken_memory.h"

namespace warpbeam {

class TwinBuffer final : public Buffer {
 public:
  TwinBuffer(std::shared_ptr<TwinMemory> memory, void* data, size_t bytes, size_t offset)
      : Buffer(data, bytes), memory_(std::move(memory)), offset_(offset) {}

 protected:
  void Release() override {
    memory_->Free(offset_, bytes_);
    delete this;
  }

 private:
  const std::shared_ptr<TwinMemory> memory_;
  const size_t offset_;
};

StatusOr<std::shared_ptr<TwinMemory>> TwinMemory::Create(const std::string& name, int64_t bytes) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (bytes <= 0) return InvalidArgument("a simulated device needs memory, got ", bytes, " bytes");
  const size_t size = (static_cast<size_t>(bytes) + page - 1) / page * page;
  std::shared_ptr<TwinMemory> memory(new TwinMemory(name, size, size + page));
  const int fd = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (fd < 0) return ResourceExhausted("no memory file for ", name, ": ", strerror(errno));
  void* guarded = MAP_FAILED;
  void* writable = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(memory->mapped_)) == 0) {
    guarded = mmap(nullptr, memory->mapped_, PROT_NONE, MAP_SHARED, fd, 0);
    writable = mmap(nullptr, memory->mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  const int error = errno;
  close(fd);
  if (guarded != MAP_FAILED) memory->guarded_ = static_cast<char*>(guarded);
  if (writable != MAP_FAILED) memory->writable_ = static_cast<char*>(writable);
  if (guarded == MAP_FAILED || writable == MAP_FAILED) {
    return ResourceExhausted("cannot map ", size, " bytes twice for ", name, ": ", strerror(error));
  }
  memory->heap_.Grow(size);
  return memory;
}

TwinMemory::~TwinMemory() {
  if (guarded_ != nullptr) munmap(guarded_, mapped_);
  if (writable_ == nullptr) return;
  AllowMemory(writable_, ForbiddenEnd());  // for what is mapped there next
  munmap(writable_, mapped_);
}

BufferRef TwinMemory::Allocate(size_t bytes) {
  std::optional<size_t> offset;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    offset = heap_.Allocate(bytes);
    if (offset.has_value()) Allow(*offset, bytes);
  }
  if (!offset.has_value()) return BufferRef();
  TakenMemory::Add(static_cast<int64_t>(bytes));
  return BufferRef(new TwinBuffer(shared_from_this(), guarded_ + *offset, bytes, *offset));
}

void TwinMemory::Free(size_t offset, size_t bytes) {
  TakenMemory::Add(-static_cast<int64_t>(bytes));
  std::lock_guard<std::mutex> lock(mutex_);
  heap_.Free(offset, bytes);
}

// Of memory that somebody had before, what is queued may still use more than what is asked for now.
void TwinMemory::Allow(size_t offset, size_t bytes) {
  const size_t end = offset + bytes;
  if (end > had_) {
    had_ = end;
    ForbidMemory(writable_ + end, ForbiddenEnd() - end);
  }
  AllowMemory(writable_ + offset, bytes);
}

int64_t TwinMemory::peak_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(heap_.most_in_use());
}

void TwinMemory::ResetPeak() {
  std::lock_guard<std::mutex> lock(mutex_);
  heap_.ResetMost();
}

int64_t TwinMemory::bytes_in_use() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(heap_.bytes_in_use());
}

}  // namespace warpbeam
