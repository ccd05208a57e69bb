#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "frontend/record/example.h"
#include "proto/example.pb.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

void ToProto(const Feature& feature, tensorflow::Feature* proto) {
  if (const auto* whole = std::get_if<std::vector<int64_t>>(&feature.values())) {
    *proto->mutable_int64_list()->mutable_value() = {whole->begin(), whole->end()};
  } else if (const auto* fractions = std::get_if<std::vector<float>>(&feature.values())) {
    *proto->mutable_float_list()->mutable_value() = {fractions->begin(), fractions->end()};
  } else if (const auto* bytes = std::get_if<std::vector<std::string>>(&feature.values())) {
    *proto->mutable_bytes_list()->mutable_value() = {bytes->begin(), bytes->end()};
  }
}

Feature FromProto(const tensorflow::Feature& proto) {
  if (proto.has_bytes_list()) {
    const auto& values = proto.bytes_list().value();
    return BytesFeature({values.begin(), values.end()});
  }
  if (proto.has_float_list()) {
    const auto& values = proto.float_list().value();
    return FloatFeature({values.begin(), values.end()});
  }
  const auto& values = proto.int64_list().value();
  return Int64Feature({values.begin(), values.end()});
}

}  // namespace

std::string Example::SerializeToString() const {
  tensorflow::Example proto;
  for (const auto& entry : features_) {
    ToProto(entry.second, &(*proto.mutable_features()->mutable_feature())[entry.first]);
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    // Maps in the order of their keys: the same example gives the same file.
    coded.SetSerializationDeterministic(true);
    proto.SerializeToCodedStream(&coded);
  }
  return bytes;
}

StatusOr<Example> Example::ParseFromString(const std::string& bytes) {
  tensorflow::Example proto;
  if (!proto.ParseFromString(bytes)) {
    return InvalidArgument(bytes.size(), " bytes that are no Example message");
  }
  std::map<std::string, Feature> features;
  for (const auto& entry : proto.features().feature()) {
    features[entry.first] = FromProto(entry.second);
  }
  return Example(std::move(features));
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
