#include "runtime/effects/order_effects.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/part_order.h"
#include "runtime/effects/run_after.h"

namespace warpbeam {
namespace {

// A graph beyond that gets edges that it would not need.
constexpr int64_t kMaxVisits = 50'000'000;

class EffectOrder {
 public:
  explicit EffectOrder(GraphPart* part) : part_(*part) {}

  Status Run(std::vector<StepEffect>* effects) {
    FindEffects();
    if (effects_.empty() && draws_.empty()) return OkStatus();
    WB_RETURN_IF_ERROR(FindFrames());
    WB_RETURN_IF_ERROR(Sort());
    for (const NodeId id : order_) WB_RETURN_IF_ERROR(Place(id));
    WB_RETURN_IF_ERROR(AddEdges());
    WB_RETURN_IF_ERROR(NarrowLoops());
    Report(effects);
    return OkStatus();
  }

 private:
  // Who has last done what to one state; reads since the last write.
  struct Record {
    NodeId write = kNoNode, put = kNoNode, drain = kNoNode;
    std::vector<NodeId> reads;
  };

  void FindEffects() {
    const Graph& graph = *part_.graph;
    for (const NodeId id : part_.nodes) {
      const Node& node = graph.node(id);
      std::vector<Effect> effects = EffectsOf(graph, node);
      if (!effects.empty()) effects_.emplace(id, std::move(effects));
      if (DrawsNumbers(node.op())) draws_.insert(id);
    }
  }

  Status FindFrames() {
    has_branches_ = std::any_of(part_.nodes.begin(), part_.nodes.end(),
                                [&](NodeId id) { return IsControlFlow(part_.graph->node(id)); });
    if (!HasLoops(part_)) return OkStatus();
    WB_ASSIGN_OR_RETURN(frames_, FindLoopFrames(*part_.graph, part_.nodes, part_.feeds));
    for (const NodeId id : part_.nodes) {
      const Node& node = part_.graph->node(id);
      if (IsEnter(node)) enters_[FrameOf(id)].push_back(id);
      if (IsExit(node)) exits_[FrameOf(node.input(0).node)].push_back(id);
    }
    return OkStatus();
  }
  int32_t FrameOf(NodeId id) const { return frames_.frame_of.empty() ? 0 : frames_.frame_of[id]; }

  bool OnlyReads(NodeId id) const {
    const auto found = effects_.find(id);
    return found != effects_.end() &&
           std::all_of(found->second.begin(), found->second.end(),
                       [](const Effect& e) { return e.kind == StateEffect::kRead; });
  }

  // fn(node) for the nodes of the part that come before `id`.
  template <class Fn>
  void ForPredecessors(NodeId id, Fn fn) const {
    const Node& node = part_.graph->node(id);
    for (const OutputRef in : node.inputs()) {
      if (in.node == kNoNode || !in_part_[in.node] || fed_.contains(in)) continue;
      if (!IsLoopBackEdge(part_.graph->node(in.node), node)) fn(in.node);
    }
    for (const NodeId control : node.control_inputs()) {
      if (in_part_[control]) fn(control);
    }
    // What enters a loop may leave it through the back edges.
    if (enters_.empty() || !IsExit(node)) return;
    const auto enters = enters_.find(FrameOf(node.input(0).node));
    if (enters == enters_.end()) return;
    for (const NodeId enter : enters->second) fn(enter);
  }

  // A topological order in which reads come as early as they can, and in which the nodes of a loop
  // follow each other from its Enters to its Exits: then an edge from one loop to another, or
  // between a loop and a node outside of it, never leads back.
  Status Sort() {
    const auto size = static_cast<size_t>(part_.graph->num_nodes());
    fed_ = {part_.feeds.begin(), part_.feeds.end()};
    in_part_.assign(size, false);
    for (const NodeId id : part_.nodes) in_part_[id] = true;
    waits_.assign(size, 0);
    next_.assign(size, {});
    for (const NodeId id : part_.nodes) {
      const NodeId first = FirstToWait(id);
      ForPredecessors(id, [&](NodeId before) {
        next_[before].push_back(first);
        ++waits_[first];
      });
    }
    ready_.assign(std::max<size_t>(frames_.frames.size(), 1), {});
    for (const NodeId id : part_.nodes) {
      if (waits_[id] == 0 && FirstToWait(id) == id) ready_[OuterFrameOf(id)].insert(Turn(id));
    }
    position_.assign(size, -1);
    SortFrame(0);
    for (const NodeId id : part_.nodes) {
      if (position_[id] >= 0) continue;
      return FailedPrecondition(
          "a deterministic session must know which of two loops comes first: ",
          DescribeNode(part_.graph->node(id)),
          " is in a loop, or behind one, that waits for another loop and is "
          "waited for by it");
    }
    extra_.assign(size, {});
    reached_.assign(size, kNoNode);
    return OkStatus();
  }
  // A loop begins when all that enters it has come: its first Enter waits for all of them.
  NodeId FirstToWait(NodeId id) const {
    return IsEnter(part_.graph->node(id)) ? enters_.at(FrameOf(id)).front() : id;
  }
  // The frame that a node's place in the order is in: a loop's borders are around it.
  int32_t OuterFrameOf(NodeId id) const {
    const int32_t frame = FrameOf(id);
    return IsEnter(part_.graph->node(id)) ? frames_.frames[frame].parent : frame;
  }
  std::pair<bool, NodeId> Turn(NodeId id) const { return {!OnlyReads(id), id}; }

  // All that is ready in a frame, or becomes ready by it.
  void SortFrame(int32_t frame) {
    while (!ready_[frame].empty()) {
      const NodeId id = ready_[frame].begin()->second;
      ready_[frame].erase(ready_[frame].begin());
      if (!IsEnter(part_.graph->node(id))) {
        Append(id);
        continue;
      }
      const int32_t loop = FrameOf(id);
      for (const NodeId enter : enters_.at(loop)) Append(enter);
      SortFrame(loop);
      const auto exits = exits_.find(loop);
      if (exits == exits_.end()) continue;
      for (const NodeId exit : exits->second) {
        if (ready_[frame].erase(Turn(exit)) != 0) Append(exit);
      }
    }
  }
  void Append(NodeId id) {
    position_[id] = static_cast<int32_t>(order_.size());
    order_.push_back(id);
    for (const NodeId after : next_[id]) {
      if (--waits_[after] == 0) ready_[OuterFrameOf(after)].insert(Turn(after));
    }
  }

  static void AddPredecessors(const Record& r, StateEffect kind, std::set<NodeId>* before) {
    const bool puts = kind == StateEffect::kFill || kind == StateEffect::kEnd;
    before->insert(r.write);
    if (kind != StateEffect::kDrain) before->insert(r.put);
    if (!puts) before->insert(r.drain);
    if (kind != StateEffect::kRead) before->insert(r.reads.begin(), r.reads.end());
  }

  static void Take(NodeId id, StateEffect kind, Record* r) {
    switch (kind) {
      case StateEffect::kNone:
        break;
      case StateEffect::kRead:
      case StateEffect::kLookUp:
        r->reads.push_back(id);
        break;
      case StateEffect::kWrite:
      case StateEffect::kSum:
        *r = Record();
        r->write = id;
        break;
      case StateEffect::kDrain:
        r->drain = id;
        break;
      case StateEffect::kFill:
      case StateEffect::kEnd:
        r->put = id;
        break;
    }
  }

  // Puts the node behind those before it that its effects meet.
  Status Place(NodeId id) {
    const auto found = effects_.find(id);
    if (found == effects_.end()) return OkStatus();
    std::set<NodeId> before;
    for (const Effect& e : found->second) {
      if (e.state == kAnyState) {
        for (const auto& [state, record] : records_) {
          if (state != kFiles) AddPredecessors(record, e.kind, &before);
        }
      } else {
        AddPredecessors(records_[e.state], e.kind, &before);
        if (e.state != kFiles) AddPredecessors(records_[kAnyState], e.kind, &before);
      }
    }
    before.erase(kNoNode);
    before.erase(id);
    WB_RETURN_IF_ERROR(Connect({before.begin(), before.end()}, id));
    for (const Effect& e : found->second) Take(id, e.kind, &records_[e.state]);
    return OkStatus();
  }

  // Marks what comes before `from`, no further back than `limit`.
  void Reach(NodeId from, NodeId mark, int32_t limit) {
    std::vector<NodeId> todo = {from};
    const auto visit = [&](NodeId id) {
      if (++visits_ > kMaxVisits || reached_[id] == mark || position_[id] < limit) return;
      reached_[id] = mark;
      todo.push_back(id);
    };
    while (!todo.empty()) {
      const NodeId id = todo.back();
      todo.pop_back();
      ForPredecessors(id, visit);
      for (const NodeId b : extra_[id]) visit(b);
    }
  }

  Status Connect(std::vector<NodeId> before, NodeId id) {
    if (before.empty()) return OkStatus();
    std::sort(before.begin(), before.end(),
              [&](NodeId a, NodeId b) { return position_[a] > position_[b]; });
    const int32_t limit = position_[before.back()];
    Reach(id, id, limit);
    for (const NodeId b : before) {
      if (reached_[b] == id) continue;
      if (FrameOf(b) != FrameOf(id)) {
        WB_RETURN_IF_ERROR(ConnectLoops(b, id));
      } else {
        AddEdge(b, id);
      }
      reached_[b] = id;
      Reach(b, id, limit);
    }
    return OkStatus();
  }
  void AddEdge(NodeId before, NodeId after) {
    extra_[after].push_back(before);
    edges_.emplace_back(before, after);
  }

  // Two nodes of different frames stand for the loops that they are in, below the frame that holds
  // both: one loop ends before the other, or before the other node, begins. With iterations that do
  // not overlap, the first Exit comes when the last iteration is over.
  struct Unit {
    std::vector<NodeId> first, last;
  };
  Unit UnitOf(NodeId id, int32_t common) const {
    int32_t frame = FrameOf(id);
    if (frame == common) return {{id}, {id}};
    while (frames_.frames[frame].parent != common) frame = frames_.frames[frame].parent;
    const auto enters = enters_.find(frame), exits = exits_.find(frame);
    return {enters == enters_.end() ? std::vector<NodeId>() : enters->second,
            exits == exits_.end() ? std::vector<NodeId>() : exits->second};
  }
  int32_t CommonFrame(NodeId a, NodeId b) const {
    std::set<int32_t> above = {0};
    for (int32_t f = FrameOf(a); f != 0; f = frames_.frames[f].parent) above.insert(f);
    int32_t frame = FrameOf(b);
    while (above.count(frame) == 0) frame = frames_.frames[frame].parent;
    return frame;
  }

  // Which of `later` come after none of `earlier`.
  std::vector<NodeId> Unordered(const std::vector<NodeId>& earlier,
                                const std::vector<NodeId>& later) {
    std::vector<NodeId> unordered;
    for (const NodeId id : later) {
      absl::flat_hash_set<NodeId> seen = {id};
      std::vector<NodeId> todo = {id};
      const auto visit = [&](NodeId before) {
        if (seen.insert(before).second) todo.push_back(before);
      };
      while (!todo.empty()) {
        const NodeId at = todo.back();
        todo.pop_back();
        ForPredecessors(at, visit);
        for (const NodeId b : extra_[at]) visit(b);
      }
      if (std::none_of(earlier.begin(), earlier.end(),
                       [&](NodeId e) { return seen.contains(e); })) {
        unordered.push_back(id);
      }
    }
    return unordered;
  }

  Status ConnectLoops(NodeId b, NodeId id) {
    const int32_t common = CommonFrame(b, id);
    const Unit one = UnitOf(b, common), other = UnitOf(id, common);
    if (one.last.empty() || one.first.empty() || other.last.empty() || other.first.empty()) {
      return FailedPrecondition(
          "a deterministic session must know which comes first: ",
          DescribeNode(part_.graph->node(b)), " and ", DescribeNode(part_.graph->node(id)),
          " touch the same state, and the loop of one of them has no end; order them by a control "
          "dependency");
    }
    for (const NodeId to : Unordered(one.last, other.first)) AddEdge(one.last[0], to);
    return OkStatus();
  }

  Status AddEdges() {
    std::stable_sort(edges_.begin(), edges_.end(), [&](const auto& a, const auto& b) {
      return position_[a.second] < position_[b.second];
    });
    for (size_t i = 0; i < edges_.size();) {
      const NodeId id = edges_[i].second;
      std::vector<NodeId> before;
      for (; i < edges_.size() && edges_[i].second == id; ++i) before.push_back(edges_[i].first);
      for (const NodeId b : before) {
        absl::StrAppend(&part_.notes, "# ", part_.graph->node(b).name(), " before ",
                        part_.graph->node(id).name(), "\n");
      }
      WB_RETURN_IF_ERROR(RunAfter(&part_, id, std::move(before), has_branches_));
    }
    return OkStatus();
  }

  Status NarrowLoops() {
    if (frames_.frames.empty()) return OkStatus();
    std::set<int32_t> narrow;
    const auto add = [&](NodeId id) {
      for (int32_t f = FrameOf(id); f != 0; f = frames_.frames[f].parent) narrow.insert(f);
    };
    for (const auto& [id, effects] : effects_) {
      if (!OnlyReads(id)) add(id);
    }
    for (const NodeId id : draws_) add(id);
    for (const NodeId id : part_.nodes) {
      if (!IsEnter(part_.graph->node(id)) || narrow.count(FrameOf(id)) == 0) continue;
      WB_RETURN_IF_ERROR(part_.Edit().SetAttr(id, "parallel_iterations", int64_t{1}));
    }
    return OkStatus();
  }

  void Report(std::vector<StepEffect>* effects) const {
    for (const NodeId id : order_) {
      const std::string& name = part_.graph->node(id).name();
      if (const auto found = effects_.find(id); found != effects_.end()) {
        for (const Effect& e : found->second) effects->push_back({name, e});
      }
      if (draws_.count(id) == 0) continue;
      effects->push_back({name, {absl::StrCat("(numbers of ", name, ")"), StateEffect::kWrite}});
    }
  }

  GraphPart& part_;
  std::map<NodeId, std::vector<Effect>> effects_;
  std::set<NodeId> draws_;
  bool has_branches_ = false;
  LoopFrames frames_;                                      // empty: no loops
  std::map<int32_t, std::vector<NodeId>> enters_, exits_;  // by frame
  absl::flat_hash_set<OutputRef> fed_;
  std::vector<bool> in_part_;
  std::vector<int32_t> waits_;             // by node: how many before it are not in order_
  std::vector<std::vector<NodeId>> next_;  // by node: those that wait for it
  std::vector<std::set<std::pair<bool, NodeId>>> ready_;  // by frame: those that wait for nobody
  std::vector<NodeId> order_;
  std::vector<int32_t> position_;           // by node
  std::vector<std::vector<NodeId>> extra_;  // by node: where edges come from that are to be added
  std::vector<NodeId> reached_;             // by node: from which node it was last reached
  std::vector<std::pair<NodeId, NodeId>> edges_;
  std::map<std::string, Record> records_;  // by state
  int64_t visits_ = 0;
};

}  // namespace

Status OrderEffects(GraphPart* part, std::vector<StepEffect>* effects) {
  return EffectOrder(part).Run(effects);
}

}  // namespace warpbeam
