// Names and handles of resources that ops make for themselves, such as anonymous iterators.
//
//   const std::string name = UniqueResourceName("AnonymousIterator");
//   WB_RETURN_IF_ERROR(store.Create<IteratorResource>("", name, resource));
//   auto handle = MakeResourceHandle<IteratorResource>("", "", name, "Iterator");
//   ctx.set_output(0, HandleTensor(std::move(handle), ctx.device()));
//
// Thread safety: any thread. Errors: none.
#ifndef WARPBEAM_OPS_DATA_ANONYMOUS_RESOURCE_H_
#define WARPBEAM_OPS_DATA_ANONYMOUS_RESOURCE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "graph/types/tensor.h"
#include "runtime/device/device.h"

namespace warpbeam {

// `prefix` and a number that no earlier call in this process has given.
std::string UniqueResourceName(const std::string& prefix);

// A scalar DT_RESOURCE tensor.
Tensor HandleTensor(ResourceHandle handle);
// The same of a resource on that device, which may be null: then the handle does not say where.
Tensor HandleTensor(ResourceHandle handle, const Device* device);

// The handle that a scalar DT_RESOURCE tensor holds; INVALID_ARGUMENT for another shape.
StatusOr<ResourceHandle> HandleFromTensor(const Tensor& tensor);

// A handle as the wire message tensorflow.ResourceHandleProto (its fields 1 to 5), and back.
// INVALID_ARGUMENT for bytes that are no such message.
std::string EncodeHandle(const ResourceHandle& handle);
StatusOr<ResourceHandle> DecodeHandle(absl::string_view bytes);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_ANONYMOUS_RESOURCE_H_
