#include "runtime/checkpoint/block_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/memory/memory.h"
#include "runtime/record/file_root.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// What disks want addresses, offsets and sizes to be multiples of.
constexpr size_t kAlignment = 4096;
constexpr size_t kFirstCapacity = size_t{1} << 16;

Status ErrnoStatus(int error, absl::string_view operation, absl::string_view path) {
  return ErrnoToStatus(error, absl::StrCat("cannot ", operation, " ", files::Shown(path)));
}

bool SetDirect(int descriptor, bool is_direct) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 &&
         fcntl(descriptor, F_SETFL, is_direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

// All of `data` at the file's position. `is_direct` becomes false where the disk does not take it.
Status WriteAll(int descriptor, absl::string_view data, bool* is_direct, const std::string& path) {
  while (!data.empty()) {
    const ssize_t n = write(descriptor, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EINVAL && *is_direct && SetDirect(descriptor, false)) {
      *is_direct = false;
      continue;
    }
    if (n < 0) return ErrnoStatus(errno, "write", path);
    data.remove_prefix(static_cast<size_t>(n));
  }
  return OkStatus();
}

}  // namespace

bool BlockFile::Block::Append(absl::string_view data) {
  if (size_ + data.size() > capacity_) {
    const size_t wanted =
        std::min(kBlockBytes, std::max({kFirstCapacity, 2 * capacity_, size_ + data.size()}));
    const size_t capacity = (wanted + kAlignment - 1) / kAlignment * kAlignment;
    std::unique_ptr<char, Free> grown(static_cast<char*>(std::aligned_alloc(kAlignment, capacity)));
    if (grown == nullptr) return false;
    if (size_ > 0) std::memcpy(grown.get(), data_.get(), size_);
    data_ = std::move(grown);
    capacity_ = capacity;
  }
  std::memcpy(data_.get() + size_, data.data(), data.size());
  size_ += data.size();
  return true;
}

// Writes blocks on a thread of its own. While it writes one the next may wait already, so that
// the disk has something to do from one write to the next.
class BlockFile::Writer {
 public:
  Writer(int descriptor, const std::string& path) : descriptor_(descriptor), path_(path) {
    is_direct_ = SetDirect(descriptor_, true);
    StatusOr<std::thread> thread = NewThread([this] { Loop(); });
    if (thread.ok()) thread_ = *std::move(thread);  // without one the caller writes
  }
  ~Writer() { End().IgnoreError(); }

  // Exchanges a full block for an empty one.
  Status Exchange(Block* block) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !is_waiting_; });
    WB_RETURN_IF_ERROR(status_);
    std::swap(*block, waiting_);
    block->Clear();
    is_waiting_ = true;
    if (thread_.joinable()) {
      changed_.notify_all();
    } else {
      WriteNext(&lock);
    }
    return status_;
  }

  // Ends the thread; the file takes ordinary writes afterwards.
  Status End() {
    if (thread_.joinable()) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        is_ending_ = true;
        changed_.notify_all();
      }
      thread_.join();
    }
    return status_;
  }
  // Writes the whole sectors of `data` and makes the file an ordinary one; what is left of it.
  StatusOr<absl::string_view> WriteLast(absl::string_view data) {
    if (!is_direct_) return data;
    const size_t whole = data.size() / kAlignment * kAlignment;
    WB_RETURN_IF_ERROR(WriteAll(descriptor_, data.substr(0, whole), &is_direct_, path_));
    if (is_direct_ && !SetDirect(descriptor_, false)) {
      return ErrnoStatus(errno, "end direct writing of", path_);
    }
    return data.substr(whole);
  }

 private:
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return is_waiting_ || is_ending_; });
      if (!is_waiting_) return;
      WriteNext(&lock);
    }
  }
  void WriteNext(std::unique_lock<std::mutex>* lock) {
    std::swap(waiting_, block_);
    is_waiting_ = false;
    changed_.notify_all();
    lock->unlock();
    // Nobody else touches block_ and is_direct_ meanwhile.
    const Status status = Write();
    lock->lock();
    status_.Update(status);
  }
  Status Write() {
    WB_RETURN_IF_ERROR(WriteAll(descriptor_, block_.bytes(), &is_direct_, path_));
    if (!is_direct_) {
      // Only a hint: Sync waits for everything.
      sync_file_range(descriptor_, offset_, static_cast<off_t>(block_.size()),
                      SYNC_FILE_RANGE_WRITE);
    }
    offset_ += static_cast<off_t>(block_.size());
    return OkStatus();
  }

  const int descriptor_;
  const std::string& path_;
  bool is_direct_ = false;
  off_t offset_ = 0;
  Block block_;  // being written
  std::mutex mutex_;
  std::condition_variable changed_;
  Block waiting_;
  bool is_waiting_ = false, is_ending_ = false;
  Status status_;
  std::thread thread_;
};

StatusOr<std::unique_ptr<BlockFile>> BlockFile::Create(absl::string_view path) {
  const int descriptor = files::Open(std::string(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
  if (descriptor < 0) return ErrnoStatus(errno, "open for writing", path);
  return absl::WrapUnique(new BlockFile(descriptor, path));
}

BlockFile::BlockFile(int descriptor, absl::string_view path)
    : descriptor_(descriptor), path_(path) {}

BlockFile::~BlockFile() {
  writer_.reset();
  if (descriptor_ >= 0) close(descriptor_);
}

Status BlockFile::Append(absl::string_view data) {
  if (descriptor_ < 0) return FailedPrecondition(path_, " is closed");
  while (!data.empty()) {
    const absl::string_view piece = data.substr(0, kBlockBytes - block_.size());
    if (!block_.Append(piece)) {
      return ResourceExhausted("no memory for a block of ", kBlockBytes, " bytes to write ", path_);
    }
    data.remove_prefix(piece.size());
    if (block_.size() == kBlockBytes) WB_RETURN_IF_ERROR(PassOn());
  }
  return OkStatus();
}

Status BlockFile::PassOn() {
  // Behind a flush the offset is any number, which the disk would not take.
  if (has_flushed_) return Flush();
  if (writer_ == nullptr) writer_ = std::make_unique<Writer>(descriptor_, path_);
  return writer_->Exchange(&block_);
}

Status BlockFile::Flush() {
  absl::string_view rest = block_.bytes();
  if (writer_ != nullptr) {
    WB_RETURN_IF_ERROR(writer_->End());
    WB_ASSIGN_OR_RETURN(rest, writer_->WriteLast(rest));
    writer_.reset();
  }
  has_flushed_ = true;
  bool is_direct = false;
  WB_RETURN_IF_ERROR(WriteAll(descriptor_, rest, &is_direct, path_));
  block_.Clear();
  return OkStatus();
}

Status BlockFile::Sync() {
  if (descriptor_ < 0) return FailedPrecondition(path_, " is closed");
  WB_RETURN_IF_ERROR(Flush());
  if (fsync(descriptor_) != 0) return ErrnoStatus(errno, "sync", path_);
  return OkStatus();
}

Status BlockFile::Close() {
  if (descriptor_ < 0) return OkStatus();
  WB_RETURN_IF_ERROR(Flush());
  const int result = close(descriptor_);
  descriptor_ = -1;  // the descriptor is gone whatever close says, EINTR included
  if (result != 0 && errno != EINTR) return ErrnoStatus(errno, "close", path_);
  return OkStatus();
}

}  // namespace warpbeam
