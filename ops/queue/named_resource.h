// How the older stateful ops (queues, readers) name what they own: an op makes the resource and
// gives out its handle, other ops find it by that handle. A handle is a DT_RESOURCE tensor, or in
// the first generation of these ops a reference to two strings, container and name.
//
//   class FifoQueueKernel final : public NamedResourceKernel<Queue> { … Make … };
//   ResourceFinder<Queue> finder_;                                 // a member of the other kernel
//   WB_ASSIGN_OR_RETURN(std::shared_ptr<Queue> queue, finder_.Find(ctx, 0));
//
// Without a shared_name the resource belongs to its node, and goes with the node's kernel
// (ops/state/own_resource.h). Looking a resource up by name takes a lock and compares strings; a
// handle is nearly always the same, so both sides remember what they found while the store has
// dropped nothing.
//
// Ownership: the session's ResourceStore owns the resource, and outlives the kernels. What Find
// gives may rest on what the finder keeps: it is good as long as the kernel. Thread safety: any
// thread. Errors: NOT_FOUND for a handle without a resource, INVALID_ARGUMENT for one of another
// kind.
#ifndef WARPBEAM_OPS_QUEUE_NAMED_RESOURCE_H_
#define WARPBEAM_OPS_QUEUE_NAMED_RESOURCE_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ops/state/own_resource.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/state/variable.h"

namespace warpbeam {

// The container and the name in a handle of either kind.
StatusOr<ResourceHandle> ReadHandle(const KernelContext& ctx, int input);

template <class T>
class NamedResourceKernel : public Kernel {
 public:
  Status Compute(KernelContext& ctx) final {
    ResourceStore* store = ctx.resources();
    if (store == nullptr) return FailedPrecondition("the step has no resource store");
    // Before the look-up, so that what is dropped meanwhile is looked for again.
    const uint64_t generation = store->generation() + 1;
    if (found_in_.load(std::memory_order_acquire) != generation) {
      WB_ASSIGN_OR_RETURN(
          std::shared_ptr<T> resource,
          store->LookupOrCreate<T>(container_, name_, [&] { return MakeFrom(ctx, name_); }));
      if (is_own_) own_.IsIn(store);
      WB_RETURN_IF_ERROR(CheckFound(*resource));
      found_in_.store(generation, std::memory_order_release);
    }
    if (is_reference_) {
      ctx.set_output_ref(0, &reference_);
    } else {
      ctx.set_output(0, handle_);
    }
    return OkStatus();
  }

 protected:
  // `type_name` is what handles say of the resource's type.
  Status InitNames(KernelInit& init, const char* type_name) {
    container_ = init.attrs.template GetOr<std::string>("container", "");
    name_ = init.attrs.template GetOr<std::string>("shared_name", "");
    if (name_.empty() && init.attrs.template GetOr<bool>("use_node_name_sharing", false)) {
      name_ = init.node_name;
    }
    is_own_ = name_.empty();
    if (is_own_) name_ = PrivateResourceName(init.node_name);
    is_reference_ = IsRef(init.output_types[0]);
    reference_.Assign(Tensor::Vector<std::string>({container_, name_}));
    handle_ = Tensor::Scalar<ResourceHandle>(
        MakeResourceHandle<T>(init.device == nullptr ? "" : init.device->name().ToString(),
                              container_, name_, type_name));
    return OkStatus();
  }
  // One of the two makes the resource: MakeFrom where the op's inputs say what it is.
  virtual StatusOr<std::shared_ptr<T>> Make(const std::string& name) {
    return Internal("nothing makes the resource ", name);
  }
  virtual StatusOr<std::shared_ptr<T>> MakeFrom(KernelContext&, const std::string& name) {
    return Make(name);
  }
  // Whether a resource that was there fits this op's attributes.
  virtual Status CheckFound(const T&) { return OkStatus(); }

 private:
  std::string container_, name_;
  bool is_reference_ = false;
  RefVariable reference_{"handle", DType::kString};
  Tensor handle_;
  bool is_own_ = false;
  OwnResource own_{&handle_};
  std::atomic<uint64_t> found_in_{0};
};

template <class T>
class ResourceFinder {
 public:
  StatusOr<std::shared_ptr<T>> Find(const KernelContext& ctx, int input) {
    ResourceStore* store = ctx.resources();
    if (store == nullptr) return FailedPrecondition("the step has no resource store");
    const RefVariable* reference = ctx.input_ref(input);
    const void* key = reference != nullptr ? reference : ctx.input(input).raw_data();
    const uint64_t generation = store->generation();
    const Entry* latest = latest_.load(std::memory_order_acquire);
    if (latest != nullptr && latest->key == key && latest->store == store &&
        latest->generation == generation) {
      return std::shared_ptr<T>(std::shared_ptr<void>(), latest->resource.get());
    }
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, ReadHandle(ctx, input));
    WB_ASSIGN_OR_RETURN(std::shared_ptr<T> found, store->Lookup<T>(handle));
    std::lock_guard<std::mutex> lock(mutex_);
    // Handles that change from step to step are looked up each time.
    if (entries_.size() < kMostEntries) {
      const Tensor keep = reference != nullptr ? Tensor() : ctx.input(input);
      entries_.push_back(std::make_unique<Entry>(Entry{key, keep, store, generation, found}));
      latest_.store(entries_.back().get(), std::memory_order_release);
    }
    return found;
  }

 private:
  static constexpr size_t kMostEntries = 8;
  struct Entry {
    const void* key;  // the handle's bytes, or the variable that holds it
    Tensor handle;    // kept, so that its address names nothing else
    const ResourceStore* store;
    uint64_t generation;
    std::shared_ptr<T> resource;
  };

  std::atomic<const Entry*> latest_{nullptr};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Entry>> entries_;  // all that `latest_` ever was
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUEUE_NAMED_RESOURCE_H_
