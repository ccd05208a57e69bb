#include "runtime/device/simulated/simulated_stream.h"

#include <pthread.h>

#include <cstring>
#include <memory>
#include <utility>

namespace warpbeam {

namespace {

// A point in a stream that another one waits for.
struct Mark {
  std::mutex mutex;
  std::condition_variable reached;
  bool is_reached = false;
};

}  // namespace

SimulatedStream::SimulatedStream(std::string name, std::function<void*(void*)> writable)
    : writable_(std::move(writable)), thread_([this, name] { Main(name); }) {}

SimulatedStream::~SimulatedStream() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void SimulatedStream::Main(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    work();
    work = nullptr;  // what it holds is released before the stream counts as drained
    lock.lock();
    busy_ = false;
    if (queue_.empty()) drained_.notify_all();
  }
}

absl::Status SimulatedStream::RunOnHost(std::function<void()> kernel) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(kernel));
  }
  wake_.notify_one();
  return absl::OkStatus();
}

absl::Status SimulatedStream::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  void* target = writable_(to);
  const void* source = writable_(const_cast<void*>(from));
  return RunOnHost([=] { memcpy(target, source, bytes); });
}

absl::Status SimulatedStream::Fill(void* to, unsigned char value, size_t bytes) {
  void* target = writable_(to);
  return RunOnHost([=] { memset(target, value, bytes); });
}

absl::Status SimulatedStream::WaitFor(Stream& other) {
  auto* simulated = dynamic_cast<SimulatedStream*>(&other);
  if (simulated == nullptr) return InvalidArgument("the stream belongs to another kind of device");
  if (simulated == this) return absl::OkStatus();
  const auto mark = std::make_shared<Mark>();
  WB_RETURN_IF_ERROR(simulated->RunOnHost([mark] {
    std::lock_guard<std::mutex> lock(mark->mutex);
    mark->is_reached = true;
    mark->reached.notify_all();
  }));
  return RunOnHost([mark] {
    std::unique_lock<std::mutex> lock(mark->mutex);
    mark->reached.wait(lock, [&] { return mark->is_reached; });
  });
}

absl::Status SimulatedStream::Synchronize() {
  std::unique_lock<std::mutex> lock(mutex_);
  drained_.wait(lock, [&] { return queue_.empty() && !busy_; });
  return absl::OkStatus();
}

}  // namespace warpbeam
