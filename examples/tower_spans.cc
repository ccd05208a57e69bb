#include "examples/tower_spans.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace warpbeam {
namespace examples {
namespace {

using Interval = std::pair<int64_t, int64_t>;

// The same times without overlaps, in order.
std::vector<Interval> Merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<Interval> merged;
  for (const Interval& i : intervals) {
    if (merged.empty() || i.first > merged.back().second) {
      merged.push_back(i);
    } else {
      merged.back().second = std::max(merged.back().second, i.second);
    }
  }
  return merged;
}

int64_t Length(const std::vector<Interval>& intervals) {
  int64_t length = 0;
  for (const Interval& i : intervals) length += i.second - i.first;
  return length;
}

// How long at least two of the lists, each without overlaps, have an interval.
int64_t SharedTime(const std::vector<std::vector<Interval>>& lists) {
  std::vector<std::pair<int64_t, int>> changes;
  for (const auto& list : lists) {
    for (const Interval& i : list) {
      changes.emplace_back(i.first, 1);
      changes.emplace_back(i.second, -1);
    }
  }
  std::sort(changes.begin(), changes.end());
  int64_t shared = 0, since = 0;
  int active = 0;
  for (const auto& [time, change] : changes) {
    if (active >= 2) shared += time - since;
    since = time;
    active += change;
  }
  return shared;
}

bool IsOf(const NodeStats& node, const std::string& prefix) {
  return !node.is_copy && absl::StartsWith(node.node, prefix) &&
         !absl::StartsWith(node.op, "QueueDequeue");
}

std::string MostFrequent(const std::map<std::string, int>& counts) {
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::string() : most->first;
}

double Ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace

TowerSpans SpansOf(const StepStats& stats, const std::vector<std::string>& prefixes,
                   const std::string& update) {
  TowerSpans spans;
  std::vector<std::vector<Interval>> busy;
  for (const std::string& prefix : prefixes) {
    TowerSpan tower;
    tower.name = prefix;
    std::vector<Interval> intervals;
    std::map<std::string, int> devices;
    for (const NodeStats& node : stats.nodes) {
      if (!IsOf(node, prefix)) continue;
      intervals.emplace_back(node.start_ns - stats.start_ns, node.end_ns - stats.start_ns);
      ++devices[std::string(node.device)];
    }
    busy.push_back(Merged(std::move(intervals)));
    if (!busy.back().empty()) {
      tower.start_ns = busy.back().front().first;
      tower.end_ns = busy.back().back().second;
    }
    tower.busy_ns = Length(busy.back());
    tower.device = MostFrequent(devices);
    spans.towers.push_back(std::move(tower));
  }
  spans.kernels_overlap_ns = SharedTime(busy);
  if (spans.towers.size() > 1) {
    int64_t start = 0, end = std::numeric_limits<int64_t>::max();
    for (const TowerSpan& tower : spans.towers) {
      start = std::max(start, tower.start_ns);
      end = std::min(end, tower.end_ns);
    }
    spans.spans_overlap_ns = std::max<int64_t>(end - start, 0);
  }
  bool first = true;
  for (const NodeStats& node : stats.nodes) {
    if (node.is_copy || !absl::StrContains(node.node, update)) continue;
    const int64_t start = node.start_ns - stats.start_ns;
    spans.first_update_ns = first ? start : std::min(spans.first_update_ns, start);
    spans.last_update_ns = std::max(spans.last_update_ns, start);
    first = false;
  }
  return spans;
}

std::string Describe(const TowerSpans& spans) {
  std::string text = "tower      began at    ended at   kernels ran  device\n";
  int64_t shortest = std::numeric_limits<int64_t>::max(), last_end = 0;
  for (const TowerSpan& tower : spans.towers) {
    absl::StrAppendFormat(&text, "%-9s %7.2f ms  %7.2f ms  %9.2f ms  %s\n", tower.name,
                          Ms(tower.start_ns), Ms(tower.end_ns), Ms(tower.busy_ns), tower.device);
    shortest = std::min(shortest, tower.end_ns - tower.start_ns);
    last_end = std::max(last_end, tower.end_ns);
  }
  const double share = shortest > 0 ? 100.0 * spans.spans_overlap_ns / shortest : 0;
  absl::StrAppendFormat(&text, "the towers' spans overlap for %.2f ms, %.0f %% of the shortest\n",
                        Ms(spans.spans_overlap_ns), share);
  absl::StrAppendFormat(&text, "kernels of two towers ran at the same time for %.2f ms\n",
                        Ms(spans.kernels_overlap_ns));
  absl::StrAppendFormat(&text,
                        "the first update began at %.2f ms, the last at %.2f ms: %.2f ms after the "
                        "last tower ended\n",
                        Ms(spans.first_update_ns), Ms(spans.last_update_ns),
                        Ms(spans.last_update_ns - last_end));
  return text;
}

}  // namespace examples
}  // namespace warpbeam
