#include "ops/ragged/ragged_variant.h"

#include <utility>

#include "graph/io/variant_codec.h"

namespace warpbeam {
namespace {

StatusOr<VariantData> Write(const Variant& variant) {
  const RaggedVariant& ragged = *variant.get<RaggedVariant>();
  VariantData data;
  data.tensors = ragged.splits;
  data.tensors.push_back(ragged.values);
  return data;
}

StatusOr<Variant> Read(VariantData data) {
  if (data.tensors.empty()) return InvalidArgument("it has no values");
  RaggedVariant ragged;
  ragged.values = std::move(data.tensors.back());
  data.tensors.pop_back();
  for (const Tensor& splits : data.tensors) {
    const bool is_index = splits.dtype() == DType::kInt32 || splits.dtype() == DType::kInt64;
    if (is_index && splits.rank() == 1 && splits.dtype() == data.tensors[0].dtype()) continue;
    return InvalidArgument("row splits are vectors of int32 or of int64, not ",
                           DTypeName(splits.dtype()), splits.shape().ToString());
  }
  ragged.splits = std::move(data.tensors);
  return Variant::Of<RaggedVariant>(std::move(ragged));
}

[[maybe_unused]] const bool kRegistered =
    RegisterVariantCodec<RaggedVariant>("RaggedTensorVariant", Write, Read);

}  // namespace
}  // namespace warpbeam
