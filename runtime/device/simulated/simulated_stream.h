// SimulatedStream: a queue of work on a thread.
//
// Thread safety: any thread. The stream's destructor runs what is queued, then ends the thread.
#ifndef WARPBEAM_RUNTIME_DEVICE_SIMULATED_SIMULATED_STREAM_H_
#define WARPBEAM_RUNTIME_DEVICE_SIMULATED_SIMULATED_STREAM_H_

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/device/recording.h"
#include "runtime/device/stream.h"

namespace warpbeam {

class SimulatedStream final : public Stream, public RecordingStream {
 public:
  // `writable` turns a tensor's address into one that host code may use, for memory of any
  // simulated device.
  SimulatedStream(std::string name, std::function<void*(void*)> writable);
  ~SimulatedStream() override;

  Status Copy(void* to, const void* from, size_t bytes) override;
  Status Fill(void* to, unsigned char value, size_t bytes) override;
  Status WaitFor(Stream& other) override;
  Status WhenDone(Done fn) override;
  Status RunOnHost(std::function<void()> kernel) override;
  Status Synchronize() override;
  void* native_handle() override { return nullptr; }
  Status BeginRecording() override;
  StatusOr<std::unique_ptr<Recording>> EndRecording() override;

 private:
  using Work = std::vector<std::function<void()>>;
  class Recorded;
  void Main(const std::string& name);
  // For what may not come into a recording: waits until other threads do not record;
  // FAILED_PRECONDITION on the thread that records, which would wait for itself.
  StatusOr<std::unique_lock<std::mutex>> Lock();
  void Enqueue(std::function<void()> work);

  const std::function<void*(void*)> writable_;
  std::mutex recording_mutex_;             // held while the stream records, before the next one
  std::atomic<std::thread::id> recorder_;  // the thread that records
  std::mutex mutex_;                       // of what follows
  std::condition_variable wake_;
  std::condition_variable drained_;
  std::deque<std::function<void()>> queue_;
  std::unique_ptr<Work> recorded_;  // while it records
  bool busy_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_SIMULATED_SIMULATED_STREAM_H_
