// warpbeam serve: a task that TensorFlow's clients reach over gRPC.
#include <csignal>
#include <cstdlib>

#include "absl/strings/match.h"
#include "runtime/dist/cluster_spec.h"
#include "runtime/dist/grpc_peers.h"
#include "runtime/dist/grpc_server.h"
#include "tools/cli/command.h"
#include "tools/cli/session_flags.h"

namespace warpbeam {
namespace cli {
namespace {

struct ServeFlags {
  SessionFlags session;
  std::string job = "localhost";
  std::string cluster;
  std::string address = "localhost";
  int port = 0;
  int task = 0;
  int stop_seconds = 10;
  int session_seconds = 60;

  void AddTo(Arguments& args) {
    args.Int("port", &port, "TCP port; 0: the cluster's, or any that is free");
    args.String("job", &job, "the job of this task");
    args.Int("task", &task, "its number in the job");
    args.String("cluster", &cluster,
                "all tasks, this one too: ps|host:port;host:port,worker|host:port");
    args.String("address", &address,
                "where to listen; on other addresses than this machine's loopback, graphs may read "
                "and write no files unless --allow says so");
    args.Int("stop_seconds", &stop_seconds, "how long stopping waits for steps");
    args.Int("session_seconds", &session_seconds,
             "how long a new session waits for the tasks of the cluster; 0: without end");
    session.allow = "";  // by the address
    session.AddTo(args);
  }
};

// Ctrl-C and kill come here, and to no other thread of the program.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~StopSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  void Await() {
    int signal = 0;
    sigwait(&set_, &signal);
  }

 private:
  sigset_t set_;
  sigset_t before_;
};

bool IsLoopback(const std::string& address) {
  return address == "localhost" || address == "::1" || absl::StartsWith(address, "127.");
}

absl::StatusOr<int> Port(const ServeFlags& flags, const ClusterSpec& cluster) {
  if (flags.port != 0 || flags.cluster.empty()) return flags.port;
  WB_ASSIGN_OR_RETURN(const std::string address, cluster.Address(flags.job, flags.task));
  return PortOf(address);
}

absl::Status Serve(const ServeFlags& flags, Console& console) {
  ClusterSpec cluster;
  if (!flags.cluster.empty()) {
    WB_ASSIGN_OR_RETURN(cluster, ClusterSpec::Parse(flags.cluster));
    WB_RETURN_IF_ERROR(cluster.Address(flags.job, flags.task).status());
  }
  WB_ASSIGN_OR_RETURN(const int port, Port(flags, cluster));
  StopSignals signals;  // before any thread is made
  MasterOptions options;
  SessionFlags session = flags.session;
  if (session.allow.empty()) session.allow = IsLoopback(flags.address) ? "file" : "none";
  WB_ASSIGN_OR_RETURN(options.session, session.Options(console));
  options.session.job = flags.job;
  options.session.task = flags.task;
  options.session.log_device_placement = [&console](const std::string& line) {
    console.err << line + "\n";
  };
  options.limits = flags.session.import.Options().limits;
  options.close_timeout_ms = int64_t{1000} * flags.stop_seconds;
  options.log = [&console](const std::string& line) { console.err << line + "\n"; };
  options.session_timeout_ms = int64_t{1000} * flags.session_seconds;
  if (cluster.num_tasks() > 1) options.peers = NewGrpcPeers(cluster);
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Master> master, Master::Create(options));
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<GrpcServer> server,
                      GrpcServer::Start({flags.address, port}, master.get()));
  console.out << "/job:" << flags.job << "/task:" << flags.task << " serves grpc://"
              << flags.address << ":" << server->port() << std::endl;
  signals.Await();
  console.out << "stopping" << std::endl;
  if (!server->Stop(options.close_timeout_ms)) {
    // What their threads use must not be taken down under them.
    console.err << "some kernels did not end when they were cancelled; they end with the process"
                << std::endl;
    std::_Exit(0);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Outcome> ServeSessions(const std::vector<std::string>& words, Console& console) {
  Arguments args("warpbeam serve [--flags]",
                 "Runs graphs for TensorFlow's clients: tf.compat.v1.Session(\"grpc://localhost:"
                 "PORT\"). Its sessions\nshare devices, variables and queues. Stops at Ctrl-C.");
  ServeFlags flags;
  flags.AddTo(args);
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  WB_RETURN_IF_ERROR(OnlyFlags(args));
  WB_RETURN_IF_ERROR(Serve(flags, console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
