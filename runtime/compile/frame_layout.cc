#include "runtime/compile/frame_layout.h"

#include <algorithm>
#include <utility>

#include "graph/node_roles.h"
#include "runtime/compile/straight_layout.h"
#include "runtime/plan/item_cost.h"

namespace warpbeam {
namespace {

constexpr int32_t kNoItem = -1;

class FrameLayer {
 public:
  FrameLayer(const LoopFrames& loops, const std::vector<ItemCost>& costs,
             const absl::flat_hash_set<int32_t>& kept, Plan* plan)
      : loops_(loops),
        costs_(costs),
        kept_(kept),
        plan_(*plan),
        program_(plan->program),
        frames_(*plan->program.frames),
        num_items_(static_cast<int32_t>(plan->program.items.size())),
        output_frame_(plan->program.items.size(), 0),
        slot_frame_(plan->program.num_slots, 0),
        producer_(plan->program.num_slots, kNoItem),
        source_(plan->program.num_slots, kNoItem),
        local_(plan->program.num_slots, 0) {}

  Status Run() {
    AddFrames();
    for (int32_t i = 0; i < num_items_; ++i) PlaceItem(i);
    WB_RETURN_IF_ERROR(AddEdges());
    AddReaders();
    AddStraightLoops();
    Renumber();
    ChooseHomeLane();
    return OkStatus();
  }

 private:
  void AddFrames() {
    for (const LoopFrames::Frame& f : loops_.frames) {
      FrameLayout layout;
      layout.parent = f.parent;
      layout.name = f.name;
      if (f.enter != kNoNode) {
        const auto& attrs = plan_.facts.graph->node(f.enter).attrs();
        const int64_t wanted = attrs.GetOr<int64_t>("parallel_iterations", 10);
        layout.parallel_iterations =
            static_cast<int32_t>(std::min<int64_t>(std::max<int64_t>(wanted, 1), 1 << 30));
        layout.child_index = frames_.frames[f.parent].num_children++;
      }
      frames_.frames.push_back(std::move(layout));
    }
  }

  static FrameKind KindOf(const PlanItem& item, const Node& node) {
    if (!item.is_node()) return FrameKind::kCompute;
    if (item.constants != nullptr) return FrameKind::kConstant;
    if (item.kind == ItemKind::kMerge) return FrameKind::kMerge;
    if (item.kind == ItemKind::kSwitch)
      return IsSwitch(node) ? FrameKind::kSwitch : FrameKind::kCompute;
    if (IsHandOn(node) || IsLoopCond(node)) return FrameKind::kHandOn;
    if (IsExit(node)) return FrameKind::kExit;
    if (IsNextIteration(node)) return FrameKind::kNextIteration;
    if (!IsEnter(node)) return FrameKind::kCompute;
    const bool is_constant = node.attrs().GetOr<bool>("is_constant", false);
    return is_constant ? FrameKind::kConstantEnter : FrameKind::kEnter;
  }

  int32_t FrameLeftBy(const Node& exit) const { return loops_.frame_of[exit.input(0).node]; }

  // The item's frames, kind and state, and the frames of the slots that it writes.
  void PlaceItem(int32_t i) {
    const PlanItem& item = program_.items[i];
    const Node& node = plan_.facts.graph->node(item.node);
    FrameItem f;
    f.kind = KindOf(item, node);
    f.always_alive = item.kind == ItemKind::kFetch || item.kind == ItemKind::kSend ||
                     (node.role() == OpRole::kTrigger && item.is_node());
    f.num_data_inputs = item.info.num_inputs;
    if (f.kind == FrameKind::kExit) f.exit = frames_.frames[FrameLeftBy(node)].num_exits++;
    if (costs_[i].grows_with_inputs() && f.kind == FrameKind::kCompute) {
      f.ns_per_element = CostPerElementNs(node.op());
    }
    f.leads_in = IsEnter(node) && !item.is_border();
    if (item.is_border()) {
      output_frame_[i] = f.frame = 0;
    } else if (item.is_copy()) {
      f.frame = slot_frame_[item.derefs.empty() ? program_.input_slots[item.input_begin]
                                                : program_.derefs[item.derefs.begin].ref];
      output_frame_[i] = f.frame;
    } else {
      const int32_t outside = loops_.frame_of[item.node];
      output_frame_[i] = outside;
      f.frame = f.kind == FrameKind::kExit ? FrameLeftBy(node) : outside;
      if (f.kind == FrameKind::kEnter || f.kind == FrameKind::kConstantEnter) {
        f.enters = outside;
        f.frame = loops_.frames[outside].parent;
        FrameLayout& entered = frames_.frames[outside];
        ++entered.num_enters;
        entered.enters.push_back(i);
      }
    }
    std::vector<ItemState>& states = frames_.frames[f.frame].states;
    f.index = static_cast<int32_t>(states.size());
    states.emplace_back();
    for (int32_t o = 0; o < item.info.num_outputs; ++o) {
      slot_frame_[item.info.output_start + o] = output_frame_[i];
      producer_[item.info.output_start + o] = i;
    }
    for (int32_t d = item.derefs.begin; d < item.derefs.end; ++d) {
      const Deref& deref = program_.derefs[d];
      if (deref.scratch < 0) continue;
      slot_frame_[deref.scratch] = f.frame;
      source_[deref.scratch] = deref.ref;
    }
    frames_.items.push_back(f);
  }

  ItemState& StateOf(int32_t item) {
    return frames_.frames[frames_.items[item].frame].states[frames_.items[item].index];
  }

  Status AddEdges() {
    std::vector<std::vector<FrameEdge>> edges(num_items_);
    std::vector<int32_t> last_waiter(num_items_, kNoItem);  // that has an edge from the item
    for (int32_t i = 0; i < num_items_; ++i) {
      const bool is_merge = frames_.items[i].kind == FrameKind::kMerge;
      ItemState& state = StateOf(i);
      state.pending = is_merge ? 1 : 0;
      std::vector<int32_t> before;
      WB_RETURN_IF_ERROR(AddDataEdges(i, &edges, &before));
      const Range controls = program_.items[i].dead_preds;
      for (int32_t c = controls.begin; c < controls.end; ++c) {
        before.push_back(program_.item_lists[c]);
        edges[before.back()].push_back({i, -1, -1});
        state.pending += is_merge ? 2 : 1;
      }
      for (int32_t p : before) last_waiter[p] = i;
      // What else it is ordered after: reads that are repeated later.
      for (int32_t p : plan_.facts.edges.of(i)) {
        if (last_waiter[p] == i) continue;
        edges[p].push_back({i, -1, -1});
        state.pending += is_merge ? 2 : 1;
      }
      if (state.pending == 0) frames_.initial_items.push_back(i);
    }
    for (int32_t i = 0; i < num_items_; ++i) {
      frames_.items[i].edges.begin = static_cast<int32_t>(frames_.edges.size());
      frames_.edges.insert(frames_.edges.end(), edges[i].begin(), edges[i].end());
      frames_.items[i].edges.end = static_cast<int32_t>(frames_.edges.size());
    }
    for (int32_t i : frames_.initial_items) {
      if (frames_.items[i].frame == 0) continue;
      return Internal(plan_.DescribeItem(i), " is in a loop, but waits for nothing in it");
    }
    return OkStatus();
  }

  Status AddDataEdges(int32_t i, std::vector<std::vector<FrameEdge>>* edges,
                      std::vector<int32_t>* before) {
    const PlanItem& item = program_.items[i];
    FrameItem& f = frames_.items[i];
    ItemState& state = StateOf(i);
    for (int32_t j = 0; j < item.info.num_inputs; ++j) {
      const int32_t slot = program_.input_slots[item.input_begin + j];
      const int32_t source = source_[slot] == kNoItem ? slot : source_[slot];
      if (slot_frame_[source] != f.frame) {
        return Internal(plan_.DescribeItem(i), " reads a value of another loop");
      }
      const int32_t producer = producer_[source];
      if (producer == kNoItem) {  // a constant or a feed
        if (f.kind == FrameKind::kMerge && state.live_input < 0) {
          state.live_input = j;
          state.pending -= 1;
        }
        continue;
      }
      const int32_t output = source - program_.items[producer].info.output_start;
      if (frames_.items[producer].kind == FrameKind::kMerge && output == 1) {
        frames_.items[producer].needs_index = true;
      }
      (*edges)[producer].push_back({i, output, j});
      before->push_back(producer);
      if (f.kind != FrameKind::kMerge) ++state.pending;
    }
    return OkStatus();
  }

  // Who clears which slot: its only reader, the last one of several, counted at run time, or, where
  // nobody reads it, the item that writes it. Constants, feeds and fetches are left alone, and what
  // an Enter or a NextIteration hands to an iteration in which nobody reads it goes with that.
  void AddReaders() {
    std::vector<int32_t> readers(program_.num_slots, 0);
    std::vector<bool> fixed(program_.num_slots, false);
    for (const auto& constant : program_.constants) fixed[constant.first] = true;
    for (const PlanFeed& feed : program_.feeds) fixed[feed.slot] = true;
    for (int32_t slot : kept_) {
      fixed[slot] = true;
      const int32_t p = producer_[slot];
      if (p != kNoItem) frames_.items[p].needs_index = true;
    }
    std::vector<std::vector<int32_t>> reads(num_items_);
    for (int32_t i = 0; i < num_items_; ++i) {
      const PlanItem& item = program_.items[i];
      std::vector<int32_t>& slots = reads[i];
      for (int32_t j = 0; j < item.info.num_inputs; ++j) {
        slots.push_back(program_.input_slots[item.input_begin + j]);
      }
      for (int32_t d = item.derefs.begin; d < item.derefs.end; ++d) {
        slots.push_back(program_.derefs[d].ref);
      }
      std::sort(slots.begin(), slots.end());
      slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
      for (int32_t slot : slots) ++readers[slot];
    }
    for (int32_t i = 0; i < num_items_; ++i) AddUnread(i, fixed, &readers, &reads[i]);
    for (int32_t i = 0; i < num_items_; ++i) {
      PlanItem& item = program_.items[i];
      const auto add = [&](bool single, Range* range) {
        range->begin = static_cast<int32_t>(program_.slot_lists.size());
        for (int32_t slot : reads[i]) {
          if (!fixed[slot] && (readers[slot] == 1) == single) program_.slot_lists.push_back(slot);
        }
        range->end = static_cast<int32_t>(program_.slot_lists.size());
      };
      add(true, &item.clear);
      add(false, &item.release);
      for (int32_t j = 0; j < std::min(item.info.num_inputs, 64); ++j) {
        const int32_t slot = program_.input_slots[item.input_begin + j];
        if (readers[slot] == 1 && !fixed[slot]) item.info.forwardable_inputs |= uint64_t{1} << j;
      }
    }
    readers_ = std::move(readers);
  }

  // Outputs without a reader: the item counts as that of those beside its own slots, and an Exit is
  // told of its output, which lies outside of the loop.
  void AddUnread(int32_t i, const std::vector<bool>& fixed, std::vector<int32_t>* readers,
                 std::vector<int32_t>* reads) {
    const KernelContext::NodeInfo& info = program_.items[i].info;
    FrameItem& f = frames_.items[i];
    for (int32_t slot = info.output_start; slot < info.output_start + info.num_outputs; ++slot) {
      if ((*readers)[slot] > 0 || fixed[slot]) continue;
      if (f.kind == FrameKind::kExit) f.is_unread = true;
      if (output_frame_[i] != f.frame) continue;
      (*readers)[slot] = 1;
      reads->push_back(slot);
    }
  }

  void AddStraightLoops() {
    std::vector<std::vector<int32_t>> items(frames_.frames.size());
    for (int32_t i = 0; i < num_items_; ++i) items[frames_.items[i].frame].push_back(i);
    for (size_t f = 1; f < frames_.frames.size(); ++f) {
      FrameLayout& frame = frames_.frames[f];
      if (frame.num_children > 0 || items[f].empty()) continue;
      frame.straight =
          LayOutStraightLoop(plan_, {static_cast<int32_t>(f), items[f], frame.enters, producer_});
    }
  }

  // From slots of the plan to slots of frames.
  void Renumber() {
    for (int32_t s = 0; s < program_.num_slots; ++s) {
      FrameLayout& frame = frames_.frames[slot_frame_[s]];
      local_[s] = frame.num_slots++;
      frame.readers.push_back(readers_[s]);
    }
    for (PlanItem& item : program_.items) {
      if (item.info.num_outputs > 0) item.info.output_start = local_[item.info.output_start];
    }
    for (int32_t& slot : program_.input_slots) slot = local_[slot];
    for (int32_t& slot : program_.slot_lists) slot = local_[slot];
    for (int32_t& slot : program_.clear_at_end) slot = local_[slot];
    for (Deref& d : program_.derefs) {
      d.ref = local_[d.ref];
      if (d.scratch >= 0) d.scratch = local_[d.scratch];
    }
    for (auto& constant : program_.constants) constant.first = local_[constant.first];
    for (PlanFeed& feed : program_.feeds) feed.slot = local_[feed.slot];
    for (PlanFetch& fetch : program_.fetches) fetch.slot = local_[fetch.slot];
  }

  void ChooseHomeLane() {
    std::vector<int32_t> items(program_.lanes.size(), 0);
    for (const PlanItem& item : program_.items) ++items[item.lane];
    for (size_t l = 0; l < items.size(); ++l) {
      if (program_.lanes[l].pool == nullptr) continue;
      const bool better = items[l] > items[program_.home_lane] ||
                          program_.lanes[program_.home_lane].pool == nullptr;
      if (better) program_.home_lane = static_cast<int32_t>(l);
    }
  }

  const LoopFrames& loops_;
  const std::vector<ItemCost>& costs_;
  const absl::flat_hash_set<int32_t>& kept_;
  Plan& plan_;
  Program& program_;
  FramePlan& frames_;
  const int32_t num_items_;
  std::vector<int32_t> output_frame_;  // by item
  std::vector<int32_t> slot_frame_;    // by slot: where its readers are
  std::vector<int32_t> producer_;      // by slot: item
  std::vector<int32_t> source_;        // by scratch slot: the reference
  std::vector<int32_t> local_;         // by slot: number within its frame
  std::vector<int32_t> readers_;       // by slot
};

}  // namespace

Status LayOutFrames(const LoopFrames& loops, const std::vector<ItemCost>& costs,
                    const absl::flat_hash_set<int32_t>& kept, Plan* plan) {
  plan->program.frames = std::make_shared<FramePlan>();
  return FrameLayer(loops, costs, kept, plan).Run();
}

}  // namespace warpbeam
