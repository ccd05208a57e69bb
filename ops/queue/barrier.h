// Barrier: rows of tensors that come together by key, one component at a time, and are taken when
// they are whole, in the order of the batches in which their keys first came.
//
//   WB_RETURN_IF_ERROR(barrier->Insert(0, keys, values));
//   barrier->Take(step, 2, /*allow_small_batch=*/false, rows, [](Status s) { … });
//
// Ownership: the session's ResourceStore, and steps while they use it. Thread safety: any thread.
// Errors: INVALID_ARGUMENT for a component that is there already or does not fit; CANCELLED for a
// new key in a closed barrier; OUT_OF_RANGE for more rows than a closed barrier can still give.
#ifndef WARPBEAM_OPS_QUEUE_BARRIER_H_
#define WARPBEAM_OPS_QUEUE_BARRIER_H_

#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/types/tensor.h"
#include "runtime/comm/waiting_resource.h"

namespace warpbeam {

struct BarrierSpec {
  std::string name;
  std::vector<DType> types;
  std::vector<PartialShape> shapes;  // of one value of each component
};

class Barrier final : public WaitingResource {
 public:
  struct Row {
    int64_t batch = 0;  // the Insert that its key came with
    std::string key;
    std::vector<Tensor> values;
  };
  using Rows = std::vector<Row>;

  explicit Barrier(BarrierSpec spec) : spec_(std::move(spec)) {}
  std::string DebugString() const override { return "the barrier " + spec_.name; }
  const BarrierSpec& spec() const { return spec_; }

  // `values` has one element for each of `keys`.
  Status Insert(int64_t component, const Tensor& keys, const Tensor& values);
  void Take(StepContext* step, int64_t count, bool allow_small_batch, std::shared_ptr<Rows> rows,
            Finished finished);
  // Undoes a Take of a step that was ended.
  void Return(Rows rows);
  Status Close(bool cancel_pending_inserts);
  int64_t ready_size() const;
  int64_t incomplete_size() const;

 private:
  Status InsertLocked(int64_t component, const Tensor& keys, const Tensor& values);
  bool TakeLocked(int64_t count, bool allow_small_batch, Rows* rows, Status* status);

  const BarrierSpec spec_;
  std::unordered_map<std::string, Row> incomplete_;
  std::multimap<int64_t, Row> ready_;                         // by batch
  int64_t next_batch_ = std::numeric_limits<int64_t>::min();  // of the next Insert with new keys
  bool closed_ = false;
  bool inserts_cancelled_ = false;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUEUE_BARRIER_H_
