#include "runtime/comm/rendezvous.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <optional>
#include <utility>

namespace warpbeam {

Rendezvous::~Rendezvous() { Rendezvous::Abort(Cancelled("the rendezvous has ended")); }

Status Rendezvous::Send(absl::string_view key, Value value) {
  Receiver receiver;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!aborted_.ok()) return aborted_;
    auto [at, is_first] = meetings_.try_emplace(key);
    if (is_first) {
      at->second.value = std::move(value);
      return OkStatus();
    }
    if (at->second.receiver == nullptr) {
      return InvalidArgument("two values were sent under the key '", key, "'");
    }
    receiver = std::move(at->second.receiver);
    meetings_.erase(at);
  }
  receiver(std::move(value));
  return OkStatus();
}

void Rendezvous::Receive(absl::string_view key, Receiver receiver) {
  ReceiveNumbered(key, std::move(receiver));
}

int64_t Rendezvous::ReceiveNumbered(absl::string_view key, Receiver receiver) {
  StatusOr<Value> outcome = Value();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!aborted_.ok()) {
      outcome = aborted_;
    } else if (auto [at, is_first] = meetings_.try_emplace(key); is_first) {
      at->second.receiver = std::move(receiver);
      return at->second.number = next_number_++;
    } else if (at->second.receiver != nullptr) {
      outcome = InvalidArgument("two receivers wait under the key '", key, "'");
    } else {
      outcome = std::move(at->second.value);
      meetings_.erase(at);
    }
  }
  receiver(std::move(outcome));
  return 0;
}

bool Rendezvous::Forget(absl::string_view key, int64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto at = meetings_.find(key);
  if (at == meetings_.end() || at->second.receiver == nullptr || at->second.number != number) {
    return false;
  }
  meetings_.erase(at);
  return true;
}

StatusOr<Rendezvous::Value> Rendezvous::ReceiveWithin(absl::string_view key, int64_t timeout_ms) {
  struct Arrival {
    std::mutex mutex;
    std::condition_variable arrived;
    std::optional<StatusOr<Value>> value;
  };
  const auto arrival = std::make_shared<Arrival>();
  const int64_t number = ReceiveNumbered(key, [arrival](StatusOr<Value> value) {
    std::lock_guard<std::mutex> lock(arrival->mutex);
    arrival->value = std::move(value);
    arrival->arrived.notify_all();
  });
  std::unique_lock<std::mutex> lock(arrival->mutex);
  const auto is_there = [&] { return arrival->value.has_value(); };
  if (timeout_ms > 0 &&
      !arrival->arrived.wait_for(lock, std::chrono::milliseconds(timeout_ms), is_there)) {
    lock.unlock();
    if (Forget(key, number)) {
      return DeadlineExceeded("nothing was sent under the key '", key, "' within ", timeout_ms,
                              " ms");
    }
    lock.lock();  // it is just coming
  }
  arrival->arrived.wait(lock, is_there);
  return *std::move(arrival->value);
}

void Rendezvous::Abort(Status why) {
  absl::flat_hash_map<std::string, Meeting> left;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = why;
    left.swap(meetings_);
  }
  for (auto& [key, meeting] : left) {
    if (meeting.receiver != nullptr) meeting.receiver(why);
  }
}

}  // namespace warpbeam
