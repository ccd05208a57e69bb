// SimulatedStream and SimulatedEvent: a queue of work on a thread, and a point in it.
//
// Thread safety: any thread. The stream's destructor runs what is queued, then ends the thread.
#ifndef WARPBEAM_RUNTIME_DEVICE_SIMULATED_SIMULATED_STREAM_H_
#define WARPBEAM_RUNTIME_DEVICE_SIMULATED_SIMULATED_STREAM_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/device/event.h"
#include "runtime/device/stream.h"

namespace warpbeam {

class SimulatedEvent final : public Event {
 public:
  // What a stream marks; events and enqueued work share it, so that either may go first.
  struct Mark {
    std::mutex mutex;
    std::condition_variable happened;
    int64_t recorded = 0;  // how often it was enqueued
    int64_t reached = 0;   // how often a stream came by
  };

  bool HasHappened() override;
  absl::Status Synchronize() override;
  const std::shared_ptr<Mark>& mark() const { return mark_; }

 private:
  const std::shared_ptr<Mark> mark_ = std::make_shared<Mark>();
};

class SimulatedStream final : public Stream {
 public:
  // `writable` turns a tensor's address into one that host code may use, for memory of any
  // simulated device.
  SimulatedStream(std::string name, std::function<void*(void*)> writable);
  ~SimulatedStream() override;

  absl::Status Copy(void* to, const void* from, size_t bytes) override;
  absl::Status Fill(void* to, unsigned char value, size_t bytes) override;
  absl::Status HostCallback(std::function<void()> fn) override;
  absl::Status Record(Event* event) override;
  absl::Status Wait(Event* event) override;
  absl::Status Synchronize() override;

 private:
  void Main(const std::string& name);

  const std::function<void*(void*)> writable_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable drained_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_SIMULATED_SIMULATED_STREAM_H_
