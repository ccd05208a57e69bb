// MultiDeviceIterator: an iterator for several devices that steps share by its name; the
// AnonymousMultiDeviceIterators: a new one each time; DeleteMultiDeviceIterator ends one before the
// session does.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/multi_device_iterator_resource.h"

namespace warpbeam {
namespace {

constexpr size_t kMostDevices = 1024;  // each has a thread

StatusOr<size_t> ReadNumDevices(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> devices,
                      init.attr<std::vector<std::string>>("devices"));
  if (devices.empty() || devices.size() > kMostDevices) {
    return InvalidArgument("an iterator has 1 to ", kMostDevices, " devices, not ", devices.size());
  }
  return devices.size();
}

Tensor MultiDeviceIteratorHandle(const Device* device, const std::string& container,
                                 const std::string& name) {
  auto handle =
      MakeResourceHandle<MultiDeviceIteratorResource>("", container, name, "MultiDeviceIterator");
  return HandleTensor(std::move(handle), device);
}

class MultiDeviceIteratorKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    WB_ASSIGN_OR_RETURN(num_devices_, ReadNumDevices(init));
    WB_ASSIGN_OR_RETURN(container_, init.attr<std::string>("container"));
    WB_ASSIGN_OR_RETURN(name_, init.attr<std::string>("shared_name"));
    if (name_.empty()) name_ = init.node_name;
    return OkStatus();
  }
  Status Compute(KernelContext& ctx) override {
    using Resource = MultiDeviceIteratorResource;
    WB_ASSIGN_OR_RETURN(std::shared_ptr<Resource> iterator,
                        ctx.resources()->LookupOrCreate<Resource>(
                            container_, name_, [this]() -> StatusOr<std::shared_ptr<Resource>> {
                              return std::make_shared<Resource>(spec_, num_devices_);
                            }));
    // Another node may have made the iterator of this name.
    WB_RETURN_IF_ERROR(spec_.CheckCompatible(iterator->spec()));
    if (iterator->num_shards() != num_devices_) {
      return InvalidArgument("the iterator '", name_, "' is for ", iterator->num_shards(),
                             " devices, this node declares ", num_devices_);
    }
    ctx.set_output(0, MultiDeviceIteratorHandle(ctx.device(), container_, name_));
    return OkStatus();
  }

 private:
  ElementSpec spec_;
  size_t num_devices_ = 0;
  std::string container_;
  std::string name_;
};

class AnonymousMultiDeviceIteratorKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    WB_ASSIGN_OR_RETURN(num_devices_, ReadNumDevices(init));
    return OkStatus();
  }
  Status Compute(KernelContext& ctx) override {
    const std::string name = UniqueResourceName("AnonymousMultiDeviceIterator");
    WB_RETURN_IF_ERROR(ctx.resources()->Create(
        "", name, std::make_shared<MultiDeviceIteratorResource>(spec_, num_devices_)));
    ctx.set_output(0, MultiDeviceIteratorHandle(ctx.device(), "", name));
    if (ctx.num_outputs() > 1) {
      ctx.set_output(1, Tensor::Scalar<Variant>(Variant::Of<std::string>(name)));
    }
    return OkStatus();
  }

 private:
  ElementSpec spec_;
  size_t num_devices_ = 0;
};

class DeleteMultiDeviceIteratorKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DeleteMultiDeviceIteratorKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(FindMultiDeviceIterator(ctx, 0).status());
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(0)));
    return ctx.resources()->Delete(handle);
  }
};

WB_OP("MultiDeviceIterator")
    .Output("handle: resource")
    .Attr("devices: list(string) >= 1")
    .Attr("shared_name: string")
    .Attr("container: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("AnonymousMultiDeviceIterator")
    .Output("handle: resource")
    .Output("deleter: variant")
    .Attr("devices: list(string) >= 1")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("AnonymousMultiDeviceIteratorV3")
    .Output("handle: resource")
    .Attr("devices: list(string) >= 1")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("DeleteMultiDeviceIterator")
    .Input("multi_device_iterator: resource")
    .Input("iterators: N * resource")
    .Input("deleter: variant")
    .Attr("N: int >= 0")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("MultiDeviceIterator", KernelOf<MultiDeviceIteratorKernel>).Cpu().Cheap();
WB_KERNEL("AnonymousMultiDeviceIterator", KernelOf<AnonymousMultiDeviceIteratorKernel>)
    .Cpu()
    .Cheap();
WB_KERNEL("AnonymousMultiDeviceIteratorV3", KernelOf<AnonymousMultiDeviceIteratorKernel>)
    .Cpu()
    .Cheap();
WB_KERNEL("DeleteMultiDeviceIterator", DeleteMultiDeviceIteratorKernel).Cpu();

}  // namespace
}  // namespace warpbeam
