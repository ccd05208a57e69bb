#include "runtime/executor/plan.h"

#include "graph/types/shown_name.h"
#include "runtime/executor/frame_plan.h"

namespace warpbeam {

std::string Plan::DescribeItem(int32_t index) const {
  const PlanItem& item = items[index];
  const Node& n = graph->node(item.node);
  const std::string where =
      item.device == nullptr ? "" : absl::StrCat(" on ", item.device->name().ToString());
  std::string built =
      n.location().known() ? absl::StrCat(", built at ", n.location().ToString()) : "";
  if (item.is_copy) return absl::StrCat("copy of '", ShownName(n.name()), "'", where, built);
  if (item.is_border) {
    return absl::StrCat(item.sees_dead ? "fetch of '" : "feed of '", ShownName(n.name()), "'");
  }
  return absl::StrCat("node '", ShownName(n.name()), "' (", ShownName(n.op_name()), ")", where,
                      built);
}

std::string Plan::ToString() const {
  std::string out = absl::StrCat(items.size(), " items in ", tasks.size(), " tasks, ", num_slots,
                                 " slots, ", constants.size(), " of them constant\n");
  for (size_t t = 0; t < tasks.size(); ++t) {
    absl::StrAppend(&out, "task ", t, " on lane ", tasks[t].lane, ", after ",
                    tasks[t].num_predecessors, ", before");
    for (int32_t s = tasks[t].successors.begin; s < tasks[t].successors.end; ++s) {
      absl::StrAppend(&out, " ", task_lists[s]);
    }
    out += "\n";
    for (int32_t i = tasks[t].items.begin; i < tasks[t].items.end; ++i) {
      const PlanItem& item = items[i];
      absl::StrAppend(&out, "  ", DescribeItem(i), " reads");
      for (int32_t k = 0; k < item.info.num_inputs; ++k) {
        const bool last = k < 64 && ((item.info.forwardable_inputs >> k) & 1) != 0;
        absl::StrAppend(&out, " ", input_slots[item.input_begin + k], last ? "!" : "");
      }
      absl::StrAppend(&out, " writes");
      for (int32_t k = 0; k < item.info.num_outputs; ++k) {
        absl::StrAppend(&out, " ", item.info.output_start + k);
      }
      out += "\n";
    }
  }
  for (size_t f = 1; frames != nullptr && f < frames->frames.size(); ++f) {
    const FrameLayout& frame = frames->frames[f];
    absl::StrAppend(
        &out, "loop '", frame.name, "' in ", frame.parent == 0 ? "no loop" : "the loop",
        frame.parent == 0 ? "" : absl::StrCat(" '", frames->frames[frame.parent].name, "'"), ", ",
        frame.states.size(), " items");
    if (frame.straight != nullptr) {
      absl::StrAppend(&out, ", straight: ", frame.straight->ops.size(), " operations");
    }
    out += "\n";
  }
  return out;
}

}  // namespace warpbeam
