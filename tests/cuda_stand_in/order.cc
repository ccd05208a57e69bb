#include "tests/cuda_stand_in/order.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/cuda_stand_in/libraries.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam::cuda_stand_in {
namespace {

// What has last written a piece of memory.
struct Written {
  const char* end;
  int64_t stream, work;
  const char* function;
};

struct Order {
  std::mutex mutex;
  int64_t streams = 0;
  Clock host;
  std::map<const char*, Written> written;  // by its begin; pieces do not overlap
  std::set<std::string> unordered;
};

Order& TheOrder() {
  static auto* const order = new Order;
  return *order;
}

void Merge(const Clock& from, Clock* to) {
  for (const auto& [stream, work] : from) (*to)[stream] = std::max((*to)[stream], work);
}

// The first piece that reaches beyond `begin`.
auto FirstAt(Order& order, const char* begin) {
  auto found = order.written.upper_bound(begin);
  if (found != order.written.begin() && std::prev(found)->second.end > begin) --found;
  return found;
}

// Cuts a hole.
void Forget(Order& order, const char* begin, const char* end) {
  auto found = FirstAt(order, begin);
  while (found != order.written.end() && found->first < end) {
    const auto [first, piece] = *found;
    found = order.written.erase(found);
    if (first < begin) {
      Written before = piece;
      before.end = begin;
      order.written.emplace(first, before);
    }
    if (piece.end > end) order.written.emplace(end, piece);
  }
}

}  // namespace

StreamOrder::StreamOrder()
    : number_([] {
        std::lock_guard<std::mutex> lock(TheOrder().mutex);
        return ++TheOrder().streams;
      }()) {}

void StreamOrder::Give(const char* function, const std::vector<Use>& uses) {
  std::vector<Use> of_gpus;
  for (const Use& use : uses) {
    if (use.bytes == 0 || !IsDeviceMemory(use.at, use.bytes)) continue;
    of_gpus.push_back({HostAddress(use.at), use.bytes, use.writes});
  }
  Order& order = TheOrder();
  std::lock_guard<std::mutex> lock(order.mutex);
  Merge(order.host, &before_);
  const int64_t work = ++before_[number_];
  for (const Use& use : of_gpus) {
    const auto* const begin = static_cast<const char*>(use.at);
    const char* const end = begin + use.bytes;
    if (use.writes) {
      Forget(order, begin, end);
      order.written[begin] = {end, number_, work, function};
      continue;
    }
    for (auto at = FirstAt(order, begin); at != order.written.end() && at->first < end; ++at) {
      const Written& piece = at->second;
      const auto known = before_.find(piece.stream);
      if (known != before_.end() && known->second >= piece.work) continue;
      order.unordered.insert(absl::StrCat(function, " on stream ", number_, " reads ", use.bytes,
                                          " bytes, some of which ", piece.function, " on stream ",
                                          piece.stream, " writes, and nothing orders them"));
    }
  }
}

Clock StreamOrder::Now() const {
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  return before_;
}

void StreamOrder::ComesAfter(const Clock& event) {
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  Merge(event, &before_);
}

void HostComesAfter(const Clock& event) {
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  Merge(event, &TheOrder().host);
}

void ForgetUses(const void* host, size_t bytes) {
  const auto* const begin = static_cast<const char*>(host);
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  Forget(TheOrder(), begin, begin + bytes);
}

std::string UnorderedReads() {
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  const std::set<std::string> unordered = std::exchange(TheOrder().unordered, {});
  return absl::StrJoin(unordered, "\n");
}

}  // namespace warpbeam::cuda_stand_in
