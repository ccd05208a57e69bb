#include "runtime/device/simulated/twin_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace warpbeam {

class TwinBuffer final : public Buffer {
 public:
  TwinBuffer(std::shared_ptr<TwinMemory> memory, void* data, size_t bytes, size_t offset,
             size_t rounded)
      : Buffer(data, bytes), memory_(std::move(memory)), offset_(offset), rounded_(rounded) {}

 protected:
  void Release() override {
    memory_->Free(offset_, rounded_);
    delete this;
  }

 private:
  const std::shared_ptr<TwinMemory> memory_;
  const size_t offset_;
  const size_t rounded_;
};

absl::StatusOr<std::shared_ptr<TwinMemory>> TwinMemory::Create(const std::string& name,
                                                               int64_t bytes) {
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
  memory->free_[0] = size;
  return memory;
}

TwinMemory::~TwinMemory() {
  if (guarded_ != nullptr) munmap(guarded_, mapped_);
  if (writable_ != nullptr) munmap(writable_, mapped_);
}

BufferRef TwinMemory::Allocate(size_t bytes) {
  if (bytes > size_) return BufferRef();
  const size_t rounded = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  size_t offset;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (it->second >= rounded && (best == free_.end() || it->second < best->second)) best = it;
    }
    if (best == free_.end()) return BufferRef();
    offset = best->first;
    const size_t rest = best->second - rounded;
    free_.erase(best);
    if (rest > 0) free_[offset + rounded] = rest;
    in_use_ += static_cast<int64_t>(rounded);
  }
  return BufferRef(new TwinBuffer(shared_from_this(), guarded_ + offset, bytes, offset, rounded));
}

void TwinMemory::Free(size_t offset, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  in_use_ -= static_cast<int64_t>(bytes);
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  free_[offset] = bytes;
}

int64_t TwinMemory::bytes_in_use() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return in_use_;
}

}  // namespace warpbeam
