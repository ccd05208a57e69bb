// Queues (tf.FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue, PriorityQueue): tensors that one part
// of a program puts in and another takes out, in the same or another step.
//
//   FIFOQueue queue(scope, 32, {DType::kFloat, DType::kInt32}, {{28, 28}, {}});
//   Operation put = queue.Enqueue(scope, {picture, label});
//   std::vector<Output> batch = queue.DequeueMany(scope, 16);     // [16, 28, 28] and [16]
//   train::AddQueueRunner(scope, train::MakeQueueRunner(scope, queue, {put}));
//
// A queue stands for its handle where a function takes an Output. Nodes and names are TensorFlow's:
// "fifo_queue", "fifo_queue_enqueue", "fifo_queue_Dequeue".
//
// Ownership: a value; the graph owns the nodes, the session what is in the queue. Thread safety:
// that of the Scope; running, any. Errors: kept in the scope; components that do not fit the types
// and shapes of the queue name the queue.
#ifndef WARPBEAM_FRONTEND_QUEUE_QUEUE_H_
#define WARPBEAM_FRONTEND_QUEUE_QUEUE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct QueueOptions {
  // Names of the components, by which EnqueueByName takes them and ByName gives them.
  QueueOptions& names(std::vector<std::string> value) {
    component_names = std::move(value);
    return *this;
  }
  // Sessions of one server share queues of one name.
  QueueOptions& shared_name(std::string value) {
    shared = std::move(value);
    return *this;
  }
  // RandomShuffleQueue only.
  QueueOptions& seed(int64_t value) {
    op_seed = value;
    return *this;
  }

  std::vector<std::string> component_names;
  std::string shared;
  std::optional<int64_t> op_seed;
};

// What all queues have; also a queue whose handle the program has from elsewhere.
class QueueBase {
 public:
  QueueBase() = default;
  // `shapes` of one element, or none.
  QueueBase(const Output& handle, std::vector<DType> dtypes, std::vector<PartialShape> shapes = {},
            std::vector<std::string> names = {});
  // The queue whose number `index`, known only in the step, is: all of the same types and names.
  static QueueBase FromList(ScopeRef scope, const Input& index,
                            const std::vector<QueueBase>& queues);

  const Output& queue_ref() const { return handle_; }
  operator const Output&() const { return handle_; }  // NOLINT: a queue stands for its handle
  std::string name() const { return handle_.op().name(); }
  const std::vector<DType>& dtypes() const { return dtypes_; }
  const std::vector<PartialShape>& shapes() const { return shapes_; }
  const std::vector<std::string>& names() const { return names_; }

  // One element, a tensor for each component; waits while the queue is full.
  Operation Enqueue(ScopeRef scope, const InputList& components) const;
  Operation EnqueueByName(ScopeRef scope, const std::map<std::string, Input>& components) const;
  // As many as the tensors have rows.
  Operation EnqueueMany(ScopeRef scope, const InputList& components) const;
  Operation EnqueueManyByName(ScopeRef scope, const std::map<std::string, Input>& components) const;
  // Waits while there is nothing; OUT_OF_RANGE when the queue is closed and empty.
  OutputList Dequeue(ScopeRef scope) const;
  // n elements as rows; of UpTo fewer, but one, when the queue is closed.
  OutputList DequeueMany(ScopeRef scope, const Input& n) const;
  OutputList DequeueUpTo(ScopeRef scope, const Input& n) const;
  // What was dequeued, by the names of the components.
  std::map<std::string, Output> ByName(const std::vector<Output>& components) const;

  // Nothing more may be put in; with the option not even what waits for room.
  Operation Close(ScopeRef scope, bool cancel_pending_enqueues = false) const;
  Output IsClosed(ScopeRef scope) const;
  // How many elements are in the queue, an int32 scalar.
  Output Size(ScopeRef scope) const;

 private:
  Operation Put(const Scope& scope, const char* op, const char* suffix,
                const InputList& components) const;
  OutputList Take(const Scope& scope, const char* op, const char* suffix,
                  const std::vector<Input>& count, int64_t known_count) const;
  bool InOrder(const Scope& scope, const std::map<std::string, Input>& components,
               std::vector<Input>* ordered) const;
  // "fifo_queue" + suffix, unless Named() has said otherwise.
  Scope Suffixed(const Scope& scope, const char* suffix) const;
  bool CheckValid(const Scope& scope) const;

  Output handle_;
  std::vector<DType> dtypes_;
  std::vector<PartialShape> shapes_;
  std::vector<std::string> names_;
};

// First in, first out. A capacity below 0 is none.
class FIFOQueue : public QueueBase {
 public:
  FIFOQueue(ScopeRef scope, int64_t capacity, const std::vector<DType>& dtypes,
            const std::vector<PartialShape>& shapes = {},
            const QueueOptions& options = QueueOptions());
};

// Out in random order, while more than `min_after_dequeue` are left or the queue is closed.
class RandomShuffleQueue : public QueueBase {
 public:
  RandomShuffleQueue(ScopeRef scope, int64_t capacity, int64_t min_after_dequeue,
                     const std::vector<DType>& dtypes, const std::vector<PartialShape>& shapes = {},
                     const QueueOptions& options = QueueOptions());
};

// Elements of different sizes, padded with zeros to the largest by DequeueMany; -1 is an extent
// that differs.
class PaddingFIFOQueue : public QueueBase {
 public:
  PaddingFIFOQueue(ScopeRef scope, int64_t capacity, const std::vector<DType>& dtypes,
                   const std::vector<PartialShape>& shapes,
                   const QueueOptions& options = QueueOptions());
};

// The least first component, an int64 scalar that comes before those of `types`, comes out first.
class PriorityQueue : public QueueBase {
 public:
  PriorityQueue(ScopeRef scope, int64_t capacity, const std::vector<DType>& types,
                const std::vector<PartialShape>& shapes = {},
                const QueueOptions& options = QueueOptions());
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_QUEUE_QUEUE_H_
