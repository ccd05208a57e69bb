// When an item of a loop's step lets go of what it has read (frame_step.h).
#include "runtime/step/frame_step.h"

namespace warpbeam {

void FrameStep::ReleaseInputs(const PlanItem& item, Iteration* it) {
  for (int32_t i = item.clear.begin; i < item.clear.end; ++i) {
    const int32_t slot = program_.slot_lists[i];
    if (!MayStillBeWritten(item, *it, slot)) ClearSlot(it->slots[slot]);
  }
  for (int32_t i = item.release.begin; i < item.release.end; ++i) {
    const int32_t slot = program_.slot_lists[i];
    if (MayStillBeWritten(item, *it, slot)) continue;
    if (--it->readers[slot] == 0) ClearSlot(it->slots[slot]);
  }
}

// A Merge goes on with its first live input. The others are dead, but their producers may be at
// work yet: a receiver learns only from its sender that there will be no value. Such a slot holds
// nothing, and whoever is done with the iteration clears it.
bool FrameStep::MayStillBeWritten(const PlanItem& item, const Iteration& it, int32_t slot) const {
  if (item.kind != ItemKind::kMerge) return false;
  const FrameItem& f = frames_.items[static_cast<size_t>(&item - program_.items.data())];
  const int32_t live = it.states[f.index].live_input;
  for (int32_t input = 0; input < item.info.num_inputs; ++input) {
    if (item.info.input_slots[input] != slot) continue;
    return live < 0 || item.info.input_slots[live] != slot;
  }
  return false;
}

}  // namespace warpbeam
