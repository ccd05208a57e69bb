// Tensors in the memory of a session's device that its callers hold.
//
// Their bytes are out of reach of host code; callables take and give them. Such a tensor keeps the
// devices of its session alive, so that it may outlive the session.
//
//   Tensor kept = HoldOnDevice(fetched, device, devices);
//   WB_RETURN_IF_ERROR(CheckMemory(tensor, device, "the feed 'x:0'"));   // null: the host's
//
// Thread safety: values. Errors: INVALID_ARGUMENT for a tensor in the wrong memory.
#ifndef WARPBEAM_RUNTIME_SESSION_DEVICE_TENSOR_H_
#define WARPBEAM_RUNTIME_SESSION_DEVICE_TENSOR_H_

#include <memory>
#include <string>

#include "graph/types/tensor.h"
#include "runtime/device/local/device_set.h"

namespace warpbeam {

Tensor HoldOnDevice(Tensor tensor, const Device* device, std::shared_ptr<DeviceSet> devices);

Status CheckMemory(const Tensor& tensor, const Device* device, const std::string& what);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_DEVICE_TENSOR_H_
