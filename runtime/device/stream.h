// Stream: an in-order queue of work on a device.
//
// Work enqueued on one stream happens in order; streams are ordered among each other only by
// WaitFor. Enqueuing never waits for the work. Addresses are tensor addresses (see Device).
//
//   WB_RETURN_IF_ERROR(copies->WaitFor(*compute));       // what compute has been given so far
//   WB_RETURN_IF_ERROR(copies->Copy(host, device, n));
//   WB_RETURN_IF_ERROR(copies->WhenDone([tensor](const Status&) {}));  // holds it
//
// Memory that a device's allocator gives out belongs to the order of its compute stream: there it
// may be written at once, and let go while work that uses it is still enqueued. Who uses it on
// another stream makes that stream wait for the compute stream first, and holds the buffer until
// the other stream is done with it. Nothing else guards it.
//
// Thread safety: any thread; calls from one thread keep their order. Errors: those of the driver;
// an error inside enqueued work comes out of the next Synchronize.
#ifndef WARPBEAM_RUNTIME_DEVICE_STREAM_H_
#define WARPBEAM_RUNTIME_DEVICE_STREAM_H_

#include <cstddef>
#include <functional>

#include "graph/types/errors.h"

namespace warpbeam {

class Stream {
 public:
  virtual ~Stream() = default;
  // Copies between any two of host, this device and a peer of its kind. The stream reads host
  // memory when it gets there: it has to stay until then.
  virtual Status Copy(void* to, const void* from, size_t bytes) = 0;
  virtual Status Fill(void* to, unsigned char value, size_t bytes) = 0;
  // What is enqueued here from now on happens after what `other`, a stream of a device of the same
  // kind, has been given so far.
  virtual Status WaitFor(Stream& other) = 0;
  // Calls `fn` on a host thread, soon after everything enqueued so far has happened, with what went
  // wrong of it; what is enqueued later need not wait for `fn`. It must not wait for a stream.
  using Done = std::function<void(const Status&)>;
  virtual Status WhenDone(Done fn) = 0;
  // Enqueues a kernel that is host code; UNIMPLEMENTED where kernels are not
  // (Device::runs_host_code).
  virtual Status RunOnHost(std::function<void()> kernel) = 0;
  virtual Status Synchronize() = 0;
  // The driver's own handle (a cudaStream_t), whose GPU becomes the calling thread's current one;
  // null where there is no driver.
  virtual void* native_handle() = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_STREAM_H_
