// RecentRequests: which of the requests that clients number came before.
//
// A client that sends a request again, because it has lost the answer, would have its step run
// twice; so a number is good once. Only the last 100,000 are remembered.
//
//   WB_RETURN_IF_ERROR(recent_.Begin(request.request_id(), "RunStep"));
//
// Thread safety: any thread. Errors: ABORTED for a number that came before; 0 is no number and is
// never refused.
#ifndef WARPBEAM_RUNTIME_DIST_REQUESTS_RECENT_REQUESTS_H_
#define WARPBEAM_RUNTIME_DIST_REQUESTS_RECENT_REQUESTS_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/types/errors.h"

namespace warpbeam {

class RecentRequests {
 public:
  static constexpr size_t kRemembered = 100000;

  // `call` is the name of the call, for the message.
  Status Begin(int64_t request_id, absl::string_view call);
  // The request may come again: nothing was done for it.
  void Forget(int64_t request_id);

 private:
  std::mutex mutex_;
  absl::flat_hash_set<int64_t> known_;
  std::vector<int64_t> ring_;  // the numbers in the order in which they came
  size_t oldest_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_REQUESTS_RECENT_REQUESTS_H_
