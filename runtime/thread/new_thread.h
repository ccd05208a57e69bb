// NewThread: a thread, or RESOURCE_EXHAUSTED where the system gives no more. CallThreads: threads
// that each make one call, for kernels that work for long outside the executor.
//
//   WB_ASSIGN_OR_RETURN(std::thread thread, NewThread([state] { state->Main(); }));
//   WB_RETURN_IF_ERROR(calls_.Start([done] { done(Work()); }));     // calls_: a member
//
// Ownership: NewThread's caller joins or detaches it; the destructor of CallThreads joins its own.
// Thread safety: any thread. Errors: RESOURCE_EXHAUSTED, which a graph with very many iterators can
// cause.
#ifndef WARPBEAM_RUNTIME_THREAD_NEW_THREAD_H_
#define WARPBEAM_RUNTIME_THREAD_NEW_THREAD_H_

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "graph/types/errors.h"

namespace warpbeam {

StatusOr<std::thread> NewThread(std::function<void()> main);

class CallThreads {
 public:
  CallThreads() = default;
  ~CallThreads();
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  Status Start(std::function<void()> call);

 private:
  struct Entry {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> is_done;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_THREAD_NEW_THREAD_H_
