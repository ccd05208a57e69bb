// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_LOOKUP_OPS_H_
#define WARPBEAM_FRONTEND_OPS_LOOKUP_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// () -> (table_handle: resource)
Output AnonymousHashTable(ScopeRef scope, DType key_dtype, DType value_dtype);

class AnonymousMutableDenseHashTableAttrs : public OpAttrs {
 public:
  AnonymousMutableDenseHashTableAttrs& value_shape(const PartialShape& value) {
    Set("value_shape", value);
    return *this;
  }
  AnonymousMutableDenseHashTableAttrs& initial_num_buckets(int64_t value) {
    Set("initial_num_buckets", value);
    return *this;
  }
  AnonymousMutableDenseHashTableAttrs& max_load_factor(float value) {
    Set("max_load_factor", value);
    return *this;
  }
};
// (empty_key: key_dtype, deleted_key: key_dtype) -> (table_handle: resource)
Output AnonymousMutableDenseHashTable(ScopeRef scope, const Input& empty_key,
    const Input& deleted_key, DType value_dtype,
    const AnonymousMutableDenseHashTableAttrs& attrs = AnonymousMutableDenseHashTableAttrs());

// () -> (table_handle: resource)
Output AnonymousMutableHashTable(ScopeRef scope, DType key_dtype, DType value_dtype);

class AnonymousMutableHashTableOfTensorsAttrs : public OpAttrs {
 public:
  AnonymousMutableHashTableOfTensorsAttrs& value_shape(const PartialShape& value) {
    Set("value_shape", value);
    return *this;
  }
};
// () -> (table_handle: resource)
Output AnonymousMutableHashTableOfTensors(ScopeRef scope, DType key_dtype, DType value_dtype,
    const AnonymousMutableHashTableOfTensorsAttrs& attrs = AnonymousMutableHashTableOfTensorsAttrs());

class HashTableAttrs : public OpAttrs {
 public:
  HashTableAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  HashTableAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  HashTableAttrs& use_node_name_sharing(bool value) {
    Set("use_node_name_sharing", value);
    return *this;
  }
};
// () -> (table_handle: Ref(string))
Output HashTable(ScopeRef scope, DType key_dtype, DType value_dtype,
    const HashTableAttrs& attrs = HashTableAttrs());

class HashTableV2Attrs : public OpAttrs {
 public:
  HashTableV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  HashTableV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  HashTableV2Attrs& use_node_name_sharing(bool value) {
    Set("use_node_name_sharing", value);
    return *this;
  }
};
// () -> (table_handle: resource)
Output HashTableV2(ScopeRef scope, DType key_dtype, DType value_dtype,
    const HashTableV2Attrs& attrs = HashTableV2Attrs());

// (table_handle: Ref(string), keys: Tkey, values: Tval) -> ()
Operation InitializeTable(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values);

class InitializeTableFromTextFileAttrs : public OpAttrs {
 public:
  InitializeTableFromTextFileAttrs& vocab_size(int64_t value) {
    Set("vocab_size", value);
    return *this;
  }
  InitializeTableFromTextFileAttrs& delimiter(const std::string& value) {
    Set("delimiter", value);
    return *this;
  }
  InitializeTableFromTextFileAttrs& offset(int64_t value) {
    Set("offset", value);
    return *this;
  }
};
// (table_handle: Ref(string), filename: string) -> ()
Operation InitializeTableFromTextFile(ScopeRef scope, const Input& table_handle,
    const Input& filename, int64_t key_index, int64_t value_index,
    const InitializeTableFromTextFileAttrs& attrs = InitializeTableFromTextFileAttrs());

class InitializeTableFromTextFileV2Attrs : public OpAttrs {
 public:
  InitializeTableFromTextFileV2Attrs& vocab_size(int64_t value) {
    Set("vocab_size", value);
    return *this;
  }
  InitializeTableFromTextFileV2Attrs& delimiter(const std::string& value) {
    Set("delimiter", value);
    return *this;
  }
  InitializeTableFromTextFileV2Attrs& offset(int64_t value) {
    Set("offset", value);
    return *this;
  }
};
// (table_handle: resource, filename: string) -> ()
Operation InitializeTableFromTextFileV2(ScopeRef scope, const Input& table_handle,
    const Input& filename, int64_t key_index, int64_t value_index,
    const InitializeTableFromTextFileV2Attrs& attrs = InitializeTableFromTextFileV2Attrs());

// (table_handle: resource, keys: Tkey, values: Tval) -> ()
Operation InitializeTableV2(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values);

struct LookupTableExportOutputs {
  Output keys;
  Output values;
  Operation op;
};
// (table_handle: Ref(string)) -> (keys: Tkeys, values: Tvalues)
LookupTableExportOutputs LookupTableExport(ScopeRef scope, const Input& table_handle, DType Tkeys,
    DType Tvalues);

struct LookupTableExportV2Outputs {
  Output keys;
  Output values;
  Operation op;
};
// (table_handle: resource) -> (keys: Tkeys, values: Tvalues)
LookupTableExportV2Outputs LookupTableExportV2(ScopeRef scope, const Input& table_handle,
    DType Tkeys, DType Tvalues);

// (table_handle: Ref(string), keys: Tin, default_value: Tout) -> (values: Tout)
Output LookupTableFind(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& default_value);

// (table_handle: resource, keys: Tin, default_value: Tout) -> (values: Tout)
Output LookupTableFindV2(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& default_value);

// (table_handle: Ref(string), keys: Tin, values: Tout) -> ()
Operation LookupTableImport(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values);

// (table_handle: resource, keys: Tin, values: Tout) -> ()
Operation LookupTableImportV2(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values);

// (table_handle: Ref(string), keys: Tin, values: Tout) -> ()
Operation LookupTableInsert(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values);

// (table_handle: resource, keys: Tin, values: Tout) -> ()
Operation LookupTableInsertV2(ScopeRef scope, const Input& table_handle, const Input& keys,
    const Input& values);

// (table_handle: resource, keys: Tin) -> ()
Operation LookupTableRemoveV2(ScopeRef scope, const Input& table_handle, const Input& keys);

// (table_handle: Ref(string)) -> (size: int64)
Output LookupTableSize(ScopeRef scope, const Input& table_handle);

// (table_handle: resource) -> (size: int64)
Output LookupTableSizeV2(ScopeRef scope, const Input& table_handle);

class MutableDenseHashTableAttrs : public OpAttrs {
 public:
  MutableDenseHashTableAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MutableDenseHashTableAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  MutableDenseHashTableAttrs& use_node_name_sharing(bool value) {
    Set("use_node_name_sharing", value);
    return *this;
  }
  MutableDenseHashTableAttrs& value_shape(const PartialShape& value) {
    Set("value_shape", value);
    return *this;
  }
  MutableDenseHashTableAttrs& initial_num_buckets(int64_t value) {
    Set("initial_num_buckets", value);
    return *this;
  }
  MutableDenseHashTableAttrs& max_load_factor(float value) {
    Set("max_load_factor", value);
    return *this;
  }
};
// (empty_key: key_dtype) -> (table_handle: Ref(string))
Output MutableDenseHashTable(ScopeRef scope, const Input& empty_key, DType value_dtype,
    const MutableDenseHashTableAttrs& attrs = MutableDenseHashTableAttrs());

class MutableDenseHashTableV2Attrs : public OpAttrs {
 public:
  MutableDenseHashTableV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MutableDenseHashTableV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  MutableDenseHashTableV2Attrs& use_node_name_sharing(bool value) {
    Set("use_node_name_sharing", value);
    return *this;
  }
  MutableDenseHashTableV2Attrs& value_shape(const PartialShape& value) {
    Set("value_shape", value);
    return *this;
  }
  MutableDenseHashTableV2Attrs& initial_num_buckets(int64_t value) {
    Set("initial_num_buckets", value);
    return *this;
  }
  MutableDenseHashTableV2Attrs& max_load_factor(float value) {
    Set("max_load_factor", value);
    return *this;
  }
};
// (empty_key: key_dtype, deleted_key: key_dtype) -> (table_handle: resource)
Output MutableDenseHashTableV2(ScopeRef scope, const Input& empty_key, const Input& deleted_key,
    DType value_dtype, const MutableDenseHashTableV2Attrs& attrs = MutableDenseHashTableV2Attrs());

class MutableHashTableAttrs : public OpAttrs {
 public:
  MutableHashTableAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MutableHashTableAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  MutableHashTableAttrs& use_node_name_sharing(bool value) {
    Set("use_node_name_sharing", value);
    return *this;
  }
};
// () -> (table_handle: Ref(string))
Output MutableHashTable(ScopeRef scope, DType key_dtype, DType value_dtype,
    const MutableHashTableAttrs& attrs = MutableHashTableAttrs());

class MutableHashTableOfTensorsAttrs : public OpAttrs {
 public:
  MutableHashTableOfTensorsAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MutableHashTableOfTensorsAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  MutableHashTableOfTensorsAttrs& use_node_name_sharing(bool value) {
    Set("use_node_name_sharing", value);
    return *this;
  }
  MutableHashTableOfTensorsAttrs& value_shape(const PartialShape& value) {
    Set("value_shape", value);
    return *this;
  }
};
// () -> (table_handle: Ref(string))
Output MutableHashTableOfTensors(ScopeRef scope, DType key_dtype, DType value_dtype,
    const MutableHashTableOfTensorsAttrs& attrs = MutableHashTableOfTensorsAttrs());

class MutableHashTableOfTensorsV2Attrs : public OpAttrs {
 public:
  MutableHashTableOfTensorsV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MutableHashTableOfTensorsV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  MutableHashTableOfTensorsV2Attrs& use_node_name_sharing(bool value) {
    Set("use_node_name_sharing", value);
    return *this;
  }
  MutableHashTableOfTensorsV2Attrs& value_shape(const PartialShape& value) {
    Set("value_shape", value);
    return *this;
  }
};
// () -> (table_handle: resource)
Output MutableHashTableOfTensorsV2(ScopeRef scope, DType key_dtype, DType value_dtype,
    const MutableHashTableOfTensorsV2Attrs& attrs = MutableHashTableOfTensorsV2Attrs());

class MutableHashTableV2Attrs : public OpAttrs {
 public:
  MutableHashTableV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MutableHashTableV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  MutableHashTableV2Attrs& use_node_name_sharing(bool value) {
    Set("use_node_name_sharing", value);
    return *this;
  }
};
// () -> (table_handle: resource)
Output MutableHashTableV2(ScopeRef scope, DType key_dtype, DType value_dtype,
    const MutableHashTableV2Attrs& attrs = MutableHashTableV2Attrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_LOOKUP_OPS_H_
