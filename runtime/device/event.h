// Event: a point in a stream that others can wait for. Recording it again moves it.
//
// An event that was never recorded counts as happened. Thread safety: any thread.
#ifndef WARPBEAM_RUNTIME_DEVICE_EVENT_H_
#define WARPBEAM_RUNTIME_DEVICE_EVENT_H_

#include "graph/types/status.h"

namespace warpbeam {

class Event {
 public:
  virtual ~Event() = default;
  virtual bool HasHappened() = 0;
  virtual absl::Status Synchronize() = 0;  // waits on the host
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_EVENT_H_
