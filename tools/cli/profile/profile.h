// What traced steps say of where their time went: by op, by copy and by device.
//
//   Profile p = ProfileOf({metadata.step_stats});
//   p.ops[0].op, p.devices[0].idle_ns
//   console.out << ProfileText(p, /*rows=*/10);
//
// Figures are averages over the steps. Thread safety: pure. Errors: none.
#ifndef WARPBEAM_TOOLS_CLI_PROFILE_PROFILE_H_
#define WARPBEAM_TOOLS_CLI_PROFILE_PROFILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/trace/step_stats.h"

namespace warpbeam {
namespace cli {

struct Profile {
  struct Op {
    std::string op;
    double count = 0;        // in a step
    double ns = 0;           // of all of them together
    double critical_ns = 0;  // of those on the critical path
  };
  struct CopyRow {
    std::string tensor;  // the node that made it
    std::string from, to;
    double count = 0;
    double bytes = 0;
    double ns = 0;
  };
  struct Device {
    std::string device;
    double nodes = 0;
    double busy_ns = 0;         // at least one node runs
    double overlap_ns = 0;      // of that: while another device is busy, too
    double idle_ns = 0;         // the rest of the step
    double copy_ns = 0;         // copies to or from it are under way
    double hidden_copy_ns = 0;  // of that: while it is busy
  };

  int steps = 0;
  double step_ns = 0;
  double critical_ns = 0;       // kernels and copies on the critical path
  std::vector<Op> ops;          // longest first
  std::vector<CopyRow> copies;  // most bytes first
  std::vector<Device> devices;  // by name
};

Profile ProfileOf(const std::vector<StepStats>& steps);

// The figures as tables, of at most `rows` ops and copies.
std::string ProfileText(const Profile& profile, int rows);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_PROFILE_PROFILE_H_
