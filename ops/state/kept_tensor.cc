#include "ops/state/kept_tensor.h"

#include <memory>
#include <utility>

namespace warpbeam {
namespace {

// The device in whose memory a kernel of this context has tensors of `dtype`; null for the host's.
Device* MemoryOf(const KernelContext& ctx, DType dtype) {
  Device* device = ctx.device();
  if (device == nullptr || device->execution_model() == ExecutionModel::kHostThreads) {
    return nullptr;
  }
  return IsHostOnly(dtype) ? nullptr : device;
}

}  // namespace

KeptTensor KeptTensor::Of(const KernelContext& ctx, Tensor value) {
  KeptTensor kept;
  kept.device_ = MemoryOf(ctx, value.dtype());
  if (kept.device_ != nullptr) {
    value.set_raw_data(kept.device_->ToTensorAddress(value.raw_data()));
  }
  kept.value_ = std::move(value);
  return kept;
}

StatusOr<Tensor> KeptTensor::Get(KernelContext& ctx) const {
  Device* here = MemoryOf(ctx, value_.dtype());
  if (here == device_) {
    Tensor value = value_;
    if (here != nullptr) value.set_raw_data(here->ToKernelAddress(value.raw_data()));
    return value;
  }
  WB_ASSIGN_OR_RETURN(Tensor copy, ctx.AllocateTemp(value_.dtype(), value_.shape()));
  void* to = here != nullptr ? here->ToTensorAddress(copy.raw_data()) : copy.raw_data();
  WB_RETURN_IF_ERROR(CopyTo(here, to));
  return copy;
}

StatusOr<Tensor> KeptTensor::CopyToHost() const {
  if (device_ == nullptr) return value_;
  WB_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(value_.dtype(), value_.shape()));
  WB_RETURN_IF_ERROR(CopyTo(nullptr, copy.raw_data()));
  return copy;
}

Status KeptTensor::CopyTo(Device* here, void* to) const {
  if (value_.bytes() == 0) return OkStatus();
  // A stream of its own: waiting on a device's own stream from that of another one could end in
  // both waiting for each other.
  Device* on = device_ != nullptr ? device_ : here;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Stream> stream, on->NewStream());
  for (Device* device : {device_, here}) {
    if (device != nullptr) WB_RETURN_IF_ERROR(device->OrderBehindKernels(*stream));
  }
  WB_RETURN_IF_ERROR(stream->Copy(to, value_.raw_data(), value_.bytes()));
  return stream->Synchronize();
}

}  // namespace warpbeam
