#include "frontend/monitored/stop_signals.h"

#include <signal.h>

#include <atomic>
#include <cerrno>

#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// The only state that the handler touches. Lock-free, so that it may.
std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler takes no lock");

constexpr int kMostSignals = 65;
struct sigaction earlier[kMostSignals];

void Receive(int signal) {
  int none = 0;
  if (received.compare_exchange_strong(none, signal)) return;
  // Again: as if nobody had asked for it. It is delivered when this handler returns.
  const int saved_errno = errno;
  sigaction(signal, &earlier[signal], nullptr);
  raise(signal);
  errno = saved_errno;
}

}  // namespace

StopOnSignals::StopOnSignals() : StopOnSignals({SIGINT, SIGTERM}) {}

StopOnSignals::StopOnSignals(const std::vector<int>& signals) {
  received = 0;
  struct sigaction action = {};
  action.sa_handler = Receive;
  sigemptyset(&action.sa_mask);
  // Files and queues go on as if nothing had happened.
  action.sa_flags = SA_RESTART;
  for (const int signal : signals) {
    if (signal <= 0 || signal >= kMostSignals ||
        sigaction(signal, &action, &earlier[signal]) != 0) {
      status_ = InvalidArgument("signal ", signal, " cannot be caught");
      continue;
    }
    installed_.push_back(signal);
  }
}

StopOnSignals::~StopOnSignals() {
  for (const int signal : installed_) sigaction(signal, &earlier[signal], nullptr);
  received = 0;
}

int StopOnSignals::Received() { return received; }

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
