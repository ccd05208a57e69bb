// SimulationReport: what a simulated step says, for people and for programs.
//
//   simulator.Run(devices);
//   SimulationReport report = SimulationReport::Of(step, machine, simulator, devices);
//   std::cout << report.ToText();
//
// Times are in seconds, memory in bytes. In JSON: step_time_s, lower_bound_s, default_step_time_s
// after a search, devices (name, busy_s, busy_share, nodes, peak_bytes and what it is made of,
// resident_bytes, gradient_bytes, workspace_bytes and activation_bytes, memory_bytes,
// shares_memory), links (name, transfers, bytes, busy_s, busy_share, shares), critical_path (name,
// kind, where, start_s, seconds) and assumptions. `warpbeam simulate` adds compare (file,
// step_time_s, fits, nodes_elsewhere, nodes_missing, moves) and what_if (change and step_time_s and
// fits, or error).
//
// Thread safety: a value. Errors: none.
#ifndef WARPBEAM_PLACEMENT_SIMULATE_SIMULATION_REPORT_H_
#define WARPBEAM_PLACEMENT_SIMULATE_SIMULATION_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "placement/report.h"
#include "placement/simulate/simulator.h"

namespace warpbeam {

struct SimulationReport {
  struct Device {
    std::string name;
    int nodes = 0;
    double busy_s = 0;      // of its lanes together
    double busy_share = 0;  // of the step
    // Of the memory that it uses: CPUs of a task share one, whose figures each of them has.
    double peak_bytes = 0;
    double resident_bytes = 0;   // of it: variables and constants
    double gradient_bytes = 0;   // of it
    double workspace_bytes = 0;  // of it, as far as it was measured; the rest are activations
    int64_t memory_bytes = 0;    // that there are; 0: no limit is known
    std::string shares_memory;   // the device that it shares a memory with, if it is not the first
  };
  struct Link {
    std::string name;
    int transfers = 0;
    double bytes = 0;
    double busy_s = 0;
    double busy_share = 0;
    std::string shares;  // what it has in common with other links
  };
  struct PathItem {
    std::string name;  // of the node, or "node:output"
    bool is_transfer = false;
    std::string where;  // the device, or the link
    double start_s = 0;
    double seconds = 0;
  };

  double step_s = 0;
  double lower_bound_s = 0;
  double default_step_s = -1;  // of the placement that a search began with; -1: none did
  std::vector<Device> devices;
  std::vector<Link> links;               // those that were used
  std::vector<PathItem> critical_path;   // without what takes no time
  std::vector<std::string> assumptions;  // sentences

  static SimulationReport Of(const StepGraph& step, const Machine& machine,
                             const Simulator& simulator, Span<const int> devices);
  // Whether no memory needs more than it has, as far as limits are known.
  bool fits() const;
  std::string ToText() const;
  // `more` are further keys with their values, for whoever knows more of the step.
  std::string ToJson(const std::string& more = "") const;
};

// "1.5 MiB", of figures that were computed.
std::string AboutBytes(double bytes);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SIMULATE_SIMULATION_REPORT_H_
