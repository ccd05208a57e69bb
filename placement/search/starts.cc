#include "placement/search/starts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

// So many devices are each tried alone, whatever others are like.
constexpr int kEachAlone = 64;

class StartMaker {
 public:
  StartMaker(const StepGraph& step, const Machine& machine, const MovableGroups& groups)
      : step_(step), machine_(machine), groups_(groups) {
    group_of_.resize(step.num_nodes());
    for (int g = 0; g < groups.size(); ++g) {
      for (int k : groups.members[g]) group_of_[k] = g;
    }
  }

  std::vector<StartPlacement> Make() const {
    std::vector<StartPlacement> starts = {{"default", groups_.device}};
    std::set<std::pair<int, int64_t>> kinds;
    for (int d = 0; d < machine_.num_devices(); ++d) {
      // Of very many devices, one of those that are alike stands for all of them.
      const bool is_new = kinds.insert({step_.kind(d), machine_.device(d).memory_bytes}).second;
      if (d >= kEachAlone && !is_new) continue;
      starts.push_back({absl::StrCat("all on ", machine_.device(d).name.ToString()), AllOn(d)});
    }
    if (machine_.num_devices() == 1) return starts;
    starts.push_back({"slices of equal work", Slices([&](int k) { return Fastest(k); })});
    starts.push_back({"slices of equal memory", Slices([&](int k) { return Bytes(k); })});
    starts.push_back({"earliest finish", EarliestFinish()});
    return starts;
  }

 private:
  bool IsAllowed(int group, int device) const {
    const std::vector<int>& allowed = groups_.allowed[group];
    return std::binary_search(allowed.begin(), allowed.end(), device);
  }
  double Fastest(int k) const {
    double seconds = std::numeric_limits<double>::infinity();
    for (int d = 0; d < machine_.num_devices(); ++d) {
      seconds = std::min(seconds, step_.Seconds(k, d));
    }
    return std::isinf(seconds) ? 0 : seconds;
  }
  double Bytes(int k) const {
    double bytes = step_.state_bytes(k);
    for (int o = step_.first_output(k); o < step_.end_output(k); ++o) {
      bytes += step_.output(o).bytes;
    }
    return bytes;
  }

  std::vector<int> AllOn(int device) const {
    std::vector<int> devices = groups_.device;
    for (int g = 0; g < groups_.size(); ++g) {
      if (!groups_.members[g].empty() && IsAllowed(g, device)) devices[g] = device;
    }
    return devices;
  }

  // The groups in the order of the step, as many to each device as its part of the weight.
  template <class Weight>
  std::vector<int> Slices(Weight weight) const {
    std::vector<double> of_group(groups_.size(), 0);
    double total = 0;
    for (int k = 0; k < step_.num_nodes(); ++k) {
      of_group[group_of_[k]] += weight(k);
      total += weight(k);
    }
    std::vector<int> devices = groups_.device;
    std::vector<bool> seen(groups_.size(), false);
    double sum = 0;
    for (int k : step_.order()) {
      const int g = group_of_[k];
      if (seen[g]) continue;
      seen[g] = true;
      const double share = total > 0 ? (sum + of_group[g] / 2) / total : 0;
      const int device =
          std::min(machine_.num_devices() - 1, static_cast<int>(share * machine_.num_devices()));
      if (IsAllowed(g, device)) devices[g] = device;
      sum += of_group[g];
    }
    return devices;
  }

  // The longest way from the node's start to the step's end, each node where it is fastest.
  std::vector<double> Ranks() const {
    std::vector<double> rank(step_.num_nodes(), 0);
    for (size_t i = step_.order().size(); i-- > 0;) {
      const int k = step_.order()[i];
      for (int o = step_.first_output(k); o < step_.end_output(k); ++o) {
        for (const StepGraph::Use& use : step_.uses(o)) {
          rank[k] = std::max(rank[k], rank[use.node]);
        }
      }
      for (int reader : step_.control_uses(k)) rank[k] = std::max(rank[k], rank[reader]);
      rank[k] += Fastest(k);
    }
    return rank;
  }

  // What is furthest from the end first, where it finishes first, as HEFT does (Topcuoglu, Hariri
  // and Wu, 2002); a group goes where its first node does.
  std::vector<int> EarliestFinish() const {
    const std::vector<double> rank = Ranks();
    std::vector<int> order = step_.order();
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank[a] > rank[b]; });
    std::vector<int> devices(groups_.size(), -1);
    std::vector<double> finish(step_.num_nodes(), 0), control(step_.num_nodes(), 0);
    std::vector<double> free(machine_.num_devices(), 0);
    for (int k : order) {
      const int g = group_of_[k];
      const std::vector<int> only = {devices[g]};
      const std::vector<int>& candidates = devices[g] >= 0 ? only : groups_.allowed[g];
      double best = std::numeric_limits<double>::infinity();
      int where = groups_.device[g];
      for (int d : candidates) {
        double start = std::max(control[k], free[d]);
        for (int i = step_.first_input(k); i < step_.end_input(k); ++i) {
          start = std::max(start, Arrival(i, d, devices, finish));
        }
        const double end = start + step_.Seconds(k, d);
        if (end < best) {
          best = end;
          where = d;
        }
      }
      devices[g] = where;
      finish[k] = best;
      if (step_.Seconds(k, where) > 0) free[where] = best;
      for (int reader : step_.control_uses(k)) control[reader] = std::max(control[reader], best);
    }
    for (int g = 0; g < groups_.size(); ++g) {
      if (devices[g] < 0) devices[g] = groups_.device[g];
    }
    return devices;
  }

  double Arrival(int input, int device, const std::vector<int>& devices,
                 const std::vector<double>& finish) const {
    const int o = step_.input(input).output;
    if (o < 0 || step_.output(o).producer < 0) return 0;
    const StepGraph::Output& output = step_.output(o);
    const int maker = devices[group_of_[output.producer]];
    if (maker < 0 || output.is_free_to_copy) return finish[output.producer];
    const int from = output.on_host ? machine_.host_of(maker) : machine_.memory_of(maker);
    const int to =
        step_.input(input).on_host ? machine_.host_of(device) : machine_.memory_of(device);
    if (from == to) return finish[output.producer];
    return finish[output.producer] + machine_.route(from, to).Seconds(output.bytes);
  }

  const StepGraph& step_;
  const Machine& machine_;
  const MovableGroups& groups_;
  std::vector<int> group_of_;  // by node of the step
};

}  // namespace

std::vector<StartPlacement> StartPlacements(const StepGraph& step, const Machine& machine,
                                            const MovableGroups& groups) {
  return StartMaker(step, machine, groups).Make();
}

}  // namespace warpbeam
