#include "ops/state/variable_access.h"

#include <utility>

#include "runtime/device/device.h"

namespace warpbeam {
namespace {

// Handles that change from step to step (a Switch between variables) are looked up each time.
constexpr size_t kMostEntries = 8;

}  // namespace

StatusOr<const ResourceHandle*> HandleInput(const KernelContext& ctx, int input) {
  const Tensor& t = ctx.input(input);
  if (t.dtype() != DType::kResource || t.num_elements() != 1) {
    return InvalidArgument("input ", input, " must be one resource handle, not ",
                           DTypeName(t.dtype()), t.shape().ToString());
  }
  return t.data<ResourceHandle>();
}

StatusOr<std::shared_ptr<Variable>> VariableFinder::Find(const KernelContext& ctx, int input) {
  ResourceStore* store = ctx.resources();
  if (store == nullptr) return FailedPrecondition("the step has no resource store");
  const Tensor& handle = ctx.input(input);
  const Entry* latest = latest_.load(std::memory_order_acquire);
  // Before the look-up: what is dropped meanwhile makes the entry stale, never the other way round.
  const uint64_t generation = store->generation();
  if (latest != nullptr && latest->handle.raw_data() == handle.raw_data() &&
      latest->store == store && latest->generation == generation) {
    return std::shared_ptr<Variable>(std::shared_ptr<void>(), latest->variable.get());
  }
  WB_ASSIGN_OR_RETURN(const ResourceHandle* h, HandleInput(ctx, input));
  StatusOr<std::shared_ptr<Variable>> found = store->Lookup<Variable>(*h);
  if (IsNotFound(found.status())) {
    return NotFound(found.status().message(), ": the variable '", h->name,
                    "' is uninitialized; run its initializer first");
  }
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v, std::move(found));
  Remember(std::make_unique<Entry>(Entry{handle, store, generation, v}));
  return v;
}

void VariableFinder::Remember(std::unique_ptr<Entry> entry) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (entries_.size() >= kMostEntries) return;
  latest_.store(entry.get(), std::memory_order_release);
  entries_.push_back(std::move(entry));
}

StatusOr<RefVariable*> RefInput(const KernelContext& ctx, int input) {
  RefVariable* v = ctx.input_ref(input);
  if (v == nullptr) {
    return InvalidArgument("input ", input, " must be a reference to a variable");
  }
  return v;
}

StatusOr<Tensor> ReadForKernel(const KernelContext& ctx, const Variable& variable) {
  WB_ASSIGN_OR_RETURN(Tensor value, variable.ReadInitialized());
  if (ctx.device() != nullptr) value.set_raw_data(ctx.device()->ToKernelAddress(value.raw_data()));
  return value;
}

Status CheckInitialized(const Variable& variable, const Tensor& value) {
  if (value.has_value()) return OkStatus();
  return FailedPrecondition("Attempting to use uninitialized value ", variable.name(),
                            "; run its initializer first");
}

Status ModifyVariable(KernelContext& ctx, Variable& variable,
                      absl::FunctionRef<Status(Tensor& value)> change) {
  return variable.Update([&](Tensor& value) -> Status {
    WB_RETURN_IF_ERROR(CheckInitialized(variable, value));
    WB_RETURN_IF_ERROR(ctx.MakeWritable(value));
    return change(value);
  });
}

bool WastesItsBuffer(const Tensor& value) {
  constexpr size_t kSmall = 4096;  // of waste, not worth a copy
  return IsPlainData(value.dtype()) && value.buffer() &&
         value.buffer()->bytes() > 2 * value.bytes() + kSmall;
}

StatusOr<Tensor> ValueToKeep(KernelContext& ctx, const Tensor& value) {
  if (!WastesItsBuffer(value)) return value;
  WB_ASSIGN_OR_RETURN(Tensor copy, ctx.AllocateTemp(value.dtype(), value.shape()));
  CopyElements(value.dtype(), copy.raw_data(), value.raw_data(), value.num_elements());
  return copy;
}

}  // namespace warpbeam
