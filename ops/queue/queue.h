// Queue: rows of tensors that steps put in and take out, waiting without a thread until they can.
//
// A row has one tensor per component. Those who cannot go on wait in line, putters and takers
// apart, each line first come, first served; whoever changes the queue serves the heads of both
// lines as far as they get. One that wants several rows takes them as they come (from a queue in
// which rows overtake each other: once there are enough), so that n may exceed the capacity. What
// order rows come out in is up to the subclass (fifo_queue.cc, …).
//
//   Queue::Row row = {image, label};
//   WB_RETURN_IF_ERROR(queue.CheckRow(row));
//   if (!queue.TryPut(&row)) {
//     queue.Put(step, {std::move(row)}, [](Status s, Queue::Rows) { … });
//   }
//   queue.Take(step, 32, /*up_to=*/false, [](Status s, Queue::Rows rows) { … });
//
// After Close nothing more comes in. Takers still get what there is; one that wants more than that
// gives back what it had, in the old order, and ends with OUT_OF_RANGE, or with what there is when
// `up_to` is set. Close without `cancel_puts` waits in line behind the putters that came before it.
//
// A step that is cancelled leaves its line with CANCELLED; rows it had taken go back (TensorFlow
// drops them), rows it had put stay.
//
// Ownership: the session's ResourceStore, and steps while they use it. Callbacks run once each,
// without the queue's lock, on the thread that served them. Thread safety: any thread. Errors:
// CANCELLED for a put into a closed queue and a second Close; OUT_OF_RANGE; INVALID_ARGUMENT for
// rows that do not fit.
#ifndef WARPBEAM_OPS_QUEUE_QUEUE_H_
#define WARPBEAM_OPS_QUEUE_QUEUE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "graph/types/tensor.h"
#include "runtime/kernel/step_context.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

// What a queue op's attributes say.
struct QueueSpec {
  static constexpr int64_t kUnbounded = std::numeric_limits<int32_t>::max();

  std::string kind;  // "FIFOQueue"
  std::string name;
  std::vector<DType> types;
  std::vector<PartialShape> shapes;  // one per component, or none: rows of any shape
  int64_t capacity = kUnbounded;
  int64_t min_after_dequeue = 0;  // rows that takers leave in an open queue
  int64_t seed = 0;
  int64_t seed2 = 0;
};

class Queue : public Resource, public std::enable_shared_from_this<Queue> {
 public:
  using Row = absl::InlinedVector<Tensor, 2>;
  using Rows = std::vector<Row>;
  using Finished = std::function<void(Status status, Rows rows)>;

  explicit Queue(QueueSpec spec) : spec_(std::move(spec)) {}

  const QueueSpec& spec() const { return spec_; }
  std::string DebugString() const override;
  // INVALID_ARGUMENT when `spec` asks for another kind of queue than this one.
  Status CheckSame(const QueueSpec& spec) const;
  Status CheckRow(const Row& row) const;
  // Checks tensors whose first dimension counts rows.
  Status CheckBatch(const Row& batch) const;
  Status CheckTypes(const DType* types, int count) const;
  // Whether the queue keeps rows longer than the batch that they came in.
  virtual bool KeepsRows() const { return false; }
  // Whether who takes several rows gets the best of what is stored once there are as many (or as
  // fit), rather than each as it comes.
  virtual bool TakesAtOnce() const { return false; }

  // For a free run: true when the row is in, or out, at once; else nothing has happened.
  bool TryPut(Row* row);
  bool TryTake(Row* row);
  void Put(StepContext* step, Rows rows, Finished finished);
  void Take(StepContext* step, int64_t count, bool up_to, Finished finished);
  // Undoes a Take of a step that was ended: `rows` are as they came out.
  void Return(Rows rows);
  void Close(StepContext* step, bool cancel_puts, std::function<void(Status)> done);

  int64_t size() const;
  bool is_closed() const;

 protected:
  // Under the lock. Insert is never called beyond the capacity, Remove never when empty. GiveBack
  // undoes Removes: `rows` are in the order in which they came out.
  virtual int64_t stored() const = 0;
  virtual void Insert(Row row) = 0;
  virtual Row Remove() = 0;
  virtual void GiveBack(Rows rows) = 0;

 private:
  // One that waits in line.
  struct Attempt {
    enum class Kind { kPut, kClose, kTake };
    Kind kind;
    uint64_t id = 0;
    StepContext* step = nullptr;
    StepContext::Token token = StepContext::kAlreadyCancelled;
    bool up_to = false;
    int64_t count = 0;  // rows wanted
    size_t next = 0;    // of the rows to put
    Rows rows;
    Status status;
    Finished finished;
  };
  using Line = std::list<Attempt>;

  void Join(Attempt attempt);
  void Withdraw(uint64_t id);
  bool ServeLine(Line& line, Line* served);
  void Serve(Line* served);
  bool ServePut(Attempt& a, bool* progress);
  bool ServeTake(Attempt& a, bool* progress);
  void MoveTo(Line* served, Line& line, Line::iterator a, Status status);
  static void Finish(Line served);
  int64_t TakeableLocked() const { return closed_ ? stored() : stored() - spec_.min_after_dequeue; }
  Status TypeMismatch(size_t component, DType type) const;
  Status ClosedError() const;

  const QueueSpec spec_;
  mutable std::mutex mutex_;
  bool closed_ = false;
  uint64_t next_id_ = 0;
  Line puts_;  // and closes
  Line takes_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUEUE_QUEUE_H_
