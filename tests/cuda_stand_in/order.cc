#include "tests/cuda_stand_in/order.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
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

// What some work did to memory.
struct Access {
  int64_t work;
  const char* function;
};

// A piece of memory whose bytes were used alike: by the work that has written it last, and since
// then by each stream's last that has read it, behind which that stream's earlier reads are.
struct Piece {
  const char* end;
  std::map<int64_t, Access> writer = {};   // by its stream; empty: nobody
  std::map<int64_t, Access> readers = {};  // by their streams
};

struct Order {
  std::mutex mutex;
  int64_t streams = 0;
  std::set<int64_t> open;   // streams whose work may not come before what is given next
  std::set<Clock*> clocks;  // of the streams that there are
  Clock host;
  std::map<const char*, Piece> pieces;  // by their begin; they do not overlap
  std::set<std::string> unordered;
};

// For programs that know nothing of the stand-in.
void WriteAtTheEnd() {
  if (const char* const path = std::getenv("CUDA_STAND_IN_UNORDERED")) {
    std::ofstream(path, std::ios::app) << UnorderedUses();
  }
}

Order& TheOrder() {
  static auto* const order = [] {
    std::atexit(&WriteAtTheEnd);
    return new Order;
  }();
  return *order;
}

void Merge(const Order& order, const Clock& from, Clock* to) {
  for (const auto& [stream, work] : from) {
    if (order.open.count(stream) > 0) (*to)[stream] = std::max((*to)[stream], work);
  }
}

// Makes `at` a border between pieces; gives the first that begins there or behind.
auto SplitAt(Order& order, const char* at) {
  const auto next = order.pieces.lower_bound(at);
  if (next == order.pieces.begin()) return next;
  const auto before = std::prev(next);
  if (before->second.end <= at) return next;
  const Piece behind = before->second;
  before->second.end = at;
  return order.pieces.emplace_hint(next, at, behind);
}

void Forget(Order& order, const char* begin, const char* end) {
  const auto first = SplitAt(order, begin);
  order.pieces.erase(first, SplitAt(order, end));
}

// What is used now, and what of each stream comes before it.
struct Given {
  const char* function;
  int64_t stream;
  const Clock& before;
  const Use& use;
};

void Compare(Order& order, const Given& given, const std::map<int64_t, Access>& others,
             const char* what_others_do) {
  for (const auto& [stream, access] : others) {
    const auto known = given.before.find(stream);
    if (known != given.before.end() && known->second >= access.work) continue;
    if (order.open.count(stream) == 0) continue;
    order.unordered.insert(absl::StrCat(given.function, " on stream ", given.stream,
                                        given.use.writes ? " writes " : " reads ", given.use.bytes,
                                        " bytes, some of which ", access.function, " on stream ",
                                        stream, what_others_do, ", and nothing orders them"));
  }
}

// Of each piece a writer comes behind all that use it, a reader behind the writer.
void Note(Order& order, const Given& given) {
  const char* const begin = static_cast<const char*>(given.use.at);
  const char* const end = begin + given.use.bytes;
  const Access access = {given.before.at(given.stream), given.function};
  auto at = SplitAt(order, begin);
  const auto behind = SplitAt(order, end);
  if (given.use.writes) {
    for (; at != behind; at = order.pieces.erase(at)) {
      Compare(order, given, at->second.writer, " writes");
      Compare(order, given, at->second.readers, " reads");
    }
    order.pieces[begin] = {end, {{given.stream, access}}};
    return;
  }
  for (const char* done = begin; done < end;) {
    if (at == behind || at->first > done) {  // nobody has used it yet
      const char* const next = at == behind ? end : at->first;
      at = order.pieces.emplace_hint(at, done, Piece{next});
    }
    Compare(order, given, at->second.writer, " writes");
    at->second.readers[given.stream] = access;
    done = at->second.end;
    ++at;
  }
}

}  // namespace

StreamOrder::StreamOrder()
    : number_([] {
        std::lock_guard<std::mutex> lock(TheOrder().mutex);
        return ++TheOrder().streams;
      }()) {
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  TheOrder().open.insert(number_);
  TheOrder().clocks.insert(&before_);
}

StreamOrder::~StreamOrder() {
  Order& order = TheOrder();
  std::lock_guard<std::mutex> lock(order.mutex);
  order.clocks.erase(&before_);
  const auto waited_for = order.host.find(number_);
  const int64_t known = waited_for == order.host.end() ? 0 : waited_for->second;
  if (const auto own = before_.find(number_); own != before_.end() && own->second > known) return;
  order.open.erase(number_);
  order.host.erase(number_);
  for (Clock* const clock : order.clocks) clock->erase(number_);
}

void StreamOrder::Give(const char* function, const std::vector<Use>& uses) {
  std::vector<Use> of_gpus;
  for (const Use& use : uses) {
    if (use.bytes == 0 || !IsDeviceMemory(use.at, use.bytes)) continue;
    of_gpus.push_back({HostAddress(use.at), use.bytes, use.writes});
  }
  Order& order = TheOrder();
  std::lock_guard<std::mutex> lock(order.mutex);
  Merge(order, order.host, &before_);
  ++before_[number_];
  for (const Use& use : of_gpus) Note(order, {function, number_, before_, use});
}

Clock StreamOrder::Now() const {
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  return before_;
}

void StreamOrder::ComesAfter(const Clock& event) {
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  Merge(TheOrder(), event, &before_);
}

void HostComesAfter(const Clock& event) {
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  Merge(TheOrder(), event, &TheOrder().host);
}

void ForgetUses(const void* host, size_t bytes) {
  const auto* const begin = static_cast<const char*>(host);
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  Forget(TheOrder(), begin, begin + bytes);
}

std::string UnorderedUses() {
  std::lock_guard<std::mutex> lock(TheOrder().mutex);
  const std::set<std::string> unordered = std::exchange(TheOrder().unordered, {});
  return absl::StrJoin(unordered, "\n");
}

}  // namespace warpbeam::cuda_stand_in
