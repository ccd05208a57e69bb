#include "runtime/step/straight_run.h"

#include <utility>

#include "graph/types/errors.h"
#include "runtime/plan/frame_plan.h"
#include "runtime/plan/item_cost.h"

namespace warpbeam {

StraightRun::StraightRun(const Plan& plan, const StraightLoop& loop)
    : program_(plan.program),
      loop_(loop),
      slots_(loop.num_slots),
      alive_(loop.items_guarded.size(), 0) {
  alive_[0] = 1;
}

void StraightRun::Start(Slot* iteration) {
  for (const StraightLoop::Border& enter : loop_.enters) {
    Slot& from = iteration[program_.items[enter.item].info.output_start];
    if (enter.is_last) {
      slots_[enter.slot].value = std::move(from.value);
      from.value.Reset();
    } else {
      slots_[enter.slot].value = from.value;
    }
  }
  for (const StraightLoop::Border& enter : loop_.constant_enters) {
    slots_[enter.slot].value = iteration[program_.items[enter.item].info.output_start].value;
  }
  for (const StraightLoop::Constant& constant : loop_.constants) {
    slots_[constant.slot].value = program_.items[constant.item].constants[constant.output];
  }
  is_started_ = true;
  found_large_ = false;
}

StraightRun::Outcome StraightRun::RunIteration(const Request& request) {
  for (const StraightLoop::Op& op : loop_.ops) {
    const Status s = RunOp(op, request);
    if (s.ok()) continue;
    status_ = s;
    failed_item_ = op.item;
    return Outcome::kFailed;
  }
  size_t alive = 0;
  for (int32_t guard : loop_.next_guards) alive += alive_[guard];
  if (alive == 0) return Outcome::kEnded;
  if (alive < loop_.next_guards.size() || found_large_) return Outcome::kHandOn;
  return Outcome::kAgain;
}

Status StraightRun::RunOp(const StraightLoop::Op& op, const Request& request) {
  switch (op.kind) {
    case StraightLoop::Kind::kKernel:
      if (alive_[op.guard] == 0) break;
      return RunKernel(op, request);
    case StraightLoop::Kind::kBranch:
      if (alive_[op.guard] == 0) {
        alive_[op.target] = alive_[op.target + 1] = 0;
        break;
      }
      return RunBranch(op);
    case StraightLoop::Kind::kAll: {
      uint8_t all = 1;
      for (int32_t i = op.inputs.begin; i < op.inputs.end; ++i) all &= alive_[loop_.lists[i]];
      alive_[op.target] = all;
      break;
    }
    case StraightLoop::Kind::kSelect:
      RunSelect(op);
      break;
  }
  return OkStatus();
}

Status StraightRun::RunKernel(const StraightLoop::Op& op, const Request& request) {
  request.at->store(op.item, std::memory_order_relaxed);
  if (op.ns_per_element > 0 && request.shares_work) {
    const int64_t elements = CountInputElements(op.info, slots_.data());
    found_large_ |= elements * op.ns_per_element > kCheapItemNs;
  }
  // What an iteration before has left there, when its readers were on a branch not taken.
  Slot* const outputs = slots_.data() + op.info.output_start;
  for (int32_t o = 0; o < op.info.num_outputs; ++o) {
    if (outputs[o].value.has_value()) outputs[o].value.Reset();
  }
  const PlanItem& item = program_.items[op.item];
  KernelContext ctx(slots_.data(), op.info, item.device, request.context);
  WB_RETURN_IF_ERROR(item.kernel->Compute(ctx));
  for (int32_t o = 0; o < op.info.num_outputs; ++o) {
    if (!outputs[o].value.has_value()) {
      return Internal("the kernel left output ", o, " without a value");
    }
  }
  for (int32_t i = op.clear.begin; i < op.clear.end; ++i) slots_[loop_.lists[i]].value.Reset();
  return OkStatus();
}

Status StraightRun::RunBranch(const StraightLoop::Op& op) {
  const Tensor& predicate = slots_[loop_.lists[op.inputs.begin]].value;
  if (predicate.rank() != 0) {
    return InvalidArgument("the predicate must be a scalar, not of shape ",
                           predicate.shape().ToString());
  }
  const bool taken = *static_cast<const bool*>(predicate.raw_data());
  alive_[op.target] = taken ? 0 : 1;
  alive_[op.target + 1] = taken ? 1 : 0;
  return OkStatus();
}

void StraightRun::RunSelect(const StraightLoop::Op& op) {
  alive_[op.target] = 0;
  const std::vector<int32_t>& list = loop_.lists;
  for (int32_t i = op.inputs.begin; i < op.inputs.end; i += 3) {
    if (alive_[list[i + 1]] == 0) continue;
    alive_[op.target] = 1;
    Slot* const outputs = slots_.data() + op.info.output_start;
    Tensor& from = slots_[list[i]].value;
    outputs[0].value = list[i + 2] != 0 ? std::move(from) : from;
    const FrameItem& f = program_.frames->items[op.item];
    if (f.needs_index) {
      outputs[1].value = Tensor::Scalar<int32_t>((i - op.inputs.begin) / 3);
    }
    return;
  }
}

void StraightRun::Advance() {
  for (const StraightLoop::Border& next : loop_.nexts) {
    if (next.through >= 0) slots_[next.through].value = slots_[next.slot].value;
  }
  for (const StraightLoop::Border& next : loop_.nexts) {
    if (next.slot == next.to) continue;
    const bool moves = next.through >= 0 || next.is_last;
    Tensor& from = slots_[next.through >= 0 ? next.through : next.slot].value;
    if (moves) {
      slots_[next.to].value = std::move(from);
      from.Reset();
    } else {
      slots_[next.to].value = from;
    }
  }
}

bool StraightRun::HasLiveExit() const {
  if (loop_.exits_are_last) return false;
  for (const StraightLoop::Border& exit : loop_.exits) {
    if (IsAlive(exit)) return true;
  }
  return false;
}

void StraightRun::CopyTo(const std::vector<StraightLoop::Border>& borders, Slot* iteration) const {
  for (const StraightLoop::Border& border : borders) {
    if (!IsAlive(border)) continue;
    iteration[program_.items[border.item].info.input_slots[0]].value = slots_[border.slot].value;
  }
}

void StraightRun::MoveOutputsTo(Slot* iteration) {
  for (const StraightLoop::Op& op : loop_.ops) {
    if (op.item < 0 || op.kind == StraightLoop::Kind::kBranch) continue;
    const PlanItem& item = program_.items[op.item];
    for (int32_t o = 0; o < op.info.num_outputs; ++o) {
      iteration[item.info.output_start + o].value =
          std::move(slots_[op.info.output_start + o].value);
    }
  }
  for (const StraightLoop::Border& enter : loop_.enters) {
    iteration[program_.items[enter.item].info.output_start].value =
        std::move(slots_[enter.slot].value);
  }
  Clear();
}

int64_t StraightRun::CountItems() const {
  int64_t items = 0;
  for (size_t g = 0; g < alive_.size(); ++g) {
    if (alive_[g] != 0) items += loop_.items_guarded[g];
  }
  return items;
}

void StraightRun::Clear() {
  for (Slot& slot : slots_) {
    if (slot.value.has_value()) slot.value.Reset();
  }
  is_started_ = false;
}

}  // namespace warpbeam
