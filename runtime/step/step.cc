#include "runtime/step/step.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "graph/types/shown_name.h"
#include "runtime/kernel/launch_observer.h"
#include "runtime/memory/string_memory.h"
#include "runtime/step/failed_node.h"
#include "runtime/step/frame_step.h"
#include "runtime/step/task_step.h"

namespace warpbeam {
namespace {

// An error that came through many nodes does not name again those that it names already.
constexpr size_t kNamesEnough = 2000;
// Beyond it no more is said of where: what one node says is far less, once it is cut.
constexpr size_t kLongestMessage = 2 * kLongestShownMessage;

}  // namespace

std::unique_ptr<Step> NewStep(const Plan& plan) {
  if (plan.program.frames != nullptr) return std::make_unique<FrameStep>(plan);
  return std::make_unique<TaskStep>(plan);
}

Step::Step(const Plan& plan, int32_t root_slots)
    : plan_(plan),
      program_(plan.program),
      slots_(root_slots),
      stream_is_busy_(new std::atomic<bool>[plan.program.enqueuing_lanes.size()]()) {
  for (const auto& [slot, value] : plan.program.constants) slots_[slot] = value;
}

void Step::BeginRun(const Request& request, std::function<void()> done) {
  context_ = request.context;
  traced_ = request.trace != TraceLevel::kNone;
  track_.store(request.track, std::memory_order_relaxed);
  done_ = std::move(done);
  failed_.store(false, std::memory_order_relaxed);
  bytes_copied_.store(0, std::memory_order_relaxed);
  items_run_.store(0, std::memory_order_relaxed);
  status_ = OkStatus();
  for (size_t i = 0; i < request.feeds.size(); ++i) {
    slots_[program_.feeds[i].slot].value = request.feeds[i];
  }
  if (!traced_) return;
  if (trace_ == nullptr) trace_ = std::make_unique<StepTrace>();
  trace_->Begin(plan_, request.trace);
}

void Step::EndRun() {
  const std::vector<int32_t>& lanes = program_.enqueuing_lanes;
  if (lanes.empty()) return TellEnd();
  // One more, so that the step does not end while this loop goes on.
  streams_left_.store(static_cast<int32_t>(lanes.size()) + 1, std::memory_order_relaxed);
  for (size_t i = 0; i < lanes.size(); ++i) {
    const int32_t lane = lanes[i];
    stream_is_busy_[i].store(true, std::memory_order_relaxed);
    const auto end = [this, i, lane](const Status& outcome) {
      if (!outcome.ok()) FailOn(lane, outcome);
      stream_is_busy_[i].store(false, std::memory_order_relaxed);
      EndStream();
    };
    const Status s = program_.lanes[lane].stream->WhenDone(end);
    if (!s.ok()) end(s);
  }
  EndStream();
}

// By the last one all others have let go of the step.
void Step::EndStream() {
  if (streams_left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  {
    // An enqueued kernel has nobody to tell but the context.
    std::lock_guard<std::mutex> lock(mutex_);
    if (status_.ok()) status_ = context_->first_error();
  }
  TellEnd();
}

void Step::TellEnd() {
  if (traced_) trace_->End();
  std::function<void()> done = std::move(done_);
  done();
}

std::vector<std::string> Step::Running() const {
  std::vector<std::string> names = RunningItems();
  for (size_t i = 0; i < program_.enqueuing_lanes.size(); ++i) {
    if (!stream_is_busy_[i].load(std::memory_order_relaxed)) continue;
    const Device* const device = program_.lanes[program_.enqueuing_lanes[i]].device;
    names.push_back(absl::StrCat("what was enqueued on ", device->name().ToString()));
  }
  return names;
}

namespace {

Status HealthOf(const Lane& lane) {
  return lane.health == nullptr ? OkStatus() : lane.health->status();
}

}  // namespace

Status Step::Enqueue(const PlanItem& item, Slot* slots) {
  const Lane& lane = program_.lanes[item.lane];
  WB_RETURN_IF_ERROR(HealthOf(lane));
  // What a copy uses the driver knows, and by now it may be over.
  LaunchObserver* const observer = item.is_copy() ? nullptr : LaunchObserver::Get();
  const auto call = [&] {
    return observer == nullptr ? Call(item, slots) : CallObserved(item, slots, *observer);
  };
  if (!lane.is_blocking) return call();
  const WaitedLaunch launch(lane.health, DescribeItem(item));
  WB_RETURN_IF_ERROR(call());
  return lane.stream->Synchronize();
}

Status Step::CallObserved(const PlanItem& item, Slot* slots, LaunchObserver& observer) {
  std::vector<LaunchObserver::Use> uses;
  const auto add = [&](const Slot& slot, bool writes) {
    const Tensor& value = slot.value;
    if (slot.ref != nullptr || !value.has_value() || !IsPlainData(value.dtype())) return;
    // What is handed on was not written.
    for (const LaunchObserver::Use& use : uses) {
      if (writes && use.at == value.raw_data()) return;
    }
    uses.push_back({value.raw_data(), value.bytes(), writes});
  };
  if (!item.derefs.empty()) WB_RETURN_IF_ERROR(ReadReferences(item, slots));
  for (int32_t i = 0; i < item.info.num_inputs; ++i) add(slots[item.info.input_slots[i]], false);
  WB_RETURN_IF_ERROR(Call(item, slots));
  for (int32_t o = 0; o < item.info.num_outputs; ++o) add(slots[item.info.output_start + o], true);
  observer.Launched(*program_.lanes[item.lane].stream, DescribeItem(item), uses);
  return OkStatus();
}

Status Step::BeforeStart(const PlanItem& item, Slot* slots) {
  if (item.enqueues) WB_RETURN_IF_ERROR(HealthOf(program_.lanes[item.lane]));
  return ReadReferences(item, slots);
}

// What goes wrong while it waits the kernel is told, too.
void Step::Start(const PlanItem& item, absl::FunctionRef<void()> start) {
  const Lane& lane = program_.lanes[item.lane];
  if (!lane.is_blocking) return start();
  const WaitedLaunch launch(lane.health, DescribeItem(item));
  start();
  lane.stream->Synchronize().IgnoreError();
}

// Kernels of a device that translates addresses work on copies of their slots.
Status Step::ComputeTranslated(const PlanItem& item, Slot* slots) {
  const int32_t n = item.info.num_inputs;
  absl::InlinedVector<Slot, 8> local(n + item.info.num_outputs);
  absl::InlinedVector<int32_t, 8> inputs(n);
  for (int32_t i = 0; i < n; ++i) {
    Slot& from = slots[item.info.input_slots[i]];
    inputs[i] = i;
    const bool take = i < 64 && ((item.info.forwardable_inputs >> i) & 1) != 0;
    local[i].ref = from.ref;
    local[i].dead = from.dead;
    int32_t taken = -1;  // an earlier input that took the tensor of the same slot
    for (int32_t j = 0; j < std::min(i, 64); ++j) {
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
  Status s = item.kernel->Compute(ctx);
  for (int32_t o = 0; o < item.info.num_outputs; ++o) {
    Slot& to = slots[item.info.output_start + o];
    to = std::move(local[n + o]);
    to.value.set_raw_data(item.device->ToTensorAddress(to.value.raw_data()));
  }
  return s;
}

Status Step::ReadReferences(const PlanItem& item, Slot* slots) {
  for (int32_t i = item.derefs.begin; i < item.derefs.end; ++i) {
    const Deref& d = program_.derefs[i];
    RefVariable* ref = slots[d.ref].ref;
    if (ref == nullptr) {
      // A dead input of a Merge, or a value that a Switch forwarded by value.
      if (d.scratch >= 0) slots[d.scratch] = slots[d.ref];
      continue;
    }
    if (d.scratch < 0) {
      if (!ref->IsInitialized()) return ref->ReadInitialized().status();
      continue;
    }
    WB_ASSIGN_OR_RETURN(slots[d.scratch].value, ref->ReadInitialized());
    if (item.device != nullptr) {
      Tensor& value = slots[d.scratch].value;
      value.set_raw_data(item.device->ToTensorAddress(value.raw_data()));
    }
  }
  return OkStatus();
}

Status Step::CheckOutputs(const PlanItem& item, Slot* slots) {
  for (int32_t o = 0; o < item.info.num_outputs; ++o) {
    Slot& slot = slots[item.info.output_start + o];
    if (slot.value.has_value() || slot.ref != nullptr) {
      if (item.kind == ItemKind::kReceive) slot.dead = false;  // as the last one may have been
      if (slot.value.dtype() == DType::kString) {
        WB_RETURN_IF_ERROR(StringMemory::Count(slot.value));
      }
      continue;
    }
    if (item.kind != ItemKind::kSwitch && item.kind != ItemKind::kReceive)
      return Internal("the kernel left output ", o, " without a value");
    slot.dead = true;
  }
  return OkStatus();
}

void Step::Fail(const PlanItem& item, const Status& status) {
  failed_.store(true, std::memory_order_release);
  DeviceHealth* const health = program_.lanes[item.lane].health;
  const Status failure = health == nullptr ? status : health->Explain(status);
  // A function that calls itself hands its error out through the same node again and again.
  const std::string where = DescribeItem(item);
  // A kernel may have put a tensor into its message. Where a node of a function failed, that was
  // cut when it did, and what it says stands at the end.
  const bool is_nested = !FailedNode(failure).empty();
  const Status shown = is_nested ? failure : ShownStatus(failure);
  const size_t length = shown.message().size();
  const bool told = absl::StartsWith(shown.message(), where) ||
                    (length > kNamesEnough && absl::StrContains(shown.message(), where)) ||
                    length > kLongestMessage;
  // Without the mutex: cancelling makes other kernels fail, some in this very call.
  Status first = context_->Fail(told ? shown : Annotate(shown, where));
  std::lock_guard<std::mutex> lock(mutex_);
  if (!status_.ok()) return;
  status_ = std::move(first);
  failed_on_ = item.device;
}

void Step::FailOn(int32_t lane, const Status& status) {
  Device* const device = program_.lanes[lane].device;
  failed_.store(true, std::memory_order_release);
  Status first =
      context_->Fail(Annotate(status, absl::StrCat("work on ", device->name().ToString())));
  std::lock_guard<std::mutex> lock(mutex_);
  if (!status_.ok()) return;
  status_ = std::move(first);
  failed_on_ = device;
}

void Step::ClearAllSlots() {
  std::vector<bool> is_constant(slots_.size(), false);
  for (const auto& constant : program_.constants) is_constant[constant.first] = true;
  for (size_t s = 0; s < slots_.size(); ++s) {
    if (!is_constant[s]) ClearSlot(slots_[s]);
  }
}

void Step::ListOutputs(const PlanItem& item, const Slot* slots, LiveTensors* live) const {
  for (int32_t o = 0; o < item.info.num_outputs; ++o) {
    const bool on_host = item.is_copy() ? program_.copy_ends[item.copy].second == nullptr
                                        : KernelContext::HasBit(item.info.host_outputs, o);
    live->Add(plan_.facts.graph->node(item.node), on_host ? nullptr : item.device,
              slots[item.info.output_start + o]);
  }
}

Status Step::status() const {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!status_.ok() && !LiveTensors::IsOutOfMemory(status_)) return status_;
  }
  if (!status_.ok()) {
    LiveTensors live(status_, context_->resources());
    for (size_t c = 0; c < program_.constants.size(); ++c) {
      const ConstantOrigin& origin = plan_.facts.constant_origins[c];
      live.Add(plan_.facts.graph->node(origin.node), origin.device, program_.constants[c].second);
    }
    for (const PlanFeed& feed : program_.feeds) {
      live.Add(absl::StrCat("feed '", ShownName(feed.name), "'"), nullptr, slots_[feed.slot].value);
    }
    ListItems(&live);
    return live.Explain(status_, failed_on_);
  }
  return context_->IsCancelled() ? context_->cancel_reason() : OkStatus();
}

Status Step::TakeFetches(std::vector<Tensor>* fetched) {
  fetched->clear();
  fetched->reserve(program_.fetches.size());
  for (const PlanFetch& f : program_.fetches) {
    Slot& slot = slots_[f.slot];
    if (slot.ref != nullptr) {
      WB_ASSIGN_OR_RETURN(Tensor value, slot.ref->ReadInitialized());
      if (f.device != nullptr) value.set_raw_data(f.device->ToTensorAddress(value.raw_data()));
      fetched->push_back(std::move(value));
      continue;
    }
    if (!slot.value.has_value()) {
      return InvalidArgument("Retval for the fetch '", ShownName(f.name),
                             "' does not have value: it is on a branch that was not taken");
    }
    fetched->push_back(f.takes ? std::move(slot.value) : slot.value);
    if (f.takes) slot.value.Reset();
  }
  return OkStatus();
}

}  // namespace warpbeam
