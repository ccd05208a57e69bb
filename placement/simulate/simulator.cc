#include "placement/simulate/simulator.h"

#include <algorithm>
#include <limits>

namespace warpbeam {

Simulator::Simulator(const StepGraph* step, const Machine* machine)
    : step_(*step), machine_(*machine), num_nodes_(step->num_nodes()) {}

double Simulator::Run(Span<const int> devices) {
  if (!Begin(devices)) return step_s_ = std::numeric_limits<double>::infinity();
  BeginSources();
  while (!events_.empty()) {
    std::pop_heap(events_.begin(), events_.end(), Later());
    const Event event = events_.back();
    events_.pop_back();
    now_ = event.time;
    last_item_ = event.item;
    if (event.item < num_nodes_) {
      EndNode(event.item);
    } else {
      EndTransfer(event.item - num_nodes_);
    }
  }
  for (int m = 0; m < machine_.num_devices(); ++m) {
    memory_use_[m].peak_bytes = memory_use_[m].resident_bytes + most_in_use_[m];
  }
  device_of_ = {};
  return step_s_ = now_;
}

bool Simulator::Begin(Span<const int> devices) {
  const int num_devices = machine_.num_devices();
  device_of_ = devices;
  now_ = 0;
  num_events_ = 0;
  last_item_ = kNone;
  events_.clear();
  lines_.assign(num_devices, Line());
  for (int d = 0; d < num_devices; ++d) lines_[d].idle = machine_.device(d).lanes;
  for (Line& line : channels_) line = Line();
  waits_.resize(num_nodes_);
  for (std::vector<double>* times : {&start_, &end_}) times->assign(num_nodes_, 0);
  for (std::vector<int>* items : {&ready_by_, &cause_, &next_, &workspace_})
    items->assign(num_nodes_, kNone);
  ready_.clear();
  memory_.assign(step_.num_outputs(), kNone);
  buffer_.assign(step_.num_outputs(), kNone);
  first_copy_.assign(step_.num_outputs(), kNone);
  copies_.clear();
  buffers_.clear();
  in_use_.assign(num_devices, 0);
  most_in_use_.assign(num_devices, 0);
  buffers_at_peak_.assign(num_devices, 0);
  gradients_in_use_.assign(num_devices, 0);
  workspaces_in_use_.assign(num_devices, 0);
  device_use_.assign(num_devices, DeviceUse());
  memory_use_.assign(num_devices, MemoryUse());
  transfers_.clear();
  copy_of_.clear();
  line_of_.clear();
  if (static_cast<int>(devices.size()) != num_nodes_) return false;
  for (int k = 0; k < num_nodes_; ++k) {
    waits_[k] = step_.num_waits(k);
    if (devices[k] < 0 || devices[k] >= num_devices ||
        step_.Seconds(k, devices[k]) == std::numeric_limits<double>::infinity()) {
      return false;
    }
  }
  next_serial_ = IsSerial() ? 0 : kNone;
  return true;
}

void Simulator::BeginSources() {
  for (int k = 0; k < num_nodes_; ++k) {
    const int device = device_of_[k];
    ++device_use_[device].nodes;
    if (!step_.is_source(k)) {
      if (waits_[k] == 0) ready_.push_back(k);
      continue;
    }
    const int memory = machine_.memory_of(device);
    memory_use_[memory].resident_bytes += step_.HeldBytes(step_.state_bytes(k), IsHost(memory));
    for (int o = step_.first_output(k); o < step_.end_output(k); ++o) MakeOutput(o, device);
  }
  for (int o = step_.first_feed(); o < step_.num_outputs(); ++o) {
    MakeOutput(o, 0);
    ++buffers_[buffer_[o]].holders;  // the caller
  }
  for (int k = 0; k < num_nodes_; ++k) {
    if (!step_.is_source(k)) continue;
    for (int o = step_.first_output(k); o < step_.end_output(k); ++o) Deliver(o, kNone);
    for (int reader : step_.control_uses(k)) Arrive(reader, kNone);
  }
  for (int o = step_.first_feed(); o < step_.num_outputs(); ++o) Deliver(o, kNone);
  // At the beginning of a step nothing has become ready before anything else.
  std::sort(ready_.begin(), ready_.end());
  StartReady();
}

void Simulator::EndNode(int node) {
  for (int i = step_.first_input(node); i < step_.end_input(node); ++i) {
    if (step_.input(i).output >= 0) Release(BufferOfInput(node, i));
  }
  if (workspace_[node] != kNone) Release(workspace_[node]);
  for (int o = step_.first_output(node); o < step_.end_output(node); ++o) Deliver(o, node);
  for (int reader : step_.control_uses(node)) Arrive(reader, node);
  const int device = device_of_[node];
  Line& line = lines_[device];
  ++line.idle;
  line.idle_since = now_;
  if (machine_.type(device) == DeviceType::kCpu && next_serial_ == kNone) {
    const auto own = std::find_if(ready_.begin(), ready_.end(), [&](int item) {
      return item < num_nodes_ && device_of_[item] == device;
    });
    if (own != ready_.end()) {
      const int item = *own;
      ready_.erase(own);
      Start(item, node);
    }
  }
  if (line.idle > 0) TakeNext(&line, node);
  StartReady();
}

void Simulator::EndTransfer(int transfer) {
  const Transfer& moved = transfers_[transfer];
  const Copy& copy = copies_[copy_of_[transfer]];
  const int item = num_nodes_ + transfer;
  Release(buffer_[moved.output]);
  for (const StepGraph::Use& use : step_.uses(moved.output)) {
    if (MemoryOfInput(use.node, use.input) == copy.memory) Arrive(use.node, item);
  }
  Release(copy.buffer);
  Line& line = LineOf(item);
  ++line.idle;
  TakeNext(&line, item);
  StartReady();
}

void Simulator::Deliver(int output, int maker) {
  for (const StepGraph::Use& use : step_.uses(output)) {
    const int memory = MemoryOfInput(use.node, use.input);
    if (memory == memory_[output]) {
      Arrive(use.node, maker);
    } else if (copies_[FindCopy(output, memory)].buffer != kNone) {
      Arrive(use.node, maker);  // a constant that lies there
    }
  }
  for (int c = first_copy_[output]; c != kNone; c = copies_[c].next) {
    if (copies_[c].buffer != kNone) continue;
    const int item = num_nodes_ + static_cast<int>(transfers_.size());
    Transfer transfer;
    transfer.output = output;
    transfer.from = memory_[output];
    transfer.to = copies_[c].memory;
    transfer.bytes = step_.output(output).bytes;
    transfers_.push_back(transfer);
    line_of_.push_back(LineBetween(transfer.from, transfer.to));
    copy_of_.push_back(c);
    start_.push_back(0);
    end_.push_back(0);
    ready_by_.push_back(maker);
    cause_.push_back(kNone);
    next_.push_back(kNone);
    ready_.push_back(item);
  }
  Release(buffer_[output]);  // of the maker
}

void Simulator::Arrive(int node, int maker) {
  if (--waits_[node] > 0) return;
  ready_by_[node] = maker;
  ready_.push_back(node);
}

bool Simulator::IsSerial() const {
  int only = kNone;
  for (int k = 0; k < num_nodes_; ++k) {
    if (step_.is_source(k)) continue;
    if (only == kNone) only = device_of_[k];
    if (device_of_[k] != only) return false;
  }
  return only != kNone && machine_.type(only) == DeviceType::kCpu &&
         machine_.device(only).lanes == 1;
}

void Simulator::StartSerial() {
  const std::vector<int>& order = step_.serial_order();
  while (next_serial_ < num_nodes_ && step_.is_source(order[next_serial_])) ++next_serial_;
  if (next_serial_ == num_nodes_) return;
  const int node = order[next_serial_];
  // Another one runs, or what it waits for is still to come from another memory.
  if (lines_[device_of_[node]].idle == 0 || waits_[node] > 0) return;
  ++next_serial_;
  Start(node, last_item_);
}

void Simulator::StartOrQueue(int item) {
  Line& line = LineOf(item);
  if (line.idle > 0) {
    Start(item, ready_by_[item], HandOverSeconds(item));
    return;
  }
  if (line.first == kNone) {
    line.first = item;
  } else {
    next_[line.last] = item;
  }
  line.last = item;
}

double Simulator::HandOverSeconds(int item) const {
  if (item >= num_nodes_) return 0;
  const int device = device_of_[item], maker = ready_by_[item];
  const bool is_own = maker != kNone && maker < num_nodes_ && device_of_[maker] == device;
  if (is_own || next_serial_ != kNone) return 0;
  const MachineDevice& taker = machine_.device(device);
  const bool sleeps = now_ - lines_[device].idle_since > taker.wake_s;
  return sleeps ? std::max(taker.hand_over_s, taker.wake_s) : taker.hand_over_s;
}

void Simulator::StartReady() {
  for (int item : ready_) {
    if (next_serial_ == kNone || item >= num_nodes_) StartOrQueue(item);
  }
  ready_.clear();
  if (next_serial_ != kNone) StartSerial();
}

void Simulator::TakeNext(Line* line, int cause) {
  if (line->first == kNone) return;
  const int item = line->first;
  line->first = next_[item];
  Start(item, cause);
}

void Simulator::Start(int item, int cause, double delay_s) {
  --LineOf(item).idle;
  cause_[item] = cause;
  const double start_s = now_ + delay_s;
  start_[item] = start_s;
  double seconds = 0;
  if (item < num_nodes_) {
    const int device = device_of_[item];
    seconds = step_.Seconds(item, device);
    device_use_[device].busy_s += seconds;
    for (int o = step_.first_output(item); o < step_.end_output(item); ++o) MakeOutput(o, device);
    if (step_.workspace_bytes(item, device) > 0) workspace_[item] = NewWorkspace(item, device);
  } else {
    Transfer& transfer = transfers_[item - num_nodes_];
    seconds = machine_.route(transfer.from, transfer.to).Seconds(transfer.bytes) *
              step_.output(transfer.output).turns;
    transfer.start_s = start_s;
    transfer.end_s = start_s + seconds;
    Copy& copy = copies_[copy_of_[item - num_nodes_]];
    copy.buffer = NewBuffer(transfer.to, transfer.output, /*is_resident=*/false);
    buffers_[copy.buffer].holders = 1 + copy.readers;
  }
  end_[item] = start_s + seconds;
  events_.push_back({end_[item], num_events_++, item});
  std::push_heap(events_.begin(), events_.end(), Later());
}

void Simulator::MakeOutput(int o, int device) {
  const StepGraph::Output& output = step_.output(o);
  const int host = machine_.host_of(device);
  const int memory = output.on_host ? host : machine_.memory_of(device);
  memory_[o] = memory;
  if (output.shared_input >= 0) {
    const int input = step_.first_input(output.producer) + output.shared_input;
    const int shared =
        step_.input(input).output < 0 ? kNone : BufferOfInput(output.producer, input);
    if (shared != kNone && buffers_[shared].memory == memory) buffer_[o] = shared;
  }
  if (buffer_[o] == kNone) buffer_[o] = ReusedBuffer(output, memory);
  if (buffer_[o] == kNone) buffer_[o] = NewBuffer(memory, o, output.is_resident);
  const bool is_everywhere = output.is_free_to_copy;
  int holders = 1;
  for (const StepGraph::Use& use : step_.uses(o)) {
    const int wanted = MemoryOfInput(use.node, use.input);
    if (wanted == memory) {
      ++holders;
    } else {
      ++CopyFor(o, wanted).readers;
    }
  }
  if (output.is_fetched) {
    ++holders;
    if (memory != host) CopyFor(o, host).readers += is_everywhere ? 0 : 1;
  }
  for (int c = first_copy_[o]; c != kNone; c = copies_[c].next) {
    ++holders;
    if (is_everywhere) copies_[c].buffer = NewBuffer(copies_[c].memory, o, true);
  }
  buffers_[buffer_[o]].holders += holders;
}

int Simulator::FindCopy(int output, int memory) const {
  int c = first_copy_[output];
  while (c != kNone && copies_[c].memory != memory) c = copies_[c].next;
  return c;
}

Simulator::Copy& Simulator::CopyFor(int output, int memory) {
  int c = FindCopy(output, memory);
  if (c == kNone) {
    c = static_cast<int>(copies_.size());
    copies_.push_back({output, memory, kNone, 0, first_copy_[output]});
    first_copy_[output] = c;
  }
  return copies_[c];
}

int Simulator::MemoryOfInput(int node, int input) const {
  const int device = device_of_[node];
  return step_.input(input).on_host ? machine_.host_of(device) : machine_.memory_of(device);
}

int Simulator::BufferOfInput(int node, int input) const {
  const int output = step_.input(input).output;
  const int memory = MemoryOfInput(node, input);
  if (memory == memory_[output]) return buffer_[output];
  return copies_[FindCopy(output, memory)].buffer;
}

int Simulator::ReusedBuffer(const StepGraph::Output& output, int memory) const {
  if (output.reused_input < 0) return kNone;
  const int input = step_.first_input(output.producer) + output.reused_input;
  if (input >= step_.end_input(output.producer) || step_.input(input).output < 0) return kNone;
  const int b = BufferOfInput(output.producer, input);
  if (b == kNone) return kNone;
  const Buffer& buffer = buffers_[b];
  const bool is_free = buffer.holders == 1 && !buffer.is_resident() && buffer.memory == memory;
  return is_free && buffer.bytes >= output.bytes ? b : kNone;
}

int Simulator::NewBuffer(int memory, int output, bool is_resident) {
  const double bytes = step_.HeldBytes(step_.output(output).bytes, IsHost(memory));
  const StepGraph::Output& made = step_.output(output);
  const Held of_step = made.is_gradient ? Held::kGradient : Held::kActivation;
  return AddBuffer(
      {memory, bytes, 0, is_resident ? Held::kResident : of_step, made.producer, output});
}

int Simulator::NewWorkspace(int node, int device) {
  const int memory = machine_.memory_of(device);
  const double bytes = step_.HeldBytes(step_.workspace_bytes(node, device), IsHost(memory));
  return AddBuffer({memory, bytes, /*holders=*/1, Held::kWorkspace, node, kNone});
}

int Simulator::AddBuffer(const Buffer& buffer) {
  const int memory = buffer.memory;
  buffers_.push_back(buffer);
  if (buffer.is_resident()) {
    memory_use_[memory].resident_bytes += buffer.bytes;
  } else {
    in_use_[memory] += buffer.bytes;
    if (buffer.held == Held::kGradient) gradients_in_use_[memory] += buffer.bytes;
    if (buffer.held == Held::kWorkspace) workspaces_in_use_[memory] += buffer.bytes;
    if (in_use_[memory] > most_in_use_[memory]) {
      most_in_use_[memory] = in_use_[memory];
      memory_use_[memory].gradient_bytes = gradients_in_use_[memory];
      memory_use_[memory].workspace_bytes = workspaces_in_use_[memory];
      buffers_at_peak_[memory] = buffers_.size();
    }
  }
  if (memory == watched_ && buffers_.size() == watched_until_) LookAtPeak();
  return static_cast<int>(buffers_.size()) - 1;
}

std::vector<HeldTensor> Simulator::HeldAtPeak(Span<const int> devices, int memory) {
  held_.clear();
  Run(devices);
  watched_ = memory;
  watched_until_ = buffers_at_peak_[memory];
  Run(devices);
  watched_ = kNone;
  for (int k = 0; k < num_nodes_; ++k) {
    if (!step_.is_source(k) || machine_.memory_of(devices[k]) != memory) continue;
    const double bytes = step_.HeldBytes(step_.state_bytes(k), IsHost(memory));
    if (bytes > 0) held_.push_back({kNone, k, bytes});
  }
  // What is always there may have come after the peak was looked at.
  for (const Buffer& buffer : buffers_) {
    if (!buffer.is_resident() || buffer.memory != memory || buffer.bytes == 0) continue;
    held_.push_back({buffer.output, buffer.node, buffer.bytes});
  }
  std::stable_sort(held_.begin(), held_.end(),
                   [](const HeldTensor& a, const HeldTensor& b) { return a.bytes > b.bytes; });
  return held_;
}

void Simulator::LookAtPeak() {
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const Buffer& buffer = buffers_[b];
    // The last one has been made just now, and has no holders yet.
    const bool is_held = buffer.holders > 0 || b + 1 == buffers_.size();
    if (buffer.is_resident() || buffer.memory != watched_ || !is_held || buffer.bytes == 0)
      continue;
    held_.push_back({buffer.output, buffer.node, buffer.bytes, buffer.held == Held::kWorkspace});
  }
}

void Simulator::Release(int b) {
  Buffer& buffer = buffers_[b];
  if (--buffer.holders > 0 || buffer.is_resident()) return;
  in_use_[buffer.memory] -= buffer.bytes;
  if (buffer.held == Held::kGradient) gradients_in_use_[buffer.memory] -= buffer.bytes;
  if (buffer.held == Held::kWorkspace) workspaces_in_use_[buffer.memory] -= buffer.bytes;
}

Simulator::Line& Simulator::LineOf(int item) {
  if (item < num_nodes_) return lines_[device_of_[item]];
  return channels_[line_of_[item - num_nodes_]];
}

int Simulator::LineBetween(int from, int to) {
  const int64_t channel = machine_.route(from, to).channel;
  const auto [line, is_new] =
      line_of_channel_.try_emplace(channel, static_cast<int>(channels_.size()));
  if (is_new) channels_.emplace_back();
  return line->second;
}

std::vector<double> Simulator::ChannelBusySeconds() const {
  std::vector<double> busy(channels_.size(), 0);
  for (size_t t = 0; t < transfers_.size(); ++t) {
    busy[line_of_[t]] += transfers_[t].end_s - transfers_[t].start_s;
  }
  return busy;
}

std::vector<SimulatedItem> Simulator::CriticalPath() const {
  std::vector<SimulatedItem> path;
  for (int item = last_item_; item != kNone; item = cause_[item]) {
    SimulatedItem step;
    if (item < num_nodes_) {
      step.node = item;
    } else {
      step.transfer = item - num_nodes_;
    }
    step.start_s = start_[item];
    step.end_s = end_[item];
    path.push_back(step);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace warpbeam
