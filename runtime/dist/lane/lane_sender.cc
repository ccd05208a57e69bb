#include "runtime/dist/lane/lane_sender.h"

#include <array>
#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

constexpr size_t kMostPieces = 128;  // of one write
// How often a thread that brings a frame writes, also what others bring meanwhile.
constexpr int kMostAtOnce = 4;

}  // namespace

LaneSender::~LaneSender() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void LaneSender::Send(LaneFrame frame, bool at_once) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (has_failed_ || ends_) return;
  queue_.push_back(std::move(frame));
  if (is_writing_) return;  // who writes takes it, too
  for (int i = 0; at_once && i < kMostAtOnce && !queue_.empty() && !is_writing_; ++i) {
    if (!WriteSome(&lock, /*blocks=*/false)) break;
  }
  if (queue_.empty() || is_writing_ || has_failed_) return;
  if (!has_thread_) {
    StatusOr<std::thread> thread = NewThread([this] { Main(); });
    if (!thread.ok()) {
      has_failed_ = true;
      socket_.ShutDown();
      return;
    }
    thread_ = *std::move(thread);
    has_thread_ = true;
  }
  changed_.notify_one();
}

void LaneSender::Main() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || (!queue_.empty() && !is_writing_); });
    if (ends_ || has_failed_) return;
    WriteSome(&lock, /*blocks=*/true);
  }
}

bool LaneSender::WriteSome(std::unique_lock<std::mutex>* lock, bool blocks) {
  std::array<iovec, kMostPieces> pieces;
  size_t count = 0;
  size_t skip = written_;
  for (const LaneFrame& frame : queue_) {
    if (count + 2 > kMostPieces) break;
    const auto add = [&](const void* data, size_t size) {
      if (skip >= size) {
        skip -= size;
        return;
      }
      pieces[count++] = {const_cast<char*>(static_cast<const char*>(data)) + skip, size - skip};
      skip = 0;
    };
    add(frame.bytes.data(), frame.bytes.size());
    if (frame.values.has_value()) add(frame.values.raw_data(), frame.values.bytes());
  }
  is_writing_ = true;
  lock->unlock();
  const StatusOr<size_t> written = socket_.Write(MakeSpan(pieces.data(), count), blocks);
  lock->lock();
  is_writing_ = false;
  if (!written.ok()) {
    has_failed_ = true;
    queue_.clear();
    socket_.ShutDown();
    return false;
  }
  Advance(*written);
  return *written > 0;
}

void LaneSender::Advance(size_t written) {
  written_ += written;
  while (!queue_.empty() && written_ >= queue_.front().size()) {
    written_ -= queue_.front().size();
    queue_.pop_front();
  }
}

}  // namespace warpbeam
