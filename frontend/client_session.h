// ClientSession: runs the graph of a Scope (tf.Session).
//
//   SessionConfig config;                       // tf.ConfigProto(allow_soft_placement=True, …)
//   config.simulated_gpus = 2;
//   config.log_device_placement = true;
//   ClientSession session(root, config);
//   session.Run({init});
//   StatusOr<std::vector<Tensor>> out = session.Run({global_step, loss, train_op});
//   if (!out.ok()) …                            // an error of building or of running
//   session.Run({{x, batch}, {y, labels}}, {loss});             // with feeds
//
// A step that is run often is made a callable once; a partial run is one step that is fed and
// fetched in several calls:
//
//   StatusOr<ClientSession::CallableHandle> step = session.MakeCallable({x}, {loss, train_op});
//   session.RunCallable(*step, {batch});
//   StatusOr<std::string> run = session.PartialRunSetup({x, y}, {a, b});
//   session.PartialRun(*run, {{x, batch}}, {a});  …
//
// Names do where there is no handle: session.Run({"loss:0", "train"}), as in an imported graph.
//
// Results stand in the order of the fetches; that of an operation is a Tensor without a value. The
// graph may grow between runs. What is fed must have the output's dtype and a shape that fits.
//
// With a target the session runs on a server, which several programs may share:
//
//   SessionConfig on_server;
//   on_server.target = "grpc://localhost:2222";
//   ClientSession remote(root, on_server);
//
// Ownership: the session shares the graph and owns devices and variables' values, unless it runs on
// a server, which then owns them; fetched tensors are the caller's. Thread safety: Run from many
// threads, while nobody builds. Errors: the first error of the Scope comes out of every call; then
// those of runtime/session/session.h.
#ifndef WARPBEAM_FRONTEND_CLIENT_SESSION_H_
#define WARPBEAM_FRONTEND_CLIENT_SESSION_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/scope.h"
#include "frontend/variables/variable.h"
#include "runtime/dist/tls_files.h"
#include "runtime/session/auto_placement.h"

namespace warpbeam {

class Session;
struct PlacementReport;
struct SessionOptions;

namespace frontend {

// tf.GPUOptions.
struct GpuOptions {
  // Memory is taken from a GPU as it is needed, whatever this says.
  bool allow_growth = false;
  // How much of each GPU's memory the session may take, up to 1; 0: all of it.
  double per_process_gpu_memory_fraction = 0;
  // Which GPUs, in the order of their devices, as "1,0"; empty: all.
  std::string visible_device_list;
  // The memory, in MiB, of each device that a GPU is cut into, by GPU in that order
  // (experimental.virtual_devices); one without is one device.
  std::vector<std::vector<double>> virtual_devices_memory_mb;
  // Into how many devices each GPU is cut, which share its memory; 0: none is.
  int num_virtual_devices_per_gpu = 0;
};

// tf.ConfigProto.
struct SessionConfig {
  // A node asked onto a device that cannot run it goes elsewhere; off: that is an error.
  bool allow_soft_placement = true;
  // Prints a line per node to stderr when it is placed.
  bool log_device_placement = false;
  // How many devices of a type at most, such as {{"CPU", 2}, {"GPU", 1}}; by default one CPU and
  // all GPUs that there are.
  std::map<std::string, int> device_count;
  // /gpu:0 … without GPUs: memory and streams of their own on the CPU.
  int simulated_gpus = 0;
  GpuOptions gpu_options;
  // Each node's work on a GPU is waited for, so that an error is found at the node that made it
  // (docs/gpu.md); slow.
  bool cuda_blocking = false;
  // Whether GPUs may round the factors of products and convolutions of float to 10 bits, for the
  // whole process. Unset: as it is, at first true.
  std::optional<bool> tensor_float_32;
  // A file that keeps what libraries plan for GPUs for the next process (docs/gpu.md); made if it
  // is not there. Empty: none.
  std::string gpu_plan_file;
  int inter_op_parallelism_threads = 0;  // 0: as many as cores
  int intra_op_parallelism_threads = 0;
  // Idle threads of a CPU device help with the kernels of another; off: each keeps to its share of
  // the cores, as `warpbeam simulate` assumes.
  bool lend_idle_threads = true;
  // The session searches for the placement of its graph (docs/placement_search.md), which should be
  // whole then; off, unless it has evaluations. Not on a server.
  AutoPlacement auto_placement;
  // The same bits in every run and for any number of threads (docs/running_steps.md); what cannot
  // promise that is refused.
  bool deterministic = false;
  // How long a run may take that has no limit of its own; 0: for ever. A session on a server must
  // be open within that time, too, and within a minute or so in any case.
  int64_t operation_timeout_in_ms = 0;
  // Where the session runs: "grpc://host:port" for a server (link //frontend:cluster); empty: in
  // this process. Devices, their numbers and the threads are then the server's.
  std::string target;
  // On a server: who this program is, where the server asks for that (runtime/dist/tls_files.h).
  TlsFiles tls;
  // On a server: variables, queues and tables of its own, which go when it is closed. Otherwise the
  // sessions of a server share them, and they stay until it stops. Those of this process never
  // share.
  bool isolate_session_state = false;
  // On a server of a cluster: the session has those of the other tasks' devices that fit one of
  // these, such as {"/job:ps", "/job:worker/task:1"}, and needs no other task; empty: all.
  std::vector<std::string> device_filters;
  // On a server: the cluster of this session, "ps=host:port;worker=host:port", where its tasks were
  // started without; one of them is at `target`. Empty: the server's own.
  std::string cluster;
  // On servers with TLS: collectives between GPUs of several tasks may go by NCCL, which encrypts
  // nothing. Without TLS they do (docs/gpu.md).
  bool collective_nccl = false;
};

// What a session of this process is made of. INVALID_ARGUMENT for a config that contradicts itself.
StatusOr<SessionOptions> SessionOptionsOf(const SessionConfig& config);

// tf.RunOptions.
struct SessionRunOptions {
  int64_t timeout_in_ms = 0;  // 0: that of the session
  // 0: the session's threads, -1: the caller's (runtime/session/session.h).
  int inter_op_thread_pool = 0;
  // A trace in Chrome's format is written to this file; empty for none.
  std::string timeline;
};

// What a run did (tf.RunMetadata), as far as asked for.
struct SessionRunMetadata {
  int64_t nodes_executed = 0;
  int64_t host_to_device_copies = 0;
  int64_t device_to_host_copies = 0;
  int64_t device_to_device_copies = 0;
  int64_t bytes_copied = 0;
};

// What Run fetches: the value of an output, variable or gradient, or just that an operation runs;
// or what has the name, "loss:0" for a tensor and "train" for an operation.
class Fetch {
 public:
  Fetch(const Output& output) : output_(output), op_(output) {}              // NOLINT
  Fetch(const Variable& variable) : Fetch(static_cast<Output>(variable)) {}  // NOLINT
  Fetch(const Operation& operation) : op_(operation) {}                      // NOLINT
  Fetch(std::string name) : name_(std::move(name)) {}                        // NOLINT
  Fetch(const char* name) : name_(name) {}                                   // NOLINT
  // Whatever else stands for an output, such as a Gradient.
  template <typename T, typename = std::enable_if_t<std::is_class<T>::value &&
                                                    std::is_convertible<T, Output>::value>>
  Fetch(const T& value) : Fetch(static_cast<Output>(value)) {}  // NOLINT

  // A name that is to be looked up; "" for a handle.
  const std::string& wanted() const { return name_; }
  bool is_tensor() const { return output_.valid(); }
  bool valid() const { return op_.valid(); }
  // What is wrong with one that is not valid.
  const char* problem() const { return op_.problem(); }
  std::string name() const { return is_tensor() ? output_.name() : op_.name(); }
  GraphState* graph() const { return op_.graph(); }
  int32_t node() const { return op_.node(); }

 private:
  Output output_;
  Operation op_;
  std::string name_;
};

class ClientSession {
 public:
  using Feeds = std::vector<std::pair<Output, Tensor>>;
  using CallableHandle = int64_t;
  // On which device fed and fetched tensors are, where that is not host memory.
  using TensorDevices = std::vector<std::pair<Output, std::string>>;

  explicit ClientSession(const Scope& scope, const SessionConfig& config = SessionConfig());
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  // Whether the session could be made.
  Status status() const;

  StatusOr<std::vector<Tensor>> Run(const std::vector<Fetch>& fetches);
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<Fetch>& fetches);
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<Fetch>& fetches,
                                    const SessionRunOptions& options, SessionRunMetadata* metadata);
  // The same of lists of one kind: outputs, variables, gradients, operations, names, and of the
  // element of a dataset.
  template <typename List, typename T = typename List::value_type,
            typename = std::enable_if_t<!std::is_same<T, Fetch>::value &&
                                        std::is_convertible<T, Fetch>::value>>
  StatusOr<std::vector<Tensor>> Run(const List& fetches) {
    return Run(std::vector<Fetch>(fetches.begin(), fetches.end()));
  }
  template <typename List, typename T = typename List::value_type,
            typename = std::enable_if_t<!std::is_same<T, Fetch>::value &&
                                        std::is_convertible<T, Fetch>::value>>
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const List& fetches) {
    return Run(feeds, std::vector<Fetch>(fetches.begin(), fetches.end()));
  }

  // Values are given and results come in the order of `feeds` and `fetches`. What is fetched to a
  // device can only be fed to a callable that takes it from there.
  StatusOr<CallableHandle> MakeCallable(const std::vector<Output>& feeds,
                                        const std::vector<Fetch>& fetches,
                                        const SessionRunOptions& options = {},
                                        const TensorDevices& feed_devices = {},
                                        const TensorDevices& fetch_devices = {});
  StatusOr<std::vector<Tensor>> RunCallable(CallableHandle handle,
                                            const std::vector<Tensor>& values);
  Status ReleaseCallable(CallableHandle handle);

  // Each feed is given and each tensor fetched once, in any number of calls; operations run as soon
  // as they can.
  StatusOr<std::string> PartialRunSetup(const std::vector<Output>& feeds,
                                        const std::vector<Fetch>& fetches);
  StatusOr<std::vector<Tensor>> PartialRun(const std::string& handle, const Feeds& feeds,
                                           const std::vector<Output>& fetches);

  // tf.Session.reset: closes all sessions on the server at `target` and empties these containers
  // (Scope::Container) of variables, queues and tables, or all where none are named. For
  // `config`'s TLS and time limit. FAILED_PRECONDITION without a target, for sessions of this
  // process share nothing.
  static Status Reset(const std::string& target, const std::vector<std::string>& containers = {},
                      const SessionConfig& config = SessionConfig());

  Status Close();
  std::vector<std::string> DeviceNames() const;
  // Where every node is and why (placement/report.h).
  StatusOr<PlacementReport> Placement();
  // The session below; null when it could not be made.
  Session* session() const { return session_.get(); }

 private:
  static Status CheckFed(const Output& output, const Tensor& value);
  Status CheckNames(const Feeds& feeds, const std::vector<Fetch>& fetches) const;
  // The fetches with handles in the place of names.
  StatusOr<std::vector<Fetch>> LookUp(const std::vector<Fetch>& fetches) const;

  std::shared_ptr<GraphState> state_;
  std::unique_ptr<Session> session_;
  Status status_;
  std::mutex mutex_;
  // By callable: whether the fetch is a tensor.
  std::map<CallableHandle, std::vector<bool>> callables_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CLIENT_SESSION_H_
