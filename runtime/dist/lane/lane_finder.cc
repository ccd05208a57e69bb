#include "runtime/dist/lane/lane_finder.h"

#include <thread>
#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

constexpr int kConnectMs = 1000;
constexpr std::chrono::seconds kPause{10};

}  // namespace

std::shared_ptr<LaneClient> LaneFinder::Open(bool* must_ask) {
  *must_ask = false;
  std::shared_ptr<LaneClient> gone;  // ends without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  if (lane_ != nullptr && lane_->is_open()) return lane_;
  gone = std::move(lane_);
  if (is_asking_ || is_connecting_ || Clock::now() < not_before_) return nullptr;
  is_asking_ = true;
  *must_ask = true;
  return nullptr;
}

void LaneFinder::Connect(LaneAddress address) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_asking_ = false;
    if (is_connecting_ || (lane_ != nullptr && lane_->is_open())) return;
    is_connecting_ = true;
  }
  if (address.port <= 0) return End(nullptr);
  StatusOr<std::thread> thread = NewThread([self = shared_from_this(), address] {
    auto lane = LaneClient::Connect(self->host_, address, kConnectMs, self->tls_);
    self->End(lane.ok() ? *std::move(lane) : nullptr);
  });
  if (!thread.ok()) return End(nullptr);
  thread->detach();
}

void LaneFinder::End(std::shared_ptr<LaneClient> lane) {
  std::lock_guard<std::mutex> lock(mutex_);
  is_connecting_ = false;
  if (lane == nullptr) {
    not_before_ = Clock::now() + kPause;
    return;
  }
  lane_.swap(lane);
}

}  // namespace warpbeam
