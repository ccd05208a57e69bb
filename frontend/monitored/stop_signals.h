// StopOnSignals: Ctrl-C ends a program cleanly.
//
//   StopOnSignals signals;                          // SIGINT and SIGTERM
//   while (!session->ShouldStop()) Step();          // true once a signal has come
//   Status s = session->Close();                    // saves
//
// The first signal only sets a flag, which MonitoredSession and Supervisor look at between steps.
// The second one has the effect that it had before, as a rule to end the process at once: so a step
// that never ends can still be left. Nothing is installed unless a program makes such an object.
//
// Ownership: the destructor brings the handlers of before back. Thread safety: make one at a time;
// asking is safe from any thread. Errors: INVALID_ARGUMENT in `status` for signals that cannot be
// caught.
#ifndef WARPBEAM_FRONTEND_MONITORED_STOP_SIGNALS_H_
#define WARPBEAM_FRONTEND_MONITORED_STOP_SIGNALS_H_

#include <vector>

#include "graph/types/status.h"

namespace warpbeam {
namespace frontend {
namespace train {

class StopOnSignals {
 public:
  StopOnSignals();
  explicit StopOnSignals(const std::vector<int>& signals);
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  const Status& status() const { return status_; }

  // The first signal that came since the object was made; 0: none, or there is no such object.
  static int Received();

 private:
  std::vector<int> installed_;
  Status status_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_STOP_SIGNALS_H_
