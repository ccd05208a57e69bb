#include "ops/launch/gpu_op_runner.h"

#include <cstring>
#include <future>
#include <memory>

#include "graph/op/node_types.h"
#include "graph/op/op_registry.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/device/simulated/simulated_device.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/read_back_kernel.h"
#include "runtime/kernel/step_context.h"
#include "runtime/state/resource_store.h"
#include "runtime/state/variable.h"

namespace warpbeam {
namespace {

// Keeps a stream from going on until it is opened, at the latest at the end of the scope.
class Gate {
 public:
  Status Close(Stream& stream) {
    is_closed_ = true;
    return stream.RunOnHost([opened = opened_.get_future().share()] { opened.wait(); });
  }
  void Open() {
    if (is_closed_) opened_.set_value();
    is_closed_ = false;
  }
  ~Gate() { Open(); }

 private:
  std::promise<void> opened_;
  bool is_closed_ = false;
};

// One run: the device and what is on it.
struct GpuRun {
  std::unique_ptr<Device> gpu;
  std::vector<int32_t> input_slots;
  std::vector<Slot> slots;  // of the inputs, then the outputs
  std::vector<std::shared_ptr<RefVariable>> variables;
  std::vector<std::pair<Tensor, Tensor>> held;  // what was read of them: on the GPU, and as it was
  ResourceStore store;
  Gate gate;

  Slot& NewInput() {
    input_slots.push_back(static_cast<int32_t>(slots.size()));
    return slots.emplace_back();
  }
  StatusOr<Tensor> ToGpu(const Tensor& host) {
    WB_ASSIGN_OR_RETURN(Tensor value,
                        Tensor::Allocate(host.dtype(), host.shape(), gpu->allocator()));
    value.set_raw_data(gpu->ToKernelAddress(value.raw_data()));
    WB_RETURN_IF_ERROR(
        gpu->compute_stream()->Copy(value.raw_data(), host.raw_data(), host.bytes()));
    return value;
  }
  StatusOr<Tensor> ToHost(const Tensor& on_gpu) {
    WB_ASSIGN_OR_RETURN(Tensor value, Tensor::Allocate(on_gpu.dtype(), on_gpu.shape()));
    WB_RETURN_IF_ERROR(
        gpu->compute_stream()->Copy(value.raw_data(), on_gpu.raw_data(), on_gpu.bytes()));
    return value;
  }

  Status AddInput(const Tensor& host, bool stays_on_host) {
    Tensor& value = NewInput().value;
    value = host;
    if (stays_on_host) return OkStatus();
    WB_ASSIGN_OR_RETURN(value, ToGpu(host));
    return OkStatus();
  }

  Status AddVariable(const Tensor& host, bool by_handle, bool stays_on_host, bool hold) {
    const std::string name = "variable" + std::to_string(variables.size());
    const auto variable = std::make_shared<RefVariable>(name, host.dtype());
    variables.push_back(variable);
    WB_ASSIGN_OR_RETURN(Tensor value, stays_on_host ? host.Clone() : ToGpu(host));
    if (hold) held.emplace_back(value, host);
    variable->Assign(std::move(value));
    Slot& slot = NewInput();
    if (!by_handle) {
      slot.ref = variable.get();
      return OkStatus();
    }
    slot.value = Tensor::Scalar<ResourceHandle>(MakeResourceHandle<Variable>("", "", name, ""));
    return store.Create<Variable>("", name, variable);
  }

  Status Compute(Kernel& kernel, KernelContext& ctx) {
    if (gpu->execution_model() == ExecutionModel::kEnqueues) return kernel.Compute(ctx);
    Status computed;
    WB_RETURN_IF_ERROR(gpu->compute_stream()->RunOnHost([&] { computed = kernel.Compute(ctx); }));
    WB_RETURN_IF_ERROR(gpu->Synchronize());
    return computed;
  }

  StatusOr<std::vector<Tensor>> TakeOutputs(size_t first, const std::vector<bool>& on_host) {
    std::vector<Tensor> outputs;
    for (size_t i = first; i < slots.size(); ++i) {
      Slot& slot = slots[i];
      outputs.push_back(slot.ref != nullptr ? slot.ref->Read() : std::move(slot.value));
    }
    slots.clear();
    gate.Open();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (on_host[i]) continue;
      const Tensor on_gpu = std::move(outputs[i]);
      WB_ASSIGN_OR_RETURN(outputs[i], ToHost(on_gpu));
    }
    for (const auto& variable : variables) {
      WB_ASSIGN_OR_RETURN(Tensor value, ToHost(variable->Read()));
      outputs.push_back(std::move(value));
    }
    WB_RETURN_IF_ERROR(gpu->Synchronize());
    WB_RETURN_IF_ERROR(CheckHeld());
    return outputs;
  }

  Status CheckHeld() {
    for (const auto& [on_gpu, before] : held) {
      WB_ASSIGN_OR_RETURN(const Tensor now, ToHost(on_gpu));
      WB_RETURN_IF_ERROR(gpu->Synchronize());
      if (memcmp(now.raw_data(), before.raw_data(), now.bytes()) != 0) {
        return Internal("the kernel has changed a value that somebody holds");
      }
    }
    return OkStatus();
  }
};

StatusOr<std::unique_ptr<Device>> NewGpu(GpuMode mode) {
  const DeviceName name = DeviceName::Local(DeviceType::kGpu, 0);
  if (mode == GpuMode::kReal) return RegisteredGpuPlatform()->create(name, 0, {});
  SimulatedDeviceOptions options;
  options.memory = int64_t{1} << 28;
  options.enqueues = mode == GpuMode::kEnqueues;
  options.gpu_kernels = true;
  return NewSimulatedDevice(name, options);
}

}  // namespace

std::vector<GpuMode> GpuModes() {
  static const bool has_gpu = [] {
    const GpuPlatform* const platform = RegisteredGpuPlatform();
    return platform != nullptr && platform->count().value_or(0) > 0;
  }();
  std::vector<GpuMode> modes = {GpuMode::kOnStream, GpuMode::kEnqueues};
  if (has_gpu) modes.push_back(GpuMode::kReal);
  return modes;
}

GpuOpRunner& GpuOpRunner::Attr(absl::string_view name, AttrValue value) {
  attrs_.Set(StdView(name), std::move(value));
  return *this;
}
GpuOpRunner& GpuOpRunner::Input(Tensor value) { return InputList({std::move(value)}); }
GpuOpRunner& GpuOpRunner::InputList(std::vector<Tensor> values) {
  argument_sizes_.push_back(static_cast<int>(values.size()));
  for (Tensor& value : values) inputs_.push_back(std::move(value));
  is_variable_.resize(inputs_.size(), false);
  return *this;
}
GpuOpRunner& GpuOpRunner::Variable(Tensor value) {
  Input(std::move(value));
  is_variable_.back() = true;
  return *this;
}
GpuOpRunner& GpuOpRunner::HoldVariables() {
  hold_variables_ = true;
  return *this;
}

StatusOr<Tensor> GpuOpRunner::Run() const {
  WB_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, RunAll());
  if (outputs.size() == 1) return std::move(outputs[0]);
  return InvalidArgument(op_, " has ", outputs.size(), " outputs; the test wants one");
}

StatusOr<GpuOpRunner::Prepared> GpuOpRunner::Prepare() const {
  WB_RETURN_IF_ERROR(OpRegistry::GlobalStatus());
  Prepared p;
  WB_ASSIGN_OR_RETURN(p.schema, OpRegistry::Global().Get(op_));
  p.attrs = attrs_;
  std::vector<std::vector<DType>> types;
  size_t at = 0;
  for (const int size : argument_sizes_) {
    const size_t argument = types.size();
    types.emplace_back();
    for (int i = 0; i < size; ++i, ++at) {
      DType type = inputs_[at].dtype();
      if (is_variable_[at] && argument < p.schema->inputs.size()) {
        type = p.schema->inputs[argument].is_ref ? RefType(type) : DType::kResource;
      }
      types.back().push_back(type);
    }
  }
  WB_RETURN_IF_ERROR(InferAttrs(*p.schema, types, &p.attrs));
  WB_RETURN_IF_ERROR(CompleteAttrs(*p.schema, &p.attrs));
  WB_ASSIGN_OR_RETURN(p.input_types, InputTypes(*p.schema, p.attrs));
  WB_ASSIGN_OR_RETURN(p.output_types, OutputTypes(*p.schema, p.attrs));
  if (p.input_types.size() == inputs_.size()) return p;
  return InvalidArgument(op_, " has ", p.input_types.size(), " inputs; the test gives ",
                         inputs_.size());
}

StatusOr<std::vector<Tensor>> GpuOpRunner::RunAll() const {
  WB_ASSIGN_OR_RETURN(const Prepared p, Prepare());
  const std::vector<DType>&in = p.input_types, &out = p.output_types;
  const KernelRegistry& kernels = KernelRegistry::Global();
  const MemoryPlaces memory = kernels.Memory(*p.schema, p.attrs, DeviceType::kGpu);

  GpuRun run;
  const bool enqueues = mode_ == GpuMode::kEnqueues;
  WB_ASSIGN_OR_RETURN(run.gpu, NewGpu(mode_));
  const std::string name = "test_node";
  KernelInit init{name,          *p.schema, p.attrs, in, out, DeviceType::kGpu,
                  run.gpu.get(), nullptr,   nullptr};
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, kernels.Create(init));
  const bool reads = dynamic_cast<const ReadBackKernel*>(kernel.get()) != nullptr;
  if (enqueues && !reads) WB_RETURN_IF_ERROR(run.gate.Close(*run.gpu->compute_stream()));
  KernelContext::NodeInfo info = {};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const bool on_host = memory.input_on_host[i];
    if (on_host) info.host_inputs |= uint64_t{1} << i;
    if (is_variable_[i]) {
      const bool by_handle = in[i] == DType::kResource;
      WB_RETURN_IF_ERROR(
          run.AddVariable(inputs_[i], by_handle, on_host && !by_handle, hold_variables_));
    } else {
      WB_RETURN_IF_ERROR(run.AddInput(inputs_[i], on_host));
    }
  }
  run.slots.resize(inputs_.size() + out.size());
  info.input_slots = run.input_slots.data();
  info.output_types = out.data();
  info.num_inputs = info.output_start = static_cast<int32_t>(inputs_.size());
  info.num_outputs = static_cast<int32_t>(out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (memory.output_on_host[i]) info.host_outputs |= uint64_t{1} << i;
  }
  StepContext step(1, &run.store, nullptr);
  KernelContext ctx(run.slots.data(), info, run.gpu.get(), &step);
  WB_RETURN_IF_ERROR(run.Compute(*kernel, ctx));
  return run.TakeOutputs(inputs_.size(), memory.output_on_host);
}

}  // namespace warpbeam
