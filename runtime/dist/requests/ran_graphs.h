// RanGraphs: the numbered RunGraph requests that run here and have run, so that one that comes
// again is not run again but answered as the first was.
//
//   RanGraphs ran;
//   return ran.Once(request, cancellation, response, [&] { return Run(request, response); });
//
// A request that comes again while the first runs waits for it. Answers of up to 64 KiB are kept
// until their step ends, 16 MiB of them: then the oldest go.
//
// Ownership: copies of answers. Thread safety: any thread; Once lasts as long as the run. Errors:
// those of the run; ABORTED for a request that came before and whose answer is not kept; what its
// own cancellation says for one that waited.
#ifndef WARPBEAM_RUNTIME_DIST_REQUESTS_RAN_GRAPHS_H_
#define WARPBEAM_RUNTIME_DIST_REQUESTS_RAN_GRAPHS_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "graph/types/errors.h"
#include "runtime/dist/requests/recent_requests.h"

namespace tensorflow {
class RunGraphRequest;
class RunGraphResponse;
}  // namespace tensorflow

namespace warpbeam {

class Cancellation;

class RanGraphs {
 public:
  static constexpr size_t kMostBytes = size_t{64} << 10;
  static constexpr size_t kMostTotal = size_t{16} << 20;

  Status Once(const tensorflow::RunGraphRequest& request, Cancellation* cancellation,
              tensorflow::RunGraphResponse* response, const std::function<Status()>& run);
  void EndStep(int64_t step_id);
  size_t bytes() const;

 private:
  struct Run;

  Status Await(const std::shared_ptr<Run>& run, Cancellation* cancellation,
               tensorflow::RunGraphResponse* response);
  // With the mutex held.
  void Keep(const std::shared_ptr<Run>& run);
  void Drop(const std::shared_ptr<Run>& run);

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable ended_;
  RecentRequests recent_;
  std::map<int64_t, std::shared_ptr<Run>> runs_;             // by request
  std::list<std::shared_ptr<Run>> kept_;                     // the oldest first
  std::map<int64_t, std::set<std::shared_ptr<Run>>> steps_;  // what is kept of each
  size_t bytes_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_REQUESTS_RAN_GRAPHS_H_
