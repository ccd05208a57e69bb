// VariantCodec: how one type of value in a DT_VARIANT tensor is written to messages and read back,
// under TensorFlow's name for the type.
//
// Only a type's makers know what is in it, so each registers its codec once, at load time. The
// types int, float, double and bool and tensors are known everywhere.
//
//   StatusOr<VariantData> Write(const Variant& variant);      // which holds a TensorMap
//   StatusOr<Variant> Read(VariantData data);
//   const bool kRegistered = RegisterVariantCodec<TensorMap>("tensorflow::TensorMap", Write, Read);
//
// Ownership: codecs live as long as the process; data shares its tensors' buffers. Thread safety:
// registration at load time only; looking up from any thread. Errors: a decoder gets what others
// have written and refuses (INVALID_ARGUMENT) what is no such value.
#ifndef WARPBEAM_GRAPH_IO_VARIANT_CODEC_H_
#define WARPBEAM_GRAPH_IO_VARIANT_CODEC_H_

#include <string>
#include <typeinfo>
#include <vector>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

// What a variant's message says besides the name of the type.
struct VariantData {
  std::string metadata;  // whatever the type keeps besides tensors
  std::vector<Tensor> tensors;
};

struct VariantCodec {
  std::string type_name;
  StatusOr<VariantData> (*write)(const Variant& variant);
  StatusOr<Variant> (*read)(VariantData data);
};

// `type` as Variant::type_name() gives it. Always true, for the initialiser of a constant.
bool RegisterVariantCodec(const char* type, VariantCodec codec);
template <typename T>
bool RegisterVariantCodec(std::string type_name, StatusOr<VariantData> (*write)(const Variant&),
                          StatusOr<Variant> (*read)(VariantData)) {
  return RegisterVariantCodec(typeid(T).name(), {std::move(type_name), write, read});
}

// Null where there is none.
const VariantCodec* FindVariantCodec(const Variant& variant);
const VariantCodec* FindVariantCodec(absl::string_view type_name);

// TensorFlow's name for what the variant holds where there is one, for messages.
std::string VariantTypeName(const Variant& variant);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_VARIANT_CODEC_H_
