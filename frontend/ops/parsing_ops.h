// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_PARSING_OPS_H_
#define WARPBEAM_FRONTEND_OPS_PARSING_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class DecodeCSVAttrs : public OpAttrs {
 public:
  DecodeCSVAttrs& field_delim(const std::string& value) {
    Set("field_delim", value);
    return *this;
  }
  DecodeCSVAttrs& use_quote_delim(bool value) {
    Set("use_quote_delim", value);
    return *this;
  }
  DecodeCSVAttrs& na_value(const std::string& value) {
    Set("na_value", value);
    return *this;
  }
  DecodeCSVAttrs& select_cols(const std::vector<int64_t>& value) {
    Set("select_cols", value);
    return *this;
  }
};
// (records: string, record_defaults: OUT_TYPE) -> (output: OUT_TYPE)
std::vector<Output> DecodeCSV(ScopeRef scope, const Input& records,
    const InputList& record_defaults, const DecodeCSVAttrs& attrs = DecodeCSVAttrs());

class DecodeCompressedAttrs : public OpAttrs {
 public:
  DecodeCompressedAttrs& compression_type(const std::string& value) {
    Set("compression_type", value);
    return *this;
  }
};
// (bytes: string) -> (output: string)
Output DecodeCompressed(ScopeRef scope, const Input& bytes,
    const DecodeCompressedAttrs& attrs = DecodeCompressedAttrs());

// (json_examples: string) -> (binary_examples: string)
Output DecodeJSONExample(ScopeRef scope, const Input& json_examples);

class DecodePaddedRawAttrs : public OpAttrs {
 public:
  DecodePaddedRawAttrs& little_endian(bool value) {
    Set("little_endian", value);
    return *this;
  }
};
// (input_bytes: string, fixed_length: int32) -> (output: out_type)
Output DecodePaddedRaw(ScopeRef scope, const Input& input_bytes, const Input& fixed_length,
    DType out_type, const DecodePaddedRawAttrs& attrs = DecodePaddedRawAttrs());

class DecodeRawAttrs : public OpAttrs {
 public:
  DecodeRawAttrs& little_endian(bool value) {
    Set("little_endian", value);
    return *this;
  }
};
// (bytes: string) -> (output: out_type)
Output DecodeRaw(ScopeRef scope, const Input& bytes, DType out_type,
    const DecodeRawAttrs& attrs = DecodeRawAttrs());

struct ParseExampleOutputs {
  std::vector<Output> sparse_indices;
  std::vector<Output> sparse_values;
  std::vector<Output> sparse_shapes;
  std::vector<Output> dense_values;
  Operation op;
};
// (serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string,
//     dense_defaults: Tdense) -> (sparse_indices: Nsparse * int64, sparse_values: sparse_types,
//     sparse_shapes: Nsparse * int64, dense_values: Tdense)
ParseExampleOutputs ParseExample(ScopeRef scope, const Input& serialized, const Input& names,
    const InputList& sparse_keys, const InputList& dense_keys, const InputList& dense_defaults,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes);

struct ParseExampleV2Outputs {
  std::vector<Output> sparse_indices;
  std::vector<Output> sparse_values;
  std::vector<Output> sparse_shapes;
  std::vector<Output> dense_values;
  std::vector<Output> ragged_values;
  std::vector<Output> ragged_row_splits;
  Operation op;
};
// (serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string,
//     dense_defaults: Tdense) -> (sparse_indices: num_sparse * int64, sparse_values: sparse_types,
//     sparse_shapes: num_sparse * int64, dense_values: Tdense, ragged_values: ragged_value_types,
//     ragged_row_splits: ragged_split_types)
ParseExampleV2Outputs ParseExampleV2(ScopeRef scope, const Input& serialized, const Input& names,
    const Input& sparse_keys, const Input& dense_keys, const Input& ragged_keys,
    const InputList& dense_defaults, int64_t num_sparse, const std::vector<DType>& sparse_types,
    const std::vector<DType>& ragged_value_types, const std::vector<DType>& ragged_split_types,
    const std::vector<PartialShape>& dense_shapes);

class ParseSequenceExampleAttrs : public OpAttrs {
 public:
  ParseSequenceExampleAttrs& Ncontext_sparse(int64_t value) {
    Set("Ncontext_sparse", value);
    return *this;
  }
  ParseSequenceExampleAttrs& Ncontext_dense(int64_t value) {
    Set("Ncontext_dense", value);
    return *this;
  }
  ParseSequenceExampleAttrs& Nfeature_list_sparse(int64_t value) {
    Set("Nfeature_list_sparse", value);
    return *this;
  }
  ParseSequenceExampleAttrs& Nfeature_list_dense(int64_t value) {
    Set("Nfeature_list_dense", value);
    return *this;
  }
  ParseSequenceExampleAttrs& context_sparse_types(const std::vector<DType>& value) {
    Set("context_sparse_types", value);
    return *this;
  }
  ParseSequenceExampleAttrs& feature_list_dense_types(const std::vector<DType>& value) {
    Set("feature_list_dense_types", value);
    return *this;
  }
  ParseSequenceExampleAttrs& context_dense_shapes(const std::vector<PartialShape>& value) {
    Set("context_dense_shapes", value);
    return *this;
  }
  ParseSequenceExampleAttrs& feature_list_sparse_types(const std::vector<DType>& value) {
    Set("feature_list_sparse_types", value);
    return *this;
  }
  ParseSequenceExampleAttrs& feature_list_dense_shapes(const std::vector<PartialShape>& value) {
    Set("feature_list_dense_shapes", value);
    return *this;
  }
};
struct ParseSequenceExampleOutputs {
  std::vector<Output> context_sparse_indices;
  std::vector<Output> context_sparse_values;
  std::vector<Output> context_sparse_shapes;
  std::vector<Output> context_dense_values;
  std::vector<Output> feature_list_sparse_indices;
  std::vector<Output> feature_list_sparse_values;
  std::vector<Output> feature_list_sparse_shapes;
  std::vector<Output> feature_list_dense_values;
  std::vector<Output> feature_list_dense_lengths;
  Operation op;
};
// (serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense) ->
//     (context_sparse_indices: Ncontext_sparse * int64, context_sparse_values:
//     context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64, context_dense_values:
//     Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse * int64,
//     feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes:
//     Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types,
//     feature_list_dense_lengths: Nfeature_list_dense * int64)
ParseSequenceExampleOutputs ParseSequenceExample(ScopeRef scope, const Input& serialized,
    const Input& debug_name, const InputList& context_dense_defaults,
    const std::vector<std::string>& feature_list_dense_missing_assumed_empty,
    const std::vector<std::string>& context_sparse_keys,
    const std::vector<std::string>& context_dense_keys,
    const std::vector<std::string>& feature_list_sparse_keys,
    const std::vector<std::string>& feature_list_dense_keys,
    const ParseSequenceExampleAttrs& attrs = ParseSequenceExampleAttrs());

class ParseSequenceExampleV2Attrs : public OpAttrs {
 public:
  ParseSequenceExampleV2Attrs& Ncontext_sparse(int64_t value) {
    Set("Ncontext_sparse", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& context_sparse_types(const std::vector<DType>& value) {
    Set("context_sparse_types", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& context_ragged_value_types(const std::vector<DType>& value) {
    Set("context_ragged_value_types", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& context_ragged_split_types(const std::vector<DType>& value) {
    Set("context_ragged_split_types", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& context_dense_shapes(const std::vector<PartialShape>& value) {
    Set("context_dense_shapes", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& Nfeature_list_sparse(int64_t value) {
    Set("Nfeature_list_sparse", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& Nfeature_list_dense(int64_t value) {
    Set("Nfeature_list_dense", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& feature_list_dense_types(const std::vector<DType>& value) {
    Set("feature_list_dense_types", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& feature_list_sparse_types(const std::vector<DType>& value) {
    Set("feature_list_sparse_types", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& feature_list_ragged_value_types(const std::vector<DType>& value) {
    Set("feature_list_ragged_value_types", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& feature_list_ragged_split_types(const std::vector<DType>& value) {
    Set("feature_list_ragged_split_types", value);
    return *this;
  }
  ParseSequenceExampleV2Attrs& feature_list_dense_shapes(const std::vector<PartialShape>& value) {
    Set("feature_list_dense_shapes", value);
    return *this;
  }
};
struct ParseSequenceExampleV2Outputs {
  std::vector<Output> context_sparse_indices;
  std::vector<Output> context_sparse_values;
  std::vector<Output> context_sparse_shapes;
  std::vector<Output> context_dense_values;
  std::vector<Output> context_ragged_values;
  std::vector<Output> context_ragged_row_splits;
  std::vector<Output> feature_list_sparse_indices;
  std::vector<Output> feature_list_sparse_values;
  std::vector<Output> feature_list_sparse_shapes;
  std::vector<Output> feature_list_dense_values;
  std::vector<Output> feature_list_dense_lengths;
  std::vector<Output> feature_list_ragged_values;
  std::vector<Output> feature_list_ragged_outer_splits;
  std::vector<Output> feature_list_ragged_inner_splits;
  Operation op;
};
// (serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string,
//     context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys:
//     string, feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool,
//     context_dense_defaults: Tcontext_dense) -> (context_sparse_indices: Ncontext_sparse * int64,
//     context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64,
//     context_dense_values: Tcontext_dense, context_ragged_values: context_ragged_value_types,
//     context_ragged_row_splits: context_ragged_split_types, feature_list_sparse_indices:
//     Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types,
//     feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values:
//     feature_list_dense_types, feature_list_dense_lengths: Nfeature_list_dense * int64,
//     feature_list_ragged_values: feature_list_ragged_value_types,
//     feature_list_ragged_outer_splits: feature_list_ragged_split_types,
//     feature_list_ragged_inner_splits: feature_list_ragged_split_types)
ParseSequenceExampleV2Outputs ParseSequenceExampleV2(ScopeRef scope, const Input& serialized,
    const Input& debug_name, const Input& context_sparse_keys, const Input& context_dense_keys,
    const Input& context_ragged_keys, const Input& feature_list_sparse_keys,
    const Input& feature_list_dense_keys, const Input& feature_list_ragged_keys,
    const Input& feature_list_dense_missing_assumed_empty, const InputList& context_dense_defaults,
    const ParseSequenceExampleV2Attrs& attrs = ParseSequenceExampleV2Attrs());

struct ParseSingleExampleOutputs {
  std::vector<Output> sparse_indices;
  std::vector<Output> sparse_values;
  std::vector<Output> sparse_shapes;
  std::vector<Output> dense_values;
  Operation op;
};
// (serialized: string, dense_defaults: Tdense) -> (sparse_indices: num_sparse * int64,
//     sparse_values: sparse_types, sparse_shapes: num_sparse * int64, dense_values: Tdense)
ParseSingleExampleOutputs ParseSingleExample(ScopeRef scope, const Input& serialized,
    const InputList& dense_defaults, int64_t num_sparse,
    const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes);

class ParseSingleSequenceExampleAttrs : public OpAttrs {
 public:
  ParseSingleSequenceExampleAttrs& context_sparse_types(const std::vector<DType>& value) {
    Set("context_sparse_types", value);
    return *this;
  }
  ParseSingleSequenceExampleAttrs& feature_list_dense_types(const std::vector<DType>& value) {
    Set("feature_list_dense_types", value);
    return *this;
  }
  ParseSingleSequenceExampleAttrs& context_dense_shapes(const std::vector<PartialShape>& value) {
    Set("context_dense_shapes", value);
    return *this;
  }
  ParseSingleSequenceExampleAttrs& feature_list_sparse_types(const std::vector<DType>& value) {
    Set("feature_list_sparse_types", value);
    return *this;
  }
  ParseSingleSequenceExampleAttrs& feature_list_dense_shapes(const std::vector<PartialShape>& value) {
    Set("feature_list_dense_shapes", value);
    return *this;
  }
};
struct ParseSingleSequenceExampleOutputs {
  std::vector<Output> context_sparse_indices;
  std::vector<Output> context_sparse_values;
  std::vector<Output> context_sparse_shapes;
  std::vector<Output> context_dense_values;
  std::vector<Output> feature_list_sparse_indices;
  std::vector<Output> feature_list_sparse_values;
  std::vector<Output> feature_list_sparse_shapes;
  std::vector<Output> feature_list_dense_values;
  Operation op;
};
// (serialized: string, feature_list_dense_missing_assumed_empty: string, context_sparse_keys:
//     Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string,
//     feature_list_sparse_keys: Nfeature_list_sparse * string, feature_list_dense_keys:
//     Nfeature_list_dense * string, context_dense_defaults: Tcontext_dense, debug_name: string) ->
//     (context_sparse_indices: Ncontext_sparse * int64, context_sparse_values:
//     context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64, context_dense_values:
//     Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse * int64,
//     feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes:
//     Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types)
ParseSingleSequenceExampleOutputs ParseSingleSequenceExample(ScopeRef scope,
    const Input& serialized, const Input& feature_list_dense_missing_assumed_empty,
    const InputList& context_sparse_keys, const InputList& context_dense_keys,
    const InputList& feature_list_sparse_keys, const InputList& feature_list_dense_keys,
    const InputList& context_dense_defaults, const Input& debug_name,
    const ParseSingleSequenceExampleAttrs& attrs = ParseSingleSequenceExampleAttrs());

// (serialized: string) -> (output: out_type)
Output ParseTensor(ScopeRef scope, const Input& serialized, DType out_type);

// (tensor: T) -> (serialized: string)
Output SerializeTensor(ScopeRef scope, const Input& tensor);

class StringToNumberAttrs : public OpAttrs {
 public:
  StringToNumberAttrs& out_type(DType value) {
    Set("out_type", value);
    return *this;
  }
};
// (string_tensor: string) -> (output: out_type)
Output StringToNumber(ScopeRef scope, const Input& string_tensor,
    const StringToNumberAttrs& attrs = StringToNumberAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_PARSING_OPS_H_
