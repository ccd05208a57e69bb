// Worker: a task of a cluster as those serve it that run steps over several tasks.
//
// A master opens a session on each of its tasks, registers the part of a graph that a task is to
// run, and runs it, step after step; what the parts of a step send each other the tasks ask of each
// other by RecvTensor. Each call takes a message of TensorFlow's WorkerService and fills the
// answer; how messages travel is not its affair.
//
//   WorkerOptions options;
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<Worker> worker, Worker::Create(options));
//   worker->JoinCluster(peers);
//   WB_RETURN_IF_ERROR(worker->RegisterGraph(request, &response));
//
// The sessions share the task's devices and, unless they are isolated, its variables, queues and
// tables, which outlive them until CleanupAll.
//
// Ownership: shares devices and resources with whoever made them. Thread safety: any thread;
// RunGraph lasts as long as its step. Errors: of the graph and of the step, told by this task
// (remote_status.h), within the answer where the request asks for that; ABORTED for a session, a
// graph or a step that is not (or no longer) known.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_WORKER_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_WORKER_H_

#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "graph/io/graph_import.h"
#include "runtime/dist/cluster/client_accounts.h"
#include "runtime/dist/cluster/step_table.h"
#include "runtime/dist/cluster/task_collectives.h"
#include "runtime/dist/cluster/task_identity.h"
#include "runtime/dist/requests/ran_graphs.h"
#include "runtime/dist/requests/sent_tensors.h"
#include "runtime/session/session.h"

namespace tensorflow {
class DeviceAttributes;
class CleanupGraphResponse;
class ExecutorOpts;
class LoggingRequest;
class LoggingResponse;
class MarkRecvFinishedRequest;
class MarkRecvFinishedResponse;
class ServerDef;
class TracingRequest;
class TracingResponse;
}  // namespace tensorflow

namespace warpbeam {

class Cancellation;

struct WorkerOptions {
  SessionOptions session;  // with devices and resources, or they are made
  ImportLimits limits;
  // For sessions that bring a cluster of their own; null: those are refused.
  ConnectTasks connect;
  // Tensors of any size that were sent are kept for requests that come again, at most so many bytes
  // of them (sent_tensors.h); 0: small ones alone.
  int64_t kept_sent_bytes = 0;
  // Collectives between tasks may go from GPU to GPU by NCCL (task_collectives.h).
  bool may_use_nccl = true;
};

class Worker {
 public:
  static StatusOr<std::unique_ptr<Worker>> Create(WorkerOptions options);
  // Ends all steps.
  ~Worker();

  const std::string& task() const { return identity_->task; }
  const std::shared_ptr<DeviceSet>& devices() const { return options_.session.devices; }
  const std::shared_ptr<ResourceStore>& resources() const { return options_.session.resources; }
  std::vector<tensorflow::DeviceAttributes> Devices() const;
  // Of this task, and in another cluster, whose sessions have devices of their own. UNIMPLEMENTED
  // where there is nothing that connects; RESOURCE_EXHAUSTED after 64 names.
  const std::shared_ptr<const TaskIdentity>& identity() const { return identity_; }
  StatusOr<std::shared_ptr<const TaskIdentity>> IdentityIn(const tensorflow::ServerDef& server);
  // Its devices by the name that it has there.
  std::shared_ptr<DeviceSet> device_set(const TaskIdentity& identity) const;
  std::vector<tensorflow::DeviceAttributes> DevicesOf(const TaskIdentity& identity) const;
  // The other tasks; until then there are none. Before any step.
  void JoinCluster(std::shared_ptr<PeerDirectory> peers);
  // Where others get what this task sends beside gRPC, which GetStatus tells them; port 0: nowhere.
  void AnnounceLane(int port, std::string token);
  StepTable& steps() { return *steps_; }
  // The groups of collectives that this task is in, and leads.
  TaskCollectives& collectives() { return *collectives_; }
  // Drops what is left of a step; what still waits in it ends with this error.
  void EndStep(int64_t step_id, const Status& why);
  // The same, from its master.
  void CleanUpStep(int64_t step_id);
  // Before a step that may have failed before under its number.
  void ReopenStep(int64_t step_id);
  // The parts of other masters' steps that run here, and what one of them runs and waits for.
  std::vector<int64_t> PartsAtWork() const;
  std::vector<std::string> DescribePart(int64_t step_id) const;
  // Those under way, with this error, and its collectives with other tasks.
  void EndSteps(const Status& why) {
    collectives_->EndAll(why);
    steps_->EndAll(why);
  }

  Status GetStatus(const tensorflow::GetStatusRequest& request,
                   tensorflow::GetStatusResponse* response);
  // A session holds what is charged for it; so does a graph. A master that was started anew has
  // lost the sessions of before: they are closed.
  Status CreateWorkerSession(const tensorflow::CreateWorkerSessionRequest& request,
                             tensorflow::CreateWorkerSessionResponse* response, Charge charge = {});
  Status DeleteWorkerSession(const tensorflow::DeleteWorkerSessionRequest& request,
                             tensorflow::DeleteWorkerSessionResponse* response);
  Status RegisterGraph(const tensorflow::RegisterGraphRequest& request,
                       tensorflow::RegisterGraphResponse* response, Charge charge = {});
  Status DeregisterGraph(const tensorflow::DeregisterGraphRequest& request,
                         tensorflow::DeregisterGraphResponse* response);
  Status RunGraph(const tensorflow::RunGraphRequest& request, Cancellation* cancellation,
                  tensorflow::RunGraphResponse* response);
  Status CleanupGraph(const tensorflow::CleanupGraphRequest& request,
                      tensorflow::CleanupGraphResponse* response);
  Status CleanupAll(const tensorflow::CleanupAllRequest& request,
                    tensorflow::CleanupAllResponse* response);
  Status MarkRecvFinished(const tensorflow::MarkRecvFinishedRequest& request,
                          tensorflow::MarkRecvFinishedResponse* response);
  // Turns on, off, or tells, which tensors this task has received.
  Status Logging(const tensorflow::LoggingRequest& request, tensorflow::LoggingResponse* response);
  // UNIMPLEMENTED, as of TensorFlow's tasks: steps are traced by RunGraph.
  Status Tracing(const tensorflow::TracingRequest& request, tensorflow::TracingResponse* response);
  // A receiver that waits.
  struct Receiving {
    std::shared_ptr<Rendezvous> from;  // of a request without a number
    std::string key;
    int64_t number = 0;
    std::shared_ptr<SentTensors> sent;  // of one that has a number
    int64_t request_id = 0;
    std::shared_ptr<StepBuffers> buffers;  // of a piece that a member of a collective gives
    int64_t step = 0;
    // As Rendezvous::Forget; false of a receiver that has been called.
    bool Forget() const {
      if (buffers != nullptr) return buffers->Forget(step, key, number);
      if (sent != nullptr) return sent->Forget(request_id, number);
      return from != nullptr && from->Forget(key, number);
    }
  };
  // `receiver` is called when this task has sent what the key says, perhaps before this returns.
  Receiving RecvTensor(const tensorflow::RecvTensorRequest& request, Rendezvous::Receiver receiver);
  // The same for what the tasks of a group of collectives tell each other, a string, and for pieces
  // of tensors that members on TensorFlow's tasks ask for.
  Receiving RecvBuf(const tensorflow::RecvBufRequest& request, Rendezvous::Receiver receiver);
  // Whether those who have received a tensor are to say so (MarkRecvFinished).
  bool asks_for_word() const { return sent_->asks_for_word(); }
  // What is kept for requests that come again.
  int64_t kept_bytes() const { return sent_->bytes() + static_cast<int64_t>(ran_.bytes()); }

 private:
  struct RegisteredGraph;
  // A part of a step while it runs.
  struct Part {
    const RegisteredGraph* graph = nullptr;
    const StepContext* context = nullptr;
    std::shared_ptr<TaskRendezvous> rendezvous;
  };
  class PartScope;
  struct WorkerSession;

  explicit Worker(WorkerOptions options);
  StatusOr<std::shared_ptr<WorkerSession>> Find(const std::string& handle, bool was_created) const;
  // With the session's mutex held.
  Status MakeDevices(const TaskIdentity& identity);
  StatusOr<std::shared_ptr<RegisteredGraph>> Compile(
      const tensorflow::RegisterGraphRequest& request, WorkerSession* session) const;
  // Runs it and fills in what the master wants told.
  static Status RunTold(RegisteredGraph& graph, const tensorflow::ExecutorOpts& told,
                        const std::shared_ptr<StepContext>& context,
                        tensorflow::RunGraphResponse* response);
  void DropStep(int64_t step_id, const Status& why);
  Status RunIn(RegisteredGraph& graph, const tensorflow::RunGraphRequest& request,
               Cancellation* cancellation, tensorflow::RunGraphResponse* response);
  Status RunGraphOnce(const tensorflow::RunGraphRequest& request, Cancellation* cancellation,
                      tensorflow::RunGraphResponse* response);

  WorkerOptions options_;
  std::shared_ptr<const TaskIdentity> identity_;
  std::vector<uint64_t> incarnations_;  // of the devices, whatever their names
  const std::shared_ptr<SentTensors> sent_;
  RanGraphs ran_;
  const std::shared_ptr<TransferLog> transfers_ = std::make_shared<TransferLog>();
  std::unique_ptr<StepTable> steps_;
  std::shared_ptr<TaskCollectives> collectives_;
  mutable std::mutex parts_mutex_;
  std::multimap<int64_t, Part> parts_;  // by step; a graph lives while its part is here
  mutable std::mutex mutex_;            // of what follows
  int lane_port_ = 0;
  std::string lane_token_;
  int64_t next_graph_ = 1;
  // By task, in other clusters. They stay, for what the sessions leave behind lies in their memory.
  std::map<std::string, std::shared_ptr<DeviceSet>> named_devices_;
  std::map<std::string, std::shared_ptr<WorkerSession>> sessions_;
  std::shared_ptr<WorkerSession> shared_;  // of masters that create no sessions
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_WORKER_H_
