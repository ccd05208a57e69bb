#include "runtime/compile/replayed_groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime/kernel/gpu_catalog.h"
#include "runtime/kernel/replayable.h"

namespace warpbeam {
namespace {

// A task that another device, or a collective, waits for has at least so many items.
constexpr int32_t kLeastItems = 16;

class ReplayedGroups {
 public:
  ReplayedGroups(const std::vector<ItemCost>& costs, const Plan& plan)
      : costs_(costs),
        plan_(plan),
        items_(plan.program.items),
        is_replayed_(items_.size(), 0),
        is_prompt_(items_.size(), 0),
        level_(items_.size(), 0) {}

  std::vector<int32_t> Run() {
    for (size_t i = 0; i < items_.size(); ++i) is_replayed_[i] = MayReplay(items_[i]) ? 1 : 0;
    FindPrompt();
    if (std::none_of(is_replayed_.begin(), is_replayed_.end(), [](int r) { return r != 0; })) {
      return std::vector<int32_t>(items_.size(), -1);
    }
    FindLevels();
    RaiseSources();
    return Number();
  }

 private:
  bool MayReplay(const PlanItem& item) const {
    const Lane& lane = plan_.program.lanes[item.lane];
    if (!lane.enqueues() || lane.is_blocking || lane.perturbation != nullptr) return false;
    if (plan_.program.has_control_flow) return false;
    if (item.kind != ItemKind::kNode || item.is_async || item.constants != nullptr) return false;
    if (TakesOrGivesVariants(plan_.facts.graph->node(item.node))) return false;
    const auto* const kernel = dynamic_cast<const Replayable*>(item.kernel);
    if (kernel != nullptr) return kernel->is_replayable();
    if (item.device == nullptr || !item.device->runs_gpu_kernels()) return false;
    const OpSchema& op = plan_.facts.graph->node(item.node).op();
    if (op.is_stateful) return false;
    return TouchesNoDeviceMemory(op, AllInputsOnHost(item), AllOutputsOnHost(item));
  }
  // Whose tensors are the step's, and no memory that a recording could write again.
  static bool TakesOrGivesVariants(const Node& node) {
    const auto is_variant = [](DType dtype) { return dtype == DType::kVariant; };
    const std::vector<DType>&inputs = node.input_types(), &outputs = node.output_types();
    return std::any_of(inputs.begin(), inputs.end(), is_variant) ||
           std::any_of(outputs.begin(), outputs.end(), is_variant);
  }
  static bool AllInputsOnHost(const PlanItem& item) {
    for (int32_t i = 0; i < item.info.num_inputs; ++i) {
      if (!KernelContext::HasBit(item.info.host_inputs, i)) return false;
    }
    return true;
  }
  static bool AllOutputsOnHost(const PlanItem& item) {
    for (int32_t i = 0; i < item.info.num_outputs; ++i) {
      if (!KernelContext::HasBit(item.info.host_outputs, i)) return false;
    }
    return true;
  }

  bool IsTogether(size_t a, size_t b) const {
    return items_[a].lane == items_[b].lane && is_replayed_[a] == is_replayed_[b];
  }

  // What is there at once when a step begins, and is cheap: what is fed, readings of variables and
  // scalars that the host makes of them, and copies of these. A task may as well wait for it at its
  // beginning. Readings on a device that are for copies alone are left out of its tasks, which
  // would wait for themselves.
  void FindPrompt() {
    std::vector<uint8_t> is_for_copies(items_.size(), 1);
    std::vector<uint8_t> is_read(items_.size(), 0);
    for (size_t i = 0; i < items_.size(); ++i) {
      for (const int32_t p : plan_.facts.edges.of(static_cast<int32_t>(i))) {
        is_read[p] = 1;
        if (!items_[i].is_copy()) is_for_copies[p] = 0;
      }
    }
    for (size_t i = 0; i < items_.size(); ++i) {
      const auto before = plan_.facts.edges.of(static_cast<int32_t>(i));
      const bool follows_prompt = std::all_of(before.begin(), before.end(),
                                              [this](int32_t p) { return is_prompt_[p] != 0; });
      if (is_replayed_[i] != 0) {
        if (before.begin() != before.end() || is_read[i] == 0 || is_for_copies[i] == 0) continue;
        is_replayed_[i] = 0;
        is_prompt_[i] = 1;
      } else {
        is_prompt_[i] = follows_prompt && IsPrompt(i) ? 1 : 0;
      }
    }
  }
  bool IsPrompt(size_t i) const {
    const PlanItem& item = items_[i];
    if (item.is_copy()) return true;
    return item.kind == ItemKind::kNode && !item.is_async && !costs_[i].deserves_thread();
  }

  int32_t Step(size_t from, size_t to) const {
    return IsTogether(from, to) || is_prompt_[from] != 0 ? 0 : 1;
  }
  // How many changes of place lie before an item at least. Among the items of one place and level
  // nobody waits for another place, so that they can be one task.
  void FindLevels() {
    for (size_t i = 0; i < items_.size(); ++i) {
      for (const int32_t p : plan_.facts.edges.of(static_cast<int32_t>(i))) {
        level_[i] = std::max(level_[i], level_[p] + Step(p, i));
      }
    }
  }

  // What waits for nobody, such as the reading of a variable, goes to its first reader, lest a
  // value be handed from task to task.
  void RaiseSources() {
    constexpr int32_t kNobody = INT32_MAX;
    std::vector<int32_t> most(items_.size(), kNobody);
    for (size_t i = items_.size(); i-- > 0;) {
      const auto before = plan_.facts.edges.of(static_cast<int32_t>(i));
      if (before.begin() == before.end() && is_replayed_[i] != 0 && most[i] != kNobody) {
        level_[i] = most[i];
      }
      for (const int32_t p : before) {
        most[p] = std::min(most[p], level_[i] - Step(p, i));
      }
    }
  }

  std::vector<int32_t> Number() const {
    std::vector<uint8_t> is_awaited(items_.size(), 0);
    if (HasSeveralDevices()) {
      for (size_t i = 0; i < items_.size(); ++i) {
        for (const int32_t p : plan_.facts.edges.of(static_cast<int32_t>(i))) {
          if (items_[p].lane != items_[i].lane || items_[i].is_async) is_awaited[p] = 1;
        }
      }
    }
    struct Open {
      int32_t group;
      int32_t items;
    };
    std::map<std::pair<int32_t, int32_t>, Open> open;  // by lane and level
    std::vector<int32_t> group(items_.size(), -1);
    int32_t groups = 0;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (is_replayed_[i] == 0) continue;
      const auto [place, is_new] = open.try_emplace({items_[i].lane, level_[i]}, Open{groups, 0});
      if (is_new) ++groups;
      group[i] = place->second.group;
      if (++place->second.items >= kLeastItems && is_awaited[i] != 0) open.erase(place);
    }
    return group;
  }

  bool HasSeveralDevices() const {
    const Device* device = nullptr;
    for (const PlanItem& item : items_) {
      if (!plan_.program.lanes[item.lane].enqueues()) continue;
      const Device* const on = plan_.program.lanes[item.lane].device;
      if (device != nullptr && device != on) return true;
      device = on;
    }
    return false;
  }

  const std::vector<ItemCost>& costs_;
  const Plan& plan_;
  const std::vector<PlanItem>& items_;
  std::vector<uint8_t> is_replayed_;
  std::vector<uint8_t> is_prompt_;
  std::vector<int32_t> level_;
};

}  // namespace

std::vector<int32_t> FindReplayedGroups(const std::vector<ItemCost>& costs, const Plan& plan) {
  return ReplayedGroups(costs, plan).Run();
}

}  // namespace warpbeam
