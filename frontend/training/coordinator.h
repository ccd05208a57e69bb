// Coordinator: ends the threads of a program together (tf.train.Coordinator).
//
//   Coordinator coordinator;
//   StartQueueRunners(scope, session, coordinator);
//   while (!coordinator.ShouldStop()) {
//     auto out = session.Run({train, loss});
//     if (!out.ok()) coordinator.RequestStop(out.status());
//   }
//   Status status = coordinator.Join();            // the first error of any thread
//
// A thread that meets an error hands it to RequestStop; what comes after the first request is the
// consequence of stopping and not kept. OUT_OF_RANGE, the end of the input, is a clean stop.
//
// Ownership: the coordinator owns the threads that it launched. Its destructor stops and joins
// them; one that does not end within the grace period is left behind. What threads use must outlive
// them. Thread safety: any thread; Join from one. Errors: Join gives the first error, or
// DEADLINE_EXCEEDED naming the threads that did not end in time.
#ifndef WARPBEAM_FRONTEND_TRAINING_COORDINATOR_H_
#define WARPBEAM_FRONTEND_TRAINING_COORDINATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "graph/types/status.h"

namespace warpbeam {
namespace frontend {
namespace train {

class Coordinator {
 public:
  static constexpr int64_t kStopGraceMs = 120'000;

  Coordinator();
  ~Coordinator();
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  void RequestStop(const Status& error = Status());
  bool ShouldStop() const;
  // True when a stop has been requested; waits for it at most so long, for ever if negative.
  bool WaitForStop(int64_t timeout_ms = -1) const;

  // A thread that runs `body` and hands its error to RequestStop. Threads that only wait for the
  // stop do not keep Join from ending a program whose other threads are all done.
  void Launch(std::string name, std::function<Status()> body, bool waits_for_stop = false);
  // Waits until a stop is requested or all threads are done, then for the threads at most
  // `stop_grace_ms`. The coordinator may be used again after ClearStop.
  Status Join(int64_t stop_grace_ms = kStopGraceMs);
  // Whether the last Join has waited for all threads, and none has been launched since.
  bool joined() const;
  // Forgets the stop and its error.
  void ClearStop();

 private:
  struct State;  // shared with the threads

  const std::shared_ptr<State> state_;
  std::vector<std::thread> threads_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_COORDINATOR_H_
