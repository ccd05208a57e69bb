// KeptTensor: a tensor that outlives the kernel that put it aside, together with the device whose
// memory it lies in, so that a later kernel can read it wherever that one runs.
//
//   KeptTensor kept = KeptTensor::Of(ctx, ctx.input(1));                // on /gpu:0, say
//   WB_ASSIGN_OR_RETURN(Tensor value, kept.Get(ctx));                   // on the CPU: a copy
//
// A kernel of the device that holds the tensor shares its buffer; one of another device gets a copy
// in its own memory.
//
// Ownership: shares the buffer; the devices outlive it. Thread safety: a value; concurrent Get is
// safe. Errors: those of memory and of the copy.
#ifndef WARPBEAM_OPS_STATE_KEPT_TENSOR_H_
#define WARPBEAM_OPS_STATE_KEPT_TENSOR_H_

#include <cstddef>
#include <utility>

#include "graph/types/tensor.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

class KeptTensor {
 public:
  KeptTensor() = default;
  // `value` as a kernel of this context sees it, in the memory of the context's device.
  static KeptTensor Of(const KernelContext& ctx, Tensor value);

  // A tensor in host memory that no kernel has made.
  static KeptTensor OfHost(Tensor value) {
    KeptTensor kept;
    kept.value_ = std::move(value);
    return kept;
  }

  bool has_value() const { return value_.has_value(); }
  const Shape& shape() const { return value_.shape(); }
  DType dtype() const { return value_.dtype(); }
  size_t bytes() const { return value_.bytes(); }
  void Reset() { value_.Reset(); }

  // The value at an address that this kernel may read.
  StatusOr<Tensor> Get(KernelContext& ctx) const;
  // The value in host memory: itself, or a copy.
  StatusOr<Tensor> CopyToHost() const;
  // The value, or null where it lies in a device's memory.
  const Tensor* OnHost() const { return device_ == nullptr ? &value_ : nullptr; }
  // Whether nobody else holds the buffer.
  bool IsUnique() const { return value_.IsUnique(); }

 private:
  // To an address of `here`'s memory, or of the host's.
  Status CopyTo(Device* here, void* to) const;

  Tensor value_;              // at its tensor address
  Device* device_ = nullptr;  // null: host memory
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_KEPT_TENSOR_H_
