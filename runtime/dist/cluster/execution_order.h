// ExecutionOrder: in which order the tasks of a group execute their collectives, and whether they
// mean the same by each. The task of the group that comes first keeps it for all.
//
// Tasks run the parts of a step as it suits them, so that one may be ready for collectives in
// another order than the next, and any number may be under way. Were their bytes sent in the order
// in which each task gets there, they would wait for each other for ever, and an order fixed when
// the step is compiled holds neither for several steps at a time nor where keys are computed. So
// each task says when its members of an execution are there, and when all tasks have, the execution
// gets the next number: all tasks are ready for it, and they execute one after the other, which
// needs no more than one connection between each two of them.
//
//   ExecutionOrder order(tasks);          // "/job:worker/replica:0/task:0" and others
//   order.Arrive(execution, rank, terms, [](StatusOr<ExecutionOrder::Place> place) { … });
//
// Ownership: what is to be called is held until it was. Thread safety: any thread; it is called
// without a lock, on the thread of whoever came last. Errors, which all tasks of the execution get,
// those that come later, too: INVALID_ARGUMENT for shapes that differ, INTERNAL for other
// differences, in TensorFlow's words; what a task has withdrawn for.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_EXECUTION_ORDER_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_EXECUTION_ORDER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "graph/types/shape.h"

namespace warpbeam {

// One execution of a collective of a group.
struct Execution {
  int64_t step = 0;   // 0 where steps of several masters meet
  int64_t round = 0;  // how often it has been executed before: in the step, or in all
  int32_t instance = 0;
  friend bool operator<(const Execution& a, const Execution& b) {
    return std::tie(a.step, a.round, a.instance) < std::tie(b.step, b.round, b.instance);
  }
};

class ExecutionOrder {
 public:
  struct Terms {
    int kind = 0;  // CollectiveKind
    DType dtype = DType::kInvalid;
    Shape shape;
    bool has_source = false;  // of a broadcast
    int64_t graph_key = 0;    // of the step
    int source_member = 0;    // of a broadcast: which of the task's members has the value
    bool on_gpus = false;     // the task's part of it can go from GPU to GPU
  };
  struct Place {
    int64_t number = 0;  // from 1
    int source = -1;     // the rank of the task that broadcasts
    int source_member = 0;
    bool on_gpus = false;  // all tasks' parts can
  };
  using Done = std::function<void(StatusOr<Place> place)>;

  explicit ExecutionOrder(std::vector<std::string> tasks) : tasks_(std::move(tasks)) {}
  ~ExecutionOrder() { End(Cancelled("the group has ended")); }

  void Arrive(const Execution& execution, int rank, Terms terms, Done done);
  // Unless all tasks have arrived, nobody executes it; those that have learn which have not.
  void Withdraw(const Execution& execution, const Status& why);
  void End(const Status& why);

 private:
  struct Arrived {
    Terms terms;
    Done done;
  };
  using Waiting = std::map<int, Arrived>;  // by rank

  Status Check(const Execution& execution, const Waiting& waiting, int rank,
               const Terms& terms) const;
  std::string Missing(const Waiting& waiting) const;
  StatusOr<Place> NextPlace(const Execution& execution, const Waiting& all);
  void RememberLocked(const Execution& execution, const Status& why);

  static constexpr size_t kRemembered = 1000;

  const std::vector<std::string> tasks_;
  std::mutex mutex_;  // of what follows
  Status ended_;
  int64_t last_number_ = 0;
  std::map<Execution, Waiting> open_;
  std::map<Execution, Status> failed_;
  std::deque<Execution> failed_order_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_EXECUTION_ORDER_H_
