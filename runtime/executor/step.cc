#include "runtime/executor/step.h"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <utility>

#include "absl/container/inlined_vector.h"

namespace warpbeam {
namespace {

int64_t ClockNs(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * int64_t{1'000'000'000} + t.tv_nsec;
}

}  // namespace

Step::Step(const Plan& plan)
    : plan_(plan),
      slots_(plan.num_slots),
      pending_(new std::atomic<int32_t>[plan.tasks.size()]),
      readers_(new std::atomic<int32_t>[plan.counted.size()]),
      current_(new std::atomic<int32_t>[plan.tasks.size()]) {
  for (const auto& [slot, value] : plan.constants) slots_[slot] = value;
  if (!plan.counted.empty()) reader_index_.assign(plan.num_slots, -1);
  for (size_t i = 0; i < plan.counted.size(); ++i) reader_index_[plan.counted[i].first] = i;
  if (plan.has_control_flow) item_dead_.assign(plan.items.size(), 0);
}

void Step::Begin(const Request& request, std::function<void()> done) {
  context_ = request.context;
  stats_ = request.stats;
  track_ = request.track;
  done_ = std::move(done);
  failed_.store(false, std::memory_order_relaxed);
  bytes_copied_.store(0, std::memory_order_relaxed);
  items_run_.store(0, std::memory_order_relaxed);
  status_ = absl::OkStatus();
  for (size_t i = 0; i < request.feeds.size(); ++i) {
    slots_[plan_.feeds[i].slot].value = request.feeds[i];
  }
  for (size_t i = 0; i < plan_.counted.size(); ++i) {
    readers_[i].store(plan_.counted[i].second, std::memory_order_relaxed);
  }
  if (plan_.has_control_flow) std::fill(item_dead_.begin(), item_dead_.end(), 0);
  if (stats_ != nullptr) stats_->start_ns = ClockNs(CLOCK_MONOTONIC);
  for (size_t t = 0; t < plan_.tasks.size(); ++t) {
    pending_[t].store(plan_.tasks[t].num_predecessors, std::memory_order_relaxed);
    if (track_) current_[t].store(-1, std::memory_order_relaxed);
  }
  tasks_left_.store(static_cast<int32_t>(plan_.tasks.size()), std::memory_order_release);
}

void Step::RunSerial() {
  for (const PlanTask& task : plan_.tasks) RunItems(0, task.items);
}

int32_t Step::Launch(bool keep_one) {
  int32_t kept = -1;
  if (plan_.tasks.empty()) {
    done_();
    return -1;
  }
  // Once the last initial task is scheduled the step may end; nothing of it is touched afterwards.
  const std::vector<int32_t>& initial = plan_.initial_tasks;
  for (size_t i = 0; i < initial.size(); ++i) {
    const int32_t t = initial[i];
    const int32_t lane = plan_.tasks[t].lane;
    if (keep_one && kept < 0 && lane == plan_.home_lane && plan_.lanes[lane].pool != nullptr) {
      kept = t;
    } else {
      plan_.lanes[lane].Schedule({&Step::RunWork, this, t});
    }
  }
  return kept;
}

void Step::RunWork(void* step, int64_t task) {
  static_cast<Step*>(step)->RunFrom(static_cast<int32_t>(task));
}

void Step::RunFrom(int32_t task) {
  while (task >= 0) task = RunTask(task);
}

int32_t Step::RunTask(int32_t task) {
  const PlanTask& t = plan_.tasks[task];
  if (t.items.end == t.items.begin + 1 && plan_.items[t.items.begin].is_async) {
    StartAsync(task);
    return -1;
  }
  RunItems(task, t.items);
  return FinishTask(task);
}

int32_t Step::FinishTask(int32_t task) {
  const PlanTask& t = plan_.tasks[task];
  int32_t next = -1;
  for (int32_t s = t.successors.begin; s < t.successors.end; ++s) {
    const int32_t successor = plan_.task_lists[s];
    if (pending_[successor].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    const int32_t lane = plan_.tasks[successor].lane;
    if (lane == t.lane && next < 0) {
      next = successor;
    } else {
      plan_.lanes[lane].Schedule({&Step::RunWork, this, successor});
    }
  }
  if (tasks_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    if (stats_ != nullptr) stats_->end_ns = ClockNs(CLOCK_MONOTONIC);
    std::function<void()> done = std::move(done_);
    done();
  }
  return next;
}

void Step::RunItems(int32_t task, Range items) {
  int64_t ran = 0;
  for (int32_t i = items.begin; i < items.end; ++i) {
    if (track_) current_[task].store(i, std::memory_order_relaxed);
    ran += RunItem(i, plan_.items[i]) ? 1 : 0;
  }
  if (track_) current_[task].store(-1, std::memory_order_relaxed);
  if (plan_.is_serial) {
    items_run_.store(items_run_.load(std::memory_order_relaxed) + ran, std::memory_order_relaxed);
  } else {
    items_run_.fetch_add(ran, std::memory_order_relaxed);
  }
}

bool Step::RunItem(int32_t index, const PlanItem& item) {
  bool ran = false;
  if (!IsStopped() && !(plan_.has_control_flow && MarkIfDead(index, item))) {
    const bool trace = stats_ != nullptr;
    const Before before = trace ? TakeBefore(item) : Before();
    absl::Status s = Compute(item);
    if (s.ok()) s = CheckOutputs(item);
    if (trace) Record(item, before);
    if (!s.ok()) Fail(item, s);
    ran = true;
  }
  ReleaseInputs(item);
  return ran;
}

absl::Status Step::Compute(const PlanItem& item) {
  if (!item.derefs.empty()) WB_RETURN_IF_ERROR(ReadReferences(item));
  if (item.translates) return ComputeTranslated(item);
  KernelContext ctx(slots_.data(), item.info, item.device, context_);
  return item.kernel->Compute(ctx);
}

// Kernels of a device that translates addresses work on copies of their slots.
absl::Status Step::ComputeTranslated(const PlanItem& item) {
  const int32_t n = item.info.num_inputs;
  absl::InlinedVector<Slot, 8> local(n + item.info.num_outputs);
  absl::InlinedVector<int32_t, 8> inputs(n);
  for (int32_t i = 0; i < n; ++i) {
    Slot& from = slots_[item.info.input_slots[i]];
    inputs[i] = i;
    const bool take = i < 64 && ((item.info.forwardable_inputs >> i) & 1) != 0;
    local[i].ref = from.ref;
    local[i].dead = from.dead;
    int32_t taken = -1;  // an earlier input that took the tensor of the same slot
    for (int32_t j = 0; j < i; ++j) {
      if (item.info.input_slots[j] == item.info.input_slots[i]) taken = j;
    }
    if (taken >= 0) {
      local[i].value = local[taken].value;
    } else {
      local[i].value = take ? std::move(from.value) : from.value;
    }
    local[i].value.set_raw_data(item.device->ToKernelAddress(local[i].value.raw_data()));
  }
  KernelContext::NodeInfo info = item.info;
  info.input_slots = inputs.data();
  info.output_start = n;
  KernelContext ctx(local.data(), info, item.device, context_);
  absl::Status s = item.kernel->Compute(ctx);
  for (int32_t o = 0; o < item.info.num_outputs; ++o) {
    Slot& to = slots_[item.info.output_start + o];
    to = std::move(local[n + o]);
    to.value.set_raw_data(item.device->ToTensorAddress(to.value.raw_data()));
  }
  return s;
}

absl::Status Step::ReadReferences(const PlanItem& item) {
  for (int32_t i = item.derefs.begin; i < item.derefs.end; ++i) {
    const Deref& d = plan_.derefs[i];
    RefVariable* ref = slots_[d.ref].ref;
    if (ref == nullptr) {
      // A dead input of a Merge, or a value that a Switch forwarded by value.
      if (d.scratch >= 0) slots_[d.scratch] = slots_[d.ref];
      continue;
    }
    if (d.scratch < 0) {
      if (!ref->IsInitialized()) return ref->ReadInitialized().status();
      continue;
    }
    WB_ASSIGN_OR_RETURN(slots_[d.scratch].value, ref->ReadInitialized());
    if (item.device != nullptr) {
      Tensor& value = slots_[d.scratch].value;
      value.set_raw_data(item.device->ToTensorAddress(value.raw_data()));
    }
  }
  return absl::OkStatus();
}

bool Step::MarkIfDead(int32_t index, const PlanItem& item) {
  bool dead = false;
  const KernelContext::NodeInfo& info = item.info;
  if (item.is_merge) {
    dead = info.num_inputs > 0;
    for (int32_t i = 0; i < info.num_inputs; ++i) dead &= slots_[info.input_slots[i]].dead;
  } else {
    for (int32_t i = 0; i < info.num_inputs; ++i) dead |= slots_[info.input_slots[i]].dead;
    for (int32_t i = item.derefs.begin; i < item.derefs.end; ++i) {
      dead |= slots_[plan_.derefs[i].ref].dead;
    }
    for (int32_t i = item.dead_preds.begin; i < item.dead_preds.end; ++i) {
      dead |= item_dead_[plan_.item_lists[i]] != 0;
    }
  }
  if (dead) MarkOutputsDead(index, item);
  return dead;
}

void Step::MarkOutputsDead(int32_t index, const PlanItem& item) {
  item_dead_[index] = 1;
  for (int32_t o = 0; o < item.info.num_outputs; ++o) {
    slots_[item.info.output_start + o].dead = true;
  }
}

absl::Status Step::CheckOutputs(const PlanItem& item) {
  for (int32_t o = 0; o < item.info.num_outputs; ++o) {
    Slot& slot = slots_[item.info.output_start + o];
    if (slot.value.has_value() || slot.ref != nullptr) continue;
    if (!item.is_switch) return Internal("the kernel left output ", o, " without a value");
    slot.dead = true;
  }
  return absl::OkStatus();
}

void Step::ReleaseInputs(const PlanItem& item) {
  for (int32_t i = item.clear.begin; i < item.clear.end; ++i) ClearSlot(plan_.slot_lists[i]);
  for (int32_t i = item.release.begin; i < item.release.end; ++i) {
    const int32_t slot = plan_.slot_lists[i];
    if (readers_[reader_index_[slot]].fetch_sub(1, std::memory_order_acq_rel) == 1) {
      ClearSlot(slot);
    }
  }
}

// An asynchronous kernel may finish before ComputeAsync returns. Whoever comes second goes on: the
// starting thread by returning to its loop, a foreign thread by scheduling on the task's lane.
struct Step::AsyncRun {
  Step* step;
  int32_t task;
  KernelContext context;
  Before before = {};
  std::atomic<bool> one_side_done{false};
};

void Step::StartAsync(int32_t task) {
  const int32_t index = plan_.tasks[task].items.begin;
  const PlanItem& item = plan_.items[index];
  absl::Status ready;
  if (IsStopped() || (plan_.has_control_flow && MarkIfDead(index, item)) ||
      !(ready = ReadReferences(item)).ok()) {
    if (!ready.ok()) Fail(item, ready);
    ReleaseInputs(item);
    RunFrom(FinishTask(task));
    return;
  }
  if (track_) current_[task].store(index, std::memory_order_relaxed);
  auto* run =
      new AsyncRun{this, task, KernelContext(slots_.data(), item.info, item.device, context_)};
  if (stats_ != nullptr) run->before = TakeBefore(item);
  item.kernel->ComputeAsync(run->context, [this, run, task, &item](absl::Status s) {
    if (s.ok()) s = CheckOutputs(item);
    if (stats_ != nullptr) Record(item, run->before);
    if (!s.ok()) Fail(item, s);
    if (item.is_copy) {
      bytes_copied_.fetch_add(static_cast<int64_t>(slots_[item.info.output_start].value.bytes()),
                              std::memory_order_relaxed);
    } else {
      items_run_.fetch_add(1, std::memory_order_relaxed);
    }
    ReleaseInputs(item);
    if (track_) current_[task].store(-1, std::memory_order_relaxed);
    if (!run->one_side_done.exchange(true, std::memory_order_acq_rel)) return;
    delete run;
    const int32_t next = FinishTask(task);
    if (next >= 0) plan_.lanes[plan_.tasks[next].lane].Schedule({&Step::RunWork, this, next});
  });
  if (run->one_side_done.exchange(true, std::memory_order_acq_rel)) {
    delete run;
    RunFrom(FinishTask(task));
  }
}

void Step::Fail(const PlanItem& item, const absl::Status& status) {
  const int32_t index = static_cast<int32_t>(&item - plan_.items.data());
  absl::Status named = Annotate(status, plan_.DescribeItem(index));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!status_.ok()) return;
    status_ = named;
    failed_.store(true, std::memory_order_release);
  }
  context_->Cancel(Cancelled("the step was stopped by an error: ", named.message()));
}

absl::Status Step::status() const {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!status_.ok()) return status_;
  }
  return context_->IsCancelled() ? context_->cancel_reason() : absl::OkStatus();
}

absl::Status Step::TakeFetches(std::vector<Tensor>* fetched) {
  fetched->clear();
  fetched->reserve(plan_.fetches.size());
  for (const PlanFetch& f : plan_.fetches) {
    Slot& slot = slots_[f.slot];
    if (slot.ref != nullptr) {
      WB_ASSIGN_OR_RETURN(Tensor value, slot.ref->ReadInitialized());
      fetched->push_back(std::move(value));
      continue;
    }
    if (!slot.value.has_value()) {
      return InvalidArgument("Retval for the fetch '", f.name,
                             "' does not have value: it is on a branch that was not taken");
    }
    fetched->push_back(f.takes ? std::move(slot.value) : slot.value);
    if (f.takes) slot.value.Reset();
  }
  return absl::OkStatus();
}

// Items clear what they read even in a stopped step, so only the plan's borders are left.
void Step::Clear() {
  for (int32_t slot : plan_.clear_at_end) ClearSlot(slot);
}

// Kernels may take their inputs' buffers, so sizes are looked up before one runs.
Step::Before Step::TakeBefore(const PlanItem& item) const {
  Before before;
  const auto bytes = [](const Slot& slot) {
    if (slot.ref == nullptr) return slot.value.bytes();
    const auto value = slot.ref->ReadInitialized();
    return value.ok() ? value->bytes() : 0;
  };
  for (int32_t i = 0; i < item.info.num_inputs; ++i) {
    before.input_bytes += static_cast<int64_t>(bytes(slots_[item.info.input_slots[i]]));
  }
  for (int32_t i = item.derefs.begin; i < item.derefs.end; ++i) {
    if (plan_.derefs[i].scratch < 0) continue;  // a reference input, counted above
    before.input_bytes += static_cast<int64_t>(bytes(slots_[plan_.derefs[i].ref]));
  }
  before.ns = ClockNs(CLOCK_MONOTONIC);
  before.cpu_ns = ClockNs(CLOCK_THREAD_CPUTIME_ID);
  return before;
}

void Step::Record(const PlanItem& item, const Before& before) {
  NodeStats n;
  n.start_ns = before.ns;
  n.end_ns = ClockNs(CLOCK_MONOTONIC);
  n.cpu_ns = ClockNs(CLOCK_THREAD_CPUTIME_ID) - before.cpu_ns;
  n.input_bytes = before.input_bytes;
  n.thread = static_cast<int32_t>(syscall(SYS_gettid));
  n.core = sched_getcpu();
  const Node& node = plan_.graph->node(item.node);
  n.node = node.name();
  n.op = item.is_copy ? "_Copy" : node.op_name();
  n.device = item.device == nullptr ? "" : item.device->name().ToString();
  for (int32_t o = 0; o < item.info.num_outputs; ++o) {
    n.output_bytes += static_cast<int64_t>(slots_[item.info.output_start + o].value.bytes());
  }
  std::lock_guard<std::mutex> lock(mutex_);
  stats_->nodes.push_back(std::move(n));
}

std::vector<std::string> Step::RunningItems() const {
  std::vector<std::string> names;
  if (!track_) return names;
  for (size_t t = 0; t < plan_.tasks.size(); ++t) {
    const int32_t item = current_[t].load(std::memory_order_relaxed);
    if (item >= 0) names.push_back(plan_.DescribeItem(item));
  }
  return names;
}

}  // namespace warpbeam
