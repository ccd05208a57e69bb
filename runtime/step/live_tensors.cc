#include "runtime/step/live_tensors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "graph/types/shown_name.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/state/resource_store.h"
#include "runtime/state/variable.h"

namespace warpbeam {
namespace {

// How Tensor::Allocate begins, whatever stands before it.
constexpr absl::string_view kOutOfMemory = "out of memory in '";
constexpr size_t kMostListed = 8;
// A function's step explains what it holds and its caller's step the same, but not for ever.
constexpr size_t kLongMessage = 8000;

// The C library's memory and the pool over it.
bool IsHost(absl::string_view memory) {
  return memory == "host" || memory == PoolAllocator::Process().name();
}

}  // namespace

bool LiveTensors::IsOutOfMemory(const Status& status) {
  return IsResourceExhausted(status) && absl::StrContains(status.message(), kOutOfMemory);
}

LiveTensors::LiveTensors(const Status& status, ResourceStore* resources) : resources_(resources) {
  absl::string_view message = status.message();
  message.remove_prefix(message.find(kOutOfMemory) + kOutOfMemory.size());
  memory_ = std::string(message.substr(0, message.find('\'')));
}

void LiveTensors::Add(const Node& node, Device* device, const Slot& slot) {
  const std::string name = absl::StrCat("'", ShownName(node.name()), "' (", node.op_name(), ")");
  if (slot.ref != nullptr) return Add(name, device, slot.ref->Read());
  Add(name, device, slot.value);
  if (slot.value.dtype() != DType::kResource || resources_ == nullptr) return;
  for (int64_t i = 0; i < slot.value.num_elements(); ++i) {
    const auto variable = resources_->Lookup<Variable>(slot.value.data<ResourceHandle>()[i]);
    if (variable.ok()) Add(name, device, (*variable)->Read());
  }
}

void LiveTensors::Add(const std::string& name, Device* device, const Tensor& value) {
  if (!value.buffer()) return;
  const bool is_host = device == nullptr || IsHostOnly(value.dtype());
  const std::string memory = is_host ? "host" : device->allocator().name();
  if (memory != memory_ && !(IsHost(memory) && IsHost(memory_))) return;
  if (!seen_.insert(value.buffer().get()).second) return;
  entries_.push_back({name, absl::StrCat(DTypeName(value.dtype()), value.shape().ToString()),
                      static_cast<int64_t>(value.buffer()->bytes())});
}

Status LiveTensors::Explain(const Status& status, const Device* device) const {
  if (status.message().size() > kLongMessage) return status;
  std::string text(status.message());
  if (IsHost(memory_)) {
    const PoolAllocator& pool = PoolAllocator::Process();
    absl::StrAppend(&text, "; ", pool.stats().bytes_in_use, " bytes are in use");
    if (pool.limit() > 0) absl::StrAppend(&text, " of at most ", pool.limit());
  } else if (device != nullptr) {
    absl::StrAppend(&text, "; ", device->name().ToString(), " has ", device->memory_limit(),
                    " bytes");
  }
  std::vector<Entry> largest = entries_;
  std::stable_sort(largest.begin(), largest.end(),
                   [](const Entry& a, const Entry& b) { return a.bytes > b.bytes; });
  int64_t all = 0;
  for (const Entry& e : largest) all += e.bytes;
  absl::StrAppend(&text, "; ", largest.size(), " tensors of the step are alive, of ", all, " bytes",
                  largest.empty() ? "" : ", the largest: ");
  for (size_t i = 0; i < std::min(largest.size(), kMostListed); ++i) {
    const Entry& e = largest[i];
    absl::StrAppend(&text, i == 0 ? "" : ", ", e.name, " ", e.type, " ", e.bytes, " bytes");
  }
  return status.WithMessage(text);
}

}  // namespace warpbeam
