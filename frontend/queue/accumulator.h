// Accumulators of gradients (tf.ConditionalAccumulator, tf.SparseConditionalAccumulator): workers
// put gradients in, and one takes their mean once there are enough.
//
//   ConditionalAccumulator sums(scope, DType::kFloat, {10});
//   Operation put = sums.ApplyGrad(scope, gradient, local_step);
//   Output mean = sums.TakeGrad(scope, /*num_required=*/4);
//
// A gradient of an older step than the accumulator's is left out.
//
// Ownership: an accumulator is a handle on a node of the graph. Thread safety: that of the Scope;
// in steps any number of threads. Errors: kept in the scope; a gradient of another shape is an
// error of the step.
#ifndef WARPBEAM_FRONTEND_QUEUE_ACCUMULATOR_H_
#define WARPBEAM_FRONTEND_QUEUE_ACCUMULATOR_H_

#include <string>
#include <utility>

#include "frontend/gradients.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct AccumulatorOptions {
  AccumulatorOptions& shared_name(std::string value) { return shared = std::move(value), *this; }
  // "MEAN" or "SUM".
  AccumulatorOptions& reduction_type(std::string value) {
    return reduction = std::move(value), *this;
  }

  std::string shared;
  std::string reduction = "MEAN";
};

class ConditionalAccumulatorBase {
 public:
  const Output& accumulator_ref() const { return ref_; }
  DType dtype() const { return dtype_; }
  std::string name() const { return ref_.op().name(); }
  // How many gradients have been put in since the last were taken, an int32 scalar.
  Output NumAccumulated(ScopeRef scope) const;
  // Gradients of steps before `step` count no more.
  Operation SetGlobalStep(ScopeRef scope, const Input& step) const;

 protected:
  ConditionalAccumulatorBase(Output ref, DType dtype) : ref_(std::move(ref)), dtype_(dtype) {}

  Output ref_;
  DType dtype_;
};

class ConditionalAccumulator : public ConditionalAccumulatorBase {
 public:
  ConditionalAccumulator(ScopeRef scope, DType dtype, const PartialShape& shape = PartialShape(),
                         const AccumulatorOptions& options = AccumulatorOptions());
  Operation ApplyGrad(ScopeRef scope, const Input& gradient,
                      const Input& local_step = int64_t{0}) const;
  // Waits for `num_required` of them.
  Output TakeGrad(ScopeRef scope, const Input& num_required) const;
};

class SparseConditionalAccumulator : public ConditionalAccumulatorBase {
 public:
  SparseConditionalAccumulator(ScopeRef scope, DType dtype,
                               const PartialShape& shape = PartialShape(),
                               const AccumulatorOptions& options = AccumulatorOptions());
  // Rows and where they stand; `shape` of the whole, where it is known.
  Operation ApplyGrad(ScopeRef scope, const Input& indices, const Input& values, const Input& shape,
                      const Input& local_step = int64_t{0}) const;
  Operation ApplyIndexedSlicesGrad(ScopeRef scope, const IndexedSlices& gradient,
                                   const Input& local_step = int64_t{0}) const;
  // The rows that had gradients.
  IndexedSlices TakeGrad(ScopeRef scope, const Input& num_required) const;
  IndexedSlices TakeIndexedSlicesGrad(ScopeRef scope, const Input& num_required) const;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_QUEUE_ACCUMULATOR_H_
