// Lists and maps in messages, as TensorFlow writes them.
//
// A list's metadata are varints: how many elements have no value, which ones, the dtype, the most
// elements it may have; then the message of the elements' shape. Its tensors are those that have a
// value. A map's tensors are key, value, key, value….
#include <utility>

#include "graph/io/dtype_io.h"
#include "graph/io/tensor_io.h"
#include "graph/io/variant_codec.h"
#include "ops/list/tensor_list.h"
#include "ops/list/tensor_map.h"
#include "runtime/checkpoint/table_format.h"

namespace warpbeam {
namespace {

StatusOr<VariantData> WriteList(const Variant& variant) {
  const TensorList& list = *variant.get<TensorList>();
  VariantData data;
  std::string without_value;
  uint64_t count = 0;
  for (size_t i = 0; i < list.elements.size(); ++i) {
    const KeptTensor& element = list.elements[i];
    if (!element.has_value()) {
      AppendVarint(i, &without_value);
      ++count;
    } else if (const Tensor* value = element.OnHost()) {
      data.tensors.push_back(*value);
    } else {
      return Unimplemented("a list whose element ", i,
                           " lies in a device's memory cannot be written to a message");
    }
  }
  AppendVarint(count, &data.metadata);
  data.metadata += without_value;
  AppendVarint(static_cast<uint64_t>(NumberOf(list.dtype)), &data.metadata);
  AppendVarint(static_cast<uint64_t>(list.max_elements), &data.metadata);
  data.metadata += SerializeShape(list.element_shape);
  return data;
}

// The indices of elements without a value, increasing.
StatusOr<std::vector<uint64_t>> ReadWithoutValue(absl::string_view* metadata,
                                                 uint64_t num_tensors) {
  uint64_t count = 0;
  if (!ReadVarint(metadata, &count) || count > metadata->size()) {
    return InvalidArgument("the metadata end within the list of elements without a value");
  }
  std::vector<uint64_t> indices(count);
  for (uint64_t i = 0; i < count; ++i) {
    if (!ReadVarint(metadata, &indices[i]) || indices[i] >= count + num_tensors ||
        (i > 0 && indices[i] <= indices[i - 1])) {
      return InvalidArgument("the element ", indices[i], " without a value is none of the ",
                             count + num_tensors, " elements, or out of order");
    }
  }
  return indices;
}

StatusOr<Variant> ReadList(VariantData data) {
  absl::string_view metadata = data.metadata;
  WB_ASSIGN_OR_RETURN(const std::vector<uint64_t> without_value,
                      ReadWithoutValue(&metadata, data.tensors.size()));
  uint64_t dtype = 0, max_elements = 0;
  if (!ReadVarint(&metadata, &dtype) || !ReadVarint(&metadata, &max_elements) ||
      dtype > INT32_MAX) {
    return InvalidArgument("the metadata tell no dtype and size");
  }
  WB_ASSIGN_OR_RETURN(const DType type, DTypeFromNumber(static_cast<int>(dtype)));
  WB_ASSIGN_OR_RETURN(PartialShape shape, ParseShape(metadata));
  TensorList list(type, std::move(shape), static_cast<int64_t>(max_elements));
  WB_RETURN_IF_ERROR(list.Resize(static_cast<int64_t>(without_value.size() + data.tensors.size())));
  auto skipped = without_value.begin();
  size_t next = 0;
  for (size_t i = 0; i < list.elements.size(); ++i) {
    if (skipped != without_value.end() && *skipped == i) {
      ++skipped;
      continue;
    }
    Tensor& value = data.tensors[next++];
    WB_RETURN_IF_ERROR(list.CheckDType(value.dtype()));
    list.elements[i] = KeptTensor::OfHost(std::move(value));
  }
  return Variant::Of<TensorList>(std::move(list));
}

StatusOr<VariantData> WriteMap(const Variant& variant) {
  VariantData data;
  for (const TensorMap::Entry* entry : variant.get<TensorMap>()->InOrder()) {
    data.tensors.push_back(entry->key);
    data.tensors.push_back(entry->value);
  }
  return data;
}

StatusOr<Variant> ReadMap(VariantData data) {
  if (data.tensors.size() % 2 != 0) return InvalidArgument("the last key has no value");
  TensorMap map;
  for (size_t i = 0; i < data.tensors.size(); i += 2) {
    WB_ASSIGN_OR_RETURN(std::string key, TensorMap::KeyOf(data.tensors[i]));
    map.Set(std::move(key), std::move(data.tensors[i]), std::move(data.tensors[i + 1]));
  }
  return Variant::Of<TensorMap>(std::move(map));
}

[[maybe_unused]] const bool kRegistered =
    RegisterVariantCodec<TensorList>("tensorflow::TensorList", WriteList, ReadList) &&
    RegisterVariantCodec<TensorMap>("tensorflow::TensorMap", WriteMap, ReadMap);

}  // namespace
}  // namespace warpbeam
