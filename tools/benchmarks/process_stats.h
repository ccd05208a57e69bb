// What the kernel says about this process: when it began and how much memory it holds.
//
// Thread safety: free functions. Errors: a figure that /proc does not give is 0.
//
//   PrintMetric("rss_peak", ResidentMiB("VmHWM:"), "MiB");

#ifndef WARPBEAM_TOOLS_BENCHMARKS_PROCESS_STATS_H_
#define WARPBEAM_TOOLS_BENCHMARKS_PROCESS_STATS_H_

#include <string>

namespace warpbeam {
namespace benchmarks {

// Seconds since the process was started: since the moment in the environment variable WB_SPAWN_NS
// (CLOCK_MONOTONIC, nanoseconds), which tools/bench sets as it starts a program; else by the
// kernel's record, which is good to 10 ms.
double SecondsSinceStart();

// A line of a process's status: "VmRSS:" is held now, "VmHWM:" the most there was. Of this process,
// or of the one of this number.
double ResidentMiB(const char* key, const std::string& process = "self");

// How many this process has.
int OpenFiles();
int Threads();

// CPU seconds of all threads, and how often one was taken off its core.
struct Usage {
  double cpu_seconds;
  double preemptions;
};
Usage CurrentUsage();

}  // namespace benchmarks
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BENCHMARKS_PROCESS_STATS_H_
