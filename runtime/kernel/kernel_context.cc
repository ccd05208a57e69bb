#include "runtime/kernel/kernel_context.h"

#include <algorithm>
#include <utility>

#include "graph/abandonment.h"
#include "graph/types/object_memory.h"
#include "runtime/device/device.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/step_context.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {
namespace {

// What a kernel will write is taken to be of its inputs: each element as long as theirs are on
// average, and all no more than all of theirs. Kernels that repeat their inputs, or join them, say
// so themselves (runtime/memory/string_memory.h).
Status CheckRoomForStrings(const KernelContext& ctx, const Shape& shape) {
  double contents = 0, elements = 0, inputs = 0;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.input_is_ref(i) || ctx.input(i).dtype() != DType::kString) continue;
    contents += static_cast<double>(ObjectMemory::ContentsOf(ctx.input(i)));
    elements += static_cast<double>(ctx.input(i).num_elements());
    ++inputs;
  }
  const double each = elements > 0 ? inputs * contents / elements : 0;
  const double written = each * static_cast<double>(shape.num_elements());
  return StringMemory::CheckRoom(shape, std::min(contents, written));
}

}  // namespace

StatusOr<Tensor> KernelContext::AllocateTemp(DType dtype, const Shape& shape) const {
  WB_ASSIGN_OR_RETURN(
      Tensor t, Tensor::Allocate(dtype, shape,
                                 device_ != nullptr && !IsHostOnly(dtype) ? device_->allocator()
                                                                          : HostAllocator()));
  if (device_ != nullptr) t.set_raw_data(device_->ToKernelAddress(t.raw_data()));
  return t;
}

StatusOr<Tensor*> KernelContext::Allocate(int output, const Shape& shape) {
  Tensor& out = output_slot(output).value;
  if (output_type(output) == DType::kString) WB_RETURN_IF_ERROR(CheckRoomForStrings(*this, shape));
  if (HasBit(node_.host_outputs, output)) {
    // Kept, and counted, as the memory of the CPU devices is.
    const DType dtype = output_type(output);
    Allocator& pool = PoolAllocator::Process();
    WB_ASSIGN_OR_RETURN(out,
                        Tensor::Allocate(dtype, shape, IsHostOnly(dtype) ? HostAllocator() : pool));
  } else {
    WB_ASSIGN_OR_RETURN(out, AllocateTemp(output_type(output), shape));
  }
  return &out;
}

StatusOr<Tensor*> KernelContext::ForwardOrAllocate(std::initializer_list<int> inputs, int output,
                                                   const Shape& shape) {
  const DType dtype = output_type(output);
  for (int i : inputs) {
    const Tensor& in = input(i);
    if (CanForward(i) && HasBit(node_.host_inputs, i) == HasBit(node_.host_outputs, output) &&
        in.shape() == shape && DTypeSize(in.dtype()) == DTypeSize(dtype) &&
        IsPlainData(in.dtype()) && IsPlainData(dtype)) {
      // The input stays in its slot, so that the kernel can still read it through input(i); the
      // bytes are shared with the output from here on.
      Tensor& out = output_slot(output).value;
      out = in.Bitcast(dtype);
      return &out;
    }
  }
  return Allocate(output, shape);
}

Status KernelContext::MakeWritable(Tensor& value) {
  if (device_ != nullptr) value.set_raw_data(device_->ToKernelAddress(value.raw_data()));
  if (value.IsUnique()) return OkStatus();
  WB_ASSIGN_OR_RETURN(Tensor copy, AllocateTemp(value.dtype(), value.shape()));
  CopyElements(value.dtype(), copy.raw_data(), value.raw_data(), value.num_elements());
  value = std::move(copy);
  return OkStatus();
}

ResourceStore* KernelContext::resources() const {
  return step_ == nullptr ? nullptr : step_->resources();
}
FunctionRunner* KernelContext::functions() const {
  return step_ == nullptr ? nullptr : step_->functions();
}
// Without a step it is evaluated while a plan is compiled.
bool KernelContext::IsCancelled() const {
  return step_ != nullptr ? step_->IsCancelled() : IsAbandoned();
}

int KernelContext::width() const { return device_ == nullptr ? 1 : device_->width(); }

void KernelContext::ParallelFor(int64_t count, int64_t ns_per_item,
                                absl::FunctionRef<void(int64_t, int64_t)> fn) const {
  if (count <= 0) return;
  const std::atomic<bool>* const abandoned = AbandonmentScope::Current();
  const auto piece = [&](int64_t begin, int64_t end) {
    const RunningStep running(step_);
    const AbandonmentScope compiling(abandoned);
    fn(begin, end);
  };
  if (device_ == nullptr) return piece(0, count);
  device_->ParallelFor(count, ns_per_item, piece);
}

}  // namespace warpbeam
