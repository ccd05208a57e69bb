#include "runtime/state/session_tensors.h"

#include <memory>

namespace warpbeam {

StatusOr<Tensor> FedTensor(const Tensor& feed, const ResourceStore& resources) {
  if (feed.dtype() != DType::kResource || feed.num_elements() != 1) return feed;
  const ResourceHandle& handle = *feed.data<ResourceHandle>();
  if (handle.container != kSessionTensorContainer) return feed;
  const auto tensors = resources.Lookup<SessionTensors>(kSessionTensorContainer, "");
  if (tensors.ok()) return (*tensors)->OnHost(handle.name);
  return InvalidArgument("The tensor with handle '", handle.name, "' is not in the session store.");
}

}  // namespace warpbeam
