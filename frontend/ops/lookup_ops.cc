// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/lookup_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output AnonymousHashTable(ScopeRef scope, DType key_dtype, DType value_dtype) {
  return BuildOutput(
      scope.scope(), "AnonymousHashTable", {},
      OpAttrs()
          .Set("key_dtype", key_dtype)
          .Set("value_dtype", value_dtype));
}

Output AnonymousMutableDenseHashTable(ScopeRef scope, const Input& empty_key,
    const Input& deleted_key, DType value_dtype, const AnonymousMutableDenseHashTableAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "AnonymousMutableDenseHashTable", {empty_key, deleted_key},
      OpAttrs(attrs)
          .Set("value_dtype", value_dtype));
}

Output AnonymousMutableHashTable(ScopeRef scope, DType key_dtype, DType value_dtype) {
  return BuildOutput(
      scope.scope(), "AnonymousMutableHashTable", {},
      OpAttrs()
          .Set("key_dtype", key_dtype)
          .Set("value_dtype", value_dtype));
}

Output AnonymousMutableHashTableOfTensors(ScopeRef scope, DType key_dtype, DType value_dtype,
    const AnonymousMutableHashTableOfTensorsAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "AnonymousMutableHashTableOfTensors", {},
      OpAttrs(attrs)
          .Set("key_dtype", key_dtype)
          .Set("value_dtype", value_dtype));
}

Output HashTable(ScopeRef scope, DType key_dtype, DType value_dtype, const HashTableAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "HashTable", {},
      OpAttrs(attrs)
          .Set("key_dtype", key_dtype)
          .Set("value_dtype", value_dtype));
}

Output HashTableV2(ScopeRef scope, DType key_dtype, DType value_dtype, const HashTableV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "HashTableV2", {},
      OpAttrs(attrs)
          .Set("key_dtype", key_dtype)
          .Set("value_dtype", value_dtype));
}

Operation InitializeTable(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values) {
  return BuildOp(
      scope.scope(), "InitializeTable", {table_handle, keys, values},
      OpAttrs());
}

Operation InitializeTableFromTextFile(ScopeRef scope, const Input& table_handle,
    const Input& filename, int64_t key_index, int64_t value_index,
    const InitializeTableFromTextFileAttrs& attrs) {
  return BuildOp(
      scope.scope(), "InitializeTableFromTextFile", {table_handle, filename},
      OpAttrs(attrs)
          .Set("key_index", key_index)
          .Set("value_index", value_index));
}

Operation InitializeTableFromTextFileV2(ScopeRef scope, const Input& table_handle,
    const Input& filename, int64_t key_index, int64_t value_index,
    const InitializeTableFromTextFileV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "InitializeTableFromTextFileV2", {table_handle, filename},
      OpAttrs(attrs)
          .Set("key_index", key_index)
          .Set("value_index", value_index));
}

Operation InitializeTableV2(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values) {
  return BuildOp(
      scope.scope(), "InitializeTableV2", {table_handle, keys, values},
      OpAttrs());
}

LookupTableExportOutputs LookupTableExport(ScopeRef scope, const Input& table_handle, DType Tkeys,
    DType Tvalues) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "LookupTableExport", {table_handle},
      OpAttrs()
          .Set("Tkeys", Tkeys)
          .Set("Tvalues", Tvalues));
  LookupTableExportOutputs outputs;
  outputs.keys = OutputOf(here, built, "keys");
  outputs.values = OutputOf(here, built, "values");
  outputs.op = built;
  return outputs;
}

LookupTableExportV2Outputs LookupTableExportV2(ScopeRef scope, const Input& table_handle,
    DType Tkeys, DType Tvalues) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "LookupTableExportV2", {table_handle},
      OpAttrs()
          .Set("Tkeys", Tkeys)
          .Set("Tvalues", Tvalues));
  LookupTableExportV2Outputs outputs;
  outputs.keys = OutputOf(here, built, "keys");
  outputs.values = OutputOf(here, built, "values");
  outputs.op = built;
  return outputs;
}

Output LookupTableFind(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& default_value) {
  return BuildOutput(
      scope.scope(), "LookupTableFind", {table_handle, keys, default_value},
      OpAttrs());
}

Output LookupTableFindV2(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& default_value) {
  return BuildOutput(
      scope.scope(), "LookupTableFindV2", {table_handle, keys, default_value},
      OpAttrs());
}

Operation LookupTableImport(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values) {
  return BuildOp(
      scope.scope(), "LookupTableImport", {table_handle, keys, values},
      OpAttrs());
}

Operation LookupTableImportV2(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values) {
  return BuildOp(
      scope.scope(), "LookupTableImportV2", {table_handle, keys, values},
      OpAttrs());
}

Operation LookupTableInsert(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values) {
  return BuildOp(
      scope.scope(), "LookupTableInsert", {table_handle, keys, values},
      OpAttrs());
}

Operation LookupTableInsertV2(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values) {
  return BuildOp(
      scope.scope(), "LookupTableInsertV2", {table_handle, keys, values},
      OpAttrs());
}

Operation LookupTableRemoveV2(ScopeRef scope, const Input& table_handle, const Input& keys) {
  return BuildOp(
      scope.scope(), "LookupTableRemoveV2", {table_handle, keys},
      OpAttrs());
}

Output LookupTableSize(ScopeRef scope, const Input& table_handle) {
  return BuildOutput(
      scope.scope(), "LookupTableSize", {table_handle},
      OpAttrs());
}

Output LookupTableSizeV2(ScopeRef scope, const Input& table_handle) {
  return BuildOutput(
      scope.scope(), "LookupTableSizeV2", {table_handle},
      OpAttrs());
}

Output MutableDenseHashTable(ScopeRef scope, const Input& empty_key, DType value_dtype,
    const MutableDenseHashTableAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "MutableDenseHashTable", {empty_key},
      OpAttrs(attrs)
          .Set("value_dtype", value_dtype));
}

Output MutableDenseHashTableV2(ScopeRef scope, const Input& empty_key, const Input& deleted_key,
    DType value_dtype, const MutableDenseHashTableV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "MutableDenseHashTableV2", {empty_key, deleted_key},
      OpAttrs(attrs)
          .Set("value_dtype", value_dtype));
}

Output MutableHashTable(ScopeRef scope, DType key_dtype, DType value_dtype,
    const MutableHashTableAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "MutableHashTable", {},
      OpAttrs(attrs)
          .Set("key_dtype", key_dtype)
          .Set("value_dtype", value_dtype));
}

Output MutableHashTableOfTensors(ScopeRef scope, DType key_dtype, DType value_dtype,
    const MutableHashTableOfTensorsAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "MutableHashTableOfTensors", {},
      OpAttrs(attrs)
          .Set("key_dtype", key_dtype)
          .Set("value_dtype", value_dtype));
}

Output MutableHashTableOfTensorsV2(ScopeRef scope, DType key_dtype, DType value_dtype,
    const MutableHashTableOfTensorsV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "MutableHashTableOfTensorsV2", {},
      OpAttrs(attrs)
          .Set("key_dtype", key_dtype)
          .Set("value_dtype", value_dtype));
}

Output MutableHashTableV2(ScopeRef scope, DType key_dtype, DType value_dtype,
    const MutableHashTableV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "MutableHashTableV2", {},
      OpAttrs(attrs)
          .Set("key_dtype", key_dtype)
          .Set("value_dtype", value_dtype));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
