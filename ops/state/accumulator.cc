#include "ops/state/accumulator.h"

#include "ops/array/index/index_argument.h"
#include "runtime/device/device.h"
#include "runtime/kernel/step_context.h"
#include "runtime/kernel/takings.h"

namespace warpbeam {

Status Accumulator::CheckKind(bool sparse, DType dtype) const {
  const auto kind = [](bool is_sparse) { return is_sparse ? "sparse" : "dense"; };
  if (sparse == sparse_ && dtype == dtype_) return OkStatus();
  return InvalidArgument("the accumulator is for ", kind(sparse_), " gradients of ",
                         DTypeName(dtype_), ", not for ", kind(sparse), " ones of ",
                         DTypeName(dtype));
}

Status Accumulator::Apply(KernelContext& ctx, int64_t local_step, const Gradient& gradient) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (local_step < global_step_) return OkStatus();
  WB_RETURN_IF_ERROR(Add(ctx, gradient, count_));
  ++count_;
  Serve(std::move(lock));
  return OkStatus();
}

int64_t Accumulator::Take(int64_t num_required, Taken taken) {
  std::unique_lock<std::mutex> lock(mutex_);
  const int64_t id = next_taker_++;
  takers_.push_back({id, num_required, std::move(taken)});
  Serve(std::move(lock));
  return id;
}

void Accumulator::Abandon(int64_t taker) {
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
  if (taken) {
    taken(Cancelled("TakeGrad operation was cancelled: the step ended while it waited"), 0);
  }
}

int32_t Accumulator::count() const {
  std::lock_guard<std::mutex> lock(mutex_);
  int64_t count = count_;
  for (const auto& returned : returned_) count += returned.second;
  return static_cast<int32_t>(count);
}

void Accumulator::SetGlobalStep(int64_t step) {
  std::lock_guard<std::mutex> lock(mutex_);
  global_step_ = step;
}

// Callbacks run without the lock.
void Accumulator::Serve(std::unique_lock<std::mutex> lock) {
  if (takers_.empty()) return;
  const int64_t required = takers_.front().num_required;
  const bool is_returned = !returned_.empty() && returned_.front().second >= required;
  if (!is_returned && count_ < required) return;
  const Taken taken = std::move(takers_.front().taken);
  takers_.pop_front();
  ++global_step_;
  if (is_returned) {
    auto [gradient, count] = std::move(returned_.front());
    returned_.pop_front();
    lock.unlock();
    return taken(std::move(gradient), count);
  }
  const int64_t count = std::exchange(count_, 0);
  const Finish finish = Release(count);
  lock.unlock();
  taken(finish(), count);
}

void Accumulator::Return(Gradient gradient, int64_t count) {
  std::unique_lock<std::mutex> lock(mutex_);
  returned_.emplace_front(std::move(gradient), count);
  --global_step_;
  Serve(std::move(lock));
}

StatusOr<std::shared_ptr<Accumulator>> AccumulatorOf(const KernelContext& ctx) {
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  if (!ctx.input_is_ref(0)) {
    WB_ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(ctx, 0));
    return ctx.resources()->Lookup<Accumulator>(*handle);
  }
  WB_ASSIGN_OR_RETURN(RefVariable * reference, RefInput(ctx, 0));
  WB_ASSIGN_OR_RETURN(Tensor names, reference->ReadInitialized());
  if (names.dtype() != DType::kString || names.num_elements() != 2) {
    return InvalidArgument("the handle is that of no accumulator");
  }
  return ctx.resources()->Lookup<Accumulator>(names.data<std::string>()[0],
                                              names.data<std::string>()[1]);
}

StatusOr<int64_t> AccumulatorScalar(const KernelContext& ctx, int input, const char* argument) {
  if (ctx.input(input).rank() != 0) {
    return InvalidArgument("'", argument, "' must be a scalar, not of shape ",
                           ctx.input(input).shape().ToString());
  }
  return ReadIndex(ctx.input(input), argument);
}

Status AccumulatorHandleShape(ShapeContext& c) {
  c.set_output(0, c.schema().outputs[0].is_ref ? PartialShape({2}) : PartialShape(Shape()));
  return OkStatus();
}

Status AccumulatorKernelBase::Init(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(dtype_, init.attr<DType>("dtype"));
  WB_ASSIGN_OR_RETURN(shape_, init.attr<PartialShape>("shape"));
  mean_ = init.attrs.GetOr<std::string>("reduction_type", "MEAN") == "MEAN";
  container_ = init.attrs.GetOr<std::string>("container", "");
  name_ = init.attrs.GetOr<std::string>("shared_name", "");
  is_own_ = name_.empty();
  if (is_own_) name_ = PrivateResourceName(init.node_name);
  is_reference_ = IsRef(init.output_types[0]);
  reference_.Assign(Tensor::Vector<std::string>({container_, name_}));
  handle_ = Tensor::Scalar<ResourceHandle>(
      MakeResourceHandle<Accumulator>(init.device == nullptr ? "" : init.device->name().ToString(),
                                      container_, name_, "ConditionalAccumulator"));
  return OkStatus();
}

Status AccumulatorKernelBase::Compute(KernelContext& ctx) {
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  const std::shared_ptr<Accumulator> mine = Make();
  WB_ASSIGN_OR_RETURN(
      std::shared_ptr<Accumulator> accumulator,
      ctx.resources()->LookupOrCreate<Accumulator>(
          container_, name_, [&]() -> StatusOr<std::shared_ptr<Accumulator>> { return mine; }));
  if (is_own_) own_.IsIn(ctx.resources());
  WB_RETURN_IF_ERROR(accumulator->CheckKind(mine->sparse(), dtype_));
  if (is_reference_) {
    ctx.set_output_ref(0, &reference_);
  } else {
    ctx.set_output(0, handle_);
  }
  return OkStatus();
}

namespace {

// A taker and the step's cancellation may come at the same time; `Wait` is what both know.
struct Wait {
  std::mutex mutex;
  bool served = false;
  StepContext::Token token = StepContext::kAlreadyCancelled;
};

Status StartTaking(KernelContext& ctx, const AsyncKernel::Done& done) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator, AccumulatorOf(ctx));
  WB_ASSIGN_OR_RETURN(int64_t num_required, AccumulatorScalar(ctx, 1, "num_required"));
  if (num_required < 1) {
    return InvalidArgument("'num_required' must be positive, it is ", num_required);
  }
  const bool sparse = ctx.num_outputs() == 3;
  WB_RETURN_IF_ERROR(accumulator->CheckKind(sparse, ctx.output_type(sparse ? 1 : 0)));
  StepContext* step = ctx.step();
  auto wait = std::make_shared<Wait>();
  const int64_t taker =
      accumulator->Take(num_required, [&ctx, step, wait, accumulator, done](
                                          StatusOr<Accumulator::Gradient> gradient, int64_t count) {
        StepContext::Token token;
        {
          std::lock_guard<std::mutex> lock(wait->mutex);
          wait->served = true;
          token = wait->token;
        }
        // A callback that was cancelled is what calls this: it is not waited for.
        if (token != StepContext::kAlreadyCancelled && gradient.ok()) step->RemoveCallback(token);
        const auto takings = Takings::Of(step);
        if (gradient.ok() && takings != nullptr) {
          takings->Add(
              [accumulator, taken = *gradient, count] { accumulator->Return(taken, count); });
        }
        if (gradient.ok()) {
          for (size_t i = 0; i < gradient->size(); ++i) {
            ctx.set_output(static_cast<int>(i), std::move((*gradient)[i]));
          }
        }
        done(gradient.status());
      });
  std::unique_lock<std::mutex> lock(wait->mutex);
  if (wait->served) return OkStatus();
  wait->token = step->OnCancel([accumulator, taker] { accumulator->Abandon(taker); });
  const bool cancelled = wait->token == StepContext::kAlreadyCancelled;
  lock.unlock();
  if (cancelled) accumulator->Abandon(taker);
  return OkStatus();
}

}  // namespace

void TakeGradientKernel::ComputeAsync(KernelContext& ctx, Done done) {
  const Status s = StartTaking(ctx, done);
  if (!s.ok()) done(s);
}

}  // namespace warpbeam
