#include "runtime/compile/host_code_kernel.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/op/shape_context.h"
#include "runtime/compile/kernel_cache.h"
#include "runtime/kernel/gpu_catalog.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

// Memory that somebody else keeps, as the buffer of a tensor.
class BorrowedMemory final : public Allocator {
 public:
  explicit BorrowedMemory(void* at) : at_(at) {}
  const char* name() const override { return "borrowed"; }
  BufferRef Allocate(size_t bytes) override { return BufferRef(new Borrowed(at_, bytes)); }

 private:
  class Borrowed final : public Buffer {
   public:
    Borrowed(void* at, size_t bytes) : Buffer(at, bytes) {}

   protected:
    void Release() override { delete this; }
  };
  void* const at_;
};

StatusOr<Tensor> Borrow(DType dtype, const Shape& shape, void* at) {
  BorrowedMemory memory(at);
  return Tensor::Allocate(dtype, shape, memory);
}

// What stands at an address of the device, as the launch has seen it.
struct Place {
  DType dtype;
  Shape shape;
  void* at;
};

// One launch of a kernel: everything that its enqueued part needs.
struct Launch {
  const Node* node;
  Kernel* kernel;
  const Device* device;
  StepContext* step;
  std::vector<Tensor> host_inputs;   // by input; empty where it is on the device
  std::vector<Place> device_inputs;  // by input
  std::vector<Place> outputs;

  void Run() const {
    if (step->IsCancelled()) return;
    const RunningStep running(step);
    const Status s = Compute();
    if (s.ok()) return;
    // The step ends with it: the launch has long succeeded.
    step->Fail(AtNode(s, *node, device)).IgnoreError();
  }

 private:
  Status Compute() const {
    const int num_inputs = static_cast<int>(host_inputs.size());
    const int num_outputs = static_cast<int>(outputs.size());
    std::vector<Slot> slots(num_inputs + num_outputs);
    std::vector<int32_t> input_slots(num_inputs);
    std::vector<BufferRef> held;  // a second owner: kernels may not write to what is not theirs
    for (int i = 0; i < num_inputs; ++i) {
      input_slots[i] = i;
      slots[i].value = host_inputs[i];
      if (host_inputs[i].has_value()) continue;
      const Place& place = device_inputs[i];
      WB_ASSIGN_OR_RETURN(slots[i].value, Borrow(place.dtype, place.shape, place.at));
      held.push_back(slots[i].value.buffer());
    }
    std::vector<DType> output_types;
    for (const Place& output : outputs) output_types.push_back(output.dtype);
    KernelContext::NodeInfo info = {};
    info.input_slots = input_slots.data();
    info.output_types = output_types.data();
    info.num_inputs = num_inputs;
    info.num_outputs = num_outputs;
    info.output_start = num_inputs;
    // What the kernel takes for itself lies in host memory: the device's is given out in the order
    // of the launches, which are far ahead.
    KernelContext ctx(slots.data(), info, /*device=*/nullptr, step);
    WB_RETURN_IF_ERROR(kernel->Compute(ctx));
    for (int o = 0; o < num_outputs; ++o) {
      const Tensor& value = slots[num_inputs + o].value;
      if (!value.has_value()) return Internal("the kernel left output ", o, " without a value");
      if (value.shape() != outputs[o].shape) {
        return Internal("output ", o, " has the shape ", value.shape().ToString(),
                        ", where the op's shape function says ", outputs[o].shape.ToString());
      }
      if (value.bytes() > 0) memcpy(outputs[o].at, value.raw_data(), value.bytes());
    }
    return OkStatus();
  }
};

// First waits for everything that the launch would have to look at.
class SynchronousLaunch final : public Kernel {
 public:
  SynchronousLaunch(Kernel* kernel, Device* device) : kernel_(kernel), device_(device) {}
  bool is_async() const override { return kernel_->is_async(); }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(device_->compute_stream()->Synchronize());
    return kernel_->Compute(ctx);
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    if (Status s = device_->compute_stream()->Synchronize(); !s.ok()) return done(s);
    kernel_->ComputeAsync(ctx, std::move(done));
  }

 private:
  Kernel* const kernel_;
  Device* const device_;
};

class SplitLaunch final : public Kernel {
 public:
  SplitLaunch(const Node& node, Kernel* kernel, Device* device)
      : node_(node), kernel_(kernel), device_(device), synchronous_(kernel, device) {}

  // The inputs and outputs of `ctx` have the addresses that kernels use.
  Status Compute(KernelContext& ctx) override {
    const std::optional<std::vector<Shape>> shapes = OutputShapes(ctx);
    if (!shapes) return synchronous_.Compute(ctx);
    auto launch = std::make_shared<Launch>();
    launch->node = &node_;
    launch->kernel = kernel_;
    launch->device = device_;
    launch->step = ctx.step();
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& in = ctx.input(i);
      launch->host_inputs.push_back(IsOnHost(in) ? in : Tensor());
      launch->device_inputs.push_back({in.dtype(), in.shape(), const_cast<void*>(in.raw_data())});
    }
    for (int o = 0; o < ctx.num_outputs(); ++o) {
      WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(o, (*shapes)[o]));
      launch->outputs.push_back({out->dtype(), out->shape(), out->raw_data()});
    }
    return device_->compute_stream()->RunOnHost([launch] { launch->Run(); });
  }

 private:
  bool IsOnHost(const Tensor& value) const {
    void* const at = const_cast<void*>(value.raw_data());
    return IsHostOnly(value.dtype()) || device_->ToTensorAddress(at) == at;
  }

  // Nothing where the shapes follow from values that are not here, or are refused: the kernel says
  // then what is wrong.
  std::optional<std::vector<Shape>> OutputShapes(const KernelContext& ctx) const {
    const OpSchema& op = node_.op();
    std::vector<Shape> shapes;
    if (op.shape_fn == nullptr) return std::nullopt;
    std::vector<PartialShape> inputs;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (ctx.input_is_ref(i) || !ctx.input(i).has_value()) return std::nullopt;
      inputs.emplace_back(ctx.input(i).shape());
    }
    ShapeContext::Source source;
    source.constant = [&](int i) -> std::optional<Tensor> {
      if (!IsOnHost(ctx.input(i))) return std::nullopt;
      return ctx.input(i);
    };
    ShapeContext inferred(op, node_.attrs(), std::move(inputs), {}, ctx.num_outputs(), source);
    if (!op.shape_fn(inferred).ok()) return std::nullopt;
    for (int o = 0; o < ctx.num_outputs(); ++o) {
      StatusOr<Shape> shape = inferred.output(o).AsShape();
      if (!shape.ok()) return std::nullopt;
      shapes.push_back(*std::move(shape));
    }
    return shapes;
  }

  const Node& node_;
  Kernel* const kernel_;
  Device* const device_;
  SynchronousLaunch synchronous_;
};

bool HasAll(uint64_t arguments, int count) {
  for (int i = 0; i < count; ++i) {
    if (!KernelContext::HasBit(arguments, i)) return false;
  }
  return true;
}

bool HasAny(uint64_t arguments, int count) {
  for (int i = 0; i < count; ++i) {
    if (KernelContext::HasBit(arguments, i)) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Kernel> NewHostCodeKernel(const Node& node, const KernelContext::NodeInfo& info,
                                          Kernel* kernel, Device* device) {
  const int num_inputs = static_cast<int>(node.inputs().size());
  if (!kernel->is_async() && TouchesNoDeviceMemory(node.op(), HasAll(info.host_inputs, num_inputs),
                                                   HasAll(info.host_outputs, info.num_outputs))) {
    return nullptr;
  }
  // Behind a handle or a variant there may be tensors of the device.
  const std::vector<DType>& types = node.input_types();
  const bool has_state =
      node.op().is_stateful || std::any_of(types.begin(), types.end(), [](DType type) {
        return IsRef(type) || type == DType::kResource || type == DType::kVariant;
      });
  if (has_state || kernel->is_async() || HasAny(info.host_outputs, info.num_outputs)) {
    return std::make_unique<SynchronousLaunch>(kernel, device);
  }
  return std::make_unique<SplitLaunch>(node, kernel, device);
}

}  // namespace warpbeam
