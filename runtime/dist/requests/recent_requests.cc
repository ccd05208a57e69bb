#include "runtime/dist/requests/recent_requests.h"

namespace warpbeam {

Status RecentRequests::Begin(int64_t request_id, absl::string_view call) {
  if (request_id == 0) return OkStatus();
  std::lock_guard<std::mutex> lock(mutex_);
  if (!known_.insert(request_id).second) {
    return Aborted("the ", call, " request ", request_id,
                   " has been received before: its first copy was, or is "
                   "being, carried out; give every request a number of its "
                   "own");
  }
  if (ring_.size() < kRemembered) {
    ring_.push_back(request_id);
    return OkStatus();
  }
  known_.erase(ring_[oldest_]);
  ring_[oldest_] = request_id;
  oldest_ = (oldest_ + 1) % kRemembered;
  return OkStatus();
}

void RecentRequests::Forget(int64_t request_id) {
  std::lock_guard<std::mutex> lock(mutex_);
  known_.erase(request_id);
}

}  // namespace warpbeam
