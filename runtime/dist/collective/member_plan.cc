#include "runtime/dist/collective/member_plan.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

using Action = MemberPlan::Action;

// TensorFlow's own measures: chunks begin where vectors of any width may, and are cut further
// where they are larger than this.
constexpr int64_t kChunkAlignment = 64;
constexpr int64_t kLargeChunk = 4 << 20;
constexpr int64_t kMostForDevice = 2;

// One more alignment than needed where the bytes are a multiple of it already, as on its tasks.
int64_t AlignedChunk(int64_t elements, int64_t element_bytes, int64_t chunks) {
  const int64_t even = (elements + chunks - 1) / chunks;
  const int64_t bytes = even * element_bytes;
  const int64_t added =
      bytes < kChunkAlignment ? kChunkAlignment - bytes : kChunkAlignment - bytes % kChunkAlignment;
  return even + added / element_bytes;
}

StatusOr<std::vector<int64_t>> SubdivisionOffsets(const MemberOrder& order,
                                                  const RingPieces& pieces) {
  if (!pieces.offsets.empty()) return pieces.offsets;
  if (pieces.most_for_device == -1) return std::vector<int64_t>{0};
  if (pieces.elements == 0) {
    return Internal("a tensor without elements is not to be subdivided (max_subdivs_per_device ",
                    pieces.most_for_device, ")");
  }
  const int64_t devices = order.size() / order.num_tasks();
  const int64_t for_device = pieces.most_for_device > 0 ? pieces.most_for_device : kMostForDevice;
  const int64_t most = for_device * devices;
  const int64_t bytes = pieces.elements * pieces.element_bytes;
  int64_t count = 1;
  while (bytes / (order.size() * count) > kLargeChunk && count < most) ++count;
  const int64_t stride = std::max<int64_t>(1, devices / count);
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < count; ++i) offsets.push_back(i % 2 == 1 ? -stride * i : stride * i);
  return offsets;
}

// The members in the order of one subdivision's ring: those of each task turned by the offset,
// backwards where it is negative.
std::vector<int> RingOf(const MemberOrder& order, int64_t offset) {
  std::vector<int> ring;
  int64_t before = 0;
  for (const int64_t devices : order.task_sizes) {
    for (int64_t i = 0; i < devices; ++i) {
      const int64_t turned = (i + std::abs(offset)) % devices;
      ring.push_back(static_cast<int>(before + (offset < 0 ? devices - 1 - turned : turned)));
    }
    before += devices;
  }
  return ring;
}

// A member's place in a ring.
struct RingPlace {
  int64_t place = 0, size = 0;
  int before = 0, after = 0;  // the members that it receives from and gives to

  RingPlace(const std::vector<int>& ring, int rank)
      : place(std::find(ring.begin(), ring.end(), rank) - ring.begin()),
        size(static_cast<int64_t>(ring.size())),
        before(ring[static_cast<size_t>(PlaceBefore(1))]),
        after(ring[static_cast<size_t>((place + 1) % size)]) {}
  int64_t PlaceBefore(int64_t steps) const { return (place + size - steps % size) % size; }
  // Whether the chunk's way round begins so many places after this one.
  bool IsBefore(int64_t chunk, int64_t steps) const {
    return place == (chunk + size - steps % size) % size;
  }
};

std::string RingKey(const std::string& execution, int pass, int64_t section, int64_t place) {
  return absl::StrCat(execution, ":", pass, ":", section, ":", place);
}

}  // namespace

StatusOr<MemberPlan> PlanReduce(const MemberOrder& order, int rank, const RingPieces& pieces,
                                const std::string& execution) {
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> offsets, SubdivisionOffsets(order, pieces));
  const auto subdivisions = static_cast<int64_t>(offsets.size());
  const int64_t size = order.size();
  const int64_t chunk_size =
      AlignedChunk(pieces.elements, pieces.element_bytes, size * subdivisions);
  MemberPlan plan;
  for (int64_t section = 0; section < size * subdivisions; ++section) {
    const int64_t chunk = section / subdivisions;
    const RingPlace ring(RingOf(order, offsets[static_cast<size_t>(section % subdivisions)]), rank);
    MemberPlan::Act act;
    act.offset = std::min(pieces.elements, section * chunk_size);
    act.count = std::min(pieces.elements - act.offset, chunk_size);
    if (act.count == 0 || size == 1) continue;
    MemberPlan::Chain& chain = plan.chains.emplace_back();
    const auto add = [&](Action action, int pass, int64_t from, int with) {
      act.action = action;
      act.keys = {RingKey(execution, pass, section, from)};
      act.ranks = {with};
      chain.push_back(act);
    };
    // Merged on the way: it begins with the member whose place is the chunk's, and the one before
    // that has all of it.
    const bool is_first = ring.place == chunk, is_last = ring.IsBefore(chunk, 1);
    if (!is_first) add(Action::kMerge, 0, ring.PlaceBefore(1), ring.before);
    if (is_last) chain.push_back({Action::kFinish, act.offset, act.count, {}, {}});
    if (!is_last) add(Action::kGive, 0, ring.place, ring.after);
    if (!is_last) add(Action::kReceive, 1, ring.PlaceBefore(1), ring.before);
    if (!ring.IsBefore(chunk, 2)) add(Action::kGive, 1, ring.place, ring.after);
  }
  return plan;
}

MemberPlan PlanGather(const MemberOrder& order, int rank, int64_t elements,
                      const std::string& execution) {
  MemberPlan plan;
  const RingPlace ring(RingOf(order, 0), rank);
  for (int64_t chunk = 0; chunk < order.size(); ++chunk) {
    if (elements == 0 || order.size() == 1) continue;
    MemberPlan::Chain& chain = plan.chains.emplace_back();
    const int64_t offset = chunk * elements;
    if (ring.place != chunk) {
      chain.push_back({Action::kReceive,
                       offset,
                       elements,
                       {RingKey(execution, 0, chunk, ring.PlaceBefore(1))},
                       {ring.before}});
    }
    if (!ring.IsBefore(chunk, 1)) {
      chain.push_back({Action::kGive,
                       offset,
                       elements,
                       {RingKey(execution, 0, chunk, ring.place)},
                       {ring.after}});
    }
  }
  return plan;
}

namespace {

// A binary tree over some members; the source is its root, wherever it stands.
struct BroadcastTree {
  std::vector<int> members;  // ranks in the group
  int source = 0;            // a place in `members`

  // Whom the one at a place receives from.
  int ParentOf(int place) const {
    if (source == 0) return (place - 1) / 2;
    const int parent = place / 2 - 1;
    return parent < 0 ? source : parent;
  }
  std::vector<int> ChildrenOf(int place) const {
    const auto size = static_cast<int>(members.size());
    std::vector<int> children;
    // A source that is not the first stands above the first two, too.
    if (place == source && source != 0) {
      children.push_back(0);
      if (size > 2 && source != 1) children.push_back(1);
    }
    const int first = source == 0 ? 2 * place + 1 : 2 * (place + 1);
    for (int child = first; child < first + 2; ++child) {
      if (child < size && child != source) children.push_back(child);
    }
    return children;
  }
};

// One over the tasks, of a device of each, and one within each task.
std::vector<BroadcastTree> TreesOf(const MemberOrder& order, int source) {
  std::vector<BroadcastTree> trees;
  BroadcastTree over_tasks;
  int before = 0;
  for (const int devices : order.task_sizes) {
    const bool has_source = source >= before && source < before + devices;
    if (has_source) over_tasks.source = static_cast<int>(over_tasks.members.size());
    over_tasks.members.push_back(has_source ? source : before);
    BroadcastTree& within = trees.emplace_back();
    within.source = has_source ? source - before : 0;
    for (int i = 0; i < devices; ++i) within.members.push_back(before + i);
    before += devices;
  }
  if (order.num_tasks() > 1) trees.insert(trees.begin(), std::move(over_tasks));
  return trees;
}

}  // namespace

MemberPlan PlanBroadcast(const MemberOrder& order, int rank, int source, int64_t elements,
                         const std::string& execution) {
  MemberPlan plan;
  MemberPlan::Chain& chain = plan.chains.emplace_back();
  const std::vector<BroadcastTree> trees = TreesOf(order, source);
  for (size_t number = 0; number < trees.size(); ++number) {
    const BroadcastTree& tree = trees[number];
    const auto found = std::find(tree.members.begin(), tree.members.end(), rank);
    if (found == tree.members.end()) continue;
    const auto place = static_cast<int>(found - tree.members.begin());
    const auto key = [&](int from, int to) {
      return absl::StrCat(execution, ":", number, ":", from, ":", to);
    };
    const auto rank_at = [&](int at) { return tree.members[static_cast<size_t>(at)]; };
    if (place != tree.source) {
      const int parent = tree.ParentOf(place);
      chain.push_back({Action::kReceive, 0, elements, {key(parent, place)}, {rank_at(parent)}});
    }
    MemberPlan::Act give{Action::kGive, 0, elements, {}, {}};
    for (const int child : tree.ChildrenOf(place)) {
      give.keys.push_back(key(place, child));
      give.ranks.push_back(rank_at(child));
    }
    if (!give.keys.empty()) chain.push_back(std::move(give));
  }
  return plan;
}

}  // namespace warpbeam
