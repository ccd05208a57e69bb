// Runs one conformance case in a session of its own and says what differed.
//
//   for (const std::string& difference : RunCase(c.wire_form, CaseOptions())) …  // none: passed
//
// Thread safety: pure; a case may write files. Errors are differences like any other.
#ifndef WARPBEAM_TESTS_CONFORMANCE_CASE_RUNNER_H_
#define WARPBEAM_TESTS_CONFORMANCE_CASE_RUNNER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace warpbeam {

struct CaseOptions {
  // At least so many CPU devices, whatever the case says.
  int cpu_devices = 0;
  int simulated_gpus = 0;
  bool gpus_enqueue = false;  // as SessionOptions::simulated_gpus_enqueue
  bool gpu_kernels = false;   // as SessionOptions::simulated_gpu_kernels
  // More than one: the graph is cut over so many tasks, each node on the one that the seed says
  // (scatter.h). What the case knows of devices is not compared then.
  int tasks = 1;
  // The tasks send each other messages, as in a cluster, and each reads its part of the graph from
  // one.
  bool by_messages = false;
  uint64_t scatter_seed = 0;
  // A libwarpbeam.so whose C API runs the case (library_session.h); empty: this program does.
  std::string library;
  std::string passes = "default";  // as SessionOptions::passes
  int64_t step_timeout_ms = 60000;
  uint64_t stress_seed = 0;  // as SessionOptions::stress_seed
  int threads = 0;           // as SessionOptions::intra_op_threads
  // As SessionOptions::deterministic. The case runs once more with another number of threads, which
  // must give the same bits; what the mode refuses is one difference that IsRefused.
  bool deterministic = false;
  // Runs the case once more with these passes, and demands of both the same bits but for some units
  // in the last place; empty: does not. Fetches of which the case knows statistics alone are left
  // out, since they are random.
  std::string compared_passes;
};

// The differences, each naming step and fetch.
std::vector<std::string> RunCase(absl::string_view wire_form, const CaseOptions& options);

// Whether a difference says that a deterministic session refused the case.
bool IsRefused(absl::string_view difference);

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CONFORMANCE_CASE_RUNNER_H_
