// Trains a small network on MNIST on several machines: parameter servers have the variables, each
// worker computes gradients on batches of its own. Every task is a process of this program:
//
//   FLAGS="--ps_hosts=localhost:2222 --worker_hosts=localhost:2223,localhost:2224"
//   distributed_mnist $FLAGS --job_name=ps --task_index=0 &
//   distributed_mnist $FLAGS --job_name=worker --task_index=0 --data_dir=examples/data &
//   distributed_mnist $FLAGS --job_name=worker --task_index=1 --data_dir=examples/data
//
// Without --job_name the cluster is that of the environment: TF_CONFIG, or Slurm's.
//
// With --issync=0 each worker changes the variables when its gradients are there; with --issync=1
// all workers' gradients make one step together. Worker 0 is the chief: it initialises the model,
// or restores it from --checkpoint_dir, and saves it. tools/cluster_demo starts all tasks on this
// machine and draws the losses.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "examples/farewell.h"
#include "examples/mnist_batches.h"
#include "examples/session_flags.h"
#include "frontend/cluster.h"
#include "frontend/warpbeam.h"
#include "graph/types/errors.h"

ABSL_FLAG(std::string, data_dir, "./MNIST_data", "folder of the MNIST training files");
ABSL_FLAG(int, hidden_units, 100, "number of units in the hidden layer");
ABSL_FLAG(int, train_steps, 10000, "global step at which training ends");
ABSL_FLAG(int, batch_size, 100, "digits per step of each worker");
ABSL_FLAG(double, learning_rate, 0.01, "learning rate");
ABSL_FLAG(std::string, ps_hosts, "localhost:2222", "host:port of each parameter server, by commas");
ABSL_FLAG(std::string, worker_hosts, "localhost:2223,localhost:2224",
          "host:port of each worker, by commas");
ABSL_FLAG(std::string, job_name, "", "ps or worker; empty: as TF_CONFIG or Slurm says");
ABSL_FLAG(int, task_index, -1, "which task of the job this process is");
ABSL_FLAG(int, issync, 0, "1: workers' gradients make one step together; 0: each one its own");
ABSL_FLAG(std::string, checkpoint_dir, "",
          "the chief's folder for checkpoints; empty: a new one for temporary files");
ABSL_FLAG(int, report_every, 1000, "steps of a worker from one report to the next");
ABSL_FLAG(std::string, tls_cert, "", "PEM file: this task's certificate; with tls_key and tls_ca");
ABSL_FLAG(std::string, tls_key, "", "PEM file: its private key");
ABSL_FLAG(std::string, tls_ca, "", "PEM file: who must have signed the other tasks' certificates");
ABSL_FLAG(bool, insecure, false,
          "tasks on several machines without TLS: only where the network can be trusted");

namespace wb = warpbeam::frontend;
using warpbeam::examples::Farewell;
using warpbeam::examples::MnistBatches;

namespace {

constexpr int64_t kImagePixels = 28;
constexpr int64_t kInputs = kImagePixels * kImagePixels;
constexpr int64_t kClasses = 10;

// Who this process is.
struct Task {
  wb::train::ClusterSpec cluster;
  std::string job;
  int index = -1;
  int num_ps = 0, num_workers = 0;

  bool is_chief() const { return job == "worker" && index == 0; }
};

wb::StatusOr<Task> TaskFromFlags() {
  Task task;
  task.job = absl::GetFlag(FLAGS_job_name);
  task.index = absl::GetFlag(FLAGS_task_index);
  if (task.index < 0) return warpbeam::InvalidArgument("--task_index must be given");
  const auto hosts = [](const std::string& flag) -> std::vector<std::string> {
    return absl::StrSplit(flag, ',', absl::SkipEmpty());
  };
  WB_ASSIGN_OR_RETURN(task.cluster, wb::train::ClusterSpec::Create(
                                        {{"ps", hosts(absl::GetFlag(FLAGS_ps_hosts))},
                                         {"worker", hosts(absl::GetFlag(FLAGS_worker_hosts))}}));
  return task;
}

// What TF_CONFIG, Slurm or MPI says; by rank the first task is a parameter server.
wb::StatusOr<Task> TaskFromEnvironment() {
  wb::train::ClusterRules rules;
  rules.jobs["ps"] = 1;
  WB_ASSIGN_OR_RETURN(const auto found,
                      wb::train::FindCluster(wb::train::ProcessEnvironment(), rules));
  if (!found.has_value()) {
    return warpbeam::InvalidArgument(
        "--job_name must be ps or worker; neither TF_CONFIG nor Slurm tells of a cluster");
  }
  Task task;
  task.cluster = found->cluster;
  task.job = found->job;
  task.index = found->task;
  return task;
}

wb::StatusOr<Task> FindTask() {
  WB_ASSIGN_OR_RETURN(
      Task task, absl::GetFlag(FLAGS_job_name).empty() ? TaskFromEnvironment() : TaskFromFlags());
  if (task.job != "ps" && task.job != "worker") {
    return warpbeam::InvalidArgument("a task is a ps or a worker, not '", task.job, "'");
  }
  WB_ASSIGN_OR_RETURN(task.num_ps, task.cluster.num_tasks("ps"));
  WB_ASSIGN_OR_RETURN(task.num_workers, task.cluster.num_tasks("worker"));
  if (absl::GetFlag(FLAGS_batch_size) < 1 || absl::GetFlag(FLAGS_hidden_units) < 1 ||
      absl::GetFlag(FLAGS_report_every) < 1) {
    return warpbeam::InvalidArgument(
        "--batch_size, --hidden_units and --report_every must be at least 1");
  }
  return task;
}

double Now() { return absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()); }

void PrintLine(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

// A folder of this run's own, as tempfile.mkdtemp makes it.
wb::StatusOr<std::string> CheckpointDir() {
  if (!absl::GetFlag(FLAGS_checkpoint_dir).empty()) return absl::GetFlag(FLAGS_checkpoint_dir);
  const char* const base = std::getenv("TMPDIR");
  std::string path = absl::StrCat(base == nullptr ? "/tmp" : base, "/distributed_mnist_XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    return warpbeam::ErrnoToStatus(errno, absl::StrCat("a new folder '", path, "'"));
  }
  return path;
}

// What a worker runs.
struct Training {
  wb::Variable global_step;
  wb::Output x, y_, cross_entropy;
  wb::Operation train_step, init_op;
};

// The network and its loss, variables on the parameter servers.
void BuildNetwork(const wb::Scope& scope, Training& training) {
  const int64_t hidden_units = absl::GetFlag(FLAGS_hidden_units);
  training.global_step =
      wb::Variable(scope.Named("global_step"), 0, wb::VariableOptions().trainable(false));
  wb::Variable hid_w(scope.Named("hid_w"),
                     wb::TruncatedNormal(scope, {kInputs, hidden_units}, 0, 1.0 / kImagePixels));
  wb::Variable hid_b(scope.Named("hid_b"), wb::Zeros(scope, {hidden_units}));
  wb::Variable sm_w(scope.Named("sm_w"),
                    wb::TruncatedNormal(scope, {hidden_units, kClasses}, 0,
                                        1.0 / std::sqrt(static_cast<double>(hidden_units))));
  wb::Variable sm_b(scope.Named("sm_b"), wb::Zeros(scope, {kClasses}));

  training.x = wb::Placeholder(scope, wb::DType::kFloat, {-1, kInputs});
  training.y_ = wb::Placeholder(scope, wb::DType::kFloat, {-1, kClasses});
  wb::Output hid_lin = wb::nn::XwPlusB(scope, training.x, hid_w, hid_b);
  wb::Output hid = wb::nn::Relu(scope, hid_lin);
  wb::Output y = wb::nn::Softmax(scope, wb::nn::XwPlusB(scope, hid, sm_w, sm_b));
  training.cross_entropy =
      -wb::ReduceSum(scope, training.y_ * wb::Log(scope, wb::ClipByValue(scope, y, 1e-10, 1.0)));
}

wb::SessionConfig ConfigFromFlags() {
  wb::SessionConfig config = warpbeam::examples::SessionConfigFromFlags();
  config.tls = {absl::GetFlag(FLAGS_tls_cert), absl::GetFlag(FLAGS_tls_key),
                absl::GetFlag(FLAGS_tls_ca)};
  return config;
}

// A worker's session: ready when the chief has initialised or restored the model.
wb::StatusOr<std::unique_ptr<wb::ClientSession>> OpenSession(wb::train::Supervisor& supervisor,
                                                             const std::string& target) {
  wb::SessionConfig config = ConfigFromFlags();
  config.target = target;
  for (;;) {
    auto session = supervisor.PrepareOrWaitForSession(config);
    // Tasks may be started in any order, minutes apart.
    if (!warpbeam::IsUnavailable(session.status()) &&
        !warpbeam::IsDeadlineExceeded(session.status())) {
      return session;
    }
    if (supervisor.ShouldStop()) return session;
    PrintLine(absl::StrCat("waiting for the cluster: ", session.status().message()));
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

// Whether a step failed because the chief has ended, who alone hands out tokens.
bool IsEnd(const wb::Status& status) { return warpbeam::IsOutOfRange(status); }

wb::Status TrainLoop(const Task& task, const Training& training, MnistBatches& mnist,
                     wb::train::Supervisor& supervisor, wb::ClientSession& session) {
  const int train_steps = absl::GetFlag(FLAGS_train_steps);
  const int report_every = absl::GetFlag(FLAGS_report_every);
  int local_step = 0;
  while (!supervisor.ShouldStop()) {
    const MnistBatches::Batch batch = mnist.Next(absl::GetFlag(FLAGS_batch_size));
    const auto run =
        session.Run({{training.x, batch.images}, {training.y_, batch.labels}},
                    {training.train_step, training.global_step, training.cross_entropy});
    if (IsEnd(run.status())) break;
    WB_RETURN_IF_ERROR(run.status());
    const int step = (*run)[1].scalar<int32_t>();
    const float loss = (*run)[2].scalar<float>();
    ++local_step;
    if (local_step % report_every == 0) {
      PrintLine(absl::StrFormat("%f: Worker %d: training step %d done, loss: %f (global step:%d)",
                                Now(), task.index, local_step, loss, step));
    }
    if (step >= train_steps) break;
  }
  return warpbeam::OkStatus();
}

class Worker {
 public:
  Worker(Task task, std::string target)
      : task_(std::move(task)),
        target_(std::move(target)),
        scope_(root_.Device(wb::train::ReplicaDeviceSetter(
            wb::train::ReplicaDeviceSetterOptions()
                .cluster(task_.cluster)
                .worker_device(absl::StrCat("/job:worker/task:", task_.index))))) {}

  wb::Status Run() {
    WB_ASSIGN_OR_RETURN(MnistBatches mnist, MnistBatches::Read(absl::GetFlag(FLAGS_data_dir),
                                                               static_cast<uint32_t>(task_.index)));
    WB_RETURN_IF_ERROR(Build());
    wb::train::Supervisor supervisor(scope_, options_);
    WB_RETURN_IF_ERROR(supervisor.status());
    PrintLine(absl::StrFormat(task_.is_chief()
                                  ? "Worker %d: Initializing session..."
                                  : "Worker %d: Waiting for session to be initialized...",
                              task_.index));
    WB_ASSIGN_OR_RETURN(const auto session, OpenSession(supervisor, target_));
    PrintLine(absl::StrFormat("Worker %d: Session initialization complete.", task_.index));
    const wb::Status trained = Train(mnist, supervisor, *session);
    // The chief's threads end here, and with them the waiting of others.
    const wb::Status stopped = supervisor.Stop();
    WB_RETURN_IF_ERROR(trained);
    WB_RETURN_IF_ERROR(stopped);
    if (task_.is_chief()) WB_RETURN_IF_ERROR(Save(supervisor, *session));
    PrintLine(absl::StrFormat("Worker %d: Waiting for the others to end.", task_.index));
    WB_RETURN_IF_ERROR(farewell_->Leave(*session, task_.index));
    return session->Close();
  }

 private:
  wb::Status Build() {
    BuildNetwork(scope_, training_);
    if (absl::GetFlag(FLAGS_issync) != 0) {
      sync_.emplace(&opt_, task_.num_workers);
      training_.train_step =
          sync_->Minimize(scope_, training_.cross_entropy, training_.global_step);
      BuildSync();
    } else {
      training_.train_step = opt_.Minimize(scope_, training_.cross_entropy, training_.global_step);
    }
    farewell_.emplace(root_, task_.num_ps, task_.num_workers);
    if (task_.is_chief()) {
      WB_ASSIGN_OR_RETURN(options_.logdir, CheckpointDir());
    }
    options_.is_chief = task_.is_chief();
    options_.init_op = wb::GlobalVariablesInitializer(scope_);
    options_.recovery_wait_secs = 1;
    options_.global_step = training_.global_step;
    options_.stop_on_signals = true;
    return root_.status();
  }

  void BuildSync() {
    options_.ready_for_local_init_op = sync_->ready_for_local_init_op();
    options_.local_init_op =
        task_.is_chief() ? sync_->chief_init_op() : sync_->local_step_init_op();
    // No tokens in the beginning: nobody is ahead of the others.
    tokens_op_ = task_.is_chief() ? sync_->InitTokensOp(scope_, 0) : sync_->LeaveOp(scope_);
  }

  wb::Status Train(MnistBatches& mnist, wb::train::Supervisor& supervisor,
                   wb::ClientSession& session) {
    const bool is_sync = tokens_op_.valid();
    if (is_sync && task_.is_chief()) {
      WB_RETURN_IF_ERROR(session.Run({tokens_op_}).status());
      sync_->chief_queue_runner().Start(session.session(), supervisor.coordinator());
    }
    const double time_begin = Now();
    PrintLine(absl::StrFormat("Training begins @ %f", time_begin));
    WB_RETURN_IF_ERROR(TrainLoop(task_, training_, mnist, supervisor, session));
    const double time_end = Now();
    PrintLine(absl::StrFormat("Training ends @ %f", time_end));
    PrintLine(absl::StrFormat("Training elapsed time:%f s", time_end - time_begin));
    // Where the chief has ended before, nobody waits for the tokens that this worker leaves.
    if (is_sync && !task_.is_chief()) session.Run({tokens_op_}).IgnoreError();
    return Validate(mnist.validation(), session);
  }

  // The last state, which a training with more steps goes on from.
  wb::Status Save(wb::train::Supervisor& supervisor, wb::ClientSession& session) {
    WB_ASSIGN_OR_RETURN(const std::vector<wb::Tensor> out, session.Run({training_.global_step}));
    return supervisor.saver()
        ->Save(session, supervisor.save_path(), out[0].scalar<int32_t>())
        .status();
  }

  wb::Status Validate(const MnistBatches::Batch& kept, wb::ClientSession& session) {
    WB_ASSIGN_OR_RETURN(const std::vector<wb::Tensor> out,
                        session.Run({{training_.x, kept.images}, {training_.y_, kept.labels}},
                                    {training_.cross_entropy}));
    PrintLine(absl::StrFormat("After %d training step(s), validation cross entropy = %g",
                              absl::GetFlag(FLAGS_train_steps), out[0].scalar<float>()));
    return warpbeam::OkStatus();
  }

  const Task task_;
  const std::string target_;
  const wb::Scope root_ = wb::Scope::NewRoot();
  const wb::Scope scope_;
  Training training_;
  wb::train::AdamOptimizer opt_{absl::GetFlag(FLAGS_learning_rate)};
  std::optional<wb::train::SyncReplicasOptimizer> sync_;
  wb::Operation tokens_op_;  // of a synchronous training: the chief's first, others' last
  std::optional<Farewell> farewell_;
  wb::train::SupervisorOptions options_;
};

// Waits until all workers have ended, or a signal has come.
wb::Status AwaitWorkers(const Task& task, const std::string& target) {
  const wb::Scope root = wb::Scope::NewRoot();
  const Farewell farewell(root, task.num_ps, task.num_workers);
  WB_RETURN_IF_ERROR(root.status());
  wb::SessionConfig config = ConfigFromFlags();
  config.target = target;
  config.operation_timeout_in_ms = 3000;  // of opening, after which a signal is seen
  while (wb::train::StopOnSignals::Received() == 0) {
    wb::ClientSession session(root, config);
    wb::Status ended = session.status();
    if (ended.ok()) ended = farewell.AwaitWorkers(session, task.index);
    // A session opens when all tasks are there.
    if (!warpbeam::IsUnavailable(ended) && !warpbeam::IsDeadlineExceeded(ended)) return ended;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  return warpbeam::OkStatus();
}

// A parameter server computes for the workers until all of them have ended, or a signal comes.
wb::Status ServeParameters(const Task& task, wb::train::Server& server) {
  const wb::train::StopOnSignals signals;
  WB_RETURN_IF_ERROR(signals.status());
  PrintLine(absl::StrCat("serving at ", server.target()));
  wb::Status ended;
  std::atomic<bool> is_over = false;
  std::thread waiting([&] {
    ended = AwaitWorkers(task, server.target());
    is_over = true;
  });
  while (!is_over && wb::train::StopOnSignals::Received() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const bool by_signal = wb::train::StopOnSignals::Received() != 0;
  // What waits for tasks that never come ends with the server.
  if (by_signal) server.Stop(/*timeout_ms=*/1000).IgnoreError();
  waiting.join();
  return by_signal ? wb::Status() : ended;
}

wb::Status RunTask() {
  WB_ASSIGN_OR_RETURN(const Task task, FindTask());
  PrintLine(absl::StrCat("job_name : ", task.job));
  PrintLine(absl::StrCat("task_index : ", task.index));
  wb::train::ServerOptions options;
  options.config = ConfigFromFlags();
  options.insecure = absl::GetFlag(FLAGS_insecure);
  // The chief's graph writes checkpoints and reads them, whoever reaches its port.
  if (task.is_chief()) options.allow = "file";
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<wb::train::Server> server,
                      wb::train::Server::Create(task.cluster, task.job, task.index, options));
  if (task.job == "ps") return ServeParameters(task, *server);
  return Worker(task, server->target()).Run();
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "Trains a network on MNIST in several processes: parameter servers have the "
      "variables, workers compute gradients. This is one of them; tools/cluster_demo "
      "starts all.\n\n"
      "  bazel-bin/examples/distributed_mnist --job_name=worker --task_index=0 "
      "--ps_hosts=localhost:2222 --worker_hosts=localhost:2223 --data_dir=examples/data",
      argc, argv);
  return warpbeam::examples::ExitCode(RunTask());
}
