#include "runtime/step/step_trace.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace warpbeam {
namespace {

int64_t ClockNs(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * int64_t{1'000'000'000} + t.tv_nsec;
}

// The names of all threads that have recorded something.
struct ThreadNames {
  std::mutex mutex;
  std::map<int32_t, std::string> names;

  static ThreadNames& Get() {
    static auto* const names = new ThreadNames;
    return *names;
  }
};

int32_t ThreadId() {
  thread_local const int32_t id = [] {
    const auto number = static_cast<int32_t>(syscall(SYS_gettid));
    char name[32] = "";
    pthread_getname_np(pthread_self(), name, sizeof(name));
    ThreadNames& all = ThreadNames::Get();
    std::lock_guard<std::mutex> lock(all.mutex);
    all.names[number] = name;
    return number;
  }();
  return id;
}

// The CPU time of the calling thread. Reading it is a system call, some 0.4 us; within 20
// microseconds of the last reading it is that one and the time that has passed since.
class ThreadCpuClock {
 public:
  static int64_t At(int64_t now_ns) {
    constexpr int64_t kTrustNs = 20'000;
    thread_local ThreadCpuClock clock;
    if (now_ns - clock.read_at_ns_ > kTrustNs) {
      clock.cpu_ns_ = ClockNs(CLOCK_THREAD_CPUTIME_ID);
      clock.read_at_ns_ = now_ns;
    }
    return clock.cpu_ns_ + (now_ns - clock.read_at_ns_);
  }

 private:
  int64_t read_at_ns_ = std::numeric_limits<int64_t>::min() / 2;
  int64_t cpu_ns_ = 0;
};

}  // namespace

StepTrace::Items::Items(const Plan& plan) {
  AddNames(plan);
  AddPredecessors(plan);
}

void StepTrace::Items::AddNames(const Plan& plan) {
  const auto name_of = [](const Device* device) {
    return device == nullptr ? std::string() : device->name().ToString();
  };
  absl::flat_hash_map<const Device*, absl::string_view> devices;
  items.reserve(plan.program.items.size());
  for (const PlanItem& item : plan.program.items) {
    const Node& node = plan.facts.graph->node(item.node);
    items.emplace_back();
    Item& names = items.back();
    names.node = node.name();
    names.op = *shared
                    .insert(item.is_copy()     ? "_Copy"
                            : item.is_border() ? "_Border"
                                               : std::string(node.op_name()))
                    .first;
    const auto [device, is_new] = devices.try_emplace(item.device);
    if (is_new) device->second = *shared.insert(name_of(item.device)).first;
    names.device = device->second;
    if (item.is_copy()) {
      names.copy_from = name_of(plan.program.copy_ends[item.copy].first);
      names.copy_to = name_of(plan.program.copy_ends[item.copy].second);
    }
  }
  for (const ConstantOrigin& origin : plan.facts.constant_origins) {
    const Node& node = plan.facts.graph->node(origin.node);
    const Device* device = origin.device != nullptr ? origin.device : plan.program.lanes[0].device;
    constants.emplace_back();
    constants.back().node = node.name();
    constants.back().op = *shared.insert(std::string(node.op_name())).first;
    constants.back().device = *shared.insert(name_of(device)).first;
  }
}

// Plans keep no edges between items. Those of slots are found by who writes what an item reads,
// where slots have one writer; loops number theirs by frame, so there the graph's edges count.
void StepTrace::Items::AddPredecessors(const Plan& plan) {
  std::vector<int32_t> writer(plan.program.frames == nullptr ? plan.program.num_slots : 0, -1);
  absl::flat_hash_map<NodeId, std::vector<int32_t>> items_of;
  for (size_t i = 0; i < plan.program.items.size(); ++i) {
    const PlanItem& item = plan.program.items[i];
    items_of[item.node].push_back(static_cast<int32_t>(i));
    for (int32_t o = 0; plan.program.frames == nullptr && o < item.info.num_outputs; ++o) {
      writer[item.info.output_start + o] = static_cast<int32_t>(i);
    }
  }
  for (size_t i = 0; i < plan.program.items.size(); ++i) {
    const PlanItem& item = plan.program.items[i];
    const Node& node = plan.facts.graph->node(item.node);
    const auto add_slot = [&](int32_t slot) {
      if (writer[slot] >= 0) predecessors.push_back(writer[slot]);
    };
    const auto add_node = [&](NodeId id, bool with_copies) {
      const auto found = items_of.find(id);
      if (found == items_of.end()) return;
      for (int32_t other : found->second) {
        const PlanItem& from = plan.program.items[other];
        if (!from.is_copy() || (with_copies && from.device == item.device)) {
          predecessors.push_back(other);
        }
      }
    };
    items[i].predecessors.begin = static_cast<int32_t>(predecessors.size());
    if (plan.program.frames == nullptr) {
      for (int32_t k = 0; k < item.info.num_inputs; ++k) add_slot(item.info.input_slots[k]);
      for (int32_t d = item.derefs.begin; d < item.derefs.end; ++d)
        add_slot(plan.program.derefs[d].ref);
    } else if (item.is_copy()) {
      add_node(item.node, /*with_copies=*/false);
    } else {
      for (OutputRef input : node.inputs()) add_node(input.node, /*with_copies=*/true);
    }
    if (!item.is_copy()) {
      for (NodeId control : node.control_inputs()) add_node(control, /*with_copies=*/false);
    }
    items[i].predecessors.end = static_cast<int32_t>(predecessors.size());
  }
}

void StepTrace::Begin(const Plan& plan, TraceLevel level) {
  cpu_time_ = level == TraceLevel::kFull;
  events_.clear();
  outputs_.clear();
  events_.reserve(plan.program.items.size());
  outputs_.reserve(plan.program.items.size());
  end_ns_ = 0;
  start_ns_ = ClockNs(CLOCK_MONOTONIC);
}

void StepTrace::End() { end_ns_ = ClockNs(CLOCK_MONOTONIC); }

StepTrace::Before StepTrace::Look(const Plan& plan, const PlanItem& item, const Slot* slots) const {
  Before before;
  const auto bytes = [](const Slot& slot) {
    if (slot.ref == nullptr) return slot.value.bytes();
    const auto value = slot.ref->ReadInitialized();
    return value.ok() ? value->bytes() : 0;
  };
  for (int32_t i = 0; i < item.info.num_inputs; ++i) {
    const Slot& slot = slots[item.info.input_slots[i]];
    before.input_bytes += static_cast<int64_t>(bytes(slot));
    if (i < static_cast<int32_t>(before.inputs.size())) before.inputs[i] = slot.value.raw_data();
  }
  for (int32_t i = item.derefs.begin; i < item.derefs.end; ++i) {
    if (plan.program.derefs[i].scratch < 0) continue;  // a reference input, counted above
    before.input_bytes += static_cast<int64_t>(bytes(slots[plan.program.derefs[i].ref]));
  }
  before.ns = ClockNs(CLOCK_MONOTONIC);
  if (cpu_time_) {
    before.cpu_ns = ThreadCpuClock::At(before.ns);
    before.thread = ThreadId();
    if (!item.is_async) before.taken = TakenMemory::Begin();
  }
  return before;
}

void StepTrace::Record(const Plan& plan, const PlanItem& item, const Slot* slots,
                       const Before& before, int64_t iteration) {
  Event e;
  e.end_ns = ClockNs(CLOCK_MONOTONIC);
  e.before = before;
  e.thread = ThreadId();
  // An asynchronous kernel may end on another thread, whose time says nothing of it, or on this one
  // after others.
  if (cpu_time_ && !item.is_async) e.workspace_bytes = TakenMemory::End(before.taken);
  if (cpu_time_ && e.thread == before.thread) {
    e.cpu_ns = std::max<int64_t>(0, ThreadCpuClock::At(e.end_ns) - before.cpu_ns);
  }
  e.core = sched_getcpu();
  e.item = static_cast<int32_t>(&item - plan.program.items.data());
  e.iteration = iteration;
  if (slots == nullptr) e.output_bytes = before.input_bytes;
  std::lock_guard<std::mutex> lock(mutex_);
  e.first_output = static_cast<int32_t>(outputs_.size());
  for (int32_t o = 0; slots != nullptr && o < item.info.num_outputs; ++o) {
    const Tensor& value = slots[item.info.output_start + o].value;
    if (!value.has_value()) continue;
    OutputStats output;
    output.slot = o;
    output.dtype = value.dtype();
    output.shape = value.shape();
    output.bytes = static_cast<int64_t>(value.bytes());
    output.allocated_bytes = value.buffer() ? static_cast<int64_t>(value.buffer()->bytes()) : 0;
    output.address = reinterpret_cast<uint64_t>(value.raw_data());
    for (size_t i = 0; i < before.inputs.size() && output.alias_input < 0; ++i) {
      const bool same = before.inputs[i] != nullptr && before.inputs[i] == value.raw_data();
      if (same) output.alias_input = static_cast<int32_t>(i);
    }
    e.output_bytes += output.bytes;
    if (output.alias_input < 0) e.workspace_bytes -= output.allocated_bytes;
    outputs_.push_back(std::move(output));
  }
  e.num_outputs = static_cast<int32_t>(outputs_.size()) - e.first_output;
  // Outputs may be what others have, as variables do.
  e.workspace_bytes = std::max<int64_t>(0, e.workspace_bytes);
  events_.push_back(e);
}

void StepTrace::MoveTo(const Plan& plan, StepStats* stats) {
  std::lock_guard<std::mutex> lock(mutex_);
  stats->start_ns = start_ns_;
  stats->end_ns = end_ns_ != 0 ? end_ns_ : ClockNs(CLOCK_MONOTONIC);
  stats->wall_offset_ns = ClockNs(CLOCK_REALTIME) - ClockNs(CLOCK_MONOTONIC);
  stats->nodes.clear();
  stats->nodes.resize(events_.size());
  if (items_ == nullptr) items_ = std::make_shared<Items>(plan);
  stats->names = items_;
  for (size_t i = 0; i < events_.size(); ++i) {
    const Event& e = events_[i];
    const Items::Item& item = items_->items[e.item];
    NodeStats& n = stats->nodes[i];
    n.node = item.node;
    n.op = item.op;
    n.device = item.device;
    n.is_copy = plan.program.items[e.item].is_copy();
    n.copy_from = item.copy_from;
    n.copy_to = item.copy_to;
    n.thread = e.thread;
    n.core = e.core;
    n.iteration = e.iteration;
    n.start_ns = n.scheduled_ns = e.before.ns;
    n.end_ns = e.end_ns;
    n.cpu_ns = e.cpu_ns;
    n.input_bytes = e.before.input_bytes;
    n.output_bytes = e.output_bytes;
    n.workspace_bytes = e.workspace_bytes;
    const auto first = outputs_.begin() + e.first_output;
    n.outputs.assign(std::make_move_iterator(first),
                     std::make_move_iterator(first + e.num_outputs));
  }
  if (events_.empty()) AddConstants(stats);
  FindPredecessors(stats);
  ThreadNames& threads = ThreadNames::Get();
  std::lock_guard<std::mutex> names_lock(threads.mutex);
  for (const Event& e : events_) stats->thread_names.try_emplace(e.thread, threads.names[e.thread]);
}

// A step in which no kernel runs gives out constants, which take no time.
void StepTrace::AddConstants(StepStats* stats) const {
  for (const Items::Item& constant : items_->constants) {
    stats->nodes.emplace_back();
    NodeStats& n = stats->nodes.back();
    n.node = constant.node;
    n.op = constant.op;
    n.device = constant.device;
    n.start_ns = n.end_ns = n.scheduled_ns = stats->start_ns;
  }
}

// What an item waits for in the graph may not have run, or run again later.
void StepTrace::FindPredecessors(StepStats* stats) const {
  std::vector<int32_t> last_of_item(items_->items.size(), -1);  // event
  for (size_t i = 0; i < events_.size(); ++i) {
    const int32_t index = events_[i].item;
    const Items::Item& item = items_->items[index];
    NodeStats& n = stats->nodes[i];
    n.scheduled_ns = std::min(stats->start_ns, n.start_ns);
    for (int32_t p = item.predecessors.begin; p < item.predecessors.end; ++p) {
      const int32_t event = last_of_item[items_->predecessors[p]];
      if (event < 0 || stats->nodes[event].end_ns > n.start_ns) continue;
      n.scheduled_ns = std::max(n.scheduled_ns, stats->nodes[event].end_ns);
      n.predecessors.push_back(event);
    }
    last_of_item[index] = static_cast<int32_t>(i);
  }
}

}  // namespace warpbeam
