// LaneFinder: the lane to another task, as soon as there is one; until then its tensors come over
// gRPC, and so they do from a task that has none, or whose lane's port is not let through.
//
//   auto lane = finder->Open(&must_ask);                    // null: not now
//   if (must_ask) …                                         // GetStatus, and then
//   finder->Connect({port, token});
//
// Ownership: shared with the thread that connects, which takes a second at most. Thread safety: any
// thread. Errors: none; what cannot be connected to is tried again after ten seconds.
#ifndef WARPBEAM_RUNTIME_DIST_LANE_LANE_FINDER_H_
#define WARPBEAM_RUNTIME_DIST_LANE_LANE_FINDER_H_

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/dist/lane/lane_client.h"

namespace warpbeam {

class LaneFinder : public std::enable_shared_from_this<LaneFinder> {
 public:
  explicit LaneFinder(std::string host, const TlsFiles& tls = {})
      : host_(std::move(host)), tls_(tls) {}

  // `must_ask`: whether the task is to be asked for its lane; Connect ends that.
  std::shared_ptr<LaneClient> Open(bool* must_ask);
  // What the task has said; without a port it has none. Nothing where a lane is open.
  void Connect(LaneAddress address);

 private:
  using Clock = std::chrono::steady_clock;
  void End(std::shared_ptr<LaneClient> lane);

  const std::string host_;
  const TlsFiles tls_;
  std::mutex mutex_;  // of what follows
  std::shared_ptr<LaneClient> lane_;
  bool is_asking_ = false;
  bool is_connecting_ = false;
  Clock::time_point not_before_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_LANE_LANE_FINDER_H_
