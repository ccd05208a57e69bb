// The part of FrameStep that runs straight loops.

#include <utility>

#include "runtime/step/frame_step.h"

namespace warpbeam {
namespace {

// After so many iterations what else the thread could do is looked at.
constexpr int kIterationsAtOnce = 64;

}  // namespace

// Traces show every node of every iteration; a perturbed order is no straight one.
bool FrameStep::MayRunStraight(int32_t frame) const {
  const StraightLoop* loop = frames_.frames[frame].straight.get();
  if (loop == nullptr || traced_) return false;
  return program_.lanes[program_.items[loop->first_item].lane].perturbation == nullptr;
}

// All Enters have come. A loop that is entered dead takes the general way.
void FrameStep::BeginStraight(FrameUnit* unit, Loop* loop) {
  const FrameLayout& frame = frames_.frames[loop->frame];
  Iteration* it = loop->at(0);
  loop->waits_for_enters = false;
  bool all_alive = true;
  for (int32_t enter : frame.enters) {
    all_alive &= it->slots[program_.items[enter].info.output_start].value.has_value();
  }
  if (all_alive) {
    it->is_straight = true;
    if (loop->straight == nullptr) {
      loop->straight = std::make_unique<StraightRun>(plan_, *frame.straight);
    }
    return MakeReady(unit, frame.straight->first_item, it);
  }
  for (int32_t enter : frame.enters) {
    const Slot& value = it->slots[program_.items[enter].info.output_start];
    Activate(unit, enter, it, !value.value.has_value());
  }
}

void FrameStep::RunStraight(FrameUnit* unit, const FrameWork& work) {
  Iteration* it = work.iteration;
  Loop* loop = it->loop;
  StraightRun& run = *loop->straight;
  const int32_t lane = program_.items[work.item].lane;
  const StraightRun::Request request = {context_, shares_work_[lane], &unit->item};
  if (!run.is_started()) run.Start(it->slots);
  for (int n = 0; n < kIterationsAtOnce || unit->queue.empty(); ++n) {
    unit->iteration.store(it->number, std::memory_order_relaxed);
    const StraightRun::Outcome outcome = run.RunIteration(request);
    if (outcome == StraightRun::Outcome::kFailed) {
      run.MoveOutputsTo(it->slots);
      return Fail(program_.items[run.failed_item()], run.status());
    }
    unit->items_run += run.CountItems();
    if (outcome != StraightRun::Outcome::kAgain || run.HasLiveExit()) {
      return FinishStraight(unit, work, outcome != StraightRun::Outcome::kEnded);
    }
    run.Advance();
    ++it->number;
    if (IsStopped()) return;
  }
  // The loop goes on after what has waited: on this thread, or on another that is free.
  {
    std::unique_lock<std::mutex> lock = LockIfShared();
    if (shares_work_[lane]) {
      unit->others.push_back(work);
    } else {
      unit->queue.Push(work);
    }
    SpreadWork(unit);
  }
  ScheduleOthers(unit);
}

// After the loop's last iteration, or when another one follows in the general scheme.
void FrameStep::FinishStraight(FrameUnit* unit, const FrameWork& work, bool goes_on) {
  Iteration* it = work.iteration;
  Loop* loop = it->loop;
  const StraightLoop& layout = *frames_.frames[loop->frame].straight;
  StraightRun& run = *loop->straight;
  run.CopyTo(layout.exits, it->slots);
  if (goes_on) run.CopyTo(layout.nexts, it->slots);
  run.Clear();
  std::unique_lock<std::mutex> lock = LockIfShared();
  it->is_straight = false;
  loop->first = loop->last = it->number;
  loop->at(it->number) = it;
  for (const StraightLoop::Border& exit : layout.exits) {
    FinishExit(unit, {exit.item, it}, !run.IsAlive(exit));
  }
  int32_t before = -1;  // entries of one NextIteration follow each other
  for (const StraightLoop::Border& next : layout.nexts) {
    if (next.item != before && run.IsAlive(next)) {
      FinishNextIteration(unit, {next.item, it}, /*dead=*/false);
    }
    before = next.item;
  }
  if (--it->outstanding == 0) EndIterations(unit, loop);
  SpreadWork(unit);
  lock = std::unique_lock<std::mutex>();
  ScheduleOthers(unit);
}

}  // namespace warpbeam
