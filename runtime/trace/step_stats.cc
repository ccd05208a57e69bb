#include "runtime/trace/step_stats.h"

#include <algorithm>
#include <numeric>

namespace warpbeam {

std::vector<int32_t> CriticalPath(const StepStats& stats) {
  const std::vector<NodeStats>& nodes = stats.nodes;
  const auto size = static_cast<int32_t>(nodes.size());
  std::vector<int32_t> by_end(nodes.size());
  std::iota(by_end.begin(), by_end.end(), 0);
  std::stable_sort(by_end.begin(), by_end.end(),
                   [&](int32_t a, int32_t b) { return nodes[a].end_ns < nodes[b].end_ns; });
  std::vector<int64_t> longest(nodes.size(), 0);  // of the chains that end with the node
  std::vector<int32_t> before(nodes.size(), -1);
  int32_t last = -1;
  for (const int32_t at : by_end) {
    for (const int32_t p : nodes[at].predecessors) {
      // Only what ended before: a path has no cycle, whatever the data says.
      if (p < 0 || p >= size || nodes[p].end_ns >= nodes[at].end_ns) continue;
      if (before[at] < 0 || longest[p] > longest[before[at]]) before[at] = p;
    }
    longest[at] = nodes[at].end_ns - nodes[at].start_ns;
    if (before[at] >= 0) longest[at] += longest[before[at]];
    if (last < 0 || longest[at] >= longest[last]) last = at;
  }
  std::vector<int32_t> path;
  for (int32_t at = last; at >= 0; at = before[at]) path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace warpbeam
