// Calls of a task that wait for others, as long as it takes, and without a thread.
//
//   CallDone done = [](Status status, grpc::ByteBuffer response) { … };
//   ForgetCall forget = WaitForTensor(master, &request, done);
//   if (forget != nullptr && forget()) …         // the client has gone, and gets no answer
//
// Ownership: the master outlives what waits. Thread safety: any thread; an answer is given once, on
// any thread, perhaps before the function returns. Errors: those of the worker.
#ifndef WARPBEAM_RUNTIME_DIST_WAITING_CALLS_H_
#define WARPBEAM_RUNTIME_DIST_WAITING_CALLS_H_

#include <grpcpp/grpcpp.h>

#include <functional>

#include "runtime/dist/master.h"

namespace warpbeam {

using CallDone = std::function<void(Status status, grpc::ByteBuffer response)>;
// Whoever waits is not told any more; false where it has been, or is just being.
using ForgetCall = std::function<bool()>;
using WaitingHandler = ForgetCall (*)(Master& master, grpc::ByteBuffer* request, CallDone done);

// RecvTensor and RecvBuf: until the task has sent it.
ForgetCall WaitForTensor(Master& master, grpc::ByteBuffer* wire, CallDone done);
ForgetCall WaitForBytes(Master& master, grpc::ByteBuffer* wire, CallDone done);
// CompleteGroup and CompleteInstance: until all members have come. Null for the latter: whoever
// goes away ends its group, which answers.
ForgetCall WaitForGroup(Master& master, grpc::ByteBuffer* wire, CallDone done);
ForgetCall WaitForInstance(Master& master, grpc::ByteBuffer* wire, CallDone done);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_WAITING_CALLS_H_
