// TransferLog: which tensors this task has received from others, and how long each took, while a
// master wants to know (the Logging call of TensorFlow's WorkerService).
//
//   TransferLog log;
//   log.SetOn(true);
//   const int64_t begin = log.Begin();                       // 0: nobody wants to know
//   if (begin > 0) log.Record(step_id, key, begin, bytes);
//   log.Take(step_id, response->add_step()->mutable_step_stats());
//
// Each is told as TensorFlow's tasks tell it: a "RecvTensor" of the receiving device. What nobody
// fetches is dropped once 1,024 steps, or 100,000 transfers, have been recorded.
//
// Ownership: a value. Thread safety: any thread. Errors: none.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_TRANSFER_LOG_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_TRANSFER_LOG_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tensorflow {
class StepStats;
}  // namespace tensorflow

namespace warpbeam {

class TransferLog {
 public:
  static constexpr size_t kMostSteps = 1024;
  static constexpr size_t kMostTransfers = 100000;

  // Turned off, it keeps what it has.
  void SetOn(bool on) { is_on_.store(on, std::memory_order_relaxed); }
  // The time in microseconds, or 0 when it is off.
  int64_t Begin() const;
  // One that has just come. `key` is its rendezvous key.
  void Record(int64_t step_id, absl::string_view key, int64_t begin_micros, int64_t bytes);
  // Adds what was recorded of the step, and forgets it.
  void Take(int64_t step_id, tensorflow::StepStats* stats);
  void Clear();

 private:
  struct Transfer {
    std::string key;
    int64_t begin_micros = 0;
    int64_t end_micros = 0;
    int64_t bytes = 0;
  };

  std::atomic<bool> is_on_{false};
  std::mutex mutex_;
  std::map<int64_t, std::vector<Transfer>> steps_;
  size_t num_transfers_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_TRANSFER_LOG_H_
