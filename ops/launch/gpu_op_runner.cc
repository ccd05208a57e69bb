#include "ops/launch/gpu_op_runner.h"

#include <future>
#include <memory>

#include "graph/op/node_types.h"
#include "graph/op/op_registry.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/device/simulated/simulated_device.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

// Keeps a stream from going on until it is opened, at the latest at the end of the scope.
class Gate {
 public:
  absl::Status Close(Stream& stream) {
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
  Gate gate;

  absl::Status AddInput(const Tensor& host, bool stays_on_host) {
    input_slots.push_back(static_cast<int32_t>(slots.size()));
    slots.emplace_back();
    Tensor& value = slots.back().value;
    value = host;
    if (stays_on_host) return absl::OkStatus();
    WB_ASSIGN_OR_RETURN(value, Tensor::Allocate(host.dtype(), host.shape(), gpu->allocator()));
    value.set_raw_data(gpu->ToKernelAddress(value.raw_data()));
    return gpu->compute_stream()->Copy(
        value.raw_data(), host.raw_data(),
        static_cast<size_t>(host.num_elements()) * DTypeSize(host.dtype()));
  }

  absl::Status Compute(Kernel& kernel, KernelContext& ctx) {
    if (gpu->execution_model() == ExecutionModel::kEnqueues) return kernel.Compute(ctx);
    absl::Status computed;
    WB_RETURN_IF_ERROR(gpu->compute_stream()->RunOnHost([&] { computed = kernel.Compute(ctx); }));
    WB_RETURN_IF_ERROR(gpu->Synchronize());
    return computed;
  }

  absl::StatusOr<std::vector<Tensor>> TakeOutputs(size_t first, const std::vector<bool>& on_host) {
    std::vector<Tensor> outputs;
    for (size_t i = first; i < slots.size(); ++i) outputs.push_back(std::move(slots[i].value));
    slots.clear();
    gate.Open();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (on_host[i]) continue;
      const Tensor on_gpu = std::move(outputs[i]);
      WB_ASSIGN_OR_RETURN(outputs[i], Tensor::Allocate(on_gpu.dtype(), on_gpu.shape()));
      WB_RETURN_IF_ERROR(gpu->compute_stream()->Copy(
          outputs[i].raw_data(), on_gpu.raw_data(),
          static_cast<size_t>(on_gpu.num_elements()) * DTypeSize(on_gpu.dtype())));
    }
    WB_RETURN_IF_ERROR(gpu->Synchronize());
    return outputs;
  }
};

absl::StatusOr<std::unique_ptr<Device>> NewGpu(GpuMode mode) {
  const DeviceName name = DeviceName::Local(DeviceType::kGpu, 0);
  if (mode == GpuMode::kReal) return RegisteredGpuPlatform()->create(name, 0);
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
  attrs_.Set(name, std::move(value));
  return *this;
}
GpuOpRunner& GpuOpRunner::Input(Tensor value) {
  inputs_.push_back(std::move(value));
  argument_sizes_.push_back(1);
  return *this;
}
GpuOpRunner& GpuOpRunner::InputList(std::vector<Tensor> values) {
  argument_sizes_.push_back(static_cast<int>(values.size()));
  for (Tensor& value : values) inputs_.push_back(std::move(value));
  return *this;
}

absl::StatusOr<Tensor> GpuOpRunner::Run() const {
  WB_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, RunAll());
  if (outputs.size() == 1) return std::move(outputs[0]);
  return InvalidArgument(op_, " has ", outputs.size(), " outputs; the test wants one");
}

absl::StatusOr<std::vector<Tensor>> GpuOpRunner::RunAll() const {
  WB_RETURN_IF_ERROR(OpRegistry::GlobalStatus());
  WB_ASSIGN_OR_RETURN(const OpSchema* schema, OpRegistry::Global().Get(op_));
  AttrMap attrs = attrs_;
  std::vector<std::vector<DType>> types;
  auto next = inputs_.begin();
  for (const int size : argument_sizes_) {
    types.emplace_back();
    for (int i = 0; i < size; ++i) types.back().push_back((next++)->dtype());
  }
  WB_RETURN_IF_ERROR(InferAttrs(*schema, types, &attrs));
  WB_RETURN_IF_ERROR(CompleteAttrs(*schema, &attrs));
  WB_ASSIGN_OR_RETURN(const std::vector<DType> in, InputTypes(*schema, attrs));
  WB_ASSIGN_OR_RETURN(const std::vector<DType> out, OutputTypes(*schema, attrs));
  if (in.size() != inputs_.size()) {
    return InvalidArgument(op_, " has ", in.size(), " inputs; the test gives ", inputs_.size());
  }
  const KernelRegistry& kernels = KernelRegistry::Global();
  const MemoryPlaces memory = kernels.Memory(*schema, attrs, DeviceType::kGpu);

  GpuRun run;
  const bool enqueues = mode_ == GpuMode::kEnqueues;
  WB_ASSIGN_OR_RETURN(run.gpu, NewGpu(mode_));
  const std::string name = "test_node";
  KernelInit init{name, *schema, attrs, in, out, DeviceType::kGpu, run.gpu.get(), nullptr, nullptr};
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, kernels.Create(init));
  if (enqueues) WB_RETURN_IF_ERROR(run.gate.Close(*run.gpu->compute_stream()));
  KernelContext::NodeInfo info = {};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const bool on_host = memory.input_on_host[i];
    WB_RETURN_IF_ERROR(run.AddInput(inputs_[i], on_host));
    if (on_host) info.host_inputs |= uint64_t{1} << i;
  }
  run.slots.resize(inputs_.size() + out.size());
  info.input_slots = run.input_slots.data();
  info.output_types = out.data();
  info.num_inputs = info.output_start = static_cast<int32_t>(inputs_.size());
  info.num_outputs = static_cast<int32_t>(out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (memory.output_on_host[i]) info.host_outputs |= uint64_t{1} << i;
  }
  StepContext step(1, nullptr, nullptr);
  KernelContext ctx(run.slots.data(), info, run.gpu.get(), &step);
  WB_RETURN_IF_ERROR(run.Compute(*kernel, ctx));
  return run.TakeOutputs(inputs_.size(), memory.output_on_host);
}

}  // namespace warpbeam
