#include "runtime/trace/step_stats.h"

#include <algorithm>

namespace warpbeam {

std::vector<int32_t> CriticalPath(const StepStats& stats) {
  std::vector<int32_t> path;
  const auto ends_earlier = [&](int32_t a, int32_t b) {
    return stats.nodes[a].end_ns < stats.nodes[b].end_ns;
  };
  int32_t at = -1;
  for (size_t i = 0; i < stats.nodes.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    if (at < 0 || ends_earlier(at, index)) at = index;
  }
  while (at >= 0) {
    path.push_back(at);
    int32_t next = -1;
    for (int32_t p : stats.nodes[at].predecessors) {
      // Only what ended before: a path has no cycle, whatever the data says.
      if (p < 0 || p >= static_cast<int32_t>(stats.nodes.size()) || !ends_earlier(p, at)) continue;
      if (next < 0 || ends_earlier(next, p)) next = p;
    }
    at = next;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace warpbeam
