#include "runtime/step/frame_step.h"

#include <algorithm>
#include <utility>

#include "graph/types/shown_name.h"
#include "runtime/kernel/running_step.h"
#include "runtime/plan/item_cost.h"

// Orders of memory. All state of loops (counts of missing inputs, iterations, slots) is plain
// memory. While one thread works on the step it alone touches it. It calls in another one by
// scheduling a unit or by starting an asynchronous kernel, and sets `shared_` before: the lock of
// the lane's queue, or whatever the kernel uses to call back, hands over all that was written. From
// then on everybody takes `state_mutex_`, until one of them, with the mutex, finds itself the only
// one left (LockIfShared): the others have counted themselves off under the mutex as the last thing
// that they did. So `shared_` need not be atomic: it is written only by a thread that is alone.
//
// A unit is what one thread works through: a queue of items that are ready. Whoever makes an item
// ready decides whether it goes into its own queue or to another thread (SpreadWork).

namespace warpbeam {
namespace {

// The pending count of a merge that has been started: nothing that comes later starts it again.
constexpr int32_t kStarted = -(1 << 30);

bool IsEmpty(const Slot& slot) { return !slot.value.has_value() && slot.ref == nullptr; }

bool IsForwardable(const PlanItem& item, int32_t input) {
  return input < 64 && ((item.info.forwardable_inputs >> input) & 1) != 0;
}

// Input `input` of an item, taken out of its slot where nobody else reads it.
Slot TakeInput(const PlanItem& item, int32_t input, Slot* slots) {
  Slot& from = slots[item.info.input_slots[input]];
  if (!IsForwardable(item, input)) return from;
  Slot taken = std::move(from);
  from.value.Reset();
  from.ref = nullptr;
  return taken;
}

bool LeavesIteration(FrameKind kind) {
  return kind == FrameKind::kEnter || kind == FrameKind::kConstantEnter ||
         kind == FrameKind::kExit || kind == FrameKind::kNextIteration;
}

}  // namespace

struct FrameStep::AsyncRun {
  FrameWork work;
  KernelContext context;
  Before before = {};
  // An asynchronous kernel may finish before ComputeAsync returns. Whoever comes second goes on.
  std::atomic<bool> one_side_done{false};
};

FrameStep::FrameStep(const Plan& plan)
    : Step(plan, plan.program.frames->frames[0].num_slots),
      frames_(*plan.program.frames),
      loops_(frames_, slots_.data()) {
  std::vector<bool> is_constant(slots_.size(), false);
  for (const auto& constant : plan.program.constants) is_constant[constant.first] = true;
  for (size_t s = 0; s < slots_.size(); ++s) {
    if (!is_constant[s]) root_slots_to_clear_.push_back(static_cast<int32_t>(s));
  }
  for (const Lane& lane : plan.program.lanes) {
    shares_work_.push_back(lane.pool != nullptr && lane.pool->width() > 1);
  }
}

FrameStep::~FrameStep() = default;

void FrameStep::Begin(const Request& request, std::function<void()> done) {
  BeginRun(request, std::move(done));
}

// A plan with loops always has a work queue.
void FrameStep::RunSerial() {
  Fail(program_.items.front(), Internal("a plan with loops cannot be run without a work queue"));
}

int32_t FrameStep::Launch(bool keep_one) {
  units_ = 1;
  shared_ = false;
  FrameUnit* home = TakeUnit(program_.home_lane);
  for (int32_t i : frames_.initial_items) MakeReady(home, i, loops_.root());
  SpreadWork(home);
  ScheduleOthers(home);
  if (keep_one && program_.lanes[program_.home_lane].pool != nullptr) {
    kept_ = home;
    return 0;
  }
  // The step may end from here on; nothing of it is touched afterwards.
  program_.lanes[program_.home_lane].Schedule(
      WorkOf(&FrameStep::RunWork, reinterpret_cast<int64_t>(home)));
  return -1;
}

void FrameStep::RunFrom(int32_t kept) {
  if (kept >= 0) RunUnit(std::exchange(kept_, nullptr));
}

void FrameStep::Clear() {
  for (int32_t slot : root_slots_to_clear_) ClearSlot(slots_[slot]);
  loops_.Reset();
}

std::vector<std::string> FrameStep::RunningItems() const {
  std::vector<std::string> names;
  const auto add = [&](int32_t item, int64_t iteration) {
    if (item < 0) return;
    std::string name = plan_.DescribeItem(item);
    const int32_t frame = frames_.items[item].frame;
    if (frame > 0) {
      absl::StrAppend(&name, " in iteration ", iteration, " of the loop '",
                      ShownName(frames_.frames[frame].name), "'");
    }
    names.push_back(std::move(name));
  };
  std::lock_guard<std::mutex> lock(all_units_mutex_);
  for (const auto& unit : all_units_) {
    add(unit->item.load(std::memory_order_relaxed),
        unit->iteration.load(std::memory_order_relaxed));
  }
  for (const AsyncRun* run : async_runs_) add(run->work.item, run->work.iteration->number);
  return names;
}

void FrameStep::ListItems(LiveTensors* live) const {
  loops_.ForEachIteration([&](const Iteration& it) {
    for (size_t i = 0; i < program_.items.size(); ++i) {
      const FrameItem& f = frames_.items[i];
      const bool enters = f.kind == FrameKind::kEnter || f.kind == FrameKind::kConstantEnter;
      const int32_t frame = enters                       ? f.enters
                            : f.kind == FrameKind::kExit ? frames_.frames[f.frame].parent
                                                         : f.frame;
      if (frame == it.loop->frame) ListOutputs(program_.items[i], it.slots, live);
    }
  });
}

void FrameStep::RunWork(void* step, int64_t unit) {
  static_cast<FrameStep*>(static_cast<Step*>(step))->RunUnit(reinterpret_cast<FrameUnit*>(unit));
}

void FrameStep::RunUnit(FrameUnit* unit) {
  const RunningStep running(context_);
  while (!unit->queue.empty()) Process(unit, unit->queue.Pop());
  EndUnit(unit);
}

void FrameStep::Process(FrameUnit* unit, const FrameWork& work) {
  // Nothing follows from an item of a stopped step: the queues run empty.
  if (IsStopped()) return;
  if (work.iteration->is_straight) return RunStraight(unit, work);
  const PlanItem& item = program_.items[work.item];
  const FrameItem& f = frames_.items[work.item];
  const ItemState& state = work.iteration->states[f.index];
  const bool dead =
      f.kind == FrameKind::kMerge ? state.live_input < 0 : state.dead > 0 && !f.always_alive;
  if (!dead) {
    unit->iteration.store(work.iteration->number, std::memory_order_relaxed);
    unit->item.store(work.item, std::memory_order_relaxed);
    if (item.is_async || item.is_awaited) return StartAsync(unit, work);
    const bool trace = traced_;
    const Before before = trace ? TakeBefore(item, work.iteration->slots) : Before();
    const Status s = RunItem(work);
    if (trace) {
      Record(item, LeavesIteration(f.kind) ? nullptr : work.iteration->slots, before,
             work.iteration->number);
    }
    ++unit->items_run;
    if (!s.ok()) return Fail(item, s);
  }
  {
    std::unique_lock<std::mutex> lock = LockIfShared();
    Finish(unit, work, dead);
    SpreadWork(unit);
  }
  ScheduleOthers(unit);
}

Status FrameStep::RunItem(const FrameWork& work) {
  const PlanItem& item = program_.items[work.item];
  const FrameItem& f = frames_.items[work.item];
  Slot* slots = work.iteration->slots;
  if (f.kind != FrameKind::kCompute) return MoveValues(item, f, work.iteration);
  WB_RETURN_IF_ERROR(Compute(item, slots));
  return CheckOutputs(item, slots);
}

// What needs no kernel: values only change slots. Values that leave the iteration do so in Finish.
Status FrameStep::MoveValues(const PlanItem& item, const FrameItem& f, Iteration* it) {
  Slot* slots = it->slots;
  if (!item.derefs.empty()) WB_RETURN_IF_ERROR(ReadReferences(item, slots));
  Slot* outputs = slots + item.info.output_start;
  if (f.kind == FrameKind::kConstant) {
    for (int32_t o = 0; o < item.info.num_outputs; ++o) outputs[o].value = item.constants[o];
  } else if (f.kind == FrameKind::kHandOn) {
    outputs[0] = TakeInput(item, 0, slots);
  } else if (f.kind == FrameKind::kMerge) {
    const int32_t input = it->states[f.index].live_input;
    outputs[0] = TakeInput(item, input, slots);
    if (f.needs_index) outputs[1].value = Tensor::Scalar<int32_t>(input);
  } else if (f.kind == FrameKind::kSwitch) {
    const Tensor& pred = slots[item.info.input_slots[1]].value;
    if (pred.rank() != 0) {
      return InvalidArgument("the predicate must be a scalar, not of shape ",
                             pred.shape().ToString());
    }
    void* at = const_cast<void*>(pred.raw_data());
    if (item.translates) at = item.device->ToKernelAddress(at);
    const bool taken = *static_cast<const bool*>(at);
    outputs[taken ? 1 : 0] = TakeInput(item, 0, slots);
  }
  return OkStatus();
}

void FrameStep::StartAsync(FrameUnit* unit, const FrameWork& work) {
  const PlanItem& item = program_.items[work.item];
  Slot* slots = work.iteration->slots;
  if (item.is_async) {
    if (Status s = BeforeStart(item, slots); !s.ok()) return Fail(item, s);
  }
  auto* run = new AsyncRun{work, KernelContext(slots, item.info, item.device, context_)};
  if (traced_) run->before = TakeBefore(item, slots);
  if (tracks()) {
    std::lock_guard<std::mutex> lock(all_units_mutex_);
    async_runs_.push_back(run);
  }
  {
    std::unique_lock<std::mutex> lock = LockIfShared();
    ++units_;
    if (!shared_) shared_ = true;  // others read it without the mutex
  }
  if (item.is_async) {
    const auto done = [this, run](Status s) { AsyncDone(run, s); };
    if (item.kind == ItemKind::kSend || item.kind == ItemKind::kReceive) {
      static_cast<TransferKernel*>(item.kernel)
          ->Transfer(run->context, PlaceOf(*work.iteration), done);
    } else {
      Start(item, [&] { item.kernel->ComputeAsync(run->context, done); });
    }
  } else {
    RunAwaited(run);
  }
  if (!run->one_side_done.exchange(true, std::memory_order_acq_rel)) return;
  // It was done at once: this thread goes on.
  delete run;
  {
    std::unique_lock<std::mutex> lock = LockIfShared();
    --units_;
    if (!IsStopped()) Finish(unit, work, HasReceivedDead(item, slots));
    SpreadWork(unit);
  }
  ScheduleOthers(unit);
}

// The names of the loops around it and the iterations that they are in.
LoopPlace FrameStep::PlaceOf(const Iteration& iteration) const {
  std::vector<const Iteration*> inwards;
  for (const Iteration* it = &iteration; it->loop->parent != nullptr; it = it->loop->parent) {
    inwards.push_back(it);
  }
  LoopPlace place;
  int64_t outer = 0;
  for (size_t i = inwards.size(); i-- > 0; outer = inwards[i]->number) {
    const std::string& name = frames_.frames[static_cast<size_t>(inwards[i]->loop->frame)].name;
    place.frame = EnterLoop(name, outer, place.frame);
  }
  place.iteration = iteration.number;
  return place;
}

// An item whose work is enqueued, and for whose values somebody on another lane waits, is done when
// its stream has come by.
void FrameStep::RunAwaited(AsyncRun* run) {
  Stream* const stream = program_.lanes[program_.items[run->work.item].lane].stream;
  Status s = RunItem(run->work);
  if (s.ok()) s = stream->WhenDone([this, run](const Status& s) { AsyncDone(run, s); });
  if (!s.ok()) AsyncDone(run, s);
}

void FrameStep::AsyncDone(AsyncRun* run, Status status) {
  const FrameWork work = run->work;
  const PlanItem& item = program_.items[work.item];
  Slot* slots = work.iteration->slots;
  if (status.ok() && item.is_async) status = CheckOutputs(item, slots);
  if (traced_) {
    Record(item, LeavesIteration(frames_.items[work.item].kind) ? nullptr : slots, run->before,
           work.iteration->number);
  }
  if (!status.ok()) Fail(item, status);
  if (item.is_copy()) {
    CountBytes(slots[item.info.output_start]);
  } else {
    items_run_.fetch_add(1, std::memory_order_relaxed);
  }
  if (tracks()) {
    std::lock_guard<std::mutex> lock(all_units_mutex_);
    async_runs_.erase(std::find(async_runs_.begin(), async_runs_.end(), run));
  }
  if (!run->one_side_done.exchange(true, std::memory_order_acq_rel)) return;
  delete run;
  FrameUnit* unit;
  {
    // This thread was counted when the kernel started, so the step is shared.
    std::lock_guard<std::mutex> lock(state_mutex_);
    unit = TakeUnit(item.lane);
    if (!IsStopped()) Finish(unit, work, HasReceivedDead(item, slots));
    SpreadWork(unit);
  }
  ScheduleOthers(unit);
  if (unit->queue.empty()) return EndUnit(unit);
  program_.lanes[unit->lane].Schedule(WorkOf(&FrameStep::RunWork, reinterpret_cast<int64_t>(unit)));
}

// The lock that guards the state of the loops, or none where this thread is the only one. With the
// lock, a thread that finds no other counted in `units_` is alone again: see the top of the file.
std::unique_lock<std::mutex> FrameStep::LockIfShared() {
  if (!shared_) return std::unique_lock<std::mutex>();
  std::unique_lock<std::mutex> lock(state_mutex_);
  if (units_ == 1) shared_ = false;  // the others have ended
  return lock;
}

// After an item has run, or was found dead: its values go along its edges, into the iteration that
// they belong to. An iteration is over when nothing in it is outstanding (ready or running) and no
// loop inside it is alive; what can still come into it was counted by then, since an item counts
// what it makes ready before it counts itself off.
void FrameStep::Finish(FrameUnit* unit, const FrameWork& work, bool dead) {
  Iteration* it = work.iteration;
  switch (frames_.items[work.item].kind) {
    case FrameKind::kEnter:
    case FrameKind::kConstantEnter:
      FinishEnter(unit, work, dead);
      break;
    case FrameKind::kExit:
      FinishExit(unit, work, dead);
      break;
    case FrameKind::kNextIteration:
      FinishNextIteration(unit, work, dead);
      break;
    default:
      Activate(unit, work.item, it, dead);
  }
  ReleaseInputs(program_.items[work.item], it);
  if (--it->outstanding == 0 && it->live_children == 0 && it->loop->parent != nullptr) {
    EndIterations(unit, it->loop);
  }
}

// Tells those that read `from`, in the iteration `to`, that its outputs are there, or dead. A dead
// output is an empty slot; the last input to come makes the reader ready.
void FrameStep::Activate(FrameUnit* unit, int32_t from, Iteration* to, bool dead) {
  const FrameItem& f = frames_.items[from];
  const Slot* outputs = to->slots + program_.items[from].info.output_start;
  for (int32_t e = f.edges.begin; e < f.edges.end; ++e) {
    const FrameEdge& edge = frames_.edges[e];
    const bool is_dead = dead || (edge.output >= 0 && IsEmpty(outputs[edge.output]));
    const FrameItem& next = frames_.items[edge.item];
    if (next.kind == FrameKind::kMerge) {
      DeliverToMerge(unit, edge, to, is_dead, f.leads_in);
      continue;
    }
    ItemState& state = to->states[next.index];
    state.dead += is_dead ? 1 : 0;
    if (--state.pending == 0) MakeReady(unit, edge.item, to);
  }
}

// The first live input starts a merge, when the control inputs are there. It is dead when all its
// inputs are, or when the loop is entered dead: then no next iteration will come.
//
// A merge's pending count is 2 for each control input that has not come, and 1 more until a live
// input has: odd means that no live input is there, 0 that it may start, 1 that it waits for
// nothing but a live input, and starts dead when none can come any more.
void FrameStep::DeliverToMerge(FrameUnit* unit, const FrameEdge& edge, Iteration* to, bool dead,
                               bool from_enter) {
  const FrameItem& merge = frames_.items[edge.item];
  ItemState& state = to->states[merge.index];
  bool ready;
  if (edge.output < 0) {
    state.pending -= 2;
    ready = state.pending == 0 || (state.pending == 1 && state.dead >= merge.num_data_inputs);
  } else if (!dead) {
    ready = state.pending == 1;
    if (state.pending > 0 && (state.pending & 1) != 0) {
      state.pending -= 1;
      state.live_input = edge.input;
    }
  } else {
    state.dead = from_enter ? merge.num_data_inputs : state.dead + 1;
    ready = state.pending == 1 && state.dead >= merge.num_data_inputs;
  }
  if (!ready) return;
  state.pending = kStarted;
  MakeReady(unit, edge.item, to);
}

// The first Enter that comes starts the loop. What is constant in a loop goes into each iteration
// that is alive and is kept for those to come; what is not goes into the first one. A loop that may
// run straight waits for all of them.
void FrameStep::FinishEnter(FrameUnit* unit, const FrameWork& work, bool dead) {
  const PlanItem& item = program_.items[work.item];
  const FrameItem& f = frames_.items[work.item];
  Iteration* it = work.iteration;
  Loop* loop = it->children[frames_.frames[f.enters].child_index];
  if (loop == nullptr) {
    loop = loops_.StartLoop(f.enters, it);
    loop->waits_for_enters = MayRunStraight(f.enters);
  }
  --loop->pending_enters;
  Slot value;
  if (!dead) value = TakeInput(item, 0, it->slots);
  if (f.kind == FrameKind::kConstantEnter) {
    for (int64_t n = loop->first; n <= loop->last; ++n) {
      loop->at(n)->slots[item.info.output_start] = value;
      if (!loop->waits_for_enters) Activate(unit, work.item, loop->at(n), dead);
    }
    loop->constants.emplace_back(work.item, std::move(value));
  } else {
    // The first iteration is alive as long as Enters are missing.
    loop->at(0)->slots[item.info.output_start] = std::move(value);
    if (!loop->waits_for_enters) Activate(unit, work.item, loop->at(0), dead);
  }
  if (loop->waits_for_enters && loop->pending_enters == 0) BeginStraight(unit, loop);
  EndIterations(unit, loop);
}

void FrameStep::FinishExit(FrameUnit* unit, const FrameWork& work, bool dead) {
  const PlanItem& item = program_.items[work.item];
  const FrameItem& f = frames_.items[work.item];
  Iteration* it = work.iteration;
  Loop* loop = it->loop;
  if (dead) {
    if (it->number == loop->last) loop->dead_exits.push_back(work.item);
    return;
  }
  // Consumers of the first value may be reading it: a second one comes to nothing.
  if (loop->has_left[f.exit] != 0) return;
  loop->has_left[f.exit] = 1;
  if (!f.is_unread) loop->parent->slots[item.info.output_start] = TakeInput(item, 0, it->slots);
  Activate(unit, work.item, loop->parent, /*dead=*/false);
}

// The first value for the next iteration begins it, unless as many are alive as may be: then it
// waits, with those that follow, for the oldest to end.
void FrameStep::FinishNextIteration(FrameUnit* unit, const FrameWork& work, bool dead) {
  if (dead) return;
  const PlanItem& item = program_.items[work.item];
  Iteration* it = work.iteration;
  Loop* loop = it->loop;
  if (it->number == loop->last) {
    if (loop->num_alive() >= frames_.frames[loop->frame].parallel_iterations) {
      loop->deferred.emplace_back(work.item, TakeInput(item, 0, it->slots));
      return;
    }
    StartIteration(unit, loop);
  }
  Iteration* next = loop->at(it->number + 1);
  next->slots[item.info.output_start] = TakeInput(item, 0, it->slots);
  Activate(unit, work.item, next, /*dead=*/false);
}

void FrameStep::StartIteration(FrameUnit* unit, Loop* loop) {
  Iteration* next = loops_.AddIteration(loop);
  loop->dead_exits.clear();
  for (auto& [item, value] : loop->deferred) {
    next->slots[program_.items[item].info.output_start] = std::move(value);
    Activate(unit, item, next, /*dead=*/false);
  }
  loop->deferred.clear();
  for (const auto& [item, value] : loop->constants) {
    next->slots[program_.items[item].info.output_start] = value;
    Activate(unit, item, next, IsEmpty(value));
  }
}

// Drops the iterations that are over, oldest first, and the loop itself after the last; then the
// same of the loop around it, if that waited for this one only.
void FrameStep::EndIterations(FrameUnit* unit, Loop* loop) {
  for (;;) {
    if (loop->pending_enters > 0) return;
    while (loop->num_alive() > 0) {
      if (!loop->at(loop->first)->IsIdle()) return;
      loops_.DropFirst(loop);
      if (!loop->deferred.empty()) StartIteration(unit, loop);
    }
    Iteration* parent = loop->parent;
    for (int32_t exit : loop->dead_exits) {
      if (loop->has_left[frames_.items[exit].exit] == 0)
        Activate(unit, exit, parent, /*dead=*/true);
    }
    loops_.EndLoop(loop);
    if (!parent->IsIdle() || parent->loop->parent == nullptr) return;
    loop = parent->loop;
  }
}

void FrameStep::MakeReady(FrameUnit* unit, int32_t item, Iteration* it) {
  ++it->outstanding;
  const int32_t lane = program_.items[item].lane;
  if (lane == unit->lane && (!shares_work_[lane] || IsCheap(item, it))) {
    unit->queue.Push({item, it});
  } else {
    unit->others.push_back({item, it});
  }
}

// All inputs are there, so their sizes tell more than anything that was known of shapes.
bool FrameStep::IsCheap(int32_t item, const Iteration* it) const {
  const FrameItem& f = frames_.items[item];
  if (program_.lanes[program_.items[item].lane].perturbation != nullptr) return false;
  if (f.ns_per_element == 0 || it->states[f.index].dead > 0) return true;
  return CountInputElements(program_.items[item].info, it->slots) * f.ns_per_element <=
         kCheapItemNs;
}

// Decides where what became ready runs: one item here when there is nothing else to do.
void FrameStep::SpreadWork(FrameUnit* unit) {
  if (unit->others.empty()) return;
  takes_more_.assign(program_.lanes.size(), nullptr);
  for (const FrameWork& work : unit->others) {
    const int32_t lane = program_.items[work.item].lane;
    if (lane == unit->lane && unit->queue.empty()) {
      unit->queue.Push(work);
      continue;
    }
    const bool together = !shares_work_[lane] || IsCheap(work.item, work.iteration);
    FrameUnit* target = together ? takes_more_[lane] : nullptr;
    if (target == nullptr) {
      target = TakeUnit(lane);
      if (together) takes_more_[lane] = target;
      unit->outgoing.push_back(target);
      ++units_;
      if (!shared_) shared_ = true;  // others read it without the mutex
    }
    target->queue.Push(work);
  }
  unit->others.clear();
}

FrameUnit* FrameStep::TakeUnit(int32_t lane) {
  FrameUnit* unit;
  if (spare_units_.empty()) {
    std::lock_guard<std::mutex> lock(all_units_mutex_);
    all_units_.push_back(std::make_unique<FrameUnit>());
    unit = all_units_.back().get();
    spare_units_.reserve(all_units_.size());
  } else {
    unit = spare_units_.back();
    spare_units_.pop_back();
  }
  unit->lane = lane;
  return unit;
}

void FrameStep::ScheduleOthers(FrameUnit* unit) {
  for (FrameUnit* other : unit->outgoing) {
    program_.lanes[other->lane].Schedule(
        WorkOf(&FrameStep::RunWork, reinterpret_cast<int64_t>(other)));
  }
  unit->outgoing.clear();
}

void FrameStep::EndUnit(FrameUnit* unit) {
  items_run_.fetch_add(unit->items_run, std::memory_order_relaxed);
  unit->items_run = 0;
  unit->item.store(-1, std::memory_order_relaxed);
  bool is_last;
  {
    std::unique_lock<std::mutex> lock = LockIfShared();
    spare_units_.push_back(unit);
    is_last = --units_ == 0;
  }
  if (is_last) EndRun();
}

}  // namespace warpbeam
