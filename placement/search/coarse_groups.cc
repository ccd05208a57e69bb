#include "placement/search/coarse_groups.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace warpbeam {
namespace {

// A joint group is at most so many times as large as groups would be on the average.
constexpr double kMostUneven = 2;

bool Matters(const StepGraph& step, const std::vector<int>& members) {
  return std::any_of(members.begin(), members.end(), [&](int k) {
    return !step.is_source(k) || step.state_bytes(k) > 0 || step.cost(k).is_work();
  });
}

class Coarsener {
 public:
  Coarsener(const StepGraph& step, const MovableGroups& groups, int most)
      : step_(step), groups_(groups), most_(most) {
    coarse_.resize(groups.size());
    std::iota(coarse_.begin(), coarse_.end(), 0);
    seconds_.resize(groups.size());
    for (int g = 0; g < groups.size(); ++g) {
      movable_.push_back(groups.allowed[g].size() > 1 && Matters(step, groups.members[g]));
      for (int k : groups.members[g]) {
        if (!step.is_source(k)) seconds_[g] += step.Seconds(k, groups.device[g]);
      }
      // What takes no time has its weight, too, or all of it would become one group.
      seconds_[g] = std::max(seconds_[g], std::numeric_limits<double>::min());
      if (movable_[g]) ++left_;
      total_ += movable_[g] ? seconds_[g] : 0;
    }
  }

  CoarseGroups Make() {
    while (left_ > most_ && Join()) {
    }
    return Number();
  }

 private:
  struct Edge {
    int a, b;
    double bytes;
  };

  // Edges between groups as they are now, by group.
  std::vector<std::vector<std::pair<int, double>>> Neighbours() const {
    std::vector<int> group_of(step_.num_nodes());
    for (int g = 0; g < groups_.size(); ++g) {
      for (int k : groups_.members[g]) group_of[k] = coarse_[g];
    }
    std::vector<Edge> edges;
    for (int o = 0; o < step_.first_feed(); ++o) {
      const int a = group_of[step_.output(o).producer];
      if (!movable_[a]) continue;
      for (const StepGraph::Use& use : step_.uses(o)) {
        const int b = group_of[use.node];
        if (a == b || !movable_[b]) continue;
        edges.push_back({std::min(a, b), std::max(a, b), step_.output(o).bytes + 1});
      }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
      return std::pair(x.a, x.b) < std::pair(y.a, y.b);
    });
    std::vector<std::vector<std::pair<int, double>>> neighbours(groups_.size());
    for (size_t i = 0; i < edges.size();) {
      double bytes = 0;
      size_t end = i;
      for (; end < edges.size() && edges[end].a == edges[i].a && edges[end].b == edges[i].b;
           ++end) {
        bytes += edges[end].bytes;
      }
      neighbours[edges[i].a].push_back({edges[i].b, bytes});
      neighbours[edges[i].b].push_back({edges[i].a, bytes});
      i = end;
    }
    return neighbours;
  }

  bool MayJoin(int a, int b, double most_seconds) const {
    return groups_.allowed[a] == groups_.allowed[b] && groups_.device[a] == groups_.device[b] &&
           seconds_[a] + seconds_[b] <= most_seconds;
  }

  // One round, in which each group joins at most one other; false where nothing could.
  bool Join() {
    const auto neighbours = Neighbours();
    const double most_seconds = kMostUneven * total_ / most_;
    std::vector<int> joined(groups_.size(), -1);
    std::vector<int> lonely;
    bool any = false;
    const auto join = [&](int a, int b) {
      const int root = std::min(a, b), other = std::max(a, b);
      joined[root] = root;
      joined[other] = root;
      seconds_[root] += seconds_[other];
      movable_[other] = false;
      --left_;
      any = true;
    };
    for (int g = 0; g < groups_.size() && left_ > most_; ++g) {
      if (coarse_[g] != g || !movable_[g] || joined[g] >= 0) continue;
      int best = -1;
      double best_bytes = 0;
      for (const auto& [other, bytes] : neighbours[g]) {
        if (joined[other] >= 0 || bytes <= best_bytes || !MayJoin(g, other, most_seconds)) continue;
        best = other;
        best_bytes = bytes;
      }
      if (best >= 0) {
        join(g, best);
      } else if (neighbours[g].empty()) {
        lonely.push_back(g);
      }
    }
    for (size_t i = 0; i + 1 < lonely.size() && left_ > most_; i += 2) {
      if (MayJoin(lonely[i], lonely[i + 1], most_seconds)) join(lonely[i], lonely[i + 1]);
    }
    for (int& coarse : coarse_) {
      if (joined[coarse] >= 0) coarse = joined[coarse];
    }
    return any;
  }

  CoarseGroups Number() const {
    CoarseGroups made;
    std::vector<int> number(groups_.size(), -1);
    for (int g = 0; g < groups_.size(); ++g) {
      const int root = coarse_[g];  // the lowest of its group, so it is numbered first
      if (root == g) {
        number[g] = made.groups.size();
        made.groups.device.push_back(groups_.device[g]);
        made.groups.allowed.push_back(groups_.allowed[g]);
        made.groups.members.emplace_back();
      }
      made.coarse_of.push_back(number[root]);
      std::vector<int>& members = made.groups.members[number[root]];
      members.insert(members.end(), groups_.members[g].begin(), groups_.members[g].end());
    }
    for (int g : groups_.group_of) made.groups.group_of.push_back(made.coarse_of[g]);
    return made;
  }

  const StepGraph& step_;
  const MovableGroups& groups_;
  const int most_;
  std::vector<int> coarse_;  // by group: the lowest of those that it has joined
  // Of those that are the lowest.
  std::vector<bool> movable_;
  std::vector<double> seconds_;
  double total_ = 0;
  int left_ = 0;
};

}  // namespace

CoarseGroups CoarseGroups::Of(const StepGraph& step, const MovableGroups& groups, int most) {
  return Coarsener(step, groups, most).Make();
}

int CoarseGroups::CountMovable(const StepGraph& step, const MovableGroups& groups) {
  int count = 0;
  for (int g = 0; g < groups.size(); ++g) {
    count += groups.allowed[g].size() > 1 && Matters(step, groups.members[g]) ? 1 : 0;
  }
  return count;
}

std::vector<int> CoarseGroups::Fine(const std::vector<int>& devices) const {
  std::vector<int> fine;
  fine.reserve(coarse_of.size());
  for (int coarse : coarse_of) fine.push_back(devices[coarse]);
  return fine;
}

}  // namespace warpbeam
