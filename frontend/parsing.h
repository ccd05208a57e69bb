// Reading tf.train.Example messages within the graph (tf.parse_single_example, tf.decode_raw).
//
//   auto features = ParseSingleExample(scope, serialized, {
//       {"label", FixedLenFeature({}, DType::kInt64)},
//       {"image_raw", FixedLenFeature({}, DType::kString)}});
//   Output pixels = DecodeRaw(scope, features["image_raw"], DType::kUInt8);
//
//   auto batch = ParseExample(scope, serialized, {{"tags", VarLenFeature(DType::kInt64)}});
//   SparseOutput tags = batch.sparse["tags"];       // tags.indices, tags.values, tags.dense_shape
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; then every output
// is not valid. A message without a feature that has no default is an error of the run.
#ifndef WARPBEAM_FRONTEND_PARSING_H_
#define WARPBEAM_FRONTEND_PARSING_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "frontend/host_tensor/literal.h"
#include "frontend/input.h"
#include "frontend/scope.h"
#include "frontend/sparse/ragged_partition.h"
#include "frontend/sparse/ragged_tensor.h"
#include "frontend/sparse/sparse_tensor.h"

namespace warpbeam {
namespace frontend {

// A feature with as many values as `shape` has elements in every message: float, int64 or string.
struct FixedLenFeature {
  FixedLenFeature(Shape feature_shape, DType feature_dtype, Tensor default_for_missing = Tensor())
      : shape(std::move(feature_shape)),
        dtype(feature_dtype),
        default_value(std::move(default_for_missing)) {}
  // A number, a string or a list of them.
  FixedLenFeature(Shape feature_shape, DType feature_dtype, const Literal& default_for_missing);

  Shape shape;
  DType dtype;
  Tensor default_value;  // no value: the feature must be there
};

// A feature with any number of values, none too: float, int64 or string.
struct VarLenFeature {
  explicit VarLenFeature(DType feature_dtype) : dtype(feature_dtype) {}

  DType dtype;
};

// A feature that is a list of values of `shape`: any number of them in a message, and the steps of
// a sequence in a SequenceExample. Batches of them are padded at their ends.
struct FixedLenSequenceFeature {
  FixedLenSequenceFeature(Shape feature_shape, DType feature_dtype,
                          bool allow_missing_lists = false, Tensor value_for_padding = Tensor())
      : shape(std::move(feature_shape)),
        dtype(feature_dtype),
        allow_missing(allow_missing_lists),
        default_value(std::move(value_for_padding)) {}

  Shape shape;
  DType dtype;
  // Whether a message without it has an empty list; ParseExample takes no others.
  bool allow_missing;
  Tensor default_value;  // a scalar; no value: zeros
};

// Two features of any length that are one sparse vector of `size`: where a value is, and the value.
struct SparseFeature {
  SparseFeature(std::string index, std::string value, DType feature_dtype, int64_t vector_size,
                bool sorted = false)
      : index_key(std::move(index)),
        value_key(std::move(value)),
        dtype(feature_dtype),
        size(vector_size),
        already_sorted(sorted) {}

  std::string index_key;
  std::string value_key;
  DType dtype;
  int64_t size;
  bool already_sorted;  // the indices of each message ascend
};

// A feature of any length whose values of all messages stand one behind the other, without holes;
// those of one message are a vector. Partitions, the outermost first, cut them into rows; where the
// innermost ones are of one length, the values get dimensions instead. float, int64 or string.
struct RaggedFeature {
  explicit RaggedFeature(DType feature_dtype, std::string value = "",
                         std::vector<RaggedPartition> rows = {})
      : dtype(feature_dtype), value_key(std::move(value)), partitions(std::move(rows)) {}

  DType dtype;
  std::string value_key;  // the feature's in the messages; empty: as it is called in the spec
  std::vector<RaggedPartition> partitions;
};

using FeatureSpec =
    std::map<std::string, std::variant<FixedLenFeature, VarLenFeature, FixedLenSequenceFeature,
                                       SparseFeature, RaggedFeature>>;

using SparseOutput = SparseTensor;

struct ParsedFeatures {
  std::map<std::string, Output> dense;         // of each feature of fixed length, and lists of them
  std::map<std::string, SparseOutput> sparse;  // of each VarLenFeature and SparseFeature
  // Of each RaggedFeature of a batch, a row for each message; of a single one it is in `dense`, if
  // it has no rows of its own.
  std::map<std::string, RaggedTensor> ragged;

  // A feature of fixed length; not valid where none has this key.
  Output operator[](const std::string& key) const {
    const auto it = dense.find(key);
    return it == dense.end() ? Output() : it->second;
  }
};

// `serialized` is a scalar string. A feature of fixed length has its shape, one of any length the
// shape [n].
ParsedFeatures ParseSingleExample(ScopeRef scope, const Input& serialized,
                                  const FeatureSpec& features);
// `serialized` is a vector of strings; outputs have a first dimension more, and a feature of any
// length the shape [examples, the most values that one has].
ParsedFeatures ParseExample(ScopeRef scope, const Input& serialized, const FeatureSpec& features);

struct ParsedSequence {
  ParsedFeatures context;
  ParsedFeatures sequence;                // a dimension more, the steps
  std::map<std::string, Output> lengths;  // how many steps each list of fixed length has
};
// tf.train.SequenceExample messages: `context_features` are FixedLenFeature and VarLenFeature,
// `sequence_features` FixedLenSequenceFeature and VarLenFeature. Lists of a batch are padded to the
// longest.
ParsedSequence ParseSequenceExample(ScopeRef scope, const Input& serialized,
                                    const FeatureSpec& context_features,
                                    const FeatureSpec& sequence_features);
// `serialized` is a scalar string.
ParsedSequence ParseSingleSequenceExample(ScopeRef scope, const Input& serialized,
                                          const FeatureSpec& context_features,
                                          const FeatureSpec& sequence_features);

// The bytes of each string as numbers: a last dimension more.
Output DecodeRaw(ScopeRef scope, const Input& bytes, DType dtype, bool little_endian = true);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_PARSING_H_
