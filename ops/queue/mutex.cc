// MutexV2, MutexLock, ConsumeMutexLock: what tf.CriticalSection is made of. A lock is a value: the
// mutex is free again when nobody holds the value any more, whichever way its step ends.
#include <utility>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/queue/named_resource.h"
#include "runtime/comm/waiting_resource.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Set while a kernel drops a lock, which holds no lock of the executor's. Everywhere else a tensor
// may go while its step's state is locked, so that others are told on another thread.
thread_local bool in_kernel = false;

class Mutex final : public WaitingResource {
 public:
  explicit Mutex(std::string name) : name_(std::move(name)) {}
  std::string DebugString() const override { return absl::StrCat("mutex '", name_, "'"); }

  bool TryLocked() {
    if (locked_) return false;
    return locked_ = true;
  }
  void Release() {
    if (!std::exchange(in_kernel, false)) return Elsewhere([this] { locked_ = false; });
    // Freeing it cannot fail.
    Now([this] {
      locked_ = false;
      return OkStatus();
    }).IgnoreError();
  }

 private:
  const std::string name_;
  bool locked_ = false;
};

// What a lock's variant holds.
class HeldMutex {
 public:
  explicit HeldMutex(std::shared_ptr<Mutex> mutex)
      : mutex_(mutex.get(), [mutex](Mutex* held) { held->Release(); }) {}

 private:
  const std::shared_ptr<Mutex> mutex_;
};

class MutexHandleKernel final : public NamedResourceKernel<Mutex> {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<MutexHandleKernel>();
    WB_RETURN_IF_ERROR(kernel->InitNames(init, "Mutex"));
    return kernel;
  }

 private:
  StatusOr<std::shared_ptr<Mutex>> Make(const std::string& name) override {
    return std::make_shared<Mutex>(name);
  }
};

// A handle may come from elsewhere: the first lock makes the mutex that it names.
class MutexLockKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<MutexLockKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<std::shared_ptr<Mutex>> found = Find(ctx);
    if (!found.ok()) return done(found.status());
    const std::shared_ptr<Mutex> mutex = *std::move(found);
    mutex->Attempt(
        ctx.step(), {0, 0}, [held = mutex.get()](Status*) { return held->TryLocked(); },
        [&ctx, mutex, done = std::move(done)](Status s) {
          if (s.ok()) ctx.set_output(0, Tensor::Scalar(Variant::Of(HeldMutex(mutex))));
          done(std::move(s));
        });
  }

 private:
  static StatusOr<std::shared_ptr<Mutex>> Find(const KernelContext& ctx) {
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, ReadHandle(ctx, 0));
    return ctx.resources()->LookupOrCreate<Mutex>(
        handle,
        [&]() -> StatusOr<std::shared_ptr<Mutex>> { return std::make_shared<Mutex>(handle.name); });
  }
};

// Holds the lock until everything before it has run, and is its last user as a rule.
Status Consume(KernelContext& ctx) {
  Tensor lock = ctx.TakeInput(0);
  if (lock.rank() != 0) {
    return InvalidArgument("Expected input to be a scalar, saw shape: ", lock.shape().ToString());
  }
  if (lock.scalar<Variant>().get<HeldMutex>() == nullptr) {
    return InvalidArgument("Expected input to contain a SharedLockReleaser object, but saw ",
                           "variant: '", lock.scalar<Variant>().type_name(),
                           "'; a lock comes from MutexLock");
  }
  in_kernel = true;
  lock.Reset();
  in_kernel = false;
  return OkStatus();
}

WB_OP("MutexV2")
    .Output("resource: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("MutexV2", MutexHandleKernel).Cpu().Gpu().Cheap();

WB_OP("MutexLock")
    .Input("mutex: resource")
    .Output("mutex_lock: variant")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("MutexLock", MutexLockKernel)
    .Cpu()
    .Gpu()
    .HostMemory({"mutex", "mutex_lock"})
    .Async()
    .Unbounded();

WB_OP("ConsumeMutexLock").Input("mutex_lock: variant").Stateful().Shape(shapes::NoOutputs);
WB_KERNEL("ConsumeMutexLock", FunctionKernel<Consume>)
    .Cpu()
    .Gpu()
    .HostMemory({"mutex_lock"})
    .Cheap();

}  // namespace
}  // namespace warpbeam
