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
// The graph is shared with whoever builds it and only grows. Adding nodes while other threads run
// the session is safe inside `Extend`; otherwise add between runs.
//
// Ownership: the session owns devices, plans and resources; fetched tensors are host tensors of the
// caller's. Thread safety: Run from many threads at once. Errors: of the graph (INVALID_ARGUMENT…),
// of kernels, DEADLINE_EXCEEDED naming the nodes that were running, CANCELLED after Close. A failed
// step leaves the session usable.
#ifndef WARPBEAM_RUNTIME_SESSION_SESSION_H_
#define WARPBEAM_RUNTIME_SESSION_SESSION_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/types/tensor.h"
#include "placement/report.h"
#include "runtime/trace/step_stats.h"

namespace warpbeam {

struct SessionOptions {
  int cpu_devices = 1;
  int simulated_gpus = 0;
  int64_t simulated_gpu_memory = int64_t{1} << 30;
  // 0: as many threads as cores.
  int inter_op_threads = 0;
  int intra_op_threads = 0;
  // A node asked onto a device that cannot run it goes elsewhere. Off: that is an error.
  bool allow_soft_placement = true;
  // Every soft fall-back is an error.
  bool strict_placement = false;
  // Called once per placed node with TensorFlow's log line; null logs nothing.
  std::function<void(const std::string& line)> log_device_placement;
  // "default", "none", or the names of optional passes, separated by commas
  // (graph/passes/pass_pipeline.h).
  std::string passes = "default";
  // Directory that gets a text of the graph after each pass; empty for none.
  std::string dump_directory;
};

struct RunOptions {
  int64_t timeout_ms = 0;  // 0: none
  bool trace = false;      // fill RunMetadata::step_stats
};

// What a run did, as far as asked for.
struct RunMetadata {
  StepStats step_stats;
  int64_t nodes_executed = 0;
  int64_t host_to_device_copies = 0;
  int64_t device_to_host_copies = 0;
  int64_t peer_copies = 0;
  int64_t bytes_copied = 0;
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

class Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Create(const SessionOptions& options,
                                                         std::shared_ptr<Graph> graph);
  virtual ~Session() = default;

  // Changes the graph while no plan is being compiled, and places what is new.
  virtual absl::Status Extend(const std::function<absl::Status(Graph&)>& change) = 0;
  // Feeds and fetches are "node:output" (":0" may be left out), targets are nodes. `fetched` gets
  // one tensor per fetch; `metadata` may be null.
  virtual absl::Status Run(const RunOptions& options, const NamedTensors& feeds,
                           const std::vector<std::string>& fetches,
                           const std::vector<std::string>& targets, std::vector<Tensor>* fetched,
                           RunMetadata* metadata = nullptr) = 0;
  // Cancels running steps, waits for them (at most `timeout_ms`), frees resources.
  // DEADLINE_EXCEEDED names what is still out. Idempotent; every later Run is refused.
  virtual absl::Status Close(int64_t timeout_ms = 10000) = 0;

  virtual std::vector<std::string> DeviceNames() const = 0;
  // Where every node is and why; places nodes added since.
  virtual absl::StatusOr<PlacementReport> Placement() = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_SESSION_H_
