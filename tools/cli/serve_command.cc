// warpbeam serve: a task that TensorFlow's clients reach over gRPC.
#include <malloc.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "runtime/dist/cluster_env.h"
#include "runtime/dist/grpc_peers.h"
#include "runtime/dist/grpc_server.h"
#include "runtime/dist/listening.h"
#include "runtime/dist/tls.h"
#include "tools/cli/command.h"
#include "tools/cli/session_flags.h"

namespace warpbeam {
namespace cli {
namespace {

// What clients may hold.
class LimitFlags {
 public:
  void AddTo(Arguments& args) {
    args.Int("max_message_mb", &message_mb_, "the largest request; 0: the 2 GiB of a message");
    args.Int("max_sessions", &sessions_, "sessions of all clients and other tasks; 0: no limit");
    args.Int("max_client_sessions", &client_sessions_,
             "the same of one client, which is all programs of one address");
    args.Int("max_graphs", &graphs_, "graphs that other tasks have registered, and callables");
    args.Int("max_client_graphs", &client_graphs_, "the same of one client");
    args.Int("max_mb", &mb_,
             "bytes of graphs' definitions and of requests that are being answered; by default "
             "half of the machine's memory");
    args.Int("max_client_mb", &client_mb_,
             "the same of one client; by default a quarter of the machine's memory");
  }
  StatusOr<ClientLimits> Limits() const {
    for (const int value :
         {message_mb_, sessions_, client_sessions_, graphs_, client_graphs_, mb_, client_mb_}) {
      if (value < 0) return InvalidArgument("a limit must not be negative, got ", value);
    }
    ClientLimits limits;
    if (message_mb_ > 0) limits.max_message_bytes = int64_t{message_mb_} << 20;
    limits.max_sessions = sessions_;
    limits.max_client_sessions = client_sessions_;
    limits.max_graphs = graphs_;
    limits.max_client_graphs = client_graphs_;
    limits.max_bytes = int64_t{mb_} << 20;
    limits.max_client_bytes = int64_t{client_mb_} << 20;
    return limits;
  }

 private:
  static int Mb(int64_t bytes) { return static_cast<int>(bytes >> 20); }

  const ClientLimits defaults_ = ClientLimits::OfMachine();
  int message_mb_ = 0;
  int sessions_ = static_cast<int>(defaults_.max_sessions);
  int client_sessions_ = static_cast<int>(defaults_.max_client_sessions);
  int graphs_ = static_cast<int>(defaults_.max_graphs);
  int client_graphs_ = static_cast<int>(defaults_.max_client_graphs);
  int mb_ = Mb(defaults_.max_bytes);
  int client_mb_ = Mb(defaults_.max_client_bytes);
};

struct ServeFlags {
  SessionFlags session;
  std::string job;
  std::string cluster;
  std::string address;
  std::string jobs = "worker:-";
  std::string hosts;
  int port = 0;
  int port_base = ClusterRules().port_base;
  int task = -1;
  int stop_seconds = 10;
  int session_seconds = 60;
  int long_step_seconds = 60;
  int keep_sent_mb = 0;
  TlsFiles tls;
  bool insecure = false;
  bool nccl = true;
  LimitFlags limits;

  void AddTo(Arguments& args) {
    args.Int("port", &port, "TCP port; 0: the cluster's, or any that is free");
    args.String("job", &job, "the job of this task");
    args.Int("task", &task, "its number in the job");
    args.String("cluster", &cluster,
                "all tasks, this one too: ps=host:port,host:port;worker=host:port, or "
                "ps|host:port;host:port,worker|host:port, or JSON; without it, --job and --task, "
                "what TF_CONFIG, Slurm's or MPI's variables say");
    args.String("jobs", &jobs,
                "under Slurm and MPI: how many tasks each job has, as ps:1,worker:-");
    args.Int("port_base", &port_base, "under Slurm and MPI: the port of a node's first task");
    args.String("hosts", &hosts, "under MPI: the nodes, as a:2,b:2");
    args.String("address", &address,
                "where to listen; by default on all addresses where the cluster has this task on "
                "another than this machine's loopback; then graphs may read and write no files "
                "unless --allow says so");
    args.Int("stop_seconds", &stop_seconds, "how long stopping waits for steps");
    args.Int("session_seconds", &session_seconds,
             "how long a new session waits for the tasks of the cluster; 0: without end");
    args.Int("long_step_seconds", &long_step_seconds,
             "a step that has run for so long says in the log what it waits for; 0: none does");
    args.Int("keep_sent_mb", &keep_sent_mb,
             "keep tensors that other tasks have received until they say so, at most so many MB, "
             "for requests that come again (TensorFlow's cache_rpc_response); 0: small ones alone");
    args.String("tls_cert", &tls.certificate,
                "PEM file: this task's certificate; with --tls_key and --tls_ca");
    args.String("tls_key", &tls.key, "PEM file: its private key");
    args.String("tls_ca", &tls.authority,
                "PEM file: who must have signed the certificates of clients and other tasks");
    args.Bool(
        "insecure", &insecure,
        "listen beyond this machine's loopback without TLS, where anybody who reaches the port "
        "may run graphs, read what is sent, and change it");
    args.Bool("nccl", &nccl,
              "collectives whose members are on GPUs of several tasks go from GPU to GPU by NCCL, "
              "which encrypts nothing: with TLS only where the session has collective_nccl");
    limits.AddTo(args);
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

// Which task of which cluster this is: flags say so, or else the environment.
StatusOr<ClusterTask> TaskOf(const ServeFlags& flags) {
  ClusterTask self;
  if (flags.cluster.empty() && flags.job.empty() && flags.task < 0) {
    ClusterRules rules;
    WB_ASSIGN_OR_RETURN(rules.jobs, ParseJobCounts(flags.jobs));
    rules.port_base = flags.port_base;
    rules.hosts = flags.hosts;
    WB_ASSIGN_OR_RETURN(auto found, FindCluster(ProcessEnvironment(), rules));
    if (found.has_value()) {
      if (found->is_in_cluster()) return *found;
      return FailedPrecondition(found->source,
                                found->job.empty()
                                    ? " tells of a cluster but not which task this is"
                                    : " says that this is an evaluator, which serves nobody",
                                "; give --cluster, --job and --task");
    }
  }
  self.job = flags.job.empty() ? "localhost" : flags.job;
  self.task = std::max(0, flags.task);
  if (flags.cluster.empty()) return self;
  self.source = "--cluster";
  WB_ASSIGN_OR_RETURN(self.cluster, ClusterSpec::Parse(flags.cluster));
  WB_RETURN_IF_ERROR(self.cluster.task_address(self.job, self.task).status());
  return self;
}

// Where it listens, as far as the flags do not say.
Status SetAddress(const ClusterTask& self, ServeFlags* flags) {
  HostAndPort known = {"localhost", 0};
  if (self.cluster.num_tasks() > 0) {
    WB_ASSIGN_OR_RETURN(const std::string address, self.cluster.task_address(self.job, self.task));
    WB_ASSIGN_OR_RETURN(known, ParseAddress(address));
  }
  if (flags->port == 0) flags->port = known.port;
  if (flags->address.empty()) flags->address = ListeningHost(known.host);
  return OkStatus();
}

// Clients come and go, and each leaves holes in the arenas of the threads that have served it: the
// more arenas, the more of memory is holes. Large values are not of malloc's.
void LimitArenas() {
  mallopt(M_ARENA_MAX, std::max(2, static_cast<int>(std::thread::hardware_concurrency())));
}

Status Serve(ServeFlags flags, Console& console) {
  LimitArenas();
  WB_ASSIGN_OR_RETURN(const ClusterTask self, TaskOf(flags));
  WB_RETURN_IF_ERROR(SetAddress(self, &flags));
  WB_RETURN_IF_ERROR(CheckTrust(flags.address, flags.tls, flags.insecure));
  StopSignals signals;  // before any thread is made
  MasterOptions options;
  SessionFlags session = flags.session;
  if (session.allow.empty()) session.allow = IsLoopback(flags.address) ? "file" : "none";
  WB_ASSIGN_OR_RETURN(options.session, session.Options(console));
  options.session.job = self.job;
  options.session.task = self.task;
  options.session.log_device_placement = [&console](const std::string& line) {
    console.err << line + "\n";
  };
  options.limits = flags.session.import.Options().limits;
  options.kept_sent_bytes = int64_t{std::max(0, flags.keep_sent_mb)} << 20;
  options.may_use_nccl = flags.nccl;
  options.close_timeout_ms = int64_t{1000} * flags.stop_seconds;
  options.log = [&console](const std::string& line) { console.err << line + "\n"; };
  options.long_step_ms = int64_t{1000} * std::max(0, flags.long_step_seconds);
  options.session_timeout_ms = int64_t{1000} * flags.session_seconds;
  if (self.cluster.num_tasks() > 1) options.peers = NewGrpcPeers(self.cluster, flags.tls);
  options.connect = GrpcConnector(flags.tls);
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Master> master, Master::Create(options));
  GrpcServerOptions listen;
  listen.host = flags.address;
  listen.port = flags.port;
  listen.tls = flags.tls;
  WB_ASSIGN_OR_RETURN(listen.limits, flags.limits.Limits());
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<GrpcServer> server,
                      GrpcServer::Start(listen, master.get()));
  console.out << "/job:" << self.job << "/task:" << self.task << " serves grpc://" << flags.address
              << ":" << server->port();
  if (!self.source.empty()) {
    console.out << " (" << self.source << " has the cluster: " << self.cluster.ToJson() << ")";
  }
  console.out << std::endl;
  signals.Await();
  console.out << "stopping" << std::endl;
  if (!server->Stop(options.close_timeout_ms)) {
    // What their threads use must not be taken down under them.
    console.err << "some kernels did not end when they were cancelled; they end with the process"
                << std::endl;
    std::_Exit(0);
  }
  return OkStatus();
}

}  // namespace

StatusOr<Outcome> ServeSessions(const std::vector<std::string>& words, Console& console) {
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
