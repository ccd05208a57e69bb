#include "graph/io/variant_codec.h"

#include <cstring>
#include <map>
#include <utility>

namespace warpbeam {
namespace {

struct Codecs {
  std::map<std::string, VariantCodec> by_type;         // by Variant::type_name()
  std::map<std::string, const VariantCodec*> by_name;  // by TensorFlow's name
};

Codecs& All() {
  static auto* codecs = new Codecs;
  return *codecs;
}

// Numbers are their bytes.
template <typename T>
StatusOr<VariantData> WriteNumber(const Variant& variant) {
  VariantData data;
  data.metadata.assign(reinterpret_cast<const char*>(variant.get<T>()), sizeof(T));
  return data;
}
template <typename T>
StatusOr<Variant> ReadNumber(VariantData data) {
  if (data.metadata.size() != sizeof(T) || !data.tensors.empty()) {
    return InvalidArgument("a variant with a number of ", sizeof(T), " bytes has ",
                           data.metadata.size(), " bytes and ", data.tensors.size(), " tensors");
  }
  T value;
  if constexpr (std::is_same_v<T, bool>) {
    value = data.metadata[0] != 0;
  } else {
    memcpy(&value, data.metadata.data(), sizeof(T));
  }
  return Variant::Of<T>(value);
}
template <typename T>
bool RegisterNumber(const char* type_name) {
  return RegisterVariantCodec<T>(type_name, WriteNumber<T>, ReadNumber<T>);
}

StatusOr<VariantData> WriteTensor(const Variant& variant) {
  VariantData data;
  data.tensors.push_back(*variant.get<Tensor>());
  return data;
}
StatusOr<Variant> ReadTensor(VariantData data) {
  if (data.tensors.size() == 1) return Variant::Of<Tensor>(std::move(data.tensors[0]));
  return InvalidArgument("a variant with a tensor holds ", data.tensors.size(), " of them");
}

const bool kRegistered =
    RegisterNumber<int32_t>("int") && RegisterNumber<float>("float") &&
    RegisterNumber<double>("double") && RegisterNumber<bool>("bool") &&
    RegisterVariantCodec<Tensor>("tensorflow::Tensor", WriteTensor, ReadTensor);

}  // namespace

bool RegisterVariantCodec(const char* type, VariantCodec codec) {
  const auto at = All().by_type.insert_or_assign(type, std::move(codec)).first;
  All().by_name[at->second.type_name] = &at->second;
  return true;
}

const VariantCodec* FindVariantCodec(const Variant& variant) {
  const auto at = All().by_type.find(variant.type_name());
  return at == All().by_type.end() ? nullptr : &at->second;
}

const VariantCodec* FindVariantCodec(absl::string_view type_name) {
  const auto at = All().by_name.find(std::string(type_name));
  return at == All().by_name.end() ? nullptr : at->second;
}

std::string VariantTypeName(const Variant& variant) {
  const VariantCodec* codec = FindVariantCodec(variant);
  return codec != nullptr ? codec->type_name : variant.type_name();
}

}  // namespace warpbeam
