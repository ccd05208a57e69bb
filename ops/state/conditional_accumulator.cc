// ConditionalAccumulator and its ops: gradients of several workers summed up
// until enough have come.
#include <deque>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index_argument.h"
#include "ops/launch/dispatch.h"
#include "ops/state/elementwise_update.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

// Takers wait in the order they came; whoever brings the last gradient that one
// needs serves it.
class Accumulator final : public Resource {
 public:
  using Taken = std::function<void(absl::StatusOr<Tensor>)>;

  Accumulator(DType dtype, PartialShape shape, bool mean)
      : dtype_(dtype), shape_(std::move(shape)), mean_(mean) {}
  std::string DebugString() const override { return "a conditional accumulator"; }
  DType dtype() const { return dtype_; }

  // A gradient of a step before the current one is dropped.
  absl::Status Apply(KernelContext &ctx, int64_t local_step, const Tensor &gradient) {
    if (gradient.dtype() != dtype_ || !shape_.IsCompatibleWith(gradient.shape())) {
      return InvalidArgument("the accumulator is for gradients of ", DTypeName(dtype_),
                             shape_.ToString(), ", not ", DTypeName(gradient.dtype()),
                             gradient.shape().ToString());
    }
    std::unique_lock<std::mutex> lock(mutex_);
    if (local_step < global_step_) return absl::OkStatus();
    if (count_ == 0) {
      WB_ASSIGN_OR_RETURN(sum_, gradient.Clone());
    } else {
      WB_RETURN_IF_ERROR(UpdateElementwise(ctx, ScatterOp::kAdd, sum_, gradient));
    }
    ++count_;
    Serve(std::move(lock));
    return absl::OkStatus();
  }

  // The number under which the taker waits, -1 when it was served at once.
  int64_t Take(int64_t num_required, Taken taken) {
    std::unique_lock<std::mutex> lock(mutex_);
    const int64_t id = next_taker_++;
    takers_.push_back({id, num_required, std::move(taken)});
    Serve(std::move(lock));
    return id;
  }
  void Abandon(int64_t taker) {
    Taken taken;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (auto it = takers_.begin(); it != takers_.end(); ++it) {
        if (it->id != taker) continue;
        taken = std::move(it->taken);
        takers_.erase(it);
        break;
      }
    }
    if (taken) taken(Cancelled("the step ended while it waited for gradients"));
  }

  int32_t count() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int32_t>(count_);
  }
  void SetGlobalStep(int64_t step) {
    std::lock_guard<std::mutex> lock(mutex_);
    global_step_ = step;
  }

 private:
  struct Taker {
    int64_t id;
    int64_t num_required;
    Taken taken;
  };

  // Callbacks run without the lock.
  void Serve(std::unique_lock<std::mutex> lock) {
    if (takers_.empty() || count_ < takers_.front().num_required) return;
    Taken taken = std::move(takers_.front().taken);
    takers_.pop_front();
    Tensor result = std::move(sum_);
    const int64_t count = count_;
    sum_ = Tensor();
    count_ = 0;
    ++global_step_;
    lock.unlock();
    const absl::Status s = mean_ ? Divide(count, &result) : absl::OkStatus();
    if (s.ok()) {
      taken(std::move(result));
    } else {
      taken(s);
    }
  }

  static absl::Status Divide(int64_t by, Tensor *t) {
    return DispatchTypes<Half, float, double>(t->dtype(), [&](auto tag) -> absl::Status {
      using T = typename decltype(tag)::type;
      using V = ComputeType<T>;
      for (T &x : t->flat<T>()) x = static_cast<T>(static_cast<V>(x) / static_cast<V>(by));
      return absl::OkStatus();
    });
  }

  const DType dtype_;
  const PartialShape shape_;
  const bool mean_;
  mutable std::mutex mutex_;
  Tensor sum_;
  int64_t count_ = 0;
  int64_t global_step_ = 0;
  int64_t next_taker_ = 0;
  std::deque<Taker> takers_;
};

// Its output is a reference to two strings: the accumulator's container and its
// name.
class ConditionalAccumulatorKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit &init) {
    auto kernel = std::make_unique<ConditionalAccumulatorKernel>();
    WB_ASSIGN_OR_RETURN(kernel->dtype_, init.attr<DType>("dtype"));
    WB_ASSIGN_OR_RETURN(kernel->shape_, init.attr<PartialShape>("shape"));
    kernel->mean_ = init.attrs.GetOr<std::string>("reduction_type", "MEAN") == "MEAN";
    kernel->container_ = init.attrs.GetOr<std::string>("container", "");
    kernel->name_ = init.attrs.GetOr<std::string>("shared_name", "");
    if (kernel->name_.empty()) kernel->name_ = init.node_name;
    kernel->handle_.Assign(Tensor::Vector<std::string>({kernel->container_, kernel->name_}));
    return kernel;
  }
  absl::Status Compute(KernelContext &ctx) override {
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    WB_ASSIGN_OR_RETURN(
        std::shared_ptr<Accumulator> accumulator,
        ctx.resources()->LookupOrCreate<Accumulator>(
            container_, name_, [&]() -> absl::StatusOr<std::shared_ptr<Accumulator>> {
              return std::make_shared<Accumulator>(dtype_, shape_, mean_);
            }));
    if (accumulator->dtype() != dtype_) {
      return InvalidArgument("the accumulator '", name_, "' is for ",
                             DTypeName(accumulator->dtype()), ", not ", DTypeName(dtype_));
    }
    ctx.set_output_ref(0, &handle_);
    return absl::OkStatus();
  }

 private:
  DType dtype_ = DType::kInvalid;
  PartialShape shape_;
  bool mean_ = true;
  std::string container_, name_;
  RefVariable handle_{"accumulator", DType::kString};
};

absl::StatusOr<std::shared_ptr<Accumulator>> AccumulatorOf(const KernelContext &ctx) {
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  WB_ASSIGN_OR_RETURN(RefVariable * handle, RefInput(ctx, 0));
  WB_ASSIGN_OR_RETURN(Tensor names, handle->ReadInitialized());
  if (names.dtype() != DType::kString || names.num_elements() != 2) {
    return InvalidArgument("the handle is that of no accumulator");
  }
  return ctx.resources()->Lookup<Accumulator>(names.data<std::string>()[0],
                                              names.data<std::string>()[1]);
}

absl::StatusOr<int64_t> ScalarInput(const KernelContext &ctx, int input, const char *argument) {
  if (ctx.input(input).rank() != 0) {
    return InvalidArgument("'", argument, "' must be a scalar, not of shape ",
                           ctx.input(input).shape().ToString());
  }
  return ReadIndex(ctx.input(input), argument);
}

absl::Status RunApply(KernelContext &ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator, AccumulatorOf(ctx));
  WB_ASSIGN_OR_RETURN(int64_t local_step, ScalarInput(ctx, 1, "local_step"));
  return accumulator->Apply(ctx, local_step, ctx.input(2));
}

absl::Status RunCount(KernelContext &ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator, AccumulatorOf(ctx));
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
  *out->data<int32_t>() = accumulator->count();
  return absl::OkStatus();
}

absl::Status RunSetGlobalStep(KernelContext &ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator, AccumulatorOf(ctx));
  WB_ASSIGN_OR_RETURN(int64_t step, ScalarInput(ctx, 1, "new_global_step"));
  accumulator->SetGlobalStep(step);
  return absl::OkStatus();
}

class TakeGradientKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit &) {
    return std::make_unique<TakeGradientKernel>();
  }
  void ComputeAsync(KernelContext &ctx, Done done) override {
    const absl::Status s = Start(ctx, done);
    if (!s.ok()) done(s);
  }

 private:
  // A taker and the step's cancellation may come at the same time; `Wait` is
  // what both know.
  struct Wait {
    std::mutex mutex;
    bool served = false;
    StepContext::Token token = StepContext::kAlreadyCancelled;
  };

  static absl::Status Start(KernelContext &ctx, const Done &done) {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator, AccumulatorOf(ctx));
    WB_ASSIGN_OR_RETURN(int64_t num_required, ScalarInput(ctx, 1, "num_required"));
    if (num_required < 1) {
      return InvalidArgument("'num_required' must be positive, it is ", num_required);
    }
    if (accumulator->dtype() != ctx.output_type(0)) {
      return InvalidArgument("the accumulator is for ", DTypeName(accumulator->dtype()), ", not ",
                             DTypeName(ctx.output_type(0)));
    }
    StepContext *step = ctx.step();
    auto wait = std::make_shared<Wait>();
    const int64_t taker =
        accumulator->Take(num_required, [&ctx, step, wait, done](absl::StatusOr<Tensor> gradient) {
          StepContext::Token token;
          {
            std::lock_guard<std::mutex> lock(wait->mutex);
            wait->served = true;
            token = wait->token;
          }
          // A callback that was cancelled is what calls this: it is not waited
          // for.
          if (token != StepContext::kAlreadyCancelled && gradient.ok()) step->RemoveCallback(token);
          if (gradient.ok()) ctx.set_output(0, *std::move(gradient));
          done(gradient.status());
        });
    std::unique_lock<std::mutex> lock(wait->mutex);
    if (wait->served) return absl::OkStatus();
    wait->token = step->OnCancel([accumulator, taker] { accumulator->Abandon(taker); });
    const bool cancelled = wait->token == StepContext::kAlreadyCancelled;
    lock.unlock();
    if (cancelled) accumulator->Abandon(taker);
    return absl::OkStatus();
  }
};

absl::Status TakeShape(ShapeContext &c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return absl::OkStatus();
}

absl::Status NamesShape(ShapeContext &c) {
  c.set_output(0, PartialShape({2}));
  return absl::OkStatus();
}

WB_OP("ConditionalAccumulator")
    .Output("handle: Ref(string)")
    .Attr("dtype: numbertype")
    .Attr("shape: shape")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
    .Stateful()
    .Shape(NamesShape);
WB_KERNEL("ConditionalAccumulator", ConditionalAccumulatorKernel)
    .Cpu({{"dtype", TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}})
    .Cheap();

WB_OP("AccumulatorApplyGradient")
    .Input("handle: Ref(string)")
    .Input("local_step: int64")
    .Input("gradient: dtype")
    .Attr("dtype: numbertype")
    .Shape(shapes::NoOutputs);
WB_KERNEL("AccumulatorApplyGradient", FunctionKernel<RunApply>).Cpu();

WB_OP("AccumulatorNumAccumulated")
    .Input("handle: Ref(string)")
    .Output("num_accumulated: int32")
    .Shape(shapes::Scalar);
WB_KERNEL("AccumulatorNumAccumulated", FunctionKernel<RunCount>).Cpu().Cheap();

WB_OP("AccumulatorSetGlobalStep")
    .Input("handle: Ref(string)")
    .Input("new_global_step: int64")
    .Shape(shapes::NoOutputs);
WB_KERNEL("AccumulatorSetGlobalStep", FunctionKernel<RunSetGlobalStep>).Cpu().Cheap();

WB_OP("AccumulatorTakeGradient")
    .Input("handle: Ref(string)")
    .Input("num_required: int32")
    .Output("average: dtype")
    .Attr("dtype: numbertype")
    .Shape(TakeShape);
WB_KERNEL("AccumulatorTakeGradient", TakeGradientKernel).Cpu().Async().Unbounded();

}  // namespace
}  // namespace warpbeam
