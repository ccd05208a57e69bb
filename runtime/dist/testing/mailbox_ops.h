// Two ops for tests of what waits: Put adds to the process's one mailbox, Take waits for something
// in it, or until its step is cancelled.
//
//   Add("Take", "take", {});  …
//   while (takers == 0) …                 // until the step waits
//
// Thread safety: any thread. Errors: CANCELLED from a Take that was told to stop.
#ifndef WARPBEAM_RUNTIME_DIST_TESTING_MAILBOX_OPS_H_
#define WARPBEAM_RUNTIME_DIST_TESTING_MAILBOX_OPS_H_

#include <atomic>

namespace warpbeam {

// How many kernels of Take wait now.
extern std::atomic<int> takers;

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_TESTING_MAILBOX_OPS_H_
