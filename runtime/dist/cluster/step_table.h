// StepTable: the steps that a task takes part in, and where the parts of each meet.
//
// Other tasks may ask for what a step sends before this task has begun with it, so the rendezvous
// of a step is made when anybody first asks for it. It is there until the step ends.
//
// Masters that count their steps (step_numbers.h) give the number of a step that has ended to
// another one, or to the same one once more. Another task may ask for what that step sends before
// it has begun here: once its master has cleaned up, a step that was begun under such a number is
// nobody's, and is made anew by whoever asks.
//
//   StepTable steps(identity);
//   steps.Reopen(step_id);                   // only of a number that is counted
//   WB_ASSIGN_OR_RETURN(std::shared_ptr<TaskRendezvous> meeting, steps.Get(step_id));
//   meeting->BelongTo(session_identity);     // before a part of the step runs
//   steps.End(step_id, Cancelled("…"));
//
// Ownership: shares the rendezvous with whoever has asked for it. Thread safety: any thread.
// Errors: ABORTED for a step that has ended and is not opened again, with why it has, as far as it
// is remembered (the last 10,000).
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_STEP_TABLE_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_STEP_TABLE_H_

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "runtime/dist/cluster/task_rendezvous.h"

namespace warpbeam {

class StepTable {
 public:
  // `transfers` gets what the steps receive of other tasks; null: nobody wants to know.
  explicit StepTable(std::shared_ptr<const TaskIdentity> identity,
                     std::shared_ptr<TransferLog> transfers = nullptr)
      : identity_(std::move(identity)), transfers_(std::move(transfers)) {}
  ~StepTable() { EndAll(Cancelled("the task has ended")); }

  StatusOr<std::shared_ptr<TaskRendezvous>> Get(int64_t step_id);
  // Begins a step of a counted number, after which it may be asked for again.
  void Reopen(int64_t step_id);
  // Lets go of all that wait in it. A step that nobody has asked for is not asked for any more.
  void End(int64_t step_id, const Status& why);
  // The same, from the step's master: it is over for all tasks.
  void CleanUp(int64_t step_id, const Status& why);
  void EndAll(const Status& why);
  int size() const;
  // Of those that have begun.
  std::vector<int64_t> Ids() const;

 private:
  static constexpr size_t kRemembered = 10000;
  static constexpr size_t kMostBytesOfWhy = 400;

  struct Ended {
    std::string why;
    bool has_ended = false;
    bool is_counted = false;  // its number is
  };
  void End(int64_t step_id, const Status& why, bool is_over);
  // With the lock held.
  Ended& Remember(int64_t step_id);

  const std::shared_ptr<const TaskIdentity> identity_;  // of the steps that nobody has named
  const std::shared_ptr<TransferLog> transfers_;
  mutable std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<TaskRendezvous>> steps_;
  absl::flat_hash_map<int64_t, Ended> ended_;
  std::deque<int64_t> order_;  // of those that have ended
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_STEP_TABLE_H_
