// Stream: an in-order queue of work on a device.
//
// Work enqueued on one stream happens in order; streams are ordered among each other only by
// events. Enqueuing never waits for the work. Addresses are tensor addresses (see Device).
//
//   stream->Record(event.get());  other->Wait(event.get());   // `other` goes on after the event
//
// Thread safety: any thread; calls from one thread keep their order. Errors: those of the driver;
// an error inside enqueued work comes out of the next Synchronize.
#ifndef WARPBEAM_RUNTIME_DEVICE_STREAM_H_
#define WARPBEAM_RUNTIME_DEVICE_STREAM_H_

#include <cstddef>
#include <functional>

#include "graph/types/status.h"

namespace warpbeam {

class Event;

class Stream {
 public:
  virtual ~Stream() = default;
  // Copies between any two of host, this device and a peer of its kind.
  virtual absl::Status Copy(void* to, const void* from, size_t bytes) = 0;
  virtual absl::Status Fill(void* to, unsigned char value, size_t bytes) = 0;
  // Calls `fn` on a host thread once everything before it has happened; later work waits for it.
  virtual absl::Status HostCallback(std::function<void()> fn) = 0;
  virtual absl::Status Record(Event* event) = 0;
  virtual absl::Status Wait(Event* event) = 0;
  virtual absl::Status Synchronize() = 0;
  // The driver's own handle (a CUstream) for code that launches kernels; null where there is none.
  virtual void* native_handle() { return nullptr; }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_STREAM_H_
