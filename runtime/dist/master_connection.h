// MasterConnection: calls of TensorFlow's MasterService on one server, each until it is answered.
//
//   WB_ASSIGN_OR_RETURN(auto connection, MasterConnection::Create("localhost:2222"));
//   WB_RETURN_IF_ERROR(connection->Connect(/*timeout_ms=*/60000));
//   WB_RETURN_IF_ERROR(connection->RunCallable(request, {timeout_ms, cancellation}, &response));
//
// A connection that was lost is made again by the next call. A server that is stopped, or has gone
// without a word, as when its machine has lost its power, ends the calls that wait for it within
// five seconds (heartbeat.h).
//
// Ownership: none of messages. Thread safety: any thread, any number of calls at once. Errors:
// those of the server; INVALID_ARGUMENT for an address that is none; UNAVAILABLE, naming the
// address, when the server does not answer or goes away; DEADLINE_EXCEEDED; RESOURCE_EXHAUSTED for
// a request beyond the 2 GiB of a message; for a call that was cancelled, why it was.
#ifndef WARPBEAM_RUNTIME_DIST_MASTER_CONNECTION_H_
#define WARPBEAM_RUNTIME_DIST_MASTER_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <string>

#include "graph/types/errors.h"
#include "runtime/dist/step_messages.h"
#include "runtime/dist/tls_files.h"

namespace tensorflow {
class CloseSessionRequest;
class CloseSessionResponse;
class CreateSessionRequest;
class CreateSessionResponse;
class ExtendSessionRequest;
class ExtendSessionResponse;
class ListDevicesRequest;
class ListDevicesResponse;
class MakeCallableRequest;
class MakeCallableResponse;
class PartialRunSetupRequest;
class PartialRunSetupResponse;
class ReleaseCallableRequest;
class ReleaseCallableResponse;
class ResetRequest;
class ResetResponse;
class RunCallableRequest;
class RunCallableResponse;
}  // namespace tensorflow

namespace warpbeam {

class Cancellation;

struct CallBounds {
  int64_t timeout_ms = 0;                // 0: for ever
  Cancellation* cancellation = nullptr;  // null: nobody will cancel it
};

class MasterConnection {
 public:
  // Connects when it is first needed.
  static StatusOr<std::unique_ptr<MasterConnection>> Create(const std::string& address,
                                                            const TlsFiles& tls = {});
  virtual ~MasterConnection() = default;

  // "grpc://host:port", as errors name the server.
  virtual const std::string& target() const = 0;
  // Waits until the server can be reached.
  virtual Status Connect(int64_t timeout_ms) = 0;
  // Ends calls under way and those to come, but for CloseSession; the first `why` counts.
  virtual void CancelAll(const Status& why) = 0;
  // False when calls are still under way after so long.
  virtual bool WaitUntilIdle(int64_t timeout_ms) = 0;

#define WB_MASTER_CALL(call)                                                              \
  virtual Status call(const tensorflow::call##Request& request, const CallBounds& bounds, \
                      tensorflow::call##Response* response) = 0;
  WB_MASTER_CALL(CreateSession)
  WB_MASTER_CALL(ExtendSession)
  WB_MASTER_CALL(PartialRunSetup)
  WB_MASTER_CALL(MakeCallable)
  WB_MASTER_CALL(RunCallable)
  WB_MASTER_CALL(ReleaseCallable)
  WB_MASTER_CALL(CloseSession)
  WB_MASTER_CALL(ListDevices)
  WB_MASTER_CALL(Reset)
#undef WB_MASTER_CALL
  // Its request must ask for errors in the answer.
  virtual Status RunStep(RunStepCall call, const CallBounds& bounds,
                         tensorflow::RunStepResponse* response) = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_MASTER_CONNECTION_H_
