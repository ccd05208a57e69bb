// StepStats: what ran when, on which device and thread, and what it read and wrote, as plain data.
//
// It becomes Chrome's trace format (chrome_trace.h), protos (run_metadata_proto.h) or figures
// (profile.h) only when somebody asks.
//
//   for (const NodeStats& n : metadata.step_stats.nodes) Use(n.node, n.end_ns - n.start_ns);
//
// Times are nanoseconds of the steady clock; `wall_offset_ns` makes them times of day. Nodes stand
// in the order in which they ended. Ownership: the strings of the nodes live as long as the
// StepStats or a copy of it, whatever becomes of the session. Thread safety: values.
#ifndef WARPBEAM_RUNTIME_TRACE_STEP_STATS_H_
#define WARPBEAM_RUNTIME_TRACE_STEP_STATS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "graph/types/dtype.h"
#include "graph/types/shape.h"

namespace warpbeam {

// What is told of each node.
enum class TraceLevel : uint8_t {
  kNone,
  kSoftware,  // when and where it ran, and what it read and wrote
  kFull,      // the CPU time of its thread besides, which costs a system call or two a node
};

struct OutputStats {
  int32_t slot = 0;
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;            // of the tensor
  int64_t allocated_bytes = 0;  // of its buffer
  uint64_t address = 0;
  // The input whose buffer this is; -1: it has been allocated.
  int32_t alias_input = -1;
};

struct NodeStats {
  absl::string_view node;  // of a copy: the one that made the tensor
  absl::string_view op;    // of a copy: "_Copy"
  absl::string_view device;
  bool is_copy = false;
  absl::string_view copy_from, copy_to;  // devices; empty: host memory
  int32_t thread = 0;
  int32_t core = -1;         // the CPU it ran on
  int64_t iteration = 0;     // of the loop that it is in
  int64_t start_ns = 0;      // kernel called
  int64_t end_ns = 0;        // kernel returned, or asynchronous kernel done
  int64_t cpu_ns = 0;        // CPU time of the calling thread in between, within 20 us; kFull only
  int64_t scheduled_ns = 0;  // became ready: the last of its predecessors had ended
  int64_t input_bytes = 0;   // of all input tensors together
  int64_t output_bytes = 0;
  int64_t workspace_bytes = 0;  // taken besides the outputs on the calling thread; kFull only
  absl::InlinedVector<OutputStats, 1> outputs;
  // What it waited for, as indices into StepStats::nodes.
  absl::InlinedVector<int32_t, 4> predecessors;
};

struct StepStats {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t wall_offset_ns = 0;
  std::vector<NodeStats> nodes;
  std::map<int32_t, std::string> thread_names;
  std::shared_ptr<const void> names;  // what the nodes' strings are views of
};

// The chain of nodes, each waiting for the one before, whose kernels take longest together: no
// number of threads or devices makes the step shorter. Indices into `nodes`, in the order in which
// they ran.
std::vector<int32_t> CriticalPath(const StepStats& stats);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_TRACE_STEP_STATS_H_
