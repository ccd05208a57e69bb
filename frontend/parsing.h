// Reading tf.train.Example messages within the graph (tf.parse_single_example, tf.decode_raw).
//
//   auto features = ParseSingleExample(scope, serialized, {
//       {"label", FixedLenFeature({}, DType::kInt64)},
//       {"image_raw", FixedLenFeature({}, DType::kString)}});
//   Output pixels = DecodeRaw(scope, features["image_raw"], DType::kUInt8);
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; then every output
// is not valid. A message without a feature that has no default is an error of the run.
#ifndef WARPBEAM_FRONTEND_PARSING_H_
#define WARPBEAM_FRONTEND_PARSING_H_

#include <map>
#include <string>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// A feature with as many values as `shape` has elements in every message: float, int64 or string.
struct FixedLenFeature {
  FixedLenFeature(Shape feature_shape, DType feature_dtype, Tensor default_for_missing = Tensor())
      : shape(std::move(feature_shape)),
        dtype(feature_dtype),
        default_value(std::move(default_for_missing)) {}

  Shape shape;
  DType dtype;
  Tensor default_value;  // no value: the feature must be there
};

using FeatureSpec = std::map<std::string, FixedLenFeature>;

// Of a scalar string; one output for each feature, of its shape.
std::map<std::string, Output> ParseSingleExample(ScopeRef scope, const Input& serialized,
                                                 const FeatureSpec& features);
// Of a vector of strings; outputs have a first dimension more.
std::map<std::string, Output> ParseExample(ScopeRef scope, const Input& serialized,
                                           const FeatureSpec& features);

// The bytes of each string as numbers: a last dimension more.
Output DecodeRaw(ScopeRef scope, const Input& bytes, DType dtype, bool little_endian = true);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_PARSING_H_
