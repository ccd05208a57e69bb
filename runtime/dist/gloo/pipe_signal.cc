#include "runtime/dist/gloo/pipe_signal.h"

#include <time.h>

namespace warpbeam {
namespace {

sigset_t PipeAlone() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

}  // namespace

WithoutPipeSignal::WithoutPipeSignal() {
  const sigset_t pipe = PipeAlone();
  pthread_sigmask(SIG_BLOCK, &pipe, &before_);
}

WithoutPipeSignal::~WithoutPipeSignal() {
  if (sigismember(&before_, SIGPIPE) == 1) return;
  // One that has come meanwhile would be delivered now.
  const sigset_t pipe = PipeAlone();
  const timespec at_once = {0, 0};
  while (sigtimedwait(&pipe, nullptr, &at_once) == SIGPIPE) continue;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace warpbeam
