#include "ops/launch/op_runner.h"

#include <algorithm>
#include <utility>

#include "graph/op/node_types.h"
#include "graph/op/shape_context.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

// A CPU device without threads of its own.
class SerialDevice final : public Device {
 public:
  explicit SerialDevice(bool split)
      : name_(DeviceName::Local(DeviceType::kCpu, 0)), split_(split) {}
  const DeviceName& name() const override { return name_; }
  DeviceType type() const override { return DeviceType::kCpu; }
  ExecutionModel execution_model() const override { return ExecutionModel::kHostThreads; }
  std::string Description() const override { return "the calling thread"; }
  int64_t memory_limit() const override { return int64_t{1} << 40; }
  Allocator& allocator() override { return HostAllocator(); }
  Stream* compute_stream() override { return nullptr; }
  StatusOr<std::unique_ptr<Stream>> NewStream() override {
    return Unimplemented("this device has no streams");
  }
  Status Synchronize() override { return OkStatus(); }
  int width() const override { return split_ ? kPieces : 1; }
  void ParallelFor(int64_t count, int64_t, absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    if (!split_ || count < kPieces) return fn(0, count);
    for (int64_t i = kPieces - 1; i >= 0; --i) {
      fn(count * i / kPieces, count * (i + 1) / kPieces);
    }
  }

 private:
  static constexpr int kPieces = 3;
  DeviceName name_;
  bool split_;
};

StatusOr<std::vector<Slot>> Compute(const KernelContext::NodeInfo& info, Kernel& kernel,
                                    std::vector<Slot> slots, Device* device,
                                    ResourceStore* resources) {
  StepContext step(1, resources, nullptr);
  KernelContext ctx(slots.data(), info, device, &step);
  WB_RETURN_IF_ERROR(kernel.Compute(ctx));
  return slots;
}

}  // namespace

OpRunner& OpRunner::Attr(absl::string_view name, AttrValue value) {
  attrs_.Set(StdView(name), std::move(value));
  return *this;
}
OpRunner& OpRunner::Input(Tensor value) {
  inputs_.push_back(std::move(value));
  refs_.push_back(nullptr);
  argument_sizes_.push_back(1);
  return *this;
}
OpRunner& OpRunner::InputList(std::vector<Tensor> values) {
  argument_sizes_.push_back(static_cast<int>(values.size()));
  for (Tensor& t : values) inputs_.push_back(std::move(t));
  refs_.resize(inputs_.size(), nullptr);
  return *this;
}
OpRunner& OpRunner::RefInput(RefVariable* variable) {
  inputs_.push_back(Tensor());
  refs_.push_back(variable);
  argument_sizes_.push_back(1);
  return *this;
}
OpRunner& OpRunner::Resources(ResourceStore* store) {
  resources_ = store;
  return *this;
}
OpRunner& OpRunner::ForwardInputs() {
  forward_inputs_ = true;
  return *this;
}
OpRunner& OpRunner::UnsplitLoops() {
  split_loops_ = false;
  return *this;
}

StatusOr<OpRunner::Prepared> OpRunner::Prepare() const {
  WB_RETURN_IF_ERROR(OpRegistry::GlobalStatus());
  Prepared p;
  WB_ASSIGN_OR_RETURN(p.schema, OpRegistry::Global().Get(op_));
  p.attrs = attrs_;
  std::vector<std::vector<DType>> types;
  size_t at = 0;
  for (int size : argument_sizes_) {
    types.emplace_back();
    for (int k = 0; k < size; ++k, ++at) {
      types.back().push_back(refs_[at] != nullptr ? RefType(refs_[at]->dtype())
                                                  : inputs_[at].dtype());
    }
  }
  WB_RETURN_IF_ERROR(InferAttrs(*p.schema, types, &p.attrs));
  WB_RETURN_IF_ERROR(CompleteAttrs(*p.schema, &p.attrs));
  WB_ASSIGN_OR_RETURN(p.input_types, InputTypes(*p.schema, p.attrs));
  WB_ASSIGN_OR_RETURN(p.output_types, OutputTypes(*p.schema, p.attrs));
  if (p.input_types.size() != inputs_.size()) {
    return InvalidArgument(op_, " takes ", p.input_types.size(), " tensors, the test gave ",
                           inputs_.size());
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const DType given = refs_[i] != nullptr ? refs_[i]->dtype() : inputs_[i].dtype();
    if (given != BaseType(p.input_types[i])) {
      return InvalidArgument("input ", i, " of ", op_, " is ", DTypeName(p.input_types[i]),
                             ", the test gave ", DTypeName(given));
    }
  }
  return p;
}

StatusOr<std::vector<Tensor>> OpRunner::Run() {
  WB_ASSIGN_OR_RETURN(Prepared p, Prepare());
  SerialDevice device(split_loops_);
  KernelInit init{"test_node",      *p.schema, p.attrs,    p.input_types, p.output_types,
                  DeviceType::kCpu, &device,   resources_, nullptr};
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, KernelRegistry::Global().Create(init));

  const int32_t num_inputs = static_cast<int32_t>(inputs_.size());
  const int32_t num_outputs = static_cast<int32_t>(p.output_types.size());
  std::vector<int32_t> input_slots(num_inputs);
  std::vector<Slot> slots(num_inputs + num_outputs);
  for (int32_t i = 0; i < num_inputs; ++i) {
    input_slots[i] = i;
    slots[i].ref = refs_[i];
    slots[i].value = forward_inputs_ ? std::move(inputs_[i]) : inputs_[i];
  }
  const KernelContext::NodeInfo info = {input_slots.data(), p.output_types.data(),
                                        num_inputs,         num_outputs,
                                        num_inputs,         forward_inputs_ ? ~uint64_t{0} : 0};
  WB_ASSIGN_OR_RETURN(slots, Compute(info, *kernel, std::move(slots), &device, resources_));

  std::vector<Tensor> outputs;
  for (int32_t i = 0; i < num_outputs; ++i) {
    Slot& slot = slots[num_inputs + i];
    outputs.push_back(slot.ref != nullptr ? slot.ref->Read() : std::move(slot.value));
    if (!slot.dead && outputs.back().dtype() != BaseType(p.output_types[i])) {
      return Internal("output ", i, " of ", op_, " is ", DTypeName(outputs.back().dtype()),
                      " instead of ", DTypeName(p.output_types[i]));
    }
  }
  return outputs;
}

StatusOr<Tensor> OpRunner::RunOne() {
  WB_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, Run());
  if (outputs.size() != 1) return Internal(op_, " has ", outputs.size(), " outputs");
  return outputs[0];
}

StatusOr<std::vector<PartialShape>> OpRunner::InferShapes(bool constants_known) {
  WB_ASSIGN_OR_RETURN(Prepared p, Prepare());
  std::vector<PartialShape> shapes;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    shapes.push_back(refs_[i] != nullptr ? PartialShape(refs_[i]->Read().shape())
                                         : PartialShape(inputs_[i].shape()));
  }
  ShapeContext::Source source;
  source.constant = [&](int i) -> std::optional<Tensor> {
    if (!constants_known || refs_[i] != nullptr) return std::nullopt;
    return inputs_[i];
  };
  source.constant_as_shape = [&](int i) -> std::optional<PartialShape> {
    if (!constants_known || refs_[i] != nullptr) return std::nullopt;
    const Tensor& t = inputs_[i];
    std::vector<int64_t> dims(t.num_elements());
    for (int64_t k = 0; k < t.num_elements(); ++k) {
      dims[k] = t.dtype() == DType::kInt64 ? t.data<int64_t>()[k] : t.data<int32_t>()[k];
    }
    auto shape = PartialShape::Make(dims);
    return shape.ok() ? std::optional<PartialShape>(*shape) : std::nullopt;
  };
  ShapeContext c(*p.schema, p.attrs, shapes, std::vector<HandleShapes>(shapes.size()),
                 static_cast<int>(p.output_types.size()), source);
  if (p.schema->shape_fn) WB_RETURN_IF_ERROR(p.schema->shape_fn(c));
  std::vector<PartialShape> out;
  for (int i = 0; i < c.num_outputs(); ++i) out.push_back(c.output(i));
  return out;
}

}  // namespace warpbeam
