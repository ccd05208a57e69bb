// SessionTensors: the tensors that GetSessionHandle keeps between steps, for whoever is given one
// of its handles in the place of a tensor: TensorFlow's client feeds such handles.
//
//   WB_ASSIGN_OR_RETURN(const Tensor fed, FedTensor(feed, resources));   // what the handle names
//
// Ownership: the ResourceStore's, under the container kSessionTensorContainer and no name. Thread
// safety: any thread. Errors: INVALID_ARGUMENT for a handle that names nothing, those of a copy
// from a device.
#ifndef WARPBEAM_RUNTIME_STATE_SESSION_TENSORS_H_
#define WARPBEAM_RUNTIME_STATE_SESSION_TENSORS_H_

#include <string>

#include "graph/types/tensor.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

// What TensorFlow's handles of such tensors say their container is.
inline constexpr char kSessionTensorContainer[] = "TensorHandle";

class SessionTensors : public Resource {
 public:
  // The tensor in host memory.
  virtual StatusOr<Tensor> OnHost(const std::string& handle) const = 0;
};

// `feed` itself unless it is the handle of a kept tensor.
StatusOr<Tensor> FedTensor(const Tensor& feed, const ResourceStore& resources);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STATE_SESSION_TENSORS_H_
