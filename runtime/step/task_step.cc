#include "runtime/step/task_step.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "runtime/kernel/running_step.h"
#include "runtime/plan/item_cost.h"

// Orders of memory. Slots, and what is known to be dead, are plain memory. A task may read them
// because of the counter of its missing predecessors (`pending_`): each predecessor writes its
// slots and then decrements it, which releases them; whoever decrements it last acquires what all
// of them have released, since decrements continue each other, and runs the task or hands it to a
// lane, whose queue has a lock or is a stream. The same holds for
//
//   readers_      the last reader of a slot clears it after all others have read it
//   a stream      what WhenDone calls comes after what it was given before, which the thread that
//                 enqueued it has written
//   tasks_left_   the end of the step comes after everything that any task has done
//   one_side_done the second of two sides sees what the first has left (AsyncRun)
//
// Everything else is relaxed. What Begin writes is handed to other threads by the queue of the lane
// on which the first tasks are scheduled. `queued_` and `current_` only inform: of what waits on a
// stream, and of what runs, for messages. IsStopped may see an error late; then one kernel more
// runs, whose outcome nobody looks at.

namespace warpbeam {
namespace {

// In the place of a task's missing predecessors once it has run.
constexpr int32_t kEnded = -1;

}  // namespace

// An asynchronous kernel may finish before ComputeAsync returns. Whoever comes second goes on: the
// starting thread by returning to its loop, a foreign thread by scheduling on the task's lane.
struct TaskStep::AsyncRun {
  int32_t task = 0;
  std::optional<KernelContext> context;
  Before before;
  std::atomic<bool> one_side_done{false};
};

TaskStep::TaskStep(const Plan& plan)
    : Step(plan, plan.program.num_slots),
      pending_(new std::atomic<int32_t>[plan.program.tasks.size()]()),
      readers_(new std::atomic<int32_t>[plan.program.counted.size()]),
      queued_(new std::atomic<int32_t>[plan.program.lanes.size()]()),
      current_(new std::atomic<int32_t>[plan.program.tasks.size()]()),
      replays_(plan) {
  for (size_t t = 0; t < plan.program.tasks.size(); ++t) pending_[t].store(kEnded);
  if (!plan.program.counted.empty()) reader_index_.assign(plan.program.num_slots, -1);
  for (size_t i = 0; i < plan.program.counted.size(); ++i)
    reader_index_[plan.program.counted[i].first] = i;
  if (plan.program.has_control_flow) item_dead_.assign(plan.program.items.size(), 0);
  async_runs_.resize(plan.program.tasks.size());
}

TaskStep::~TaskStep() = default;

void TaskStep::Begin(const Request& request, std::function<void()> done) {
  BeginRun(request, std::move(done));
  for (size_t i = 0; i < program_.counted.size(); ++i) {
    readers_[i].store(program_.counted[i].second, std::memory_order_relaxed);
  }
  if (program_.has_control_flow) std::fill(item_dead_.begin(), item_dead_.end(), 0);
  for (size_t t = 0; t < program_.tasks.size(); ++t) {
    pending_[t].store(program_.tasks[t].num_predecessors, std::memory_order_relaxed);
    if (tracks()) current_[t].store(-1, std::memory_order_relaxed);
  }
  if (!traced_) replays_.BeginStep();
  gate_.Reset(request.order);
  notes_tasks_ = request.note_tasks;
  num_begun_.store(0, std::memory_order_relaxed);
  if (notes_tasks_) begun_.resize(program_.tasks.size());
  tasks_left_.store(static_cast<int32_t>(program_.tasks.size()), std::memory_order_release);
}

void TaskStep::RunSerial() {
  const RunningStep running(context_);
  for (size_t t = 0; t < program_.tasks.size(); ++t) {
    if (notes_tasks_) NoteBegin(static_cast<int32_t>(t));
    RunItems(0, program_.tasks[t].items);
  }
}

int32_t TaskStep::Launch(bool keep_one) {
  int32_t kept = -1;
  if (program_.tasks.empty()) {
    EndRun();
    return -1;
  }
  // Once the last initial task is scheduled the step may end; nothing of it is touched afterwards.
  const std::vector<int32_t>& initial = program_.initial_tasks;
  for (size_t i = 0; i < initial.size(); ++i) {
    const int32_t t = initial[i];
    const int32_t lane = program_.tasks[t].lane;
    const bool may_keep = keep_one && lane == program_.home_lane &&
                          program_.lanes[lane].pool != nullptr && !gate_.is_used();
    if (may_keep && kept < 0) {
      kept = t;
    } else if (!may_keep || !TakeCheap(t, &kept_)) {
      Schedule(t);
    }
  }
  return kept;
}

// The step may end as soon as its last task is scheduled.
void TaskStep::Schedule(int32_t task) {
  if (!gate_.is_used()) return Submit(task);
  const int32_t let_go = gate_.Ready(task);
  if (let_go >= 0) Submit(let_go);
}

void TaskStep::Submit(int32_t task) {
  const int32_t lane = program_.tasks[task].lane;
  if (program_.lanes[lane].pool == nullptr) queued_[lane].fetch_add(1, std::memory_order_relaxed);
  program_.lanes[lane].Schedule(WorkOf(&TaskStep::RunWork, task));
}

bool TaskStep::IsQueued(int32_t lane) const {
  return program_.lanes[lane].pool == nullptr && queued_[lane].load(std::memory_order_relaxed) > 0;
}

void TaskStep::RunWork(void* object, int64_t argument) {
  auto* const step = static_cast<TaskStep*>(static_cast<Step*>(object));
  const auto task = static_cast<int32_t>(argument);
  const int32_t lane = step->program_.tasks[task].lane;
  if (step->program_.lanes[lane].pool == nullptr) {
    step->queued_[lane].fetch_sub(1, std::memory_order_relaxed);
  }
  Found found;
  step->RunTasks(task, &found);
}

void TaskStep::RunFrom(int32_t kept) {
  if (kept < 0) return;
  Found found = kept_;
  kept_.num_cheap = 0;
  RunTasks(kept, &found);
}

// The step may end with the last task that is found; nothing of it is touched afterwards.
void TaskStep::RunTasks(int32_t task, Found* found) {
  const RunningStep running(context_);
  while (task >= 0) {
    RunTask(task, found);
    task = found->num_cheap > 0 ? found->cheap[--found->num_cheap] : std::exchange(found->next, -1);
  }
}

void TaskStep::NoteBegin(int32_t task) {
  begun_[num_begun_.fetch_add(1, std::memory_order_relaxed)] = task;
}

std::vector<int32_t> TaskStep::TasksBegun() const {
  if (!notes_tasks_) return {};
  return {begun_.begin(), begun_.begin() + num_begun_.load(std::memory_order_relaxed)};
}

void TaskStep::RunTask(int32_t task, Found* found) {
  const PlanTask& t = program_.tasks[task];
  if (notes_tasks_) NoteBegin(task);
  if (gate_.is_used()) {
    const int32_t let_go = gate_.Begun(task);
    if (let_go >= 0) Submit(let_go);
  }
  if (t.items.end == t.items.begin + 1 && program_.items[t.items.begin].is_async) {
    return StartAsync(task, found);
  }
  if (t.may_replay && !traced_) {
    RunReplayed(task);
  } else {
    RunItems(task, t.items);
  }
  FinishTask(task, found);
}

void TaskStep::RunReplayed(int32_t task) {
  const PlanTask& t = program_.tasks[task];
  if (IsStopped()) return;
  Replay* const replay = replays_.Of(task);
  if (replay == nullptr) return RunItems(task, t.items);
  const auto are_last = [this](int32_t slot, int32_t reads) {
    return readers_[reader_index_[slot]].load(std::memory_order_acquire) == reads;
  };
  const ReplayedTasks::Attempt attempt =
      replays_.Prepare(*replay, slots_.data(), *context_, are_last);
  switch (attempt.way) {
    case Replay::Way::kRun:
      RunItems(task, t.items);
      break;
    case Replay::Way::kMeasure:
      replay->BeginMeasuring(slots_.data());
      RunItems(task, t.items);
      replay->EndMeasuring(slots_.data());
      break;
    case Replay::Way::kRecord:
      if (!replay->BeginRecording(slots_.data()).ok()) return RunItems(task, t.items);
      return RecordItems(task, *replay);
    case Replay::Way::kPlay:
      if (Status s = replay->Play(slots_.data()); !s.ok()) return FailOn(t.lane, s);
      ReleaseBorrowed(t, *replay);
      items_run_.fetch_add(t.items.end - t.items.begin, std::memory_order_relaxed);
  }
  replays_.Ended(attempt);
}

// What comes before an item that fails happens, as it does in a run.
void TaskStep::RecordItems(int32_t task, Replay& replay) {
  const PlanTask& t = program_.tasks[task];
  bool ran = true;
  for (int32_t i = t.items.begin; ran && i < t.items.end; ++i) {
    const PlanItem& item = program_.items[i];
    Status s = Compute(item, slots_.data());
    if (s.ok()) s = CheckOutputs(item, slots_.data());
    if (!s.ok()) Fail(item, s);
    ran = s.ok() && !IsStopped();
    for (int32_t c = item.clear.begin; ran && c < item.clear.end; ++c) {
      ClearSlot(slots_[program_.slot_lists[c]]);
    }
    if (ran) ReleaseCounted(item);
  }
  if (Status s = replay.EndRecording(slots_.data(), *context_, ran); !s.ok()) {
    return FailOn(t.lane, s);
  }
  if (!ran) return;
  items_run_.fetch_add(t.items.end - t.items.begin, std::memory_order_relaxed);
}

// What the items would have released of others'.
void TaskStep::ReleaseBorrowed(const PlanTask& task, const Replay& replay) {
  for (int32_t i = task.items.begin; i < task.items.end; ++i) {
    const PlanItem& item = program_.items[i];
    for (int32_t c = item.clear.begin; c < item.clear.end; ++c) {
      const int32_t slot = program_.slot_lists[c];
      if (!replay.IsOwn(slot)) ClearSlot(slots_[slot]);
    }
    ReleaseCounted(item);
  }
}

// Counts the task down in its successors. Of those that become ready this thread keeps one, the
// first of its own lane, and what is too little for a thread of its own; the others are scheduled
// at once, so that another thread can begin while this one goes on. The step may end as soon as
// the last line has counted this task as done, and then it is somebody else's block.
void TaskStep::FinishTask(int32_t task, Found* found) {
  const PlanTask& t = program_.tasks[task];
  pending_[task].store(kEnded, std::memory_order_relaxed);
  const bool may_go_on =
      program_.lanes[t.lane].perturbation == nullptr && !IsQueued(t.lane) && !gate_.is_used();
  if (t.others_begin < t.successors.end) TellOthers(task);
  for (int32_t s = t.successors.begin; s < t.others_begin; ++s) {
    const int32_t successor = program_.task_lists[s];
    if (pending_[successor].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    const bool may_run_here = program_.tasks[successor].lane == t.lane && may_go_on;
    if (may_run_here && found->next < 0) {
      found->next = successor;
    } else if (!may_run_here || !TakeCheap(successor, found)) {
      Schedule(successor);
    }
  }
  if (tasks_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) EndRun();
}

// Counts a task of a lane that enqueues down in its successors on other lanes. What an asynchronous
// kernel does has happened when it is done; of the others, their work has been enqueued. A stream
// that cannot be waited for has failed, and the step with it: they are counted down all the same,
// so that it ends.
void TaskStep::TellOthers(int32_t task) {
  const PlanTask& t = program_.tasks[task];
  if (program_.items[t.items.begin].is_async) {
    for (int32_t s = t.others_begin; s < t.successors.end; ++s) CountDown(program_.task_lists[s]);
    return;
  }
  Stream* const stream = program_.lanes[t.lane].stream;
  absl::InlinedVector<int32_t, 4> on_host;
  int32_t told = -1;  // the lane that waits already
  for (int32_t s = t.others_begin; s < t.successors.end; ++s) {
    const int32_t successor = program_.task_lists[s];
    const int32_t lane = program_.tasks[successor].lane;
    if (!program_.lanes[lane].enqueues()) {
      on_host.push_back(successor);
      continue;
    }
    if (lane != told) {
      const Status waits = program_.lanes[lane].stream->WaitFor(*stream);
      if (!waits.ok()) FailOn(lane, waits);
      told = lane;
    }
    CountDown(successor);
  }
  if (on_host.empty()) return;
  const Status s = stream->WhenDone([this, lane = t.lane, on_host](const Status& outcome) {
    if (!outcome.ok()) FailOn(lane, outcome);
    // The step may end with the last of them.
    for (const int32_t successor : on_host) CountDown(successor);
  });
  if (s.ok()) return;
  FailOn(t.lane, s);
  for (const int32_t successor : on_host) CountDown(successor);
}

void TaskStep::CountDown(int32_t successor) {
  if (pending_[successor].fetch_sub(1, std::memory_order_acq_rel) == 1) Schedule(successor);
}

// Whether a task that is ready runs in this thread, besides the next one. What its kernels cost was
// estimated from shapes, where they were known; where they were not, the sizes of the inputs, which
// are there now, tell it. Handing a task to another thread costs some microseconds.
bool TaskStep::TakeCheap(int32_t task, Found* found) const {
  if (found->num_cheap == Found::kMaxCheap || gate_.is_used()) return false;
  const PlanTask& t = program_.tasks[task];
  const Lane& lane = program_.lanes[t.lane];
  if (lane.pool == nullptr || lane.perturbation != nullptr) return false;
  if (!program_.one_thread) {
    if (t.ns_per_element == 0) return false;
    int64_t elements = 0;
    for (int32_t i = t.items.begin; i < t.items.end; ++i) {
      elements += CountInputElements(program_.items[i].info, slots_.data());
    }
    if (elements * t.ns_per_element > kCheapItemNs) return false;
  }
  found->cheap[found->num_cheap++] = task;
  return true;
}

void TaskStep::RunItems(int32_t task, Range items) {
  int64_t ran = 0;
  for (int32_t i = items.begin; i < items.end; ++i) {
    if (tracks()) current_[task].store(i, std::memory_order_relaxed);
    ran += RunItem(i, program_.items[i]) ? 1 : 0;
  }
  if (tracks()) current_[task].store(-1, std::memory_order_relaxed);
  // Of a serial plan one thread alone counts, and needs no atomic addition.
  if (program_.is_serial) {
    items_run_.store(items_run_.load(std::memory_order_relaxed) + ran, std::memory_order_relaxed);
  } else {
    items_run_.fetch_add(ran, std::memory_order_relaxed);
  }
}

bool TaskStep::RunItem(int32_t index, const PlanItem& item) {
  if (IsStopped()) return false;
  bool ran = false;
  if (!(program_.has_control_flow && MarkIfDead(index, item))) {
    const bool trace = traced_;
    const Before before = trace ? TakeBefore(item, slots_.data()) : Before();
    Status s = Compute(item, slots_.data());
    if (s.ok()) s = CheckOutputs(item, slots_.data());
    if (trace) Record(item, slots_.data(), before);
    if (!s.ok()) {
      Fail(item, s);
      return true;
    }
    ran = !item.is_copy();
    if (!ran) CountBytes(slots_[item.info.output_start]);
  }
  ReleaseInputs(item);
  return ran;
}

// A node is dead when any of its inputs is, a Merge when all of them are: so does what a Switch has
// not taken go by. Control inputs count too, except a Merge's, which has waited for them only.
bool TaskStep::MarkIfDead(int32_t index, const PlanItem& item) {
  bool dead = false;
  const KernelContext::NodeInfo& info = item.info;
  if (item.kind == ItemKind::kFetch || item.kind == ItemKind::kSend) return false;
  if (item.kind == ItemKind::kMerge) {
    dead = info.num_inputs > 0;
    for (int32_t i = 0; i < info.num_inputs; ++i) dead &= slots_[info.input_slots[i]].dead;
  } else {
    for (int32_t i = 0; i < info.num_inputs; ++i) dead |= slots_[info.input_slots[i]].dead;
    for (int32_t i = item.derefs.begin; i < item.derefs.end; ++i) {
      dead |= slots_[program_.derefs[i].ref].dead;
    }
    for (int32_t i = item.dead_preds.begin; i < item.dead_preds.end; ++i) {
      dead |= item_dead_[program_.item_lists[i]] != 0;
    }
  }
  if (dead) MarkOutputsDead(index, item);
  return dead;
}

void TaskStep::MarkOutputsDead(int32_t index, const PlanItem& item) {
  item_dead_[index] = 1;
  for (int32_t o = 0; o < item.info.num_outputs; ++o) {
    slots_[item.info.output_start + o].dead = true;
  }
}

void TaskStep::ReleaseInputs(const PlanItem& item) {
  for (int32_t i = item.clear.begin; i < item.clear.end; ++i)
    ClearSlot(slots_[program_.slot_lists[i]]);
  ReleaseCounted(item);
}

void TaskStep::ReleaseCounted(const PlanItem& item) {
  for (int32_t i = item.release.begin; i < item.release.end; ++i) {
    const int32_t slot = program_.slot_lists[i];
    if (readers_[reader_index_[slot]].fetch_sub(1, std::memory_order_acq_rel) == 1) {
      ClearSlot(slots_[slot]);
    }
  }
}

// The kernel may call back before ComputeAsync has returned, in this thread or in another one, or
// long after. Both sides set `one_side_done`; the one that finds it set goes on with the task's
// successors, when the kernel's outputs are there and this thread uses the context no more.
void TaskStep::StartAsync(int32_t task, Found* found) {
  const int32_t index = program_.tasks[task].items.begin;
  const PlanItem& item = program_.items[index];
  if (IsStopped()) return FinishTask(task, found);
  if (program_.has_control_flow && MarkIfDead(index, item)) {
    ReleaseInputs(item);
    return FinishTask(task, found);
  }
  if (Status s = BeforeStart(item, slots_.data()); !s.ok()) {
    Fail(item, s);
    return FinishTask(task, found);
  }
  if (tracks()) current_[task].store(index, std::memory_order_relaxed);
  if (async_runs_[task] == nullptr) async_runs_[task] = std::make_unique<AsyncRun>();
  AsyncRun* const run = async_runs_[task].get();
  run->task = task;
  run->context.emplace(slots_.data(), item.info, item.device, context_);
  run->one_side_done.store(false, std::memory_order_relaxed);
  if (traced_) run->before = TakeBefore(item, slots_.data());
  Start(item, [&] {
    item.kernel->ComputeAsync(*run->context,
                              [this, run](Status s) { EndAsync(run, std::move(s)); });
  });
  if (run->one_side_done.exchange(true, std::memory_order_acq_rel)) FinishTask(task, found);
}

void TaskStep::EndAsync(AsyncRun* run, Status s) {
  const int32_t task = run->task;
  const PlanItem& item = program_.items[program_.tasks[task].items.begin];
  if (s.ok()) s = CheckOutputs(item, slots_.data());
  if (s.ok() && HasReceivedDead(item, slots_.data())) {
    item_dead_[program_.tasks[task].items.begin] = 1;
  }
  if (traced_) Record(item, slots_.data(), run->before);
  if (!s.ok()) Fail(item, s);
  if (item.is_copy()) {
    CountBytes(slots_[item.info.output_start]);
  } else {
    items_run_.fetch_add(1, std::memory_order_relaxed);
  }
  if (!IsStopped()) ReleaseInputs(item);
  if (tracks()) current_[task].store(-1, std::memory_order_relaxed);
  if (!run->one_side_done.exchange(true, std::memory_order_acq_rel)) return;
  Found found;
  FinishTask(task, &found);
  for (int32_t i = 0; i < found.num_cheap; ++i) Schedule(found.cheap[i]);
  if (found.next >= 0) Schedule(found.next);
}

// Items clear what they read, so only the plan's borders are left.
void TaskStep::Clear() {
  if (IsStopped()) return ClearAllSlots();
  for (int32_t slot : program_.clear_at_end) ClearSlot(slots_[slot]);
}

void TaskStep::ListItems(LiveTensors* live) const {
  for (const PlanItem& item : program_.items) ListOutputs(item, slots_.data(), live);
}

std::vector<std::string> TaskStep::RunningItems() const {
  std::vector<std::string> names;
  for (size_t t = 0; t < program_.tasks.size(); ++t) {
    if (pending_[t].load(std::memory_order_relaxed) != 0) continue;
    const Range items = program_.tasks[t].items;
    const int32_t item = tracks() ? current_[t].load(std::memory_order_relaxed) : -1;
    if (item >= 0 || items.end == items.begin + 1) {
      names.push_back(plan_.DescribeItem(std::max(item, items.begin)));
    } else if (!tracks()) {
      names.push_back(absl::StrCat("one of the ", items.end - items.begin, " nodes from ",
                                   plan_.DescribeItem(items.begin), " to ",
                                   plan_.DescribeItem(items.end - 1)));
    }
  }
  return names;
}

}  // namespace warpbeam
