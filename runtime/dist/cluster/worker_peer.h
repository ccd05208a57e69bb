// WorkerPeer: a task of the cluster as another one speaks to it, in the calls of TensorFlow's
// worker service. How the messages travel is the implementation's: over gRPC
// (runtime/dist/grpc_peers.h), or not at all, in tests.
//
//   WB_ASSIGN_OR_RETURN(std::shared_ptr<WorkerPeer> ps, peers->Find("/job:ps/replica:0/task:0"));
//   WB_RETURN_IF_ERROR(ps->RegisterGraph(register_request, timeout_ms, &response));
//   auto call = ps->RunGraph(run_request, 0, [](Status s, RunGraphResponse answer) { … });
//   …  call->Cancel();
//
// Ownership: a peer outlives the calls that it has under way. Thread safety: any thread; what is
// given to be called is called once, on any thread, perhaps before the call returns. Errors:
// UNAVAILABLE for a task that cannot be reached, naming it; DEADLINE_EXCEEDED; CANCELLED;
// NOT_FOUND for a task that is not of the cluster; those of the worker.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_WORKER_PEER_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_WORKER_PEER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/rendezvous.h"
#include "runtime/comm/task_communicator.h"

namespace tensorflow {
class CleanupAllRequest;
class CleanupAllResponse;
class CleanupGraphRequest;
class ClusterDef;
class CompleteGroupRequest;
class CompleteGroupResponse;
class CompleteInstanceRequest;
class CompleteInstanceResponse;
class CreateWorkerSessionRequest;
class CreateWorkerSessionResponse;
class DeleteWorkerSessionRequest;
class DeleteWorkerSessionResponse;
class DeregisterGraphRequest;
class DeregisterGraphResponse;
class GetStatusRequest;
class GetStatusResponse;
class GetStepSequenceRequest;
class GetStepSequenceResponse;
class RegisterGraphRequest;
class RegisterGraphResponse;
class RunGraphRequest;
class RunGraphResponse;
class RecvBufRequest;
class RecvTensorRequest;
}  // namespace tensorflow

namespace warpbeam {

class WorkerPeer {
 public:
  // A call that waits for its answer.
  class PendingCall {
   public:
    virtual ~PendingCall() = default;
    // Its answer, if it has not come yet, is CANCELLED, soon.
    virtual void Cancel() = 0;
  };
  using RunGraphDone = std::function<void(Status, tensorflow::RunGraphResponse)>;

  virtual ~WorkerPeer() = default;

  // These block until they are answered, or for so long.
  virtual Status GetStatus(const tensorflow::GetStatusRequest& request, int64_t timeout_ms,
                           tensorflow::GetStatusResponse* response) = 0;
  virtual Status CreateWorkerSession(const tensorflow::CreateWorkerSessionRequest& request,
                                     int64_t timeout_ms,
                                     tensorflow::CreateWorkerSessionResponse* response) = 0;
  virtual Status DeleteWorkerSession(const tensorflow::DeleteWorkerSessionRequest& request,
                                     int64_t timeout_ms,
                                     tensorflow::DeleteWorkerSessionResponse* response) = 0;
  virtual Status RegisterGraph(const tensorflow::RegisterGraphRequest& request, int64_t timeout_ms,
                               tensorflow::RegisterGraphResponse* response) = 0;
  virtual Status DeregisterGraph(const tensorflow::DeregisterGraphRequest& request,
                                 int64_t timeout_ms,
                                 tensorflow::DeregisterGraphResponse* response) = 0;
  virtual Status CleanupAll(const tensorflow::CleanupAllRequest& request, int64_t timeout_ms,
                            tensorflow::CleanupAllResponse* response) = 0;

  // A step lasts as long as it lasts, or so long; 0: without end.
  virtual std::shared_ptr<PendingCall> RunGraph(tensorflow::RunGraphRequest request,
                                                int64_t timeout_ms, RunGraphDone done) = 0;
  virtual std::shared_ptr<PendingCall> RecvTensor(tensorflow::RecvTensorRequest request,
                                                  Rendezvous::Receiver receiver) = 0;

  // Of collectives. These wait for other tasks, as long as it takes.
  using GroupDone = std::function<void(Status, const tensorflow::CompleteGroupResponse&)>;
  using InstanceDone = std::function<void(Status, const tensorflow::CompleteInstanceResponse&)>;
  using BytesDone = std::function<void(StatusOr<std::string> bytes)>;
  virtual std::shared_ptr<PendingCall> CompleteGroup(tensorflow::CompleteGroupRequest request,
                                                     GroupDone done) = 0;
  virtual std::shared_ptr<PendingCall> CompleteInstance(tensorflow::CompleteInstanceRequest request,
                                                        InstanceDone done) = 0;
  virtual std::shared_ptr<PendingCall> RecvBuf(tensorflow::RecvBufRequest request,
                                               BytesDone done) = 0;
  virtual Status GetStepSequence(const tensorflow::GetStepSequenceRequest& request,
                                 int64_t timeout_ms,
                                 tensorflow::GetStepSequenceResponse* response) = 0;

  // Nobody waits for the answer: whoever has the step's result does not care.
  virtual void CleanupGraph(tensorflow::CleanupGraphRequest request, int64_t timeout_ms) = 0;
};

// Those of a cluster, by name (task_name.h). Filled before anybody asks, and then only read.
class PeerDirectory {
 public:
  // `watch`: what looks after the peers, for as long as the directory is there.
  explicit PeerDirectory(std::shared_ptr<void> watch = nullptr) : watch_(std::move(watch)) {}
  void Add(const std::string& task, std::shared_ptr<WorkerPeer> peer) {
    tasks_.push_back(task);
    peers_[task] = std::move(peer);
  }
  // How tasks bring together what each has for a collective; null: not at all.
  const MakeTaskCommunicator& communicators() const { return communicators_; }
  void set_communicators(MakeTaskCommunicator make) { communicators_ = std::move(make); }
  // Whether what tasks tell each other is encrypted.
  bool is_encrypted() const { return is_encrypted_; }
  void set_is_encrypted(bool is_encrypted) { is_encrypted_ = is_encrypted; }
  // All tasks, in the order in which they were added.
  const std::vector<std::string>& Tasks() const { return tasks_; }
  StatusOr<std::shared_ptr<WorkerPeer>> Find(absl::string_view task) const {
    const auto found = peers_.find(std::string(task));
    if (found != peers_.end()) return found->second;
    return NotFound("the cluster has no task ", task);
  }

 private:
  const std::shared_ptr<void> watch_;
  std::vector<std::string> tasks_;
  std::map<std::string, std::shared_ptr<WorkerPeer>> peers_;
  MakeTaskCommunicator communicators_;
  bool is_encrypted_ = false;
};

// Connects to the tasks of a cluster that a client has brought. INVALID_ARGUMENT for one that makes
// no sense.
using ConnectTasks =
    std::function<StatusOr<std::shared_ptr<PeerDirectory>>(const tensorflow::ClusterDef& cluster)>;

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_WORKER_PEER_H_
