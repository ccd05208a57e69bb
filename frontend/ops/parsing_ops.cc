// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/parsing_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

std::vector<Output> DecodeCSV(ScopeRef scope, const Input& records,
    const InputList& record_defaults, const DecodeCSVAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "DecodeCSV", {records, record_defaults},
      attrs);
}

Output DecodeCompressed(ScopeRef scope, const Input& bytes, const DecodeCompressedAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "DecodeCompressed", {bytes},
      attrs);
}

Output DecodeJSONExample(ScopeRef scope, const Input& json_examples) {
  return BuildOutput(
      scope.scope(), "DecodeJSONExample", {json_examples},
      OpAttrs());
}

Output DecodePaddedRaw(ScopeRef scope, const Input& input_bytes, const Input& fixed_length,
    DType out_type, const DecodePaddedRawAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "DecodePaddedRaw", {input_bytes, fixed_length},
      OpAttrs(attrs)
          .Set("out_type", out_type));
}

Output DecodeRaw(ScopeRef scope, const Input& bytes, DType out_type, const DecodeRawAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "DecodeRaw", {bytes},
      OpAttrs(attrs)
          .Set("out_type", out_type));
}

ParseExampleOutputs ParseExample(ScopeRef scope, const Input& serialized, const Input& names,
    const InputList& sparse_keys, const InputList& dense_keys, const InputList& dense_defaults,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ParseExample", {serialized, names, sparse_keys, dense_keys, dense_defaults},
      OpAttrs()
          .Set("sparse_types", sparse_types)
          .Set("dense_shapes", dense_shapes));
  ParseExampleOutputs outputs;
  outputs.sparse_indices = OutputsOf(here, built, "sparse_indices");
  outputs.sparse_values = OutputsOf(here, built, "sparse_values");
  outputs.sparse_shapes = OutputsOf(here, built, "sparse_shapes");
  outputs.dense_values = OutputsOf(here, built, "dense_values");
  outputs.op = built;
  return outputs;
}

ParseExampleV2Outputs ParseExampleV2(ScopeRef scope, const Input& serialized, const Input& names,
    const Input& sparse_keys, const Input& dense_keys, const Input& ragged_keys,
    const InputList& dense_defaults, int64_t num_sparse, const std::vector<DType>& sparse_types,
    const std::vector<DType>& ragged_value_types, const std::vector<DType>& ragged_split_types,
    const std::vector<PartialShape>& dense_shapes) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ParseExampleV2", {serialized, names, sparse_keys, dense_keys, ragged_keys,
          dense_defaults},
      OpAttrs()
          .Set("num_sparse", num_sparse)
          .Set("sparse_types", sparse_types)
          .Set("ragged_value_types", ragged_value_types)
          .Set("ragged_split_types", ragged_split_types)
          .Set("dense_shapes", dense_shapes));
  ParseExampleV2Outputs outputs;
  outputs.sparse_indices = OutputsOf(here, built, "sparse_indices");
  outputs.sparse_values = OutputsOf(here, built, "sparse_values");
  outputs.sparse_shapes = OutputsOf(here, built, "sparse_shapes");
  outputs.dense_values = OutputsOf(here, built, "dense_values");
  outputs.ragged_values = OutputsOf(here, built, "ragged_values");
  outputs.ragged_row_splits = OutputsOf(here, built, "ragged_row_splits");
  outputs.op = built;
  return outputs;
}

ParseSequenceExampleOutputs ParseSequenceExample(ScopeRef scope, const Input& serialized,
    const Input& debug_name, const InputList& context_dense_defaults,
    const std::vector<std::string>& feature_list_dense_missing_assumed_empty,
    const std::vector<std::string>& context_sparse_keys,
    const std::vector<std::string>& context_dense_keys,
    const std::vector<std::string>& feature_list_sparse_keys,
    const std::vector<std::string>& feature_list_dense_keys, const ParseSequenceExampleAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ParseSequenceExample", {serialized, debug_name, context_dense_defaults},
      OpAttrs(attrs)
          .Set("feature_list_dense_missing_assumed_empty", feature_list_dense_missing_assumed_empty)
          .Set("context_sparse_keys", context_sparse_keys)
          .Set("context_dense_keys", context_dense_keys)
          .Set("feature_list_sparse_keys", feature_list_sparse_keys)
          .Set("feature_list_dense_keys", feature_list_dense_keys));
  ParseSequenceExampleOutputs outputs;
  outputs.context_sparse_indices = OutputsOf(here, built, "context_sparse_indices");
  outputs.context_sparse_values = OutputsOf(here, built, "context_sparse_values");
  outputs.context_sparse_shapes = OutputsOf(here, built, "context_sparse_shapes");
  outputs.context_dense_values = OutputsOf(here, built, "context_dense_values");
  outputs.feature_list_sparse_indices = OutputsOf(here, built, "feature_list_sparse_indices");
  outputs.feature_list_sparse_values = OutputsOf(here, built, "feature_list_sparse_values");
  outputs.feature_list_sparse_shapes = OutputsOf(here, built, "feature_list_sparse_shapes");
  outputs.feature_list_dense_values = OutputsOf(here, built, "feature_list_dense_values");
  outputs.feature_list_dense_lengths = OutputsOf(here, built, "feature_list_dense_lengths");
  outputs.op = built;
  return outputs;
}

ParseSequenceExampleV2Outputs ParseSequenceExampleV2(ScopeRef scope, const Input& serialized,
    const Input& debug_name, const Input& context_sparse_keys, const Input& context_dense_keys,
    const Input& context_ragged_keys, const Input& feature_list_sparse_keys,
    const Input& feature_list_dense_keys, const Input& feature_list_ragged_keys,
    const Input& feature_list_dense_missing_assumed_empty, const InputList& context_dense_defaults,
    const ParseSequenceExampleV2Attrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ParseSequenceExampleV2", {serialized, debug_name, context_sparse_keys,
          context_dense_keys, context_ragged_keys, feature_list_sparse_keys,
          feature_list_dense_keys, feature_list_ragged_keys,
          feature_list_dense_missing_assumed_empty, context_dense_defaults},
      attrs);
  ParseSequenceExampleV2Outputs outputs;
  outputs.context_sparse_indices = OutputsOf(here, built, "context_sparse_indices");
  outputs.context_sparse_values = OutputsOf(here, built, "context_sparse_values");
  outputs.context_sparse_shapes = OutputsOf(here, built, "context_sparse_shapes");
  outputs.context_dense_values = OutputsOf(here, built, "context_dense_values");
  outputs.context_ragged_values = OutputsOf(here, built, "context_ragged_values");
  outputs.context_ragged_row_splits = OutputsOf(here, built, "context_ragged_row_splits");
  outputs.feature_list_sparse_indices = OutputsOf(here, built, "feature_list_sparse_indices");
  outputs.feature_list_sparse_values = OutputsOf(here, built, "feature_list_sparse_values");
  outputs.feature_list_sparse_shapes = OutputsOf(here, built, "feature_list_sparse_shapes");
  outputs.feature_list_dense_values = OutputsOf(here, built, "feature_list_dense_values");
  outputs.feature_list_dense_lengths = OutputsOf(here, built, "feature_list_dense_lengths");
  outputs.feature_list_ragged_values = OutputsOf(here, built, "feature_list_ragged_values");
  outputs.feature_list_ragged_outer_splits = OutputsOf(here, built, "feature_list_ragged_outer_splits");
  outputs.feature_list_ragged_inner_splits = OutputsOf(here, built, "feature_list_ragged_inner_splits");
  outputs.op = built;
  return outputs;
}

ParseSingleExampleOutputs ParseSingleExample(ScopeRef scope, const Input& serialized,
    const InputList& dense_defaults, int64_t num_sparse,
    const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ParseSingleExample", {serialized, dense_defaults},
      OpAttrs()
          .Set("num_sparse", num_sparse)
          .Set("sparse_keys", sparse_keys)
          .Set("dense_keys", dense_keys)
          .Set("sparse_types", sparse_types)
          .Set("dense_shapes", dense_shapes));
  ParseSingleExampleOutputs outputs;
  outputs.sparse_indices = OutputsOf(here, built, "sparse_indices");
  outputs.sparse_values = OutputsOf(here, built, "sparse_values");
  outputs.sparse_shapes = OutputsOf(here, built, "sparse_shapes");
  outputs.dense_values = OutputsOf(here, built, "dense_values");
  outputs.op = built;
  return outputs;
}

ParseSingleSequenceExampleOutputs ParseSingleSequenceExample(ScopeRef scope,
    const Input& serialized, const Input& feature_list_dense_missing_assumed_empty,
    const InputList& context_sparse_keys, const InputList& context_dense_keys,
    const InputList& feature_list_sparse_keys, const InputList& feature_list_dense_keys,
    const InputList& context_dense_defaults, const Input& debug_name,
    const ParseSingleSequenceExampleAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ParseSingleSequenceExample", {serialized,
          feature_list_dense_missing_assumed_empty, context_sparse_keys, context_dense_keys,
          feature_list_sparse_keys, feature_list_dense_keys, context_dense_defaults, debug_name},
      attrs);
  ParseSingleSequenceExampleOutputs outputs;
  outputs.context_sparse_indices = OutputsOf(here, built, "context_sparse_indices");
  outputs.context_sparse_values = OutputsOf(here, built, "context_sparse_values");
  outputs.context_sparse_shapes = OutputsOf(here, built, "context_sparse_shapes");
  outputs.context_dense_values = OutputsOf(here, built, "context_dense_values");
  outputs.feature_list_sparse_indices = OutputsOf(here, built, "feature_list_sparse_indices");
  outputs.feature_list_sparse_values = OutputsOf(here, built, "feature_list_sparse_values");
  outputs.feature_list_sparse_shapes = OutputsOf(here, built, "feature_list_sparse_shapes");
  outputs.feature_list_dense_values = OutputsOf(here, built, "feature_list_dense_values");
  outputs.op = built;
  return outputs;
}

Output ParseTensor(ScopeRef scope, const Input& serialized, DType out_type) {
  return BuildOutput(
      scope.scope(), "ParseTensor", {serialized},
      OpAttrs()
          .Set("out_type", out_type));
}

Output SerializeTensor(ScopeRef scope, const Input& tensor) {
  return BuildOutput(
      scope.scope(), "SerializeTensor", {tensor},
      OpAttrs());
}

Output StringToNumber(ScopeRef scope, const Input& string_tensor, const StringToNumberAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StringToNumber", {string_tensor},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
