#include "tools/cli/profile/profile.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace warpbeam {
namespace cli {
namespace {

using Spans = std::vector<std::pair<int64_t, int64_t>>;

// Spans that do not touch, in order, that cover what `spans` cover.
Spans Union(Spans spans) {
  std::sort(spans.begin(), spans.end());
  Spans merged;
  for (const auto& [begin, end] : spans) {
    if (end <= begin) continue;
    if (!merged.empty() && begin <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, end);
    } else {
      merged.emplace_back(begin, end);
    }
  }
  return merged;
}

double Length(const Spans& spans) {
  int64_t sum = 0;
  for (const auto& [begin, end] : spans) sum += end - begin;
  return static_cast<double>(sum);
}

// What two unions have in common.
double Shared(const Spans& a, const Spans& b) {
  int64_t sum = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum +=
        std::max<int64_t>(0, std::min(a[i].second, b[j].second) - std::max(a[i].first, b[j].first));
    (a[i].second < b[j].second ? i : j) += 1;
  }
  return static_cast<double>(sum);
}

class Profiler {
 public:
  void Add(const StepStats& stats) {
    ++profile_.steps;
    profile_.step_ns += static_cast<double>(stats.end_ns - stats.start_ns);
    const std::vector<int32_t> path = CriticalPath(stats);
    const std::set<int32_t> critical(path.begin(), path.end());
    std::map<absl::string_view, Spans> busy, copying;
    for (size_t i = 0; i < stats.nodes.size(); ++i) {
      const NodeStats& n = stats.nodes[i];
      const bool is_critical = critical.count(static_cast<int32_t>(i)) > 0;
      const auto ns = static_cast<double>(n.end_ns - n.start_ns);
      if (is_critical) profile_.critical_ns += ns;
      if (n.is_copy) {
        copying[n.device].emplace_back(n.start_ns, n.end_ns);
        Profile::CopyRow& copy = copies_[{n.node, n.copy_from, n.copy_to}];
        copy.count += 1;
        copy.bytes += static_cast<double>(n.output_bytes);
        copy.ns += ns;
        continue;
      }
      busy[n.device].emplace_back(n.start_ns, n.end_ns);
      devices_[n.device].nodes += 1;
      Profile::Op& op = ops_[n.op];
      op.count += 1;
      op.ns += ns;
      if (is_critical) op.critical_ns += ns;
    }
    AddDevices(stats, std::move(busy), std::move(copying));
  }

  Profile Take() {
    const double steps = std::max(1, profile_.steps);
    profile_.step_ns /= steps;
    profile_.critical_ns /= steps;
    for (auto& [name, op] : ops_) {
      profile_.ops.push_back(
          {std::string(name), op.count / steps, op.ns / steps, op.critical_ns / steps});
    }
    for (auto& [key, copy] : copies_) {
      const auto& [tensor, from, to] = key;
      profile_.copies.push_back({std::string(tensor), std::string(from), std::string(to),
                                 copy.count / steps, copy.bytes / steps, copy.ns / steps});
    }
    for (auto& [name, d] : devices_) {
      profile_.devices.push_back({std::string(name), d.nodes / steps, d.busy_ns / steps,
                                  d.overlap_ns / steps, d.idle_ns / steps, d.copy_ns / steps,
                                  d.hidden_copy_ns / steps});
    }
    std::stable_sort(profile_.ops.begin(), profile_.ops.end(),
                     [](const auto& a, const auto& b) { return a.ns > b.ns; });
    std::stable_sort(profile_.copies.begin(), profile_.copies.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return std::move(profile_);
  }

 private:
  void AddDevices(const StepStats& stats, std::map<absl::string_view, Spans> busy,
                  std::map<absl::string_view, Spans> copying) {
    for (auto& [device, spans] : copying) {
      spans = Union(std::move(spans));
      devices_[device].copy_ns += Length(spans);
    }
    for (auto& [device, spans] : busy) spans = Union(std::move(spans));
    for (auto& [device, totals] : devices_) {
      const Spans& own = busy[device];
      Spans others;
      for (const auto& [other, spans] : busy) {
        if (other != device) others.insert(others.end(), spans.begin(), spans.end());
      }
      totals.busy_ns += Length(own);
      totals.idle_ns += static_cast<double>(stats.end_ns - stats.start_ns) - Length(own);
      totals.overlap_ns += Shared(own, Union(std::move(others)));
      totals.hidden_copy_ns += Shared(own, copying[device]);
    }
  }

  // The keys are of the steps, which the caller keeps.
  Profile profile_;
  std::map<absl::string_view, Profile::Op> ops_;
  std::map<std::tuple<absl::string_view, absl::string_view, absl::string_view>, Profile::CopyRow>
      copies_;
  std::map<absl::string_view, Profile::Device> devices_;
};

std::string Place(const std::string& device) { return device.empty() ? "host memory" : device; }

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

}  // namespace

Profile ProfileOf(const std::vector<StepStats>& steps) {
  Profiler profiler;
  for (const StepStats& stats : steps) profiler.Add(stats);
  return profiler.Take();
}

std::string ProfileText(const Profile& profile, int rows) {
  std::string out = absl::StrFormat(
      "a step: %.1f us (average of %d), %.1f us of it in the nodes and copies of the critical "
      "path\n\ntop ops\n      us   count  critical us  op\n",
      profile.step_ns / 1000, profile.steps, profile.critical_ns / 1000);
  const size_t most = static_cast<size_t>(std::max(0, rows));
  for (size_t i = 0; i < std::min(most, profile.ops.size()); ++i) {
    const Profile::Op& op = profile.ops[i];
    absl::StrAppendFormat(&out, "%8.1f  %6.10g  %11.1f  %s\n", op.ns / 1000, op.count,
                          op.critical_ns / 1000, op.op);
  }
  if (!profile.copies.empty()) {
    absl::StrAppend(&out, "\ntop copies\n       bytes   count        us  tensor, from, to\n");
  }
  for (size_t i = 0; i < std::min(most, profile.copies.size()); ++i) {
    const Profile::CopyRow& copy = profile.copies[i];
    absl::StrAppendFormat(&out, "%12.0f  %6.10g  %8.1f  %s, %s -> %s\n", copy.bytes, copy.count,
                          copy.ns / 1000, copy.tensor, Place(copy.from), Place(copy.to));
  }
  absl::StrAppend(&out,
                  "\ndevices\n busy %  overlap %  idle %   busy us   idle us  copy us  (hidden)  "
                  "nodes  device\n");
  for (const Profile::Device& d : profile.devices) {
    absl::StrAppendFormat(&out, "%7.1f  %9.1f  %6.1f  %8.1f  %8.1f  %7.1f  %8.1f  %5.10g  %s\n",
                          Percent(d.busy_ns, profile.step_ns), Percent(d.overlap_ns, d.busy_ns),
                          Percent(d.idle_ns, profile.step_ns), d.busy_ns / 1000, d.idle_ns / 1000,
                          d.copy_ns / 1000, d.hidden_copy_ns / 1000, d.nodes, d.device);
  }
  return out;
}

}  // namespace cli
}  // namespace warpbeam
