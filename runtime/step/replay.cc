#include "runtime/step/replay.h"

#include <atomic>
#include <map>
#include <utility>

#include "absl/strings/string_view.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

// A longer input on the host is no shape and no number, and comparing it costs what is to be saved.
constexpr size_t kMostHostBytes = 4096;
// In a row, before what was recorded is given up for what is there now; and how often.
constexpr int kMostMisses = 8;
constexpr int kMostRecordings = 4;

// Where a slot's value comes from, as a task sees it.
enum Origin : uint8_t {
  kElsewhere,
  kHere,
  kConstant,  // of the plan
  kReplayed,  // another task that is played, on the same lane
  kListed,    // one of the two from elsewhere, once it is known
};

std::atomic<int64_t> tasks_played{0};
std::atomic<int64_t> arenas_outgrown{0};

absl::string_view BytesOf(const Tensor& tensor) {
  return absl::string_view(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
}

}  // namespace

int64_t Replay::played() { return tasks_played.load(std::memory_order_relaxed); }
int64_t Replay::outgrown() { return arenas_outgrown.load(std::memory_order_relaxed); }

Replay::Replay(const Plan& plan, int32_t task)
    : program_(plan.program),
      task_(plan.program.tasks[task]),
      lane_(plan.program.lanes[task_.lane]),
      recorder_(dynamic_cast<RecordingStream*>(lane_.stream)),
      never_(recorder_ == nullptr) {}

// What the task reads of others and what others read of it.
void Replay::FindBorders() {
  comes_from_.assign(program_.num_slots, kElsewhere);
  is_own_.assign(program_.num_slots, 0);
  is_on_host_.assign(program_.num_slots, 0);
  for (const auto& [slot, value] : program_.constants) comes_from_[slot] = kConstant;
  const auto make = [&](int32_t slot) {
    comes_from_[slot] = kHere;
    is_own_[slot] = 1;
  };
  for (int32_t i = task_.items.begin; i < task_.items.end; ++i) {
    const PlanItem& item = program_.items[i];
    for (int32_t o = 0; o < item.info.num_outputs; ++o) {
      make(item.info.output_start + o);
      is_on_host_[item.info.output_start + o] =
          KernelContext::HasBit(item.info.host_outputs, o) ? 1 : 0;
    }
    for (int32_t d = item.derefs.begin; d < item.derefs.end; ++d) {
      if (program_.derefs[d].scratch >= 0) make(program_.derefs[d].scratch);
    }
  }
  FindResults();
  FindInputs();
  FindWhatIsLetGo();
}

void Replay::FindResults() {
  const auto read = [&](int32_t slot) {
    if (is_own_[slot] == 0) return;
    is_own_[slot] = 0;
    Result result;
    result.slot = slot;
    results_.push_back(std::move(result));
  };
  for (const PlanTask& other : program_.tasks) {
    const bool is_here = &other == &task_;
    const bool stays = other.may_replay && other.lane == task_.lane;
    for (int32_t i = other.items.begin; !is_here && i < other.items.end; ++i) {
      const PlanItem& item = program_.items[i];
      for (int32_t j = 0; j < item.info.num_inputs; ++j) read(item.info.input_slots[j]);
      for (int32_t d = item.derefs.begin; d < item.derefs.end; ++d) read(program_.derefs[d].ref);
      for (int32_t o = 0; stays && o < item.info.num_outputs; ++o) {
        comes_from_[item.info.output_start + o] = kReplayed;
      }
    }
  }
  for (const PlanFetch& fetch : program_.fetches) read(fetch.slot);
}

void Replay::FindInputs() {
  const auto read = [&](int32_t slot, bool on_host) {
    const uint8_t origin = comes_from_[slot];
    if (origin != kElsewhere && origin != kReplayed) return;
    comes_from_[slot] = kListed;
    Input input;
    input.slot = slot;
    input.on_host = on_host;
    input.is_copied = !on_host && origin == kElsewhere;
    inputs_.push_back(std::move(input));
  };
  for (int32_t i = task_.items.begin; i < task_.items.end; ++i) {
    const PlanItem& item = program_.items[i];
    for (int32_t j = 0; j < item.info.num_inputs; ++j) {
      read(item.info.input_slots[j], KernelContext::HasBit(item.info.host_inputs, j));
    }
    for (int32_t d = item.derefs.begin; d < item.derefs.end; ++d) {
      read(program_.derefs[d].ref, false);
    }
  }
}

void Replay::FindWhatIsLetGo() {
  std::map<int32_t, int32_t> items;
  for (int32_t i = task_.items.begin; i < task_.items.end; ++i) {
    const PlanItem& item = program_.items[i];
    for (int32_t c = item.clear.begin; c < item.clear.end; ++c) items[program_.slot_lists[c]];
    for (int32_t c = item.release.begin; c < item.release.end; ++c) ++items[program_.slot_lists[c]];
  }
  // What is copied is read when the recording is played.
  for (const Input& input : inputs_) {
    const auto found = items.find(input.slot);
    if (!input.is_copied && found != items.end()) let_go_.emplace_back(*found);
  }
}

Replay::Way Replay::Prepare(Slot* slots, const StepContext& context, AreLast are_last) {
  if (never_) return Way::kRun;
  if (recording_ == nullptr) return arena_bytes_.has_value() ? Way::kRecord : Way::kMeasure;
  if (Matches(slots, context) && HoldVariables(slots, are_last)) {
    misses_ = 0;
    return Way::kPlay;
  }
  held_.clear();
  if (++misses_ < kMostMisses - 1) return Way::kRun;
  if (misses_ == kMostMisses - 1) return Way::kMeasure;
  Forget();
  return never_ ? Way::kRun : Way::kRecord;
}

void Replay::Forget() {
  recording_ = nullptr;
  for (Input& input : inputs_) input.kept = Tensor();
  for (Result& result : results_) {
    const int32_t slot = result.slot;
    result = Result();
    result.slot = slot;
  }
  arena_ = nullptr;
  variables_.clear();
  misses_ = 0;
  never_ = recordings_ >= kMostRecordings;
}

bool Replay::Matches(const Slot* slots, const StepContext& context) const {
  if (context.resources() != nullptr && context.resources()->generation() != generation_) {
    return false;
  }
  for (const Input& input : inputs_) {
    const Slot& slot = slots[input.slot];
    if (slot.dead || slot.ref != input.ref) return false;
    if (slot.ref != nullptr) continue;
    const Tensor& value = slot.value;
    if (!value.has_value() || value.dtype() != input.dtype || value.shape() != input.shape) {
      return false;
    }
    if (input.is_copied) continue;
    if (input.on_host && !input.kept.has_value()) {
      if (BytesOf(value) != input.value) return false;
    } else if (value.raw_data() != input.address) {
      return false;
    }
  }
  // What was handed out last time may still be in use.
  for (const Input& input : inputs_) {
    if (input.is_copied && !input.kept.IsUnique()) return false;
  }
  for (const Result& result : results_) {
    if (result.made.has_value() && !result.is_fixed && !result.made.IsUnique()) return false;
  }
  return true;
}

// Whether the variables have their values where they had them, and nobody else's. Holding them
// keeps the memory from others until the recording is enqueued. A reading that the task alone still
// has is let go of, as its item would do before a later one changes the variable.
bool Replay::HoldVariables(Slot* slots, AreLast are_last) {
  bool may_play = true;
  std::vector<Reading> gone;
  for (const VariableWatch::Seen& seen : variables_) {
    seen.variable
        ->Update([&](Tensor& value) {
          may_play = value.has_value() && VariableWatch::MemoryOf(value) == seen.memory;
          if (!may_play) return OkStatus();
          if (seen.changes) {
            LetGo(seen.memory, held_.size(), slots, are_last, &gone);
            may_play = value.IsUnique();
          }
          held_.push_back(value);
          return OkStatus();
        })
        .IgnoreError();
    if (!may_play) break;
  }
  if (may_play) return true;
  for (const Reading& r : gone) {
    slots[r.slot].value = Tensor(r.dtype, r.shape, held_[r.variable].buffer(), r.address);
  }
  return false;
}

void Replay::LetGo(const void* memory, size_t variable, Slot* slots, AreLast are_last,
                   std::vector<Reading>* gone) const {
  for (const auto& [slot, items] : let_go_) {
    Tensor& value = slots[slot].value;
    if (VariableWatch::MemoryOf(value) != memory || (items > 0 && !are_last(slot, items))) continue;
    gone->push_back({slot, variable, value.dtype(), value.shape(),
                     const_cast<void*>(std::as_const(value).raw_data())});
    value = Tensor();
  }
}

Status Replay::Play(Slot* slots) {
  for (Input& input : inputs_) {
    if (!input.is_copied || !input.kept.has_value()) continue;
    const Tensor& value = slots[input.slot].value;
    WB_RETURN_IF_ERROR(lane_.stream->Copy(input.kept.raw_data(), value.raw_data(), value.bytes()));
  }
  WB_RETURN_IF_ERROR(recording_->Enqueue());
  tasks_played.fetch_add(1, std::memory_order_relaxed);
  for (const Result& result : results_) {
    Slot& slot = slots[result.slot];
    slot.ref = result.ref;
    if (result.ref != nullptr) continue;
    slot.value = Made(result);
  }
  held_.clear();
  return OkStatus();
}

// It may be a part of what holds it, as the rows of a split are.
Tensor Replay::Made(const Result& result) const {
  const Tensor& holder = result.variable >= 0       ? held_[result.variable]
                         : result.holder != nullptr ? *result.holder
                                                    : result.made;
  return Tensor(result.dtype, result.shape, holder.buffer(), result.address);
}

// Who holds what the slot was left with.
void Replay::Keep(const Slot& slot, Result* result) {
  result->ref = slot.ref;
  if (slot.ref != nullptr || !slot.value.has_value()) return;
  const Tensor& value = slot.value;
  result->shape = value.shape();
  result->dtype = value.dtype();
  result->address = const_cast<void*>(value.raw_data());
  const void* const memory = VariableWatch::MemoryOf(value);
  for (size_t v = 0; v < variables_.size(); ++v) {
    if (memory != nullptr && memory == variables_[v].memory)
      result->variable = static_cast<int32_t>(v);
  }
  if (result->variable >= 0) return;
  for (const Input& input : inputs_) {
    if (input.is_copied && memory == VariableWatch::MemoryOf(input.kept)) {
      result->holder = &input.kept;
    }
  }
  for (const Result& other : results_) {
    if (&other == result) break;
    if (memory == VariableWatch::MemoryOf(other.made)) result->holder = &other.made;
  }
  if (result->holder != nullptr) return;
  result->made = value;
  result->is_fixed = is_on_host_[result->slot] != 0;
  for (const auto& [unused, constant] : program_.constants) {
    result->is_fixed |= memory == VariableWatch::MemoryOf(constant.value);
  }
}

// False where it is nothing that can be told to be the same next time.
bool Replay::LookAtInput(const Slot& slot, Input* input) const {
  if (slot.dead) return false;
  input->ref = slot.ref;
  if (slot.ref != nullptr) {
    input->is_copied = false;
    return true;
  }
  const Tensor& value = slot.value;
  if (!value.has_value()) return false;
  input->shape = value.shape();
  input->dtype = value.dtype();
  input->address = value.raw_data();
  if (!input->on_host) return true;
  if (!IsPlainData(value.dtype())) {
    input->kept = value;
    return value.dtype() == DType::kResource;
  }
  if (value.bytes() > kMostHostBytes) return false;
  input->value = std::string(BytesOf(value));
  return true;
}

// Inputs are held meanwhile, so that no kernel takes their memory over: in the recording they
// belong to it or to another one. A copy that made one may still hold it, too, and let go at any
// time. Not held are the values of variables, lest updates find that somebody holds them.
void Replay::BeginMeasuring(const Slot* slots) {
  if (is_own_.empty()) FindBorders();
  sizing_ = SizingAllocator::Create(lane_.device->allocator());
  for (const Input& input : inputs_) {
    const Slot& slot = slots[input.slot];
    if (input.on_host || slot.dead || !slot.value.has_value()) continue;
    if (input.is_copied) sizing_->AddResident(slot.value.bytes());
    if (input.is_copied || slot.value.IsUnique()) measured_inputs_.push_back(slot.value);
  }
  memory_ = std::make_unique<MemoryScope>(*lane_.device, *sizing_);
  watch_ = std::make_unique<VariableWatch>();
}

void Replay::EndMeasuring(const Slot* slots) {
  memory_ = nullptr;
  measured_inputs_.clear();
  SizingAllocator::Results results;
  for (const Result& result : results_) {
    results.insert(VariableWatch::MemoryOf(slots[result.slot].value));
  }
  arena_bytes_ = sizing_->arena_bytes(results);
  sizing_ = nullptr;
  // A value that came to lie in the arena of a recording would keep all of it.
  for (const VariableWatch::Seen& seen : watch_->seen()) seen.variable->StayInPlace();
  watch_ = nullptr;
}

Status Replay::BeginRecording(Slot* slots) {
  ++recordings_;
  arena_ = Arena::Create(lane_.device->allocator(), *arena_bytes_);
  for (Input& input : inputs_) {
    if (!LookAtInput(slots[input.slot], &input)) {
      never_ = true;
      return FailedPrecondition("an input that cannot be recorded");
    }
    if (!input.is_copied) continue;
    const Tensor& value = slots[input.slot].value;
    WB_ASSIGN_OR_RETURN(input.kept, Tensor::Allocate(value.dtype(), value.shape(), *arena_));
    WB_RETURN_IF_ERROR(lane_.stream->Copy(input.kept.raw_data(), value.raw_data(), value.bytes()));
  }
  WB_RETURN_IF_ERROR(recorder_->BeginRecording());
  for (const Input& input : inputs_) {
    if (input.is_copied) slots[input.slot].value = input.kept;
  }
  memory_ = std::make_unique<MemoryScope>(*lane_.device, *arena_);
  watch_ = std::make_unique<VariableWatch>();
  return OkStatus();
}

Status Replay::EndRecording(const Slot* slots, const StepContext& context, bool ran) {
  memory_ = nullptr;
  if (arena_->pieces() > 1) arenas_outgrown.fetch_add(1, std::memory_order_relaxed);
  variables_ = watch_->seen();
  watch_ = nullptr;
  auto recording = recorder_->EndRecording();
  if (!recording.ok()) {
    Forget();
    never_ = true;
    return recording.status();
  }
  recording_ = *std::move(recording);
  if (const Status enqueued = recording_->Enqueue(); !enqueued.ok() || !ran) {
    Forget();
    return enqueued;
  }
  generation_ = context.resources() == nullptr ? 0 : context.resources()->generation();
  for (Result& result : results_) Keep(slots[result.slot], &result);
  // A variable that came to lie elsewhere meanwhile will not be where the recording expects it.
  bool stays = true;
  for (const VariableWatch::Seen& seen : variables_) seen.variable->StayInPlace();
  for (const VariableWatch::Seen& seen : variables_) {
    const Tensor now = seen.variable->Read();
    stays &= now.has_value() && VariableWatch::MemoryOf(now) == seen.memory;
  }
  if (!stays) Forget();
  return OkStatus();
}

}  // namespace warpbeam
