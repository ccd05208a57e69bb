// Session: runs parts of a graph on devices, as often as asked.
//
// A session places the whole graph (and what is added to it later) on its devices, compiles each
// (feeds, fetches, targets) once into a plan, and runs plans; variables and other resources live as
// long as the session.
//
//   SessionOptions options;  options.simulated_gpus = 2;
//   WB_ASSIGN_OR_RETURN(auto session, Session::Create(options, graph));
//   std::vector<Tensor> out;
//   WB_RETURN_IF_ERROR(session->Run({}, {}, {"loss:0"}, {"train"}, &out));
//
// A step that is run often with the same names is made a callable once; its feeds and fetches may
// then stay on devices. A partial run is one step whose feeds and fetches come in several calls.
//
//   CallableOptions step;  step.feeds = {"x:0"};  step.fetches = {"y:0"};
//   step.fetch_devices["y:0"] = "/gpu:0";               // y stays there, for another callable
//   WB_ASSIGN_OR_RETURN(auto handle, session->MakeCallable(step));
//   WB_RETURN_IF_ERROR(session->RunCallable(handle, {x}, &out));
//
// The graph is shared with whoever builds it and only grows. Adding nodes while other threads run
// the session is safe inside `Extend`; otherwise add between runs.
//
// Ownership: the session owns devices, plans and resources; fetched tensors are the caller's, those
// on devices keep the devices alive. Thread safety: Run from many threads at once. Errors: of the
// graph (INVALID_ARGUMENT…), of kernels, DEADLINE_EXCEEDED naming the nodes that were running,
// CANCELLED after Close. A failed step leaves the session usable; one that does not end when its
// deadline cancels it is left behind, with everything that its kernels may touch.
#ifndef WARPBEAM_RUNTIME_SESSION_SESSION_H_
#define WARPBEAM_RUNTIME_SESSION_SESSION_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/types/tensor.h"
#include "placement/report.h"
#include "runtime/kernel/capability_set.h"
#include "runtime/session/auto_placement.h"
#include "runtime/trace/run_graphs.h"
#include "runtime/trace/schedule.h"
#include "runtime/trace/step_stats.h"

namespace warpbeam {

class Cancellation;
class DeviceSet;
class ResourceStore;

// What a session does with a prediction of the memory that its steps will need.
enum class MemoryForecastUse : uint8_t {
  kNone,   // it makes none
  kTell,   // RunMetadata::memory has it
  kAdmit,  // a step that is predicted not to fit is RESOURCE_EXHAUSTED before it begins
};

struct SessionOptions {
  // Which task of a cluster the devices are of.
  std::string job = "localhost";
  int task = 0;
  int cpu_devices = 1;
  // Of the machine's GPUs, in a build that has code for them: how many there are at most; -1: all.
  int gpus = -1;
  // At most so much of the memory of each of them, from 0 to 1.
  double gpu_memory_fraction = 1;
  // Which of them, simulated ones too, in the order of their devices; empty: all.
  std::vector<int> visible_gpus;
  // The bytes of each device that a GPU is cut into, by GPU in that order; one without is one
  // device. Or into how many devices each is cut, which share its memory; 0: none is.
  std::vector<std::vector<int64_t>> gpu_parts;
  int equal_gpu_parts = 0;
  // GPUs without GPUs (runtime/device/simulated), in the place of the machine's.
  int simulated_gpus = 0;
  int64_t simulated_gpu_memory = int64_t{1} << 30;
  // Kernels of simulated GPUs are enqueued, as on real ones, and not run where they are called.
  bool simulated_gpus_enqueue = false;
  // They run the kernels written for GPUs, as far as there are such, and not the CPU's: slower.
  bool simulated_gpu_kernels = false;
  // Each node's work on a GPU is waited for before the next one's, and nothing is recorded, so that
  // an error is found at the node that made it (docs/gpu.md); slow.
  bool cuda_blocking = false;
  // Whether GPUs may round the factors of products and convolutions of float
  // (runtime/kernel/product/tensor_float_32.h). It is the process's: the session made last that
  // says it sets it for all. Unset: leaves it as it is, at first true.
  std::optional<bool> tensor_float_32;
  // A file that keeps what libraries plan for GPUs from one process to the next
  // (runtime/record/plan_file.h). It is the process's: the session made last that names one sets it
  // for all. Empty: leaves it as it is, at first none.
  std::string gpu_plan_file;
  // How many bytes of tensors all sessions of the process may hold in host memory together; the
  // session made last with a limit sets it. 0: as it is, at first 3/4 of the machine's memory.
  int64_t host_memory_limit = 0;
  // Whether the peak of each memory is predicted before a step, from the shapes of what is fed
  // (runtime/session/memory_forecast.h), and with measured costs from what kernels have taken.
  MemoryForecastUse memory_forecast = MemoryForecastUse::kNone;
  // 0: as many threads as cores. Sessions of the process that ask for the same CPU devices and as
  // many threads share them, unless they are to have threads of their own.
  int inter_op_threads = 0;
  int intra_op_threads = 0;
  bool use_per_session_threads = false;
  // Threads of a CPU device that have nothing to do help with the loops of another's kernels. Off:
  // each keeps to its share of the cores, as devices of other machines would, and steps take what
  // placement/simulate predicts for such.
  bool lend_idle_threads = true;
  // A node asked onto a device that cannot run it goes elsewhere. Off: that is an error.
  bool allow_soft_placement = true;
  // Every soft fall-back is an error.
  bool strict_placement = false;
  // Off, unless it has evaluations.
  AutoPlacement auto_placement;
  // Called once per placed node with TensorFlow's log line; null logs nothing.
  std::function<void(const std::string& line)> log_device_placement;
  // "default", "none", or the names of optional passes, separated by commas
  // (graph/passes/pass_pipeline.h).
  std::string passes = "default";
  // A file of measured costs that `warpbeam profile --save_costs` wrote
  // (runtime/compile/cost_profile.h); empty: costs are estimated from shapes.
  std::string cost_profile;
  // Directory that gets a text of the graph after each pass; empty for none.
  std::string dump_directory;
  // How long a call may take that has no limit of its own; 0: for ever.
  int64_t operation_timeout_ms = 0;
  // Perturbs the order in which nodes run, as the seed says, so that races and hangs show; slow.
  // 0: off.
  uint64_t stress_seed = 0;
  // The same bits in every run and for any number of threads, where the graph has seeds
  // (docs/running_steps.md). What cannot promise that is FAILED_PRECONDITION, before the step runs.
  bool deterministic = false;
  // What ops may do outside of their steps; a step with a node that needs more is
  // PERMISSION_DENIED. Unset: everything, but only reading files for models that are loaded
  // (frontend/model).
  std::optional<CapabilitySet> allow;
  // The folder below which all files of ops lie (runtime/record/file_root.h): the root of their
  // absolute names, which nothing leads out of. It is the process's: the first session that names
  // one sets it for all, for good. Empty: leaves it as it is, at first none.
  std::string file_root;
  // What several sessions of a server share: devices (CreateDevices) instead of those that the
  // fields above describe, and variables, queues and tables, which then outlive the session. Null:
  // the session's own.
  std::shared_ptr<DeviceSet> devices;
  std::shared_ptr<ResourceStore> resources;
};

// The devices of a session of these options.
StatusOr<std::shared_ptr<DeviceSet>> CreateDevices(const SessionOptions& options);

struct RunOptions {
  int64_t timeout_ms = 0;                // 0: SessionOptions::operation_timeout_ms
  TraceLevel trace = TraceLevel::kNone;  // of RunMetadata::step_stats
  bool cost_graph = false;               // fill RunMetadata::cost_graph; traces the run
  bool partition_graphs = false;         // fill RunMetadata::partition_graphs
  bool memory = false;                   // fill RunMetadata::memory
  bool record_schedule = false;          // fill RunMetadata::schedule
  // The tasks begin on each lane in this order, which an earlier step of the same plan had; null:
  // as they become ready. FAILED_PRECONDITION, naming the difference, where the step has other
  // tasks or they could not come in this order; UNIMPLEMENTED for plans with loops of v1 control
  // flow and for steps of several tasks of a cluster.
  std::shared_ptr<const Schedule> replay_schedule;
  // 0: the threads of the session's devices; -1: the caller's, as far as nodes run on the CPU and
  // do not wait. There are no others.
  int inter_op_thread_pool = 0;
  // In a cluster: steps of several masters meet in a collective only under the same key, and those
  // that have one do so under computed keys of groups, too (docs/cluster.md). 0: none.
  int64_t collective_graph_key = 0;
  // Ends the step when asked to (runtime/kernel/cancellation.h); null: nobody will.
  Cancellation* cancellation = nullptr;
};

// What a callable runs, and where its tensors are.
struct CallableOptions {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  // By the name of a feed or fetch: the device in whose memory it lies; else the host's. What is
  // fed from a device must have been left there by a callable of this session.
  std::map<std::string, std::string> feed_devices;
  std::map<std::string, std::string> fetch_devices;
  RunOptions run;
  // (from, to): what `from` computes takes the place of `to` in the graph, as if fed with it.
  std::vector<std::pair<std::string, std::string>> connections;
};

// The memory of a device during a step; CPUs of a task share that of the first one.
struct DeviceMemory {
  std::string device;
  int64_t predicted_peak_bytes = -1;  // -1: the session makes no forecasts
  // The most that was in use at a time while the step ran, by whomever; -1: nobody counts, or it is
  // another process's.
  int64_t peak_bytes = -1;
  int64_t limit_bytes = 0;
};

// What a run did, as far as asked for; runtime/trace/run_metadata_proto.h gives it the form that
// TensorFlow's tools read.
struct RunMetadata {
  StepStats step_stats;
  CostGraph cost_graph;
  std::vector<DeviceGraph> partition_graphs;
  std::vector<DeviceMemory> memory;
  Schedule schedule;
  int64_t nodes_executed = 0;
  int64_t host_to_device_copies = 0;
  int64_t device_to_host_copies = 0;
  int64_t peer_copies = 0;
  int64_t bytes_copied = 0;
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

class Session {
 public:
  static StatusOr<std::unique_ptr<Session>> Create(const SessionOptions& options,
                                                   std::shared_ptr<Graph> graph);
  virtual ~Session() = default;

  // Adds to the graph while no plan is being compiled, and places what is new. When `change` fails,
  // or what it added cannot be placed, the graph is as it was before.
  virtual Status Extend(const std::function<Status(Graph&)>& change) = 0;
  // Feeds and fetches are "node:output" (":0" may be left out), targets are nodes. `fetched` gets
  // one tensor per fetch; `metadata` may be null.
  virtual Status Run(const RunOptions& options, const NamedTensors& feeds,
                     const std::vector<std::string>& fetches,
                     const std::vector<std::string>& targets, std::vector<Tensor>* fetched,
                     RunMetadata* metadata = nullptr) = 0;
  // Compiles the plan of a Run with these names, so that the first one need not; a Run that comes
  // meanwhile waits for it. Of use on a thread beside what else is to be done before that Run, such
  // as restoring variables. Errors: those of Run before its step begins.
  virtual Status Prepare(const std::vector<std::string>& feeds,
                         const std::vector<std::string>& fetches,
                         const std::vector<std::string>& targets) = 0;
  using CallableHandle = int64_t;
  virtual StatusOr<CallableHandle> MakeCallable(const CallableOptions& options) = 0;
  // `feeds` and `fetched` stand in the order of the options. INVALID_ARGUMENT for a handle that was
  // never given out or has been released.
  virtual Status RunCallable(CallableHandle handle, Span<const Tensor> feeds,
                             std::vector<Tensor>* fetched, RunMetadata* metadata = nullptr,
                             Cancellation* cancellation = nullptr) = 0;
  virtual Status ReleaseCallable(CallableHandle handle) = 0;

  // Starts a step that will be fed `feeds` and asked for `fetches`, each once, by any number of
  // PartialRuns; what they have in common runs once. INVALID_ARGUMENT for a call that feeds or
  // fetches something again, something else, or what cannot be computed yet: the run goes on. Any
  // other error ends it, as the last feed and fetch do, and as a call does that is cancelled; its
  // handle is then unknown.
  virtual StatusOr<std::string> PartialRunSetup(const std::vector<std::string>& feeds,
                                                const std::vector<std::string>& fetches,
                                                const std::vector<std::string>& targets) = 0;
  virtual Status PartialRun(const std::string& handle, const NamedTensors& feeds,
                            const std::vector<std::string>& fetches, std::vector<Tensor>* fetched,
                            Cancellation* cancellation = nullptr) = 0;

  // Cancels running steps, waits for them (at most `timeout_ms`), frees resources.
  // DEADLINE_EXCEEDED names what is still out. Idempotent; every later Run is refused.
  virtual Status Close(int64_t timeout_ms = 10000) = 0;

  virtual std::vector<std::string> DeviceNames() const = 0;
  // Where every node is and why; places nodes added since.
  virtual StatusOr<PlacementReport> Placement() = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_SESSION_H_
