#include "frontend/cluster/server.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "runtime/dist/grpc_peers.h"
#include "runtime/dist/grpc_server.h"
#include "runtime/dist/listening.h"
#include "runtime/dist/tls.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr char kLoopback[] = "localhost";

class GrpcTask final : public Server {
 public:
  GrpcTask(std::unique_ptr<Master> master, std::unique_ptr<GrpcServer> server,
           const std::string& host)
      : master_(std::move(master)),
        server_(std::move(server)),
        target_(absl::StrCat("grpc://", AddressOf(host, server_->port()))) {}
  ~GrpcTask() override { Stop(10000).IgnoreError(); }

  std::string target() const override { return target_; }

  void Join() override {
    std::unique_lock<std::mutex> lock(mutex_);
    stopped_.wait(lock, [&] { return is_stopped_; });
  }

  Status Stop(int64_t timeout_ms) override {
    std::lock_guard<std::mutex> stopping(stopping_);
    if (server_ == nullptr) return stop_status_;
    if (!server_->Stop(timeout_ms)) {
      stop_status_ = DeadlineExceeded("some steps on ", target(), " have not ended within ",
                                      timeout_ms, " ms although they were cancelled");
      // Their threads use both.
      server_.release();
      master_.release();
    }
    server_.reset();
    master_.reset();
    std::lock_guard<std::mutex> lock(mutex_);
    is_stopped_ = true;
    stopped_.notify_all();
    return stop_status_;
  }

 private:
  std::mutex stopping_;  // of what follows; held while it stops
  std::unique_ptr<Master> master_;
  std::unique_ptr<GrpcServer> server_;
  Status stop_status_;
  const std::string target_;

  std::mutex mutex_;  // of what follows
  std::condition_variable stopped_;
  bool is_stopped_ = false;
};

StatusOr<std::unique_ptr<Server>> StartTask(const ClusterSpec& cluster, const std::string& job,
                                            int task, const HostAndPort& address,
                                            const ServerOptions& options) {
  MasterOptions master_options;
  WB_ASSIGN_OR_RETURN(master_options.session, SessionOptionsOf(options.config));
  const bool is_loopback = IsLoopback(address.host);
  WB_RETURN_IF_ERROR(CheckTrust(ListeningHost(address.host), options.config.tls, options.insecure));
  const std::string allow = !options.allow.empty() ? options.allow : is_loopback ? "file" : "none";
  WB_ASSIGN_OR_RETURN(master_options.session.allow, CapabilitySet::Parse(allow));
  master_options.session_timeout_ms = options.session_timeout_in_ms;
  master_options.log = options.log;
  master_options.may_use_nccl = options.nccl;
  master_options.session.job = job;
  master_options.session.task = task;
  if (cluster.num_tasks() > 1) master_options.peers = NewGrpcPeers(cluster, options.config.tls);
  master_options.connect = GrpcConnector(options.config.tls);
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Master> master, Master::Create(master_options));
  GrpcServerOptions listening;
  listening.host = ListeningHost(address.host);
  listening.port = address.port;
  listening.tls = options.config.tls;
  listening.limits = options.limits;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<GrpcServer> server,
                      GrpcServer::Start(listening, master.get()));
  // What listens on 127.0.0.1 is not to be asked for as "localhost": that may also be ::1, where
  // another program may have the port.
  return std::make_unique<GrpcTask>(std::move(master), std::move(server),
                                    is_loopback ? address.host : kLoopback);
}

}  // namespace

StatusOr<std::unique_ptr<Server>> Server::Create(const ClusterSpec& cluster, const std::string& job,
                                                 int task, const ServerOptions& options) {
  WB_ASSIGN_OR_RETURN(const std::string text, cluster.task_address(job, task));
  WB_ASSIGN_OR_RETURN(const HostAndPort address, ParseAddress(text));
  return StartTask(cluster, job, task, address, options);
}

StatusOr<std::unique_ptr<Server>> Server::CreateLocal(const ServerOptions& options) {
  return StartTask(ClusterSpec(), "localhost", 0, {kLoopback, 0}, options);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
