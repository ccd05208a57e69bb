#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "frontend/record/example.h"
#include "graph/types/errors.h"
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

using Features = std::map<std::string, Feature>;

void ToProto(const Features& features, tensorflow::Features* proto) {
  for (const auto& [name, feature] : features) {
    ToProto(feature, &(*proto->mutable_feature())[name]);
  }
}

Features FromProto(const tensorflow::Features& proto) {
  Features features;
  for (const auto& entry : proto.feature()) features[entry.first] = FromProto(entry.second);
  return features;
}

template <typename Message>
std::string BytesOf(const Message& proto) {
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

}  // namespace

Feature::Feature(Values values) : values_(std::move(values)) {}

Feature Int64Feature(std::vector<int64_t> values) { return Feature(std::move(values)); }
Feature FloatFeature(std::vector<float> values) { return Feature(std::move(values)); }
Feature BytesFeature(std::vector<std::string> values) { return Feature(std::move(values)); }

Example::Example(std::map<std::string, Feature> features) : features_(std::move(features)) {}

SequenceExample::SequenceExample(std::map<std::string, Feature> context, FeatureLists feature_lists)
    : context_(std::move(context)), feature_lists_(std::move(feature_lists)) {}

std::string Example::SerializeToString() const {
  tensorflow::Example proto;
  ToProto(features_, proto.mutable_features());
  return BytesOf(proto);
}

StatusOr<Example> Example::ParseFromString(const std::string& bytes) {
  tensorflow::Example proto;
  if (!proto.ParseFromString(bytes)) {
    return InvalidArgument(bytes.size(), " bytes that are no Example message");
  }
  return Example(FromProto(proto.features()));
}

std::string SequenceExample::SerializeToString() const {
  tensorflow::SequenceExample proto;
  ToProto(context_, proto.mutable_context());
  auto& lists = *proto.mutable_feature_lists()->mutable_feature_list();
  for (const auto& [name, list] : feature_lists_) {
    tensorflow::FeatureList& moments = lists[name];
    for (const Feature& feature : list) ToProto(feature, moments.add_feature());
  }
  return BytesOf(proto);
}

StatusOr<SequenceExample> SequenceExample::ParseFromString(const std::string& bytes) {
  tensorflow::SequenceExample proto;
  if (!proto.ParseFromString(bytes)) {
    return InvalidArgument(bytes.size(), " bytes that are no SequenceExample message");
  }
  FeatureLists lists;
  for (const auto& entry : proto.feature_lists().feature_list()) {
    FeatureList& list = lists[entry.first];
    for (const auto& feature : entry.second.feature()) list.push_back(FromProto(feature));
  }
  return SequenceExample(FromProto(proto.context()), std::move(lists));
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
