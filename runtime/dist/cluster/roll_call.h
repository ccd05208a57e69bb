// RollCall: asks tasks of a cluster whether they are there, all at once, until they answer.
//
//   RollCall call(tasks, timeout_ms, log);
//   std::vector<std::string> missing = call.Run();
//   … call.answers()[0] …
//
// A task that has not started yet is asked again and again. Those that have not answered are named
// in the log after a second, and then every ten.
//
// Ownership: owns its threads. Thread safety: one thread. Errors: Run says of each task that has
// not answered in time why.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_ROLL_CALL_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_ROLL_CALL_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dist/cluster/worker_peer.h"

namespace warpbeam {

class RollCall {
 public:
  using Log = std::function<void(const std::string& line)>;
  // Why nobody needs the answers any more; OK: somebody does. Asked every second, on any thread.
  using Ended = std::function<Status()>;
  struct Task {
    std::string name;
    std::shared_ptr<WorkerPeer> peer;
  };

  // `timeout_ms` 0: without end. `log` and `ended` may be null.
  RollCall(std::vector<Task> tasks, int64_t timeout_ms, Log log, Ended ended = nullptr);
  ~RollCall();

  // "TASK (why)" of each task that has not answered.
  std::vector<std::string> Run();
  // In the order of the tasks.
  const std::vector<tensorflow::GetStatusResponse>& answers() const { return answers_; }

 private:
  void Ask(size_t task);
  std::string Missing() const;

  const std::vector<Task> tasks_;
  const int64_t timeout_ms_;
  const Log log_;
  const Ended ended_;
  std::vector<tensorflow::GetStatusResponse> answers_;
  std::mutex mutex_;  // of what follows
  std::condition_variable answered_;
  std::vector<Status> status_;
  std::vector<bool> is_over_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_ROLL_CALL_H_
