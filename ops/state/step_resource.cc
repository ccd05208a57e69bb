#include "ops/state/step_resource.h"

#include <atomic>
#include <typeinfo>

#include "runtime/device/device.h"

namespace warpbeam {
namespace {

// The buffer of a handle tensor: the handle, and what it names.
class HandleBuffer final : public Buffer {
 public:
  HandleBuffer(const StepContext* step, std::shared_ptr<Resource> resource)
      : Buffer(nullptr, 0),
        step_(step),
        step_id_(step->step_id()),
        resource_(std::move(resource)),
        type_(typeid(*resource_)) {}

  void* SetHandle(ResourceHandle handle) {
    handle_ = std::move(handle);
    return SetData(&handle_, sizeof(handle_));
  }
  void* SetStrings(std::string container, std::string name) {
    strings_[0] = std::move(container);
    strings_[1] = std::move(name);
    return SetData(strings_, sizeof(strings_));
  }
  // The address alone would not do: a later step's context may have it, too.
  bool IsOf(const StepContext* step) const {
    return step != nullptr && step == step_ && step->step_id() == step_id_;
  }
  const std::shared_ptr<Resource>& resource() const { return resource_; }
  std::type_index type() const { return type_; }

 private:
  void Release() override { delete this; }
  void* SetData(void* data, size_t bytes) {
    bytes_ = bytes;
    return data_ = data;
  }

  const StepContext* const step_;
  const int64_t step_id_;
  const std::shared_ptr<Resource> resource_;
  const std::type_index type_;
  ResourceHandle handle_;
  std::string strings_[2];
};

Status NotInStep(const Tensor& handle) {
  std::string name;
  if (handle.dtype() == DType::kResource && handle.num_elements() == 1) {
    name = handle.data<ResourceHandle>()->name;
  } else if (handle.dtype() == DType::kString && handle.num_elements() == 2) {
    name = handle.data<std::string>()[1];
  }
  return NotFound("the handle names nothing of the kind that the op works on in this step: '", name,
                  "'; such a resource lives from the op that makes it to the end of the step");
}

}  // namespace

std::string UniqueStepName(const std::string& base) {
  static std::atomic<int64_t> count{0};
  return absl::StrCat(base, "_", count.fetch_add(1, std::memory_order_relaxed));
}

StatusOr<Tensor> NewStepHandle(const KernelContext& ctx, DType type, std::string container,
                               std::string name, std::shared_ptr<Resource> resource) {
  if (ctx.step() == nullptr) return FailedPrecondition("there is no step to keep the resource in");
  auto* buffer = new HandleBuffer(ctx.step(), std::move(resource));
  BufferRef owner(buffer);
  if (BaseType(type) == DType::kString) {
    void* data = buffer->SetStrings(std::move(container), std::move(name));
    return Tensor(DType::kString, Shape({2}), std::move(owner), data);
  }
  ResourceHandle handle;
  if (ctx.device() != nullptr) handle.device = ctx.device()->name().ToString();
  handle.container = std::move(container);
  handle.name = std::move(name);
  void* data = buffer->SetHandle(std::move(handle));
  return Tensor(DType::kResource, Shape(), std::move(owner), data);
}

StatusOr<std::shared_ptr<Resource>> FindInStep(const KernelContext& ctx, int input,
                                               std::type_index type) {
  Tensor named;
  if (RefVariable* reference = ctx.input_ref(input); reference != nullptr) {
    WB_ASSIGN_OR_RETURN(named, reference->ReadInitialized());
  }
  const Tensor& handle = ctx.input_is_ref(input) ? named : ctx.input(input);
  const Buffer* buffer = handle.buffer().get();
  if (buffer == nullptr || typeid(*buffer) != typeid(HandleBuffer)) return NotInStep(handle);
  const auto* owner = static_cast<const HandleBuffer*>(buffer);
  if (!owner->IsOf(ctx.step()) || owner->type() != type) return NotInStep(handle);
  return owner->resource();
}

StatusOr<RefVariable*> StepReferences::New(const KernelContext& ctx, Tensor value) {
  if (ctx.step() == nullptr) return FailedPrecondition("there is no step to keep the handle in");
  RefVariable* reference = nullptr;
  {
    std::lock_guard<std::mutex> lock(pool_->mutex);
    if (pool_->free.empty()) {
      pool_->all.push_back(std::make_unique<RefVariable>("handle", value.dtype()));
      reference = pool_->all.back().get();
    } else {
      reference = pool_->free.back();
      pool_->free.pop_back();
    }
  }
  reference->Assign(std::move(value));
  // The step keeps the callback, and with it the loan, until it ends.
  std::shared_ptr<void> loan(reference, [pool = pool_, reference](void*) {
    reference->Assign(Tensor());
    std::lock_guard<std::mutex> lock(pool->mutex);
    pool->free.push_back(reference);
  });
  if (ctx.step()->OnCancel([loan] {}) == StepContext::kAlreadyCancelled) {
    return ctx.step()->cancel_reason();
  }
  return reference;
}

}  // namespace warpbeam
