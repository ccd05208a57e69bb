// StepStats: what ran when, on which device and thread, as plain data; converted to protos or
// Chrome JSON only at the end.
//
// Times are nanoseconds of the steady clock. Thread safety: values.
#ifndef WARPBEAM_RUNTIME_TRACE_STEP_STATS_H_
#define WARPBEAM_RUNTIME_TRACE_STEP_STATS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace warpbeam {

struct NodeStats {
  std::string node;
  std::string op;
  std::string device;  // full name; copies carry "SOURCE->DESTINATION"
  int32_t thread = 0;
  int32_t core = -1;         // the CPU it ran on
  int64_t start_ns = 0;      // kernel called
  int64_t end_ns = 0;        // kernel returned, or asynchronous kernel done
  int64_t cpu_ns = 0;        // CPU time of the calling thread in between
  int64_t scheduled_ns = 0;  // became ready
  int64_t input_bytes = 0;   // of all input tensors together
  int64_t output_bytes = 0;
};

struct StepStats {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::vector<NodeStats> nodes;
};

// The step in Chrome's trace format: a row per device and thread, which Perfetto opens.
std::string ChromeTrace(const StepStats& stats);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_TRACE_STEP_STATS_H_
