// Recording: what a stream was once given, to be enqueued again in one go.
//
//   RecordingStream* records = dynamic_cast<RecordingStream*>(stream);   // null: it cannot
//   WB_RETURN_IF_ERROR(records->BeginRecording());
//   …                                           // kernels enqueue on the stream as ever
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<Recording> recording, records->EndRecording());
//   WB_RETURN_IF_ERROR(recording->Enqueue());   // now it happens, and whenever this is called
//
// While a stream records, nothing that it is given happens. Addresses are recorded as they are: who
// plays a recording again sees to it that the same memory is there. Copies from and to the host,
// and waiting in either direction, cannot be recorded and fail.
//
// Ownership: a recording must not outlive its stream. Thread safety: one thread enqueues while a
// stream records. Errors: FAILED_PRECONDITION for what cannot be recorded, those of the driver.
#ifndef WARPBEAM_RUNTIME_DEVICE_RECORDING_H_
#define WARPBEAM_RUNTIME_DEVICE_RECORDING_H_

#include <memory>

#include "graph/types/errors.h"

namespace warpbeam {

class Recording {
 public:
  virtual ~Recording() = default;
  virtual Status Enqueue() = 0;
};

class RecordingStream {
 public:
  virtual ~RecordingStream() = default;
  virtual Status BeginRecording() = 0;
  // Ends it, whatever has failed meanwhile.
  virtual StatusOr<std::unique_ptr<Recording>> EndRecording() = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_RECORDING_H_
