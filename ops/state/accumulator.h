// Accumulator: gradients of several workers summed up until enough have come: what
// ConditionalAccumulator and SparseConditionalAccumulator have in common, and the kernels that
// serve both.
//
//   class DenseAccumulator final : public Accumulator {
//    public:
//     DenseAccumulator(DType dtype, PartialShape shape, bool mean);
//     Status Add(KernelContext& ctx, const Gradient& gradient, int64_t count) override;
//     Finish Release(int64_t count) override;  …
//   };
//   WB_KERNEL("ConditionalAccumulator", AccumulatorKernel<DenseAccumulator>).Cpu({…});
//   WB_KERNEL("AccumulatorTakeGradient", TakeGradientKernel).Cpu().Async().Unbounded();
//
// Takers wait in the order they came; whoever brings the last gradient that one needs serves it. A
// gradient of a step before the accumulator's is dropped; each taking moves the accumulator to its
// next step.
//
// Ownership: the resource store owns accumulators; nodes find them by container and name, which
// their handle holds: a resource handle, or a reference to two strings. Thread safety: any thread.
// Errors: INVALID_ARGUMENT for gradients that do not fit, for handles of the other kind, for a
// number of gradients that is not positive; CANCELLED to a taker whose step ends.
#ifndef WARPBEAM_OPS_STATE_ACCUMULATOR_H_
#define WARPBEAM_OPS_STATE_ACCUMULATOR_H_

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "graph/op/shape_context.h"
#include "ops/state/own_resource.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

class Accumulator : public Resource {
 public:
  // One tensor; or indices, values and (where it is known) the shape.
  using Gradient = std::vector<Tensor>;
  using Taken = std::function<void(StatusOr<Gradient>, int64_t count)>;

  Accumulator(DType dtype, PartialShape shape, bool mean, bool sparse)
      : dtype_(dtype), shape_(std::move(shape)), mean_(mean), sparse_(sparse) {}
  std::string DebugString() const override { return "a conditional accumulator"; }
  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return shape_; }
  bool mean() const { return mean_; }
  bool sparse() const { return sparse_; }
  // It takes and gives values of this kind and dtype.
  Status CheckKind(bool sparse, DType dtype) const;

  Status Apply(KernelContext& ctx, int64_t local_step, const Gradient& gradient);
  // The number under which the taker waits; `taken` may have run before this returns. It gets the
  // result, and of how many gradients it is.
  int64_t Take(int64_t num_required, Taken taken);
  // Takes a waiting taker out of the queue and tells it; nothing when it is no longer there.
  void Abandon(int64_t taker);
  // Undoes a Take of a step that was ended. The next taker for whom `count` gradients are enough
  // gets the same result; the accumulator is at the step before again.
  void Return(Gradient gradient, int64_t count);
  int32_t count() const;
  void SetGlobalStep(int64_t step);

 protected:
  using Finish = std::function<StatusOr<Gradient>()>;
  // Checks a gradient and adds it to the `count` there are. Under the lock.
  virtual Status Add(KernelContext& ctx, const Gradient& gradient, int64_t count) = 0;
  // Gives up the sum of `count` gradients, under the lock; what it returns makes the result of it
  // and runs without.
  virtual Finish Release(int64_t count) = 0;

 private:
  struct Taker {
    int64_t id;
    int64_t num_required;
    Taken taken;
  };
  void Serve(std::unique_lock<std::mutex> lock);

  const DType dtype_;
  const PartialShape shape_;
  const bool mean_, sparse_;
  mutable std::mutex mutex_;
  int64_t count_ = 0;
  int64_t global_step_ = 0;
  int64_t next_taker_ = 0;
  std::deque<Taker> takers_;
  std::deque<std::pair<Gradient, int64_t>> returned_;
};

// The accumulator of input 0.
StatusOr<std::shared_ptr<Accumulator>> AccumulatorOf(const KernelContext& ctx);
// An integer that must be a scalar.
StatusOr<int64_t> AccumulatorScalar(const KernelContext& ctx, int input, const char* argument);
// A resource handle is a scalar; a reference holds two strings.
Status AccumulatorHandleShape(ShapeContext& c);

// Makes the accumulator, or finds the one of its name; without a name it belongs to its node, and
// goes with it. Its output is a resource handle, or a
// reference to two strings: the accumulator's container and its name.
class AccumulatorKernelBase : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override;

 protected:
  Status Init(const KernelInit& init);
  virtual std::shared_ptr<Accumulator> Make() const = 0;
  DType dtype_ = DType::kInvalid;
  PartialShape shape_;
  bool mean_ = true;

 private:
  std::string container_, name_;
  bool is_reference_ = true;
  RefVariable reference_{"accumulator", DType::kString};
  Tensor handle_;
  bool is_own_ = false;
  OwnResource own_{&handle_};
};

// `A` is made from dtype, shape and whether it gives means.
template <class A>
class AccumulatorKernel final : public AccumulatorKernelBase {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<AccumulatorKernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init));
    return kernel;
  }

 protected:
  std::shared_ptr<Accumulator> Make() const override {
    return std::make_shared<A>(dtype_, shape_, mean_);
  }
};

// Inputs: handle, number of gradients. Outputs: one tensor, or indices, values and shape.
class TakeGradientKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<TakeGradientKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_ACCUMULATOR_H_
