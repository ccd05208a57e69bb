// When the towers of a step worked, and how long they did so at the same time, from what a traced
// step tells of its nodes.
//
//   TowerSpans spans = SpansOf(metadata.step_stats, {"tower_0/", "tower_1/"}, "/update_");
//   std::printf("%s", Describe(spans).c_str());
//
// Ownership: values. Thread safety: free functions. Errors: none; a tower of which no node ran has
// a span of 0.
#ifndef WARPBEAM_EXAMPLES_TOWER_SPANS_H_
#define WARPBEAM_EXAMPLES_TOWER_SPANS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/trace/step_stats.h"

namespace warpbeam {
namespace examples {

// Times are nanoseconds from the start of the step.
struct TowerSpan {
  std::string name;
  std::string device;  // of most of its nodes
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t busy_ns = 0;  // in which at least one of its kernels ran
};

struct TowerSpans {
  std::vector<TowerSpan> towers;
  // From the start of the last tower to begin to the end of the first to end; 0 where one ends
  // before another begins.
  int64_t spans_overlap_ns = 0;
  // In which kernels of at least two towers ran.
  int64_t kernels_overlap_ns = 0;
  int64_t first_update_ns = 0;
  int64_t last_update_ns = 0;
};

// The nodes of tower i are those whose names begin with prefixes[i], but for those that wait for
// input (dequeues); updates are those whose names contain `update`.
TowerSpans SpansOf(const StepStats& stats, const std::vector<std::string>& prefixes,
                   const std::string& update);
std::string Describe(const TowerSpans& spans);

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_TOWER_SPANS_H_
