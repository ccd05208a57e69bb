#include "runtime/device/simulated/simulated_stream.h"

#include <pthread.h>

#include <cstring>
#include <utility>

namespace warpbeam {

bool SimulatedEvent::HasHappened() {
  std::lock_guard<std::mutex> lock(mark_->mutex);
  return mark_->reached >= mark_->recorded;
}

absl::Status SimulatedEvent::Synchronize() {
  std::unique_lock<std::mutex> lock(mark_->mutex);
  const int64_t target = mark_->recorded;
  mark_->happened.wait(lock, [&] { return mark_->reached >= target; });
  return absl::OkStatus();
}

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

absl::Status SimulatedStream::HostCallback(std::function<void()> fn) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(fn));
  }
  wake_.notify_one();
  return absl::OkStatus();
}

absl::Status SimulatedStream::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  void* target = writable_(to);
  const void* source = writable_(const_cast<void*>(from));
  return HostCallback([=] { memcpy(target, source, bytes); });
}

absl::Status SimulatedStream::Fill(void* to, unsigned char value, size_t bytes) {
  void* target = writable_(to);
  return HostCallback([=] { memset(target, value, bytes); });
}

absl::Status SimulatedStream::Record(Event* event) {
  auto* simulated = dynamic_cast<SimulatedEvent*>(event);
  if (simulated == nullptr) return InvalidArgument("the event belongs to another kind of device");
  std::shared_ptr<SimulatedEvent::Mark> mark = simulated->mark();
  {
    std::lock_guard<std::mutex> lock(mark->mutex);
    ++mark->recorded;
  }
  return HostCallback([mark] {
    std::lock_guard<std::mutex> lock(mark->mutex);
    ++mark->reached;
    mark->happened.notify_all();
  });
}

absl::Status SimulatedStream::Wait(Event* event) {
  auto* simulated = dynamic_cast<SimulatedEvent*>(event);
  if (simulated == nullptr) return event->Synchronize();
  std::shared_ptr<SimulatedEvent::Mark> mark = simulated->mark();
  int64_t target;
  {
    std::lock_guard<std::mutex> lock(mark->mutex);
    target = mark->recorded;
  }
  return HostCallback([mark, target] {
    std::unique_lock<std::mutex> lock(mark->mutex);
    mark->happened.wait(lock, [&] { return mark->reached >= target; });
  });
}

absl::Status SimulatedStream::Synchronize() {
  std::unique_lock<std::mutex> lock(mutex_);
  drained_.wait(lock, [&] { return queue_.empty() && !busy_; });
  return absl::OkStatus();
}

}  // namespace warpbeam
