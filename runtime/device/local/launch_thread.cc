#include "runtime/device/local/launch_thread.h"

#include <pthread.h>

#include "runtime/thread/new_thread.h"

namespace warpbeam {

StatusOr<std::unique_ptr<LaunchThread>> LaunchThread::Start(const std::string& name) {
  std::unique_ptr<LaunchThread> launches(new LaunchThread);
  WB_ASSIGN_OR_RETURN(launches->thread_,
                      NewThread([self = launches.get(), name] { self->Main(name); }));
  return launches;
}

LaunchThread::~LaunchThread() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LaunchThread::Schedule(WorkerPool::Work work) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(work);
  }
  wake_.notify_one();
}

void LaunchThread::Main(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const WorkerPool::Work work = queue_.front();
    queue_.pop_front();
    lock.unlock();
    work.run(work.object, work.argument);
    lock.lock();
  }
}

}  // namespace warpbeam
