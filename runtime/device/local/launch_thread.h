// LaunchThread: the host thread that enqueues the work of one device whose kernels only enqueue.
//
// A device's launches happen in the order in which its tasks became ready, so that no two threads
// mix theirs on one stream. The thread serves all streams of the device; it waits for none of them
// unless a kernel does.
//
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<LaunchThread> launches, LaunchThread::Start("gpu:0"));
//   launches->Schedule({&RunTask, step, task});
//
// Thread safety: any thread. The destructor runs what is left, then ends the thread. Errors: those
// of NewThread.
#ifndef WARPBEAM_RUNTIME_DEVICE_LOCAL_LAUNCH_THREAD_H_
#define WARPBEAM_RUNTIME_DEVICE_LOCAL_LAUNCH_THREAD_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/device/cpu/worker_pool.h"

namespace warpbeam {

class LaunchThread {
 public:
  static StatusOr<std::unique_ptr<LaunchThread>> Start(const std::string& name);
  ~LaunchThread();
  LaunchThread(const LaunchThread&) = delete;
  LaunchThread& operator=(const LaunchThread&) = delete;

  void Schedule(WorkerPool::Work work);

 private:
  LaunchThread() = default;
  void Main(const std::string& name);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<WorkerPool::Work> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_LOCAL_LAUNCH_THREAD_H_
