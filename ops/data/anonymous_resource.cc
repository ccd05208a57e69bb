#include "ops/data/anonymous_resource.h"

#include <atomic>
#include <utility>

#include "graph/types/errors.h"

namespace warpbeam {
namespace {

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

void AppendBytes(int field, const std::string& value, std::string* out) {
  if (value.empty()) return;
  AppendVarint(static_cast<uint64_t>(field) << 3 | 2, out);
  AppendVarint(value.size(), out);
  out->append(value);
}

bool ReadVarint(absl::string_view* in, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !in->empty(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(in->front());
    in->remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// One field into the handle; fields that a handle here does not have are passed over.
bool ReadField(absl::string_view* in, ResourceHandle* handle) {
  uint64_t tag, value;
  if (!ReadVarint(in, &tag) || !ReadVarint(in, &value)) return false;
  if ((tag & 7) == 0) {
    if (tag >> 3 == 4) handle->hash_code = value;
    return true;
  }
  if ((tag & 7) != 2 || value > in->size()) return false;
  std::string bytes(in->substr(0, value));
  in->remove_prefix(value);
  switch (tag >> 3) {
    case 1:
      handle->device = std::move(bytes);
      return true;
    case 2:
      handle->container = std::move(bytes);
      return true;
    case 3:
      handle->name = std::move(bytes);
      return true;
    case 5:
      handle->type_name = std::move(bytes);
      return true;
    default:
      return tag >> 3 != 0;
  }
}

}  // namespace

std::string UniqueResourceName(const std::string& prefix) {
  static std::atomic<int64_t> next{0};
  return absl::StrCat(prefix, "/", next.fetch_add(1, std::memory_order_relaxed));
}

Tensor HandleTensor(ResourceHandle handle) {
  return Tensor::Scalar<ResourceHandle>(std::move(handle));
}

Tensor HandleTensor(ResourceHandle handle, const Device* device) {
  if (device != nullptr) handle.device = device->name().ToString();
  return HandleTensor(std::move(handle));
}

StatusOr<ResourceHandle> HandleFromTensor(const Tensor& tensor) {
  if (tensor.dtype() != DType::kResource || tensor.rank() != 0) {
    return InvalidArgument("a handle is a scalar of type resource, got ", DTypeName(tensor.dtype()),
                           tensor.shape().ToString());
  }
  return tensor.scalar<ResourceHandle>();
}

std::string EncodeHandle(const ResourceHandle& handle) {
  std::string out;
  AppendBytes(1, handle.device, &out);
  AppendBytes(2, handle.container, &out);
  AppendBytes(3, handle.name, &out);
  if (handle.hash_code != 0) {
    AppendVarint(4 << 3, &out);
    AppendVarint(handle.hash_code, &out);
  }
  AppendBytes(5, handle.type_name, &out);
  return out;
}

StatusOr<ResourceHandle> DecodeHandle(absl::string_view bytes) {
  ResourceHandle handle;
  while (!bytes.empty()) {
    if (!ReadField(&bytes, &handle)) {
      return InvalidArgument("this string is not the handle of a resource");
    }
  }
  return handle;
}

}  // namespace warpbeam
