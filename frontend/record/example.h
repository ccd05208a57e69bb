// Example: a record of named features (tf.train.Example), as TFRecord files hold them.
//
//   Example example({{"label", Int64Feature({7})}, {"image_raw", BytesFeature({pixels})}});
//   WB_RETURN_IF_ERROR(writer.Write(example.SerializeToString()));
//
// Thread safety: values. Errors: none; equal examples give equal bytes.
#ifndef WARPBEAM_FRONTEND_RECORD_EXAMPLE_H_
#define WARPBEAM_FRONTEND_RECORD_EXAMPLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "frontend/types.h"

namespace warpbeam {
namespace frontend {
namespace train {

// A list of whole numbers, of floats or of byte strings (tf.train.Feature).
class Feature {
 public:
  using Values = std::variant<std::vector<int64_t>, std::vector<float>, std::vector<std::string>>;

  Feature() = default;
  explicit Feature(Values values);
  const Values& values() const { return values_; }

 private:
  Values values_;
};

Feature Int64Feature(std::vector<int64_t> values);
Feature FloatFeature(std::vector<float> values);
Feature BytesFeature(std::vector<std::string> values);

class Example {
 public:
  explicit Example(std::map<std::string, Feature> features);

  const std::map<std::string, Feature>& features() const { return features_; }
  // The bytes of the protocol buffer message, features sorted by name.
  std::string SerializeToString() const;
  // INVALID_ARGUMENT for bytes that are no such message. A feature without values is a list of
  // whole numbers.
  static StatusOr<Example> ParseFromString(const std::string& bytes);

 private:
  std::map<std::string, Feature> features_;
};

// Features of a moment each (tf.train.FeatureList).
using FeatureList = std::vector<Feature>;
using FeatureLists = std::map<std::string, FeatureList>;

// A sequence: features of it as a whole, its context, and lists with one of each moment
// (tf.train.SequenceExample).
class SequenceExample {
 public:
  explicit SequenceExample(std::map<std::string, Feature> context, FeatureLists feature_lists = {});

  const std::map<std::string, Feature>& context() const { return context_; }
  const FeatureLists& feature_lists() const { return feature_lists_; }
  std::string SerializeToString() const;
  static StatusOr<SequenceExample> ParseFromString(const std::string& bytes);

 private:
  std::map<std::string, Feature> context_;
  FeatureLists feature_lists_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_RECORD_EXAMPLE_H_
