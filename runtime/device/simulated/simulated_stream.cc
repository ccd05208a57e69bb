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

Status SimulatedStream::RunOnHost(std::function<void()> kernel) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (recorded_ != nullptr) {
      recorded_->push_back(std::move(kernel));
      return OkStatus();
    }
  }
  Enqueue(std::move(kernel));
  return OkStatus();
}

void SimulatedStream::Enqueue(std::function<void()> work) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(work));
  }
  wake_.notify_one();
}

Status SimulatedStream::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  void* target = writable_(to);
  const void* source = writable_(const_cast<void*>(from));
  return RunOnHost([=] { memcpy(target, source, bytes); });
}

Status SimulatedStream::Fill(void* to, unsigned char value, size_t bytes) {
  void* target = writable_(to);
  return RunOnHost([=] { memset(target, value, bytes); });
}

Status SimulatedStream::WaitFor(Stream& other) {
  auto* simulated = dynamic_cast<SimulatedStream*>(&other);
  if (simulated == nullptr) return InvalidArgument("the stream belongs to another kind of device");
  if (simulated == this) return OkStatus();
  const std::thread::id here = std::this_thread::get_id();
  if (recorder_.load() == here || simulated->recorder_.load() == here) {
    return FailedPrecondition("waiting for another stream cannot be recorded");
  }
  // Neither may be recorded by another thread meanwhile: the wait would come into the recording.
  const std::scoped_lock lock(recording_mutex_, simulated->recording_mutex_);
  const auto mark = std::make_shared<Mark>();
  simulated->Enqueue([mark] {
    std::lock_guard<std::mutex> lock(mark->mutex);
    mark->is_reached = true;
    mark->reached.notify_all();
  });
  Enqueue([mark] {
    std::unique_lock<std::mutex> lock(mark->mutex);
    mark->reached.wait(lock, [&] { return mark->is_reached; });
  });
  return OkStatus();
}

Status SimulatedStream::WhenDone(Done fn) {
  WB_ASSIGN_OR_RETURN(const auto lock, Lock());
  Enqueue([fn = std::move(fn)] { fn(OkStatus()); });
  return OkStatus();
}

// Its work is shared with the stream's queue, which may outlast it.
class SimulatedStream::Recorded final : public Recording {
 public:
  Recorded(SimulatedStream& stream, std::shared_ptr<const Work> work)
      : stream_(stream), work_(std::move(work)) {}
  Status Enqueue() override {
    return stream_.RunOnHost([work = work_] {
      for (const std::function<void()>& kernel : *work) kernel();
    });
  }

 private:
  SimulatedStream& stream_;
  const std::shared_ptr<const Work> work_;
};

StatusOr<std::unique_lock<std::mutex>> SimulatedStream::Lock() {
  if (recorder_.load() == std::this_thread::get_id()) {
    return FailedPrecondition("waiting cannot be recorded");
  }
  return std::unique_lock<std::mutex>(recording_mutex_);
}

Status SimulatedStream::BeginRecording() {
  WB_ASSIGN_OR_RETURN(auto lock, Lock());
  recorder_.store(std::this_thread::get_id());
  {
    std::lock_guard<std::mutex> queue_lock(mutex_);
    recorded_ = std::make_unique<Work>();
  }
  lock.release();  // EndRecording lets go of it
  return OkStatus();
}

StatusOr<std::unique_ptr<Recording>> SimulatedStream::EndRecording() {
  if (recorder_.load() != std::this_thread::get_id()) {
    return FailedPrecondition("the stream does not record");
  }
  std::shared_ptr<const Work> work;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    work = std::move(recorded_);
  }
  recorder_.store(std::thread::id());
  recording_mutex_.unlock();
  return std::unique_ptr<Recording>(std::make_unique<Recorded>(*this, std::move(work)));
}

Status SimulatedStream::Synchronize() {
  std::unique_lock<std::mutex> lock(mutex_);
  drained_.wait(lock, [&] { return queue_.empty() && !busy_; });
  return OkStatus();
}

}  // namespace warpbeam
