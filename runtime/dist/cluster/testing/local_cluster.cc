#include "runtime/dist/cluster/testing/local_cluster.h"

#include <atomic>

#include "proto/worker.pb.h"
#include "runtime/dist/cluster/cluster_target.h"
#include "runtime/dist/cluster/recv_buf.h"
#include "runtime/dist/cluster/task_name.h"
#include "runtime/kernel/cancellation.h"

namespace warpbeam {
namespace {

// Tasks of a process are there when a session opens, unless a script says that they are not.
constexpr int64_t kOpenMs = 500;

}  // namespace

struct LocalCluster::Scripts {
  Status Ask(const std::string& task, const std::string& call) {
    CallScript script;
    {
      std::lock_guard<std::mutex> lock(mutex);
      ++counts[{task, call}];
      script = scripts[task];
    }
    return script == nullptr ? OkStatus() : script(call);
  }

  std::atomic<bool> repeats{false};
  std::atomic<bool> is_plain{false};
  std::mutex mutex;
  std::map<std::string, CallScript> scripts;
  std::map<std::pair<std::string, std::string>, int> counts;
};

// Calls a worker of this process. Messages are written and read as on a wire.
class LocalCluster::Peer final : public WorkerPeer {
 public:
  Peer(Worker* worker, std::shared_ptr<Scripts> scripts, CallThreads* threads)
      : worker_(*worker), scripts_(std::move(scripts)), threads_(*threads) {}

  Status GetStatus(const tensorflow::GetStatusRequest& request, int64_t,
                   tensorflow::GetStatusResponse* response) override {
    WB_RETURN_IF_ERROR(scripts_->Ask(worker_.task(), "GetStatus"));
    WB_RETURN_IF_ERROR(worker_.GetStatus(request, response));
    if (scripts_->is_plain) response->set_is_warpbeam(false);
    return OkStatus();
  }
  Status RegisterGraph(const tensorflow::RegisterGraphRequest& request, int64_t,
                       tensorflow::RegisterGraphResponse* response) override {
    WB_RETURN_IF_ERROR(scripts_->Ask(worker_.task(), "RegisterGraph"));
    tensorflow::RegisterGraphRequest read;
    if (!read.ParseFromString(request.SerializeAsString())) return Internal("RegisterGraph");
    if (scripts_->is_plain) {
      read.clear_own_group_key();
      read.clear_shared_group_key();
      read.clear_meets_by_count();
    }
    return worker_.RegisterGraph(read, response);
  }

#define WB_LOCAL_CALL(call)                                                         \
  Status call(const tensorflow::call##Request& request, int64_t,                    \
              tensorflow::call##Response* response) override {                      \
    WB_RETURN_IF_ERROR(scripts_->Ask(worker_.task(), #call));                       \
    tensorflow::call##Request read;                                                 \
    if (!read.ParseFromString(request.SerializeAsString())) return Internal(#call); \
    return worker_.call(read, response);                                            \
  }
  WB_LOCAL_CALL(CreateWorkerSession)
  WB_LOCAL_CALL(DeleteWorkerSession)
  WB_LOCAL_CALL(DeregisterGraph)
  WB_LOCAL_CALL(CleanupAll)
#undef WB_LOCAL_CALL

  Status GetStepSequence(const tensorflow::GetStepSequenceRequest& request, int64_t,
                         tensorflow::GetStepSequenceResponse* response) override {
    WB_RETURN_IF_ERROR(scripts_->Ask(worker_.task(), "GetStepSequence"));
    worker_.collectives().numbers().Answer(request, response);
    return OkStatus();
  }
  std::shared_ptr<PendingCall> CompleteGroup(tensorflow::CompleteGroupRequest request,
                                             GroupDone done) override {
    if (Status asked = scripts_->Ask(worker_.task(), "CompleteGroup"); !asked.ok()) {
      done(std::move(asked), {});
      return nullptr;
    }
    if (scripts_->is_plain) request.clear_warpbeam();
    GroupLeader& leader = worker_.collectives().leader();
    const int64_t number = leader.CompleteGroup(request, done);
    return std::make_shared<Waiting>([&leader, number, done] {
      if (leader.Forget(number)) done(Cancelled("the caller has gone"), {});
    });
  }
  std::shared_ptr<PendingCall> CompleteInstance(tensorflow::CompleteInstanceRequest request,
                                                InstanceDone done) override {
    if (Status asked = scripts_->Ask(worker_.task(), "CompleteInstance"); !asked.ok()) {
      done(std::move(asked), {});
    } else {
      worker_.collectives().CompleteInstance(request, done);
    }
    return nullptr;
  }
  std::shared_ptr<PendingCall> RecvBuf(tensorflow::RecvBufRequest request,
                                       BytesDone done) override {
    if (Status asked = scripts_->Ask(worker_.task(), "RecvBuf"); !asked.ok()) {
      done(std::move(asked));
      return nullptr;
    }
    const Worker::Receiving receiving =
        worker_.RecvBuf(request, [done](StatusOr<Rendezvous::Value> value) {
          if (!value.ok()) return done(value.status());
          done(std::string(BytesIn(value->tensor)));
        });
    return std::make_shared<Waiting>([receiving, done] {
      if (receiving.Forget()) done(Cancelled("the caller has gone"));
    });
  }

  void CleanupGraph(tensorflow::CleanupGraphRequest request, int64_t) override {
    tensorflow::CleanupGraphResponse response;
    if (!scripts_->Ask(worker_.task(), "CleanupGraph").ok()) return;
    worker_.CleanupGraph(request, &response).IgnoreError();
  }

  std::shared_ptr<PendingCall> RunGraph(tensorflow::RunGraphRequest request, int64_t,
                                        RunGraphDone done) override {
    auto call = std::make_shared<Running>();
    if (Status asked = scripts_->Ask(worker_.task(), "RunGraph"); !asked.ok()) {
      done(std::move(asked), {});
      return call;
    }
    const auto run = [this, call, request = std::move(request), done] {
      tensorflow::RunGraphResponse response;
      if (scripts_->repeats) {
        worker_.RunGraph(request, &call->cancellation, &response).IgnoreError();
        response.Clear();
      }
      const Status status = worker_.RunGraph(request, &call->cancellation, &response);
      done(status, std::move(response));
    };
    if (Status started = threads_.Start(run); !started.ok()) done(std::move(started), {});
    return call;
  }

  std::shared_ptr<PendingCall> RecvTensor(tensorflow::RecvTensorRequest request,
                                          Rendezvous::Receiver receiver) override {
    if (Status asked = scripts_->Ask(worker_.task(), "RecvTensor"); !asked.ok()) {
      receiver(std::move(asked));
    } else {
      if (scripts_->repeats) {
        worker_.RecvTensor(request, [](const StatusOr<Rendezvous::Value>&) {});
      }
      worker_.RecvTensor(request, std::move(receiver));
    }
    return nullptr;
  }

 private:
  struct Running final : PendingCall {
    void Cancel() override { cancellation.Cancel(Cancelled("the caller has gone")); }
    Cancellation cancellation;
  };
  struct Waiting final : PendingCall {
    explicit Waiting(std::function<void()> cancel) : cancel(std::move(cancel)) {}
    void Cancel() override { cancel(); }
    const std::function<void()> cancel;
  };

  Worker& worker_;
  const std::shared_ptr<Scripts> scripts_;
  CallThreads& threads_;
};

StatusOr<std::unique_ptr<LocalCluster>> LocalCluster::Create(
    const std::vector<std::pair<std::string, int>>& tasks, const SessionOptions& options,
    const LocalCollectives& collectives) {
  std::unique_ptr<LocalCluster> cluster(new LocalCluster);
  cluster->options_ = options;
  cluster->scripts_ = std::make_shared<Scripts>();
  cluster->directory_ = std::make_shared<PeerDirectory>();
  cluster->asks_nccl_ = collectives.asks_nccl;
  cluster->directory_->set_communicators(collectives.communicators);
  cluster->directory_->set_is_encrypted(collectives.is_encrypted);
  for (const auto& [job, task] : tasks) {
    WorkerOptions own;
    own.session = options;
    own.may_use_nccl = collectives.may_use_nccl;
    own.session.job = job;
    own.session.task = task;
    own.session.use_per_session_threads = true;  // its part may wait for another task's
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Worker> worker, Worker::Create(std::move(own)));
    cluster->directory_->Add(worker->task(), std::make_shared<Peer>(worker.get(), cluster->scripts_,
                                                                    &cluster->threads_));
    cluster->workers_.push_back(std::move(worker));
  }
  for (const auto& worker : cluster->workers_) worker->JoinCluster(cluster->directory_);
  return cluster;
}

LocalCluster::~LocalCluster() {
  for (const auto& worker : workers_) worker->EndSteps(Cancelled("the cluster has ended"));
}

StatusOr<std::unique_ptr<Session>> LocalCluster::NewSession(std::shared_ptr<Graph> graph,
                                                            bool is_isolated, int task) {
  Worker& master = worker(task);
  ClusterTarget::Options target;
  target.session = options_;
  target.session.devices = master.devices();
  target.session.resources = is_isolated ? std::make_shared<ResourceStore>() : master.resources();
  target.is_isolated = is_isolated;
  target.asks_nccl = asks_nccl_;
  target.worker = &master;
  target.call_timeout_ms = kOpenMs;
  return NewClusterSession(std::move(target), std::move(graph));
}

void LocalCluster::RepeatRequests() { scripts_->repeats = true; }

void LocalCluster::SpeakPlainly() { scripts_->is_plain = true; }

void LocalCluster::Script(const std::string& task, CallScript script) {
  std::lock_guard<std::mutex> lock(scripts_->mutex);
  scripts_->scripts[task] = std::move(script);
}

int LocalCluster::calls(const std::string& task, const std::string& call) const {
  std::lock_guard<std::mutex> lock(scripts_->mutex);
  const auto found = scripts_->counts.find({task, call});
  return found == scripts_->counts.end() ? 0 : found->second;
}

}  // namespace warpbeam
