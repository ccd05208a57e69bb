#include "runtime/compile/straight_layout.h"

#include <algorithm>
#include <map>
#include <utility>

#include "graph/passes/loop_frames.h"
#include "runtime/plan/frame_plan.h"

namespace warpbeam {
namespace {

constexpr int32_t kNone = -1;
constexpr int32_t kAtEnd = 1 << 30;  // the position of what happens between two iterations

// What a guard stands for: the branches that must have been taken, 2 * predicate + branch each.
struct Guard {
  std::vector<int32_t> branches;  // sorted
  bool is_exact = true;           // it holds exactly where these branches were taken
};

// More branches than this are not remembered one by one.
constexpr size_t kMaxBranches = 64;

class StraightLayer {
 public:
  StraightLayer(const Plan& plan, const FrameLinks& links)
      : plan_(plan),
        program_(plan.program),
        frames_(*plan.program.frames),
        links_(links),
        loop_(new StraightLoop) {}

  std::unique_ptr<StraightLoop> Run() {
    guards_.push_back({});
    loop_->items_guarded.push_back(0);
    for (int32_t item : links_.enters) {
      if (!AddEnter(item)) return nullptr;
    }
    for (int32_t item : links_.items) {
      if (frames_.items[item].kind == FrameKind::kMerge) FindCarried(item);
    }
    for (int32_t item : links_.items) {
      if (!AddItem(item)) return nullptr;
    }
    if (loop_->nexts.empty()) return nullptr;
    FinishNexts();
    FindLastReads();
    for (StraightLoop::Op& op : loop_->ops) {
      if (op.kind == StraightLoop::Kind::kKernel) {
        op.info.input_slots = loop_->input_slots.data() + op.inputs.begin;
      }
    }
    return std::move(loop_);
  }

 private:
  struct Value {
    int32_t slot = kNone;
    int32_t guard = 0;
  };
  struct Read {
    int32_t position;
    int32_t guard;
  };

  const Node& NodeOf(int32_t item) const {
    return plan_.facts.graph->node(program_.items[item].node);
  }
  int32_t InputSlot(int32_t item, int32_t input) const {
    return program_.input_slots[program_.items[item].input_begin + input];
  }
  bool IsPlain(int32_t item) const {
    const PlanItem& p = program_.items[item];
    const Node& node = NodeOf(item);
    const auto& types = node.output_types();
    return !p.is_async && !p.is_awaited && p.is_node() && !p.translates && p.derefs.empty() &&
           p.lane == program_.items[first_item_].lane && !program_.lanes[p.lane].is_blocking &&
           !std::any_of(types.begin(), types.end(), [](DType type) { return IsRef(type); });
  }

  // An Enter's value is there when the loop begins: its only way into later iterations is a Merge.
  bool AddEnter(int32_t item) {
    const FrameItem& f = frames_.items[item];
    const PlanItem& p = program_.items[item];
    if (IsRef(NodeOf(item).output_type(0))) return false;
    if (f.kind == FrameKind::kConstantEnter) {
      StraightLoop::Border border;
      border.item = item;
      border.slot = NewSlot(/*is_fixed=*/true);
      values_[p.info.output_start] = {border.slot, 0};
      loop_->constant_enters.push_back(border);
      return true;
    }
    for (int32_t e = f.edges.begin; e < f.edges.end; ++e) {
      const FrameEdge& edge = frames_.edges[e];
      if (edge.output < 0 || frames_.items[edge.item].kind != FrameKind::kMerge) return false;
    }
    return true;
  }

  // A merge of an Enter and a NextIteration, waiting for nothing else.
  void FindCarried(int32_t item) {
    const PlanItem& p = program_.items[item];
    if (p.info.num_inputs != 2 || !p.dead_preds.empty() || frames_.items[item].needs_index) return;
    int32_t enter = kNone;
    int32_t next = kNone;
    for (int32_t j = 0; j < 2; ++j) {
      const int32_t producer = links_.producers[InputSlot(item, j)];
      if (producer == kNone) return;
      const FrameItem& f = frames_.items[producer];
      if (f.kind == FrameKind::kEnter && f.enters == links_.frame) enter = producer;
      if (f.kind == FrameKind::kNextIteration && f.frame == links_.frame) next = producer;
    }
    if (enter == kNone || next == kNone) return;
    if (plan_.facts.edges.of(item) != Span<const int32_t>(&enter, 1)) return;
    StraightLoop::Border border;
    border.item = enter;
    border.slot = NewSlot(/*is_fixed=*/false);
    border.is_last = true;
    for (StraightLoop::Border& other : loop_->enters) {
      if (other.item == enter) other.is_last = false;
    }
    // The last of them in the list takes the value.
    loop_->enters.push_back(border);
    values_[p.info.output_start] = {border.slot, 0};
    carried_[item] = {border.slot, next};
    item_guards_[item] = 0;
  }

  bool AddItem(int32_t item) {
    if (first_item_ == kNone) loop_->first_item = first_item_ = item;
    const FrameItem& f = frames_.items[item];
    if (!IsPlain(item) || f.always_alive) return false;
    const auto carried = carried_.find(item);
    if (carried != carried_.end()) return ++loop_->items_guarded[0] > 0;
    switch (f.kind) {
      case FrameKind::kCompute:
        return AddKernel(item);
      case FrameKind::kConstant:
        return AddConstant(item);
      case FrameKind::kHandOn:
        return AddHandOn(item);
      case FrameKind::kSwitch:
        return AddSwitch(item);
      case FrameKind::kMerge:
        return AddSelect(item);
      case FrameKind::kExit:
      case FrameKind::kNextIteration:
        return AddBorder(item);
      case FrameKind::kEnter:
      case FrameKind::kConstantEnter:
        return false;  // into a loop in this one
    }
    return false;
  }

  // Where the item's inputs are, and the guard under which all of them and what it waits for are
  // there. False when something is not of this loop's iteration.
  bool FindInputs(int32_t item, std::vector<Value>* inputs, int32_t* guard) {
    const PlanItem& p = program_.items[item];
    std::vector<int32_t> needed;
    for (int32_t j = 0; j < p.info.num_inputs; ++j) {
      const auto found = values_.find(InputSlot(item, j));
      if (found == values_.end()) return false;
      inputs->push_back(found->second);
      needed.push_back(found->second.guard);
    }
    for (int32_t c = p.dead_preds.begin; c < p.dead_preds.end; ++c) {
      const int32_t before = program_.item_lists[c];
      const FrameItem& f = frames_.items[before];
      if (f.kind == FrameKind::kConstantEnter && f.enters == links_.frame) continue;
      const auto found = item_guards_.find(before);
      if (found == item_guards_.end()) return false;
      needed.push_back(found->second);
    }
    *guard = AllOf(std::move(needed));
    item_guards_[item] = *guard;
    ++loop_->items_guarded[*guard];
    return true;
  }

  bool AddKernel(int32_t item) {
    StraightLoop::Op op;
    std::vector<Value> inputs;
    if (!FindInputs(item, &inputs, &op.guard)) return false;
    const PlanItem& p = program_.items[item];
    if (p.kind == ItemKind::kSwitch) return false;      // one with more branches than two
    if (NodeOf(item).op_name() == "NoOp") return true;  // a guard is all that it is
    op.item = item;
    op.ns_per_element = frames_.items[item].ns_per_element;
    op.info = p.info;
    op.info.forwardable_inputs = 0;
    op.inputs.begin = static_cast<int32_t>(loop_->input_slots.size());
    for (const Value& input : inputs) {
      AddRead(input.slot, op.guard);
      loop_->input_slots.push_back(input.slot);
    }
    op.inputs.end = static_cast<int32_t>(loop_->input_slots.size());
    WriteOutputs(item, op.guard, &op.info);
    loop_->ops.push_back(op);
    return true;
  }

  bool AddConstant(int32_t item) {
    std::vector<Value> none;
    int32_t guard = 0;
    if (!FindInputs(item, &none, &guard)) return false;
    const PlanItem& p = program_.items[item];
    for (int32_t o = 0; o < p.info.num_outputs; ++o) {
      const int32_t slot = NewSlot(/*is_fixed=*/true);
      values_[p.info.output_start + o] = {slot, guard};
      loop_->constants.push_back({item, o, slot});
    }
    return true;
  }

  bool AddHandOn(int32_t item) {
    std::vector<Value> inputs;
    int32_t guard = 0;
    if (!FindInputs(item, &inputs, &guard)) return false;
    values_[program_.items[item].info.output_start] = {inputs[0].slot, guard};
    return true;
  }

  // Switches by the same predicate on the same branch share their guards.
  bool AddSwitch(int32_t item) {
    StraightLoop::Op op;
    std::vector<Value> inputs;
    if (!FindInputs(item, &inputs, &op.guard)) return false;
    const int32_t slot = inputs[1].slot;
    const auto [found, is_new] = branches_.try_emplace({slot, op.guard}, kNone);
    if (is_new) {
      op.kind = StraightLoop::Kind::kBranch;
      op.item = item;
      op.target = found->second = NewBranch(op.guard);
      op.inputs = AddToLists({slot});
      AddRead(slot, op.guard);
      loop_->ops.push_back(op);
    }
    const int32_t output = program_.items[item].info.output_start;
    for (int32_t b = 0; b < 2; ++b) values_[output + b] = {inputs[0].slot, found->second + b};
    return true;
  }

  bool AddSelect(int32_t item) {
    const PlanItem& p = program_.items[item];
    // As every merge it starts with the first value; what it waits for besides may be dead.
    if (!p.dead_preds.empty()) return false;
    StraightLoop::Op op;
    op.kind = StraightLoop::Kind::kSelect;
    op.item = item;
    std::vector<int32_t> list;
    for (int32_t j = 0; j < p.info.num_inputs; ++j) {
      const auto found = values_.find(InputSlot(item, j));
      if (found == values_.end()) return false;
      AddRead(found->second.slot, found->second.guard);
      list.push_back(found->second.slot);
      list.push_back(found->second.guard);
      list.push_back(0);  // whether it is the last to read the slot
    }
    op.inputs = AddToLists(list);
    op.target = NewGuard({{}, /*is_exact=*/false});
    op.info = p.info;
    item_guards_[item] = op.target;
    ++loop_->items_guarded[op.target];
    WriteOutputs(item, op.target, &op.info);
    loop_->ops.push_back(op);
    return true;
  }

  bool AddBorder(int32_t item) {
    std::vector<Value> inputs;
    StraightLoop::Border border;
    if (!FindInputs(item, &inputs, &border.guard)) return false;
    border.item = item;
    border.slot = inputs[0].slot;
    const FrameItem& f = frames_.items[item];
    if (f.kind == FrameKind::kExit) {
      loop_->exits.push_back(border);
      return true;
    }
    // A merge for each edge: `nexts` has one entry for each of them.
    for (int32_t e = f.edges.begin; e < f.edges.end; ++e) {
      const auto carried = carried_.find(frames_.edges[e].item);
      if (frames_.edges[e].output < 0 || carried == carried_.end()) return false;
      if (carried->second.second != item) return false;
      border.to = carried->second.first;
      loop_->nexts.push_back(border);
    }
    return f.edges.begin != f.edges.end;
  }

  int32_t NewSlot(bool is_fixed) {
    is_fixed_.push_back(is_fixed);
    reads_.emplace_back();
    return loop_->num_slots++;
  }

  void WriteOutputs(int32_t item, int32_t guard, KernelContext::NodeInfo* info) {
    const PlanItem& p = program_.items[item];
    info->output_start = loop_->num_slots;
    for (int32_t o = 0; o < p.info.num_outputs; ++o) {
      values_[p.info.output_start + o] = {NewSlot(/*is_fixed=*/false), guard};
    }
  }

  Range AddToLists(const std::vector<int32_t>& values) {
    Range range;
    range.begin = static_cast<int32_t>(loop_->lists.size());
    loop_->lists.insert(loop_->lists.end(), values.begin(), values.end());
    range.end = static_cast<int32_t>(loop_->lists.size());
    return range;
  }

  void AddRead(int32_t slot, int32_t guard) {
    reads_[slot].push_back({static_cast<int32_t>(loop_->ops.size()), guard});
  }

  int32_t NewGuard(Guard guard) {
    guards_.push_back(std::move(guard));
    loop_->items_guarded.push_back(0);
    return static_cast<int32_t>(guards_.size()) - 1;
  }

  int32_t NewBranch(int32_t within) {
    const int32_t predicate = num_predicates_++;
    int32_t first = kNone;
    for (int32_t b = 0; b < 2; ++b) {
      Guard guard = guards_[within];
      guard.is_exact &= guard.branches.size() < kMaxBranches;
      if (guard.branches.size() < kMaxBranches) guard.branches.push_back(2 * predicate + b);
      const int32_t g = NewGuard(std::move(guard));
      if (b == 0) first = g;
    }
    return first;
  }

  bool Implies(int32_t stronger, int32_t weaker) const {
    const std::vector<int32_t>& a = guards_[stronger].branches;
    const std::vector<int32_t>& b = guards_[weaker].branches;
    return guards_[weaker].is_exact && std::includes(a.begin(), a.end(), b.begin(), b.end());
  }

  // Never both in one iteration.
  bool Exclude(int32_t g, int32_t h) const {
    const std::vector<int32_t>& b = guards_[h].branches;
    for (int32_t branch : guards_[g].branches) {
      if (std::binary_search(b.begin(), b.end(), branch ^ 1)) return true;
    }
    return false;
  }

  // The guard that holds where all of `needed` do.
  int32_t AllOf(std::vector<int32_t> needed) {
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    std::vector<int32_t> kept;
    for (int32_t g : needed) {
      const auto implied = [&](int32_t h) { return h != g && Implies(h, g) && !Implies(g, h); };
      if (!std::any_of(needed.begin(), needed.end(), implied)) kept.push_back(g);
    }
    if (kept.size() == 1) return kept[0];
    if (kept.empty()) return 0;
    const auto [found, is_new] = combined_.try_emplace(kept, kNone);
    if (!is_new) return found->second;
    Guard guard;
    for (int32_t g : kept) {
      std::vector<int32_t> both;
      std::set_union(guard.branches.begin(), guard.branches.end(), guards_[g].branches.begin(),
                     guards_[g].branches.end(), std::back_inserter(both));
      guard.branches = std::move(both);
      guard.is_exact &= guards_[g].is_exact;
    }
    if (guard.branches.size() > kMaxBranches) {
      guard.branches.resize(kMaxBranches);
      guard.is_exact = false;
    }
    StraightLoop::Op op;
    op.kind = StraightLoop::Kind::kAll;
    op.inputs = AddToLists(kept);
    op.target = found->second = NewGuard(std::move(guard));
    loop_->ops.push_back(op);
    return op.target;
  }

  void FinishNexts() {
    std::vector<bool> is_carried(loop_->num_slots, false);
    for (const auto& [item, carried] : carried_) is_carried[carried.first] = true;
    std::vector<int32_t> last_of(loop_->num_slots, kNone);
    for (size_t n = 0; n < loop_->nexts.size(); ++n) {
      StraightLoop::Border& next = loop_->nexts[n];
      reads_[next.slot].push_back({kAtEnd, next.guard});
      loop_->next_guards.push_back(next.guard);
      // It may be overwritten before it is read.
      if (is_carried[next.slot] && next.slot != next.to) next.through = NewSlot(false);
      if (!is_fixed_[next.slot] && !is_carried[next.slot]) {
        last_of[next.slot] = static_cast<int32_t>(n);
      }
    }
    for (int32_t n : last_of) {
      if (n != kNone) loop_->nexts[n].is_last = true;
    }
    std::sort(loop_->next_guards.begin(), loop_->next_guards.end());
    loop_->next_guards.erase(std::unique(loop_->next_guards.begin(), loop_->next_guards.end()),
                             loop_->next_guards.end());
    loop_->exits_are_last = true;
    for (const StraightLoop::Border& exit : loop_->exits) {
      reads_[exit.slot].push_back({kAtEnd, exit.guard});
      const auto excludes = [&](int32_t next) { return Exclude(exit.guard, next); };
      loop_->exits_are_last &=
          std::any_of(loop_->next_guards.begin(), loop_->next_guards.end(), excludes);
    }
  }

  // Whether nobody reads the slot after position `at` where `guard` holds.
  bool IsLastRead(int32_t slot, int32_t at, int32_t guard) const {
    if (is_fixed_[slot]) return false;
    const std::vector<Read>& reads = reads_[slot];
    auto later = std::upper_bound(reads.begin(), reads.end(), at,
                                  [](int32_t p, const Read& read) { return p < read.position; });
    return std::all_of(later, reads.end(),
                       [&](const Read& read) { return Exclude(guard, read.guard); });
  }

  void FindLastReads() {
    for (size_t n = 0; n < loop_->ops.size(); ++n) {
      StraightLoop::Op& op = loop_->ops[n];
      const int32_t at = static_cast<int32_t>(n);
      if (op.kind == StraightLoop::Kind::kSelect) {
        for (int32_t i = op.inputs.begin; i < op.inputs.end; i += 3) {
          std::vector<int32_t>& list = loop_->lists;
          list[i + 2] = IsLastRead(list[i], at, list[i + 1]) ? 1 : 0;
        }
      }
      if (op.kind != StraightLoop::Kind::kKernel) continue;
      std::vector<int32_t> clear;
      for (int32_t j = 0; j < op.info.num_inputs; ++j) {
        const int32_t slot = loop_->input_slots[op.inputs.begin + j];
        if (!IsLastRead(slot, at, op.guard)) continue;
        if (j < 64) op.info.forwardable_inputs |= uint64_t{1} << j;
        clear.push_back(slot);
      }
      for (int32_t o = 0; o < op.info.num_outputs; ++o) {
        const int32_t slot = op.info.output_start + o;
        if (IsLastRead(slot, at, op.guard)) clear.push_back(slot);
      }
      std::sort(clear.begin(), clear.end());
      clear.erase(std::unique(clear.begin(), clear.end()), clear.end());
      op.clear = AddToLists(clear);
    }
  }

  const Plan& plan_;
  const Program& program_;
  const FramePlan& frames_;
  const FrameLinks& links_;
  std::unique_ptr<StraightLoop> loop_;
  int32_t first_item_ = kNone;
  std::map<int32_t, Value> values_;                          // by the plan's slot
  std::map<int32_t, std::pair<int32_t, int32_t>> carried_;   // merge: slot, NextIteration
  std::map<int32_t, int32_t> item_guards_;                   // by item
  std::vector<Guard> guards_;                                // 0 always holds
  std::map<std::pair<int32_t, int32_t>, int32_t> branches_;  // predicate's slot, guard: the first
  std::map<std::vector<int32_t>, int32_t> combined_;
  std::vector<bool> is_fixed_;            // by slot: the same in all iterations
  std::vector<std::vector<Read>> reads_;  // by slot
  int32_t num_predicates_ = 0;
};

}  // namespace

std::unique_ptr<StraightLoop> LayOutStraightLoop(const Plan& plan, const FrameLinks& links) {
  return StraightLayer(plan, links).Run();
}

}  // namespace warpbeam
