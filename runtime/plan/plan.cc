#include "runtime/plan/plan.h"

#include "graph/types/shown_name.h"
#include "runtime/plan/frame_plan.h"

namespace warpbeam {

std::string Plan::DescribeItem(int32_t index) const {
  const PlanItem& item = program.items[index];
  const Node& n = facts.graph->node(item.node);
  const std::string where =
      item.device == nullptr ? "" : absl::StrCat(" on ", item.device->name().ToString());
  std::string built =
      n.location().known() ? absl::StrCat(", built at ", n.location().ToString()) : "";
  if (item.is_copy()) return absl::StrCat("copy of '", ShownName(n.name()), "'", where, built);
  if (item.kind == ItemKind::kFetch) return absl::StrCat("fetch of '", ShownName(n.name()), "'");
  if (item.kind == ItemKind::kFeed) return absl::StrCat("feed of '", ShownName(n.name()), "'");
  return absl::StrCat("node '", ShownName(n.name()), "' (", ShownName(n.op_name()), ")", where,
                      built);
}

std::string Plan::ToString() const {
  const Program& p = program;
  std::string out =
      absl::StrCat(p.items.size(), " items in ", p.tasks.size(), " tasks, ", p.num_slots,
                   " slots, ", p.constants.size(), " of them constant\n");
  for (size_t t = 0; t < p.tasks.size(); ++t) {
    absl::StrAppend(&out, "task ", t, " on lane ", p.tasks[t].lane, ", after ",
                    p.tasks[t].num_predecessors, ", before");
    for (int32_t s = p.tasks[t].successors.begin; s < p.tasks[t].successors.end; ++s) {
      absl::StrAppend(&out, " ", p.task_lists[s]);
    }
    out += "\n";
    for (int32_t i = p.tasks[t].items.begin; i < p.tasks[t].items.end; ++i) {
      const PlanItem& item = p.items[i];
      absl::StrAppend(&out, "  ", DescribeItem(i), " reads");
      for (int32_t k = 0; k < item.info.num_inputs; ++k) {
        const bool last = k < 64 && ((item.info.forwardable_inputs >> k) & 1) != 0;
        absl::StrAppend(&out, " ", p.input_slots[item.input_begin + k], last ? "!" : "");
      }
      absl::StrAppend(&out, " writes");
      for (int32_t k = 0; k < item.info.num_outputs; ++k) {
        absl::StrAppend(&out, " ", item.info.output_start + k);
      }
      out += "\n";
    }
  }
  for (size_t f = 1; p.frames != nullptr && f < p.frames->frames.size(); ++f) {
    const FrameLayout& frame = p.frames->frames[f];
    absl::StrAppend(
        &out, "loop '", frame.name, "' in ", frame.parent == 0 ? "no loop" : "the loop",
        frame.parent == 0 ? "" : absl::StrCat(" '", p.frames->frames[frame.parent].name, "'"), ", ",
        frame.states.size(), " items");
    if (frame.straight != nullptr) {
      absl::StrAppend(&out, ", straight: ", frame.straight->ops.size(), " operations");
    }
    out += "\n";
  }
  return out;
}

}  // namespace warpbeam
