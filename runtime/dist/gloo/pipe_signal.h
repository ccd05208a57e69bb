// WithoutPipeSignal: while it is there, writing to a connection that the other side has closed is
// an error of the write and does not end the process. Gloo does not ask for that itself.
//
//   const WithoutPipeSignal quiet;
//   write(closed, data, size);          // EPIPE
//
// A thread that is started meanwhile stays so for good. Ownership: none. Thread safety: it counts
// for its own thread, which ends it. Errors: none.
#ifndef WARPBEAM_RUNTIME_DIST_GLOO_PIPE_SIGNAL_H_
#define WARPBEAM_RUNTIME_DIST_GLOO_PIPE_SIGNAL_H_

#include <signal.h>

namespace warpbeam {

class WithoutPipeSignal {
 public:
  WithoutPipeSignal();
  ~WithoutPipeSignal();
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t before_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_GLOO_PIPE_SIGNAL_H_
