// StepStats: what ran when, on which device and thread, and what it read and wrote, as plain data.
//
// It becomes Chrome's trace format (chrome_trace.h), protos (run_metadata_proto.h) or figures
// (profile.h) only when somebody asks.
//
//   for (const NodeStats& n : metadata.step_stats.nodes) Use(n.node, n.end_ns - n.start_ns);
//
// Times are nanoseconds of the steady clock; `wall_offset_ns` makes them times of day. Nodes stand
// in the order in which they ended. Thread safety: values.
#ifndef WARPBEAM_RUNTIME_TRACE_STEP_STATS_H_
#define WARPBEAM_RUNTIME_TRACE_STEP_STATS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/types/dtype.h"
#include "graph/types/shape.h"

namespace warpbeam {

// What is told of each node.
enum class TraceLevel : uint8_t {
  kNone,
  kSoftware,  // when and where it ran, and what it read and wrote
  kFull,      // the CPU time of its thread besides, which costs two system calls a node
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
  std::string node;  // of a copy: the one that made the tensor
  std::string op;    // of a copy: "_Copy"
  std::string device;
  bool is_copy = false;
  std::string copy_from, copy_to;  // devices; empty: host memory
  int32_t thread = 0;
  int32_t core = -1;         // the CPU it ran on
  int64_t iteration = 0;     // of the loop that it is in
  int64_t start_ns = 0;      // kernel called
  int64_t end_ns = 0;        // kernel returned, or asynchronous kernel done
  int64_t cpu_ns = 0;        // CPU time of the calling thread in between; kFull only
  int64_t scheduled_ns = 0;  // became ready: the last of its predecessors had ended
  int64_t input_bytes = 0;   // of all input tensors together
  int64_t output_bytes = 0;
  std::vector<OutputStats> outputs;
  std::vector<int32_t> predecessors;  // what it waited for, as indices into StepStats::nodes
};

struct StepStats {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t wall_offset_ns = 0;
  std::vector<NodeStats> nodes;
  std::map<int32_t, std::string> thread_names;
};

// The chain of nodes, each waiting for the one before, whose kernels take longest together: no
// number of threads or devices makes the step shorter. Indices into `nodes`, in the order in which
// they ran.
std::vector<int32_t> CriticalPath(const StepStats& stats);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_TRACE_STEP_STATS_H_
