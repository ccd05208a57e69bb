// Master: the sessions that clients have opened on a server, and what they ask of them.
//
// Each call takes a message of TensorFlow's MasterService and fills the answer; how the messages
// travel is grpc_server.h's. Calls that run steps take a Cancellation (it may be null), which ends
// them early. Sessions share the server's devices and, unless a client asks for an
// isolated one, its variables, queues and tables, which outlive them until a Reset.
//
//   MasterOptions options;
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<Master> master, Master::Create(options));
//   WB_RETURN_IF_ERROR(master->CreateSession(request, &response));
//
// Thread safety: any thread; a call lasts as long as its step. Errors: of the session, with the
// task and the node in TensorFlow's words ("[[{{node x}}]]"), which its Python client reads;
// ABORTED for a session that is not (or no longer) known, for an extension of a graph that somebody
// else has extended, and for a request whose number came before; UNAVAILABLE for steps that end
// because all sessions are closed. RunStep puts its errors into the answer when the client asks for
// that.
#ifndef WARPBEAM_RUNTIME_DIST_MASTER_H_
#define WARPBEAM_RUNTIME_DIST_MASTER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "graph/io/graph_import.h"
#include "runtime/dist/cluster/long_steps.h"
#include "runtime/dist/cluster/worker.h"
#include "runtime/dist/requests/recent_requests.h"
#include "runtime/session/session_core.h"

namespace tensorflow {
class CloseSessionRequest;
class CloseSessionResponse;
class ConfigProto;
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
class RunStepRequest;
}  // namespace tensorflow

namespace warpbeam {

class RunStepReply;

struct MasterOptions {
  // Devices and defaults of all sessions; a client's ConfigProto changes what it may.
  SessionOptions session;
  ImportLimits limits;
  int64_t kept_sent_bytes = 0;  // of WorkerOptions
  bool may_use_nccl = true;     // of WorkerOptions
  // How long closing a session waits for its steps.
  int64_t close_timeout_ms = 10000;
  // The tasks of the cluster that this one is in; sessions are of all of them. Null: none.
  std::shared_ptr<PeerDirectory> peers;
  // To the tasks of clusters that clients bring (ConfigProto's cluster_def); null: those are
  // refused.
  ConnectTasks connect;
  // How long a new session waits for the tasks of the cluster; 0: without end.
  int64_t session_timeout_ms = 60000;
  // Gets lines about what is waited for; null: nobody reads them.
  std::function<void(const std::string& line)> log;
  // A step that has run for so long says in the log what for, and again each ten times as long; 0:
  // none does.
  int64_t long_step_ms = 60000;
};

class Master {
 public:
  static StatusOr<std::unique_ptr<Master>> Create(MasterOptions options);
  ~Master();

  // The session holds what is charged for it, for what is added to it, and for its callables.
  Status CreateSession(const tensorflow::CreateSessionRequest& request,
                       tensorflow::CreateSessionResponse* response, Charge charge = {});
  Status ExtendSession(const tensorflow::ExtendSessionRequest& request,
                       tensorflow::ExtendSessionResponse* response, Charge charge = {});
  Status RunStep(const tensorflow::RunStepRequest& request, Cancellation* cancellation,
                 RunStepReply* reply);
  Status PartialRunSetup(const tensorflow::PartialRunSetupRequest& request,
                         tensorflow::PartialRunSetupResponse* response);
  Status MakeCallable(const tensorflow::MakeCallableRequest& request, Cancellation* cancellation,
                      tensorflow::MakeCallableResponse* response, Charge charge = {});
  Status RunCallable(const tensorflow::RunCallableRequest& request, Cancellation* cancellation,
                     tensorflow::RunCallableResponse* response);
  Status ReleaseCallable(const tensorflow::ReleaseCallableRequest& request,
                         tensorflow::ReleaseCallableResponse* response);
  Status CloseSession(const tensorflow::CloseSessionRequest& request,
                      tensorflow::CloseSessionResponse* response);
  Status ListDevices(const tensorflow::ListDevicesRequest& request,
                     tensorflow::ListDevicesResponse* response);
  Status Reset(const tensorflow::ResetRequest& request, tensorflow::ResetResponse* response);

  // This task, as it serves the steps of any master's sessions.
  Worker& worker() { return *worker_; }
  // Closes every session: steps under way are cancelled, and have so long to end, all together.
  Status CloseAll(int64_t timeout_ms);

 private:
  struct OpenSession;

  explicit Master(MasterOptions options);
  StatusOr<std::shared_ptr<OpenSession>> Find(const std::string& handle) const;
  bool IsInCluster() const;
  // The tasks of a session, as its client has asked for them.
  struct Membership;
  StatusOr<Membership> MembershipOf(const tensorflow::CreateSessionRequest& request);
  StatusOr<std::unique_ptr<SessionCore>> NewSession(const SessionOptions& options,
                                                    const Membership& membership,
                                                    const tensorflow::ConfigProto& config,
                                                    std::shared_ptr<Graph> graph);
  std::string NewHandle();
  Status RunStepIn(OpenSession& open, const tensorflow::RunStepRequest& request,
                   Cancellation* cancellation, RunStepReply* reply);
  std::vector<std::shared_ptr<OpenSession>> Sessions() const;
  // Of all sessions, and of other masters' steps that run here.
  std::vector<int64_t> StepsAtWork() const;
  std::vector<std::string> DescribeStep(int64_t step_id) const;
  // What TensorFlow's clients expect an error to look like.
  Status ForClient(const Status& status) const;

  MasterOptions options_;
  std::unique_ptr<Worker> worker_;  // outlives the sessions
  RecentRequests recent_;
  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::atomic<int64_t> times_closed_{0};  // CloseAll
  std::map<std::string, std::shared_ptr<OpenSession>> sessions_;
  std::unique_ptr<LongSteps> long_steps_;  // ends before what it looks at
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_MASTER_H_
