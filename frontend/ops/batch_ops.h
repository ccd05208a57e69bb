// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_BATCH_OPS_H_
#define WARPBEAM_FRONTEND_OPS_BATCH_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class BatchAttrs : public OpAttrs {
 public:
  BatchAttrs& max_enqueued_batches(int64_t value) {
    Set("max_enqueued_batches", value);
    return *this;
  }
  BatchAttrs& allowed_batch_sizes(const std::vector<int64_t>& value) {
    Set("allowed_batch_sizes", value);
    return *this;
  }
  BatchAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  BatchAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  BatchAttrs& batching_queue(const std::string& value) {
    Set("batching_queue", value);
    return *this;
  }
};
struct BatchOutputs {
  std::vector<Output> batched_tensors;
  Output batch_index;
  Output id;
  Operation op;
};
// (in_tensors: T) -> (batched_tensors: T, batch_index: int64, id: int64)
BatchOutputs Batch(ScopeRef scope, const InputList& in_tensors, int64_t num_batch_threads,
    int64_t max_batch_size, int64_t batch_timeout_micros, int64_t grad_timeout_micros,
    const BatchAttrs& attrs = BatchAttrs());

class BatchFunctionAttrs : public OpAttrs {
 public:
  BatchFunctionAttrs& max_enqueued_batches(int64_t value) {
    Set("max_enqueued_batches", value);
    return *this;
  }
  BatchFunctionAttrs& allowed_batch_sizes(const std::vector<int64_t>& value) {
    Set("allowed_batch_sizes", value);
    return *this;
  }
  BatchFunctionAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  BatchFunctionAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  BatchFunctionAttrs& batching_queue(const std::string& value) {
    Set("batching_queue", value);
    return *this;
  }
  BatchFunctionAttrs& low_priority_max_batch_size(int64_t value) {
    Set("low_priority_max_batch_size", value);
    return *this;
  }
  BatchFunctionAttrs& low_priority_batch_timeout_micros(int64_t value) {
    Set("low_priority_batch_timeout_micros", value);
    return *this;
  }
  BatchFunctionAttrs& low_priority_allowed_batch_sizes(const std::vector<int64_t>& value) {
    Set("low_priority_allowed_batch_sizes", value);
    return *this;
  }
  BatchFunctionAttrs& low_priority_max_enqueued_batches(int64_t value) {
    Set("low_priority_max_enqueued_batches", value);
    return *this;
  }
  BatchFunctionAttrs& mixed_priority_policy(const std::string& value) {
    Set("mixed_priority_policy", value);
    return *this;
  }
  BatchFunctionAttrs& batch_padding_policy(const std::string& value) {
    Set("batch_padding_policy", value);
    return *this;
  }
  BatchFunctionAttrs& enable_large_batch_splitting(bool value) {
    Set("enable_large_batch_splitting", value);
    return *this;
  }
};
// (in_tensors: Tin, captured_tensors: Tcaptured) -> (out_tensors: Tout)
std::vector<Output> BatchFunction(ScopeRef scope, const InputList& in_tensors,
    const InputList& captured_tensors, const FunctionRef& f, int64_t num_batch_threads,
    int64_t max_batch_size, int64_t batch_timeout_micros, const std::vector<DType>& Tout,
    const BatchFunctionAttrs& attrs = BatchFunctionAttrs());

class UnbatchAttrs : public OpAttrs {
 public:
  UnbatchAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  UnbatchAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// (batched_tensor: T, batch_index: int64, id: int64) -> (unbatched_tensor: T)
Output Unbatch(ScopeRef scope, const Input& batched_tensor, const Input& batch_index,
    const Input& id, int64_t timeout_micros, const UnbatchAttrs& attrs = UnbatchAttrs());

class UnbatchGradAttrs : public OpAttrs {
 public:
  UnbatchGradAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  UnbatchGradAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// (original_input: T, batch_index: int64, grad: T, id: int64) -> (batched_grad: T)
Output UnbatchGrad(ScopeRef scope, const Input& original_input, const Input& batch_index,
    const Input& grad, const Input& id, const UnbatchGradAttrs& attrs = UnbatchGradAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_BATCH_OPS_H_
