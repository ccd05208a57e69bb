#include "frontend/io/files.h"

#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/variables/variable_builder.h"

namespace warpbeam {
namespace frontend {
namespace io {
namespace {

Output Serialized(const Scope& scope, const char* op, const SparseOutput& sparse, DType dtype) {
  return BuildOutput(scope, op, {sparse.indices, sparse.values, sparse.dense_shape},
                     OpAttrs().Set("out_type", dtype));
}

}  // namespace

Output ReadFile(ScopeRef scope, const Input& filename) {
  return BuildOutput(scope.scope(), "ReadFile", {filename});
}

Operation WriteFile(ScopeRef scope, const Input& filename, const Input& contents) {
  return BuildOp(scope.scope(), "WriteFile", {filename, contents});
}

Output MatchingFiles(ScopeRef scope, const Input& pattern) {
  return BuildOutput(scope.scope(), "MatchingFiles", {pattern});
}

Variable MatchFilenamesOnce(ScopeRef scope_ref, const std::string& pattern) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("matching_filenames");
  const Output files = MatchingFiles(inside, pattern);
  // How many files there are only the initializer knows, so the variable has no static shape.
  VariableData data;
  data.dtype = DType::kString;
  data.trainable = false;
  data.location = scope.location();
  data.initial_value = files;
  data.ref = BuildOutput(inside.Named(inside.name_scope()), "VariableV2", {},
                         OpAttrs().Set("shape", PartialShape()).Set("dtype", DType::kString));
  if (!scope.ok()) return Variable();
  data.name = data.ref.op().name();
  const Scope beside = inside.ColocateWith(data.ref.op());
  data.initializer = BuildOp(beside.Named("Assign"), "Assign", {data.ref, files},
                             OpAttrs().Set("validate_shape", false));
  data.read = BuildOutput(beside.Named("read"), "Identity", {data.ref});
  if (!scope.ok()) return Variable();
  const Variable variable = VariableBuilder::FromNodes(scope, std::move(data));
  AddToCollection(scope, GraphKeys::kLocalVariables, variable);
  return variable;
}

OutputList DecodeCsv(ScopeRef scope, const Input& records, const InputList& record_defaults,
                     const DecodeCsvOptions& options) {
  return BuildOutputs(scope.scope(), "DecodeCSV", {records, record_defaults},
                      OpAttrs()
                          .Set("field_delim", options.delimiter)
                          .Set("use_quote_delim", options.has_quotes)
                          .Set("na_value", options.missing)
                          .Set("select_cols", options.columns),
                      static_cast<int>(record_defaults.size()));
}

Output EncodeBase64(ScopeRef scope, const Input& input, bool pad) {
  return BuildOutput(scope.scope(), "EncodeBase64", {input}, OpAttrs().Set("pad", pad));
}

Output DecodeBase64(ScopeRef scope, const Input& input) {
  return BuildOutput(scope.scope(), "DecodeBase64", {input});
}

Output DecodeCompressed(ScopeRef scope, const Input& bytes, const std::string& compression_type) {
  return BuildOutput(scope.scope(), "DecodeCompressed", {bytes},
                     OpAttrs().Set("compression_type", compression_type));
}

Output DecodeJsonExample(ScopeRef scope, const Input& json_examples) {
  return BuildOutput(scope.scope(), "DecodeJSONExample", {json_examples});
}

Output SerializeTensor(ScopeRef scope, const Input& tensor) {
  return BuildOutput(scope.scope(), "SerializeTensor", {tensor});
}

Output ParseTensor(ScopeRef scope, const Input& serialized, DType out_type) {
  return BuildOutput(scope.scope(), "ParseTensor", {serialized},
                     OpAttrs().Set("out_type", out_type));
}

Output SerializeSparse(ScopeRef scope, const SparseOutput& sp_input, DType out_type) {
  return Serialized(scope.scope(), "SerializeSparse", sp_input, out_type);
}

Output SerializeManySparse(ScopeRef scope, const SparseOutput& sp_input, DType out_type) {
  return Serialized(scope.scope(), "SerializeManySparse", sp_input, out_type);
}

SparseOutput DeserializeManySparse(ScopeRef scope_ref, const Input& serialized_sparse, DType dtype,
                                   int64_t rank) {
  const Scope scope = scope_ref.scope();
  const std::vector<Output> parts = BuildOutputs(
      scope, "DeserializeManySparse", {serialized_sparse}, OpAttrs().Set("dtype", dtype), 3);
  if (!scope.ok()) return {};
  parts[0].set_shape({-1, rank});
  parts[2].set_shape(PartialShape({rank}));
  return {parts[0], parts[1], parts[2]};
}

}  // namespace io
}  // namespace frontend
}  // namespace warpbeam
