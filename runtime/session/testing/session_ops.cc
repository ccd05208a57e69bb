// A handful of ops, enough to see the executor work; the real ones are not linked into these tests.
#include <chrono>
#include <thread>

#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/step_context.h"
#include "runtime/session/testing/session_fixture.h"
#include "runtime/state/resource_store.h"
#include "runtime/state/variable.h"

namespace warpbeam {

std::atomic<bool> release_stuck{false};
std::atomic<int> stuck_begun{0};
std::atomic<int> ran{0};

namespace {

WB_OP("Const")
    .Role(OpRole::kConstant)
    .Output("output: dtype")
    .Attr("value: tensor")
    .Attr("dtype: type")
    .Shape(shapes::Scalar);
WB_OP("Input").Output("output: float").Shape(shapes::Scalar);
WB_OP("AddOne").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("Add").Input("a: float").Input("b: float").Output("y: float").Shape(shapes::MergeInputs);
WB_OP("Big").Input("x: float").Output("y: float").Shape(shapes::Unknown);
WB_OP("Fail").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("FailAtLength").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("Stuck").Input("x: float").Output("y: float").Stateful().Shape(shapes::Unchanged);
WB_OP("Waits").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("Identity")
    .Role(OpRole::kHandOn)
    .PassesOn(PassOn::kValue)
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type = float")
    .Shape(shapes::Unchanged);
WB_OP("NoOp").Role(OpRole::kNothing);
WB_OP("Switch")
    .Role(OpRole::kSwitch)
    .Input("data: float")
    .Input("pred: bool")
    .Output("f: float")
    .Output("t: float");
WB_OP("Merge")
    .Role(OpRole::kMerge)
    .Input("inputs: N * float")
    .Output("y: float")
    .Attr("N: int >= 1");
WB_OP("VariableV2").Role(OpRole::kVariable).Output("ref: Ref(float)").Stateful();
WB_OP("Assign")
    .Input("ref: Ref(float)")
    .Input("value: float")
    .Output("out: Ref(float)")
    .AllowsUninitializedInput();
WB_OP("AssignAdd").Input("ref: Ref(float)").Input("value: float").Output("out: Ref(float)");
WB_OP("FIFOQueueV2")
    .Role(OpRole::kQueue)
    .Output("handle: resource")
    .Attr("shared_name: string = ''")
    .Stateful();
WB_OP("QueueDequeueV2")
    .Effect(StateEffect::kDrain)
    .Input("handle: resource")
    .Output("y: float")
    .Stateful();
WB_OP("QueueEnqueueV2")
    .Effect(StateEffect::kFill)
    .Input("handle: resource")
    .Input("x: float")
    .Stateful();
WB_OP("QueueCloseV2").Effect(StateEffect::kEnd).Input("handle: resource").Stateful();
WB_OP("QueueSizeV2")
    .Effect(StateEffect::kRead)
    .Input("handle: resource")
    .Output("y: float")
    .Stateful();
WB_OP("IsInitialized").Input("ref: Ref(float)").Output("y: bool").AllowsUninitializedInput();

template <Status (*F)(KernelContext&)>
class FnKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FnKernel>();
  }
  Status Compute(KernelContext& ctx) override { return F(ctx); }
};

Status AddOne(KernelContext& ctx) {
  ++ran;
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, ctx.input(0).shape()));
  const float* x = ctx.input(0).data<float>();
  for (int64_t i = 0; i < y->num_elements(); ++i) y->data<float>()[i] = x[i] + 1;
  return OkStatus();
}
Status Add(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, ctx.input(0).shape()));
  *y->data<float>() = ctx.input(0).scalar<float>() + ctx.input(1).scalar<float>();
  return OkStatus();
}
Status Fail(KernelContext&) { return InvalidArgument("made to fail"); }
// As a kernel does that has put a tensor into its message.
Status FailAtLength(KernelContext&) { return InvalidArgument("\x94", std::string(1'000'000, 'x')); }
Status Stuck(KernelContext& ctx) {
  ++stuck_begun;
  while (!release_stuck) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return AddOne(ctx);
}
Status PassOn(KernelContext& ctx) {
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}
Status DoNothing(KernelContext&) { return OkStatus(); }
Status Switch(KernelContext& ctx) {
  ctx.set_output(ctx.input(1).scalar<bool>() ? 1 : 0, ctx.input(0));
  return OkStatus();
}
Status Merge(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.input_is_dead(i)) ctx.set_output(0, ctx.input(i));
  }
  return OkStatus();
}
Status Assign(KernelContext& ctx) {
  ctx.input_ref(0)->Assign(ctx.input(1));
  ctx.set_output_ref(0, ctx.input_ref(0));
  return OkStatus();
}
Status AssignAdd(KernelContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.input_ref(0)->Update([&](Tensor& v) -> Status {
    WB_RETURN_IF_ERROR(ctx.MakeWritable(v));
    *v.data<float>() += ctx.input(1).scalar<float>();
    return OkStatus();
  }));
  ctx.set_output_ref(0, ctx.input_ref(0));
  return OkStatus();
}
Status IsInitialized(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape()));
  *y->data<bool>() = ctx.input_ref(0)->IsInitialized();
  return OkStatus();
}

class ConstKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ConstKernel>();
    WB_ASSIGN_OR_RETURN(kernel->value_, init.attr<Tensor>("value"));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, value_);
    return OkStatus();
  }

 private:
  Tensor value_;
};

class VariableKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<VariableKernel>();
    WB_ASSIGN_OR_RETURN(kernel->variable_,
                        init.resources->LookupOrCreate<RefVariable>("", init.node_name, [&] {
                          return StatusOr<std::shared_ptr<RefVariable>>(
                              std::make_shared<RefVariable>(init.node_name, DType::kFloat));
                        }));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output_ref(0, variable_.get());
    return OkStatus();
  }

 private:
  std::shared_ptr<RefVariable> variable_;
};

// Finishes on another thread, unless the step is cancelled first.
class WaitsKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<WaitsKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    std::thread([&ctx, done] {
      while (!release_stuck && !ctx.IsCancelled()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      done(ctx.IsCancelled() ? Cancelled("told to stop") : AddOne(ctx));
    }).detach();
  }
};

WB_KERNEL("Const", ConstKernel).Cpu().Gpu();
WB_KERNEL("Input", FnKernel<Fail>).Cpu();
WB_KERNEL("AddOne", FnKernel<AddOne>).Cpu().Gpu();
WB_KERNEL("Big", FnKernel<AddOne>).Cpu().Gpu();
WB_KERNEL("Add", FnKernel<Add>).Cpu().Gpu();
WB_KERNEL("Fail", FnKernel<Fail>).Cpu();
WB_KERNEL("FailAtLength", FnKernel<FailAtLength>).Cpu();
WB_KERNEL("Stuck", FnKernel<Stuck>).Cpu();
WB_KERNEL("Waits", WaitsKernel).Cpu().Async().Unbounded();
WB_KERNEL("Identity", FnKernel<PassOn>).Cpu().Gpu();
WB_KERNEL("NoOp", FnKernel<DoNothing>).Cpu().Gpu();
WB_KERNEL("Switch", FnKernel<Switch>).Cpu();
WB_KERNEL("Merge", FnKernel<Merge>).Cpu();
WB_KERNEL("VariableV2", VariableKernel).Cpu().Gpu();
WB_KERNEL("Assign", FnKernel<Assign>).Cpu().Gpu();
WB_KERNEL("AssignAdd", FnKernel<AssignAdd>).Cpu().Gpu();
WB_KERNEL("FIFOQueueV2", FnKernel<Fail>).Cpu();
WB_KERNEL("QueueDequeueV2", FnKernel<Fail>).Cpu();
WB_KERNEL("QueueEnqueueV2", FnKernel<Fail>).Cpu();
WB_KERNEL("QueueCloseV2", FnKernel<Fail>).Cpu();
WB_KERNEL("QueueSizeV2", FnKernel<Fail>).Cpu();
WB_KERNEL("IsInitialized", FnKernel<IsInitialized>).Cpu();

}  // namespace
}  // namespace warpbeam
