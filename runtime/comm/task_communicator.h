// TaskCommunicator: how the tasks of one group bring together what each of them has, after the
// members within each (communicator.h) have met.
//
// A task makes one for each group, gives every other task the address that it has for it, and
// connects to theirs. From then on all tasks call the same functions in the same order; what
// belongs together follows from that order alone.
//
//   WB_ASSIGN_OR_RETURN(auto tasks, make_communicator(names, /*rank=*/0));
//   Send(1, tasks->AddressFor(1));  …
//   WB_RETURN_IF_ERROR(tasks->Connect({"", address_of_1}));
//   WB_RETURN_IF_ERROR(tasks->AllReduce(sum.raw_data(), count, sizeof(float), AddFloats));
//
// Ownership: the caller's memory is the caller's; it is read and written until a call returns, and
// not after. Thread safety: one thread calls, Abort comes from any. Errors: UNAVAILABLE naming the
// task that could not be reached or has gone; DEADLINE_EXCEEDED; ABORTED after Abort. After an
// error the communicator is of no more use.
#ifndef WARPBEAM_RUNTIME_COMM_TASK_COMMUNICATOR_H_
#define WARPBEAM_RUNTIME_COMM_TASK_COMMUNICATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

class TaskCommunicator {
 public:
  // out[i] of a[i] and b[i], for so many elements; `out` may be `a` or `b`.
  using Merge = void (*)(void* out, const void* a, const void* b, int64_t count);

  virtual ~TaskCommunicator() = default;
  // Where the task of this rank reaches this one.
  virtual std::string AddressFor(int rank) const = 0;
  // By rank; the own one is not looked at. Blocks until all are connected.
  virtual Status Connect(const std::vector<std::string>& addresses) = 0;
  // Of all tasks' data, element by element, in the order of the ranks; in place. All tasks get the
  // same bits.
  virtual Status AllReduce(void* data, int64_t count, int64_t element_bytes, Merge merge) = 0;
  // Every task's piece, one after the other, in place: `bytes` are the sizes of all, by rank.
  virtual Status AllGather(void* data, const std::vector<int64_t>& bytes) = 0;
  // From each task to each: in `in` and `out` lie, by rank, what goes to a task and what comes from
  // it. `bytes[i][j]` go from the task of rank i to that of rank j.
  virtual Status AllToAll(const void* in, void* out,
                          const std::vector<std::vector<int64_t>>& bytes) = 0;
  // From the task of rank `source` to all others.
  virtual Status Broadcast(void* data, int64_t bytes, int source) = 0;
  // Ends what is under way, soon, and all that follows.
  virtual void Abort() = 0;
};

// Of the tasks with these names, by rank, for the one of this rank.
using MakeTaskCommunicator = std::function<StatusOr<std::unique_ptr<TaskCommunicator>>(
    const std::vector<std::string>& tasks, int rank)>;

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_TASK_COMMUNICATOR_H_
