#include "runtime/compile/early_updates.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "runtime/effects/node_effects.h"

namespace warpbeam {
namespace {

// Runs the task in thought: of the items that may run, the first one in the plan's order, and an
// update as soon as nobody is left who reads what was read of its variables. Where only such
// updates are left the first of them runs.
class EarlyUpdates {
 public:
  EarlyUpdates(const Plan& plan, std::vector<int32_t>* items)
      : plan_(plan), items_(*items), nodes_(items->size()) {}

  void Run() {
    if (!FindNodes()) return;
    FindEdges();
    for (int32_t k = 0; k < size(); ++k) {
      ForInputs(k, [&](int32_t slot) { ++readings_[slot]; });
    }
    std::vector<int32_t> order;
    for (int32_t k = 0; k < size(); ++k) {
      if (nodes_[k].missing == 0) Reach(k);
    }
    while (order.size() < items_.size()) {
      const int32_t next = Next();
      if (nodes_[next].has_run) continue;
      nodes_[next].has_run = true;
      order.push_back(items_[next]);
      End(next);
    }
    items_ = std::move(order);
  }

 private:
  // What is known of a state: whose turn it is to change it, and who still reads it.
  struct State {
    int32_t last_write = -1;
    std::vector<int32_t> reads;  // since then
    int32_t open = 0;            // readings of its views that are still to come
    std::vector<int32_t> held;   // updates that could run but for these
  };
  struct TaskNode {
    std::vector<std::pair<int32_t, bool>> states;  // and whether it writes
    bool is_barrier = false;                       // may touch any state
    bool is_update = false;
    bool makes_views = false;
    bool has_run = false;
    int32_t missing = 0;
    std::vector<int32_t> successors;
  };

  int32_t size() const { return static_cast<int32_t>(items_.size()); }
  const PlanItem& ItemOf(int32_t k) const { return plan_.program.items[items_[k]]; }

  // Whether there are updates.
  bool FindNodes() {
    bool has_updates = false;
    absl::flat_hash_map<std::string, int32_t> numbers;
    for (int32_t k = 0; k < size(); ++k) {
      TaskNode& node = nodes_[k];
      const Node& op = plan_.facts.graph->node(ItemOf(k).node);
      bool writes = false, reads_handle = false;
      for (const Effect& effect : EffectsOf(*plan_.facts.graph, op)) {
        const bool is_read = effect.kind == StateEffect::kRead;
        writes |= !is_read;
        reads_handle |= is_read && BaseType(op.input_type(0)) == DType::kResource;
        node.is_barrier |= effect.state == kAnyState || effect.state == kFiles;
        const auto number =
            numbers.try_emplace(effect.state, static_cast<int32_t>(numbers.size())).first->second;
        node.states.emplace_back(number, !is_read);
      }
      node.makes_views = reads_handle || op.op().passes_on != PassOn::kNothing;
      node.is_update = writes && !node.is_barrier &&
                       std::all_of(op.output_types().begin(), op.output_types().end(), IsRef);
      has_updates |= node.is_update;
    }
    states_.resize(numbers.size());
    return has_updates;
  }

  void AddEdge(int32_t from, int32_t to) {
    if (from < 0 || from == to) return;
    nodes_[from].successors.push_back(to);
    ++nodes_[to].missing;
  }
  // What waits for what, and the order of those that have to do with one state.
  void FindEdges() {
    absl::flat_hash_map<int32_t, int32_t> place;
    for (int32_t k = 0; k < size(); ++k) place[items_[k]] = k;
    int32_t barrier = -1;
    std::vector<int32_t> since_barrier;
    for (int32_t k = 0; k < size(); ++k) {
      for (const int32_t before : plan_.facts.edges.of(items_[k])) {
        if (const auto found = place.find(before); found != place.end()) AddEdge(found->second, k);
      }
      if (nodes_[k].states.empty()) continue;
      AddEdge(barrier, k);
      for (const auto& [state, writes] : nodes_[k].states) OrderOf(states_[state], k, writes);
      if (nodes_[k].is_barrier) {
        for (const int32_t before : since_barrier) AddEdge(before, k);
        since_barrier.clear();
        barrier = k;
      } else {
        since_barrier.push_back(k);
      }
    }
  }
  void OrderOf(State& state, int32_t k, bool writes) {
    AddEdge(state.last_write, k);
    if (!writes) return state.reads.push_back(k);
    for (const int32_t read : state.reads) AddEdge(read, k);
    state.reads.clear();
    state.last_write = k;
  }

  template <typename Visit>
  void ForInputs(int32_t k, Visit visit) const {
    const PlanItem& item = ItemOf(k);
    for (int32_t j = 0; j < item.info.num_inputs; ++j) {
      visit(plan_.program.input_slots[item.input_begin + j]);
    }
  }

  // All that `k` waits for has run.
  void Reach(int32_t k) {
    if (!nodes_[k].is_update) return ready_.push(k);
    if (IsReadOnlyByItself(k)) return urgent_.push(k);
    held_.push(k);
    for (const auto& [state, unused] : nodes_[k].states) states_[state].held.push_back(k);
  }
  // Whether nobody else is left who reads what was read of the variables that `k` writes.
  bool IsReadOnlyByItself(int32_t k) const {
    return std::all_of(nodes_[k].states.begin(), nodes_[k].states.end(), [&](const auto& touched) {
      int32_t own = 0;
      ForInputs(k, [&](int32_t slot) {
        const auto viewed = views_.find(slot);
        if (viewed == views_.end()) return;
        own += static_cast<int32_t>(
            std::count(viewed->second.begin(), viewed->second.end(), touched.first));
      });
      return !touched.second || states_[touched.first].open == own;
    });
  }

  int32_t Next() {
    Queue& from = !urgent_.empty() ? urgent_ : !ready_.empty() ? ready_ : held_;
    const int32_t next = from.top();
    from.pop();
    return next;
  }

  void End(int32_t k) {
    std::vector<int32_t> viewed;
    ForInputs(k, [&](int32_t slot) {
      const auto found = views_.find(slot);
      if (found == views_.end()) return;
      viewed.insert(viewed.end(), found->second.begin(), found->second.end());
    });
    for (const int32_t state : viewed) --states_[state].open;
    if (nodes_[k].makes_views) NoteViews(k, viewed);
    for (const int32_t state : viewed) LetGo(&states_[state]);
    for (const int32_t next : nodes_[k].successors) {
      if (--nodes_[next].missing == 0) Reach(next);
    }
  }
  // What `k` makes are views of what it reads, and of what it was given views of.
  void NoteViews(int32_t k, const std::vector<int32_t>& given) {
    const PlanItem& item = ItemOf(k);
    const bool hands_on_each = plan_.facts.graph->node(item.node).op().passes_on == PassOn::kEach;
    for (int32_t o = 0; o < item.info.num_outputs; ++o) {
      const auto read = readings_.find(item.info.output_start + o);
      if (read == readings_.end()) continue;
      std::vector<int32_t> states = given;
      if (hands_on_each) {
        const auto same = views_.find(plan_.program.input_slots[item.input_begin + o]);
        states = same == views_.end() ? std::vector<int32_t>() : same->second;
      }
      for (const auto& [state, writes] : nodes_[k].states) {
        if (!writes) states.push_back(state);
      }
      std::sort(states.begin(), states.end());
      states.erase(std::unique(states.begin(), states.end()), states.end());
      for (const int32_t state : states) states_[state].open += read->second;
      if (!states.empty()) views_[item.info.output_start + o] = std::move(states);
    }
  }
  // Updates that waited for readers of the state.
  void LetGo(State* state) {
    const auto goes = [this](int32_t k) { return nodes_[k].has_run || IsReadOnlyByItself(k); };
    const auto stay = std::stable_partition(state->held.begin(), state->held.end(),
                                            [&](int32_t k) { return !goes(k); });
    for (auto it = stay; it != state->held.end(); ++it) urgent_.push(*it);
    state->held.erase(stay, state->held.end());
  }

  // First come those that are first in the plan.
  using Queue = std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>>;

  const Plan& plan_;
  std::vector<int32_t>& items_;
  std::vector<TaskNode> nodes_;  // by place in items_, as are those in queues
  std::vector<State> states_;
  absl::flat_hash_map<int32_t, int32_t> readings_;            // by slot: how many there are
  absl::flat_hash_map<int32_t, std::vector<int32_t>> views_;  // by slot: of which states
  Queue urgent_, ready_, held_;
};

}  // namespace

void PutUpdatesForward(const Plan& plan, std::vector<int32_t>* items) {
  EarlyUpdates(plan, items).Run();
}

}  // namespace warpbeam
