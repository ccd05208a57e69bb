#include "frontend/lookup/table.h"

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {

Operation TablesInitializer(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  std::vector<Operation> initializers;
  for (const CollectionItem& item : GetCollectionItems(scope, GraphKeys::kTableInitializers)) {
    if (const Operation* operation = item.get<Operation>()) initializers.push_back(*operation);
  }
  const Scope named = scope.Named(scope.OpNameOr("init_all_tables"));
  return initializers.empty() ? NoOp(named) : Group(named, initializers);
}

namespace lookup {
namespace {

std::string LastPart(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

// The name scope of what is done to a table: "hash_table_Lookup".
Scope OfTable(const Scope& scope, const std::string& table, const char* what) {
  return scope.OpenScope(absl::StrCat(table, "_", what));
}

bool CheckKeys(const Scope& scope, const std::string& table, const Output& keys, DType dtype) {
  if (!scope.ok()) return false;
  if (dtype == DType::kInvalid) {
    scope.Fail(InvalidArgument("a table that was never made"));
  } else if (keys.dtype() != dtype) {
    scope.Fail(InvalidArgument("the table '", table, "' has keys of the type ", DTypeName(dtype),
                               ", '", keys.name(), "' is ", DTypeName(keys.dtype())));
  }
  return scope.ok();
}

Output Find(const Scope& scope, const Output& handle, const Output& keys,
            const Output& default_value) {
  const Output values = BuildOutput(scope, "LookupTableFindV2", {handle, keys, default_value});
  if (values.valid() && default_value.shape().rank() == 0) values.set_shape(keys.shape());
  return values;
}

TableEntries ExportOf(const Scope& scope, const Output& handle, DType key_dtype,
                      DType value_dtype) {
  const std::vector<Output> entries =
      BuildOutputs(scope, "LookupTableExportV2", {handle},
                   OpAttrs().Set("Tkeys", key_dtype).Set("Tvalues", value_dtype), 2);
  return {entries[0], entries[1]};
}

}  // namespace

KeyValueTensorInitializer::KeyValueTensorInitializer(ScopeRef scope_ref, const Input& keys,
                                                     const Input& values, DType key_dtype,
                                                     DType value_dtype, std::string name)
    : KeyValueTensorInitializer(AsOutput(scope_ref.scope().Named("keys"), keys, key_dtype),
                                AsOutput(scope_ref.scope().Named("values"), values, value_dtype),
                                std::move(name)) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return;
  if ((key_dtype != DType::kInvalid && keys_.dtype() != key_dtype) ||
      (value_dtype != DType::kInvalid && values_.dtype() != value_dtype)) {
    scope.Fail(InvalidArgument("KeyValueTensorInitializer: '", keys_.name(), "' and '",
                               values_.name(), "' are ", DTypeName(keys_.dtype()), " and ",
                               DTypeName(values_.dtype()), ", not the types asked for"));
  }
}

KeyValueTensorInitializer::KeyValueTensorInitializer(const Output& keys, const Output& values,
                                                     std::string name)
    : TableInitializer(keys.valid() ? keys.dtype() : DType::kInvalid,
                       values.valid() ? values.dtype() : DType::kInvalid),
      keys_(keys),
      values_(values),
      name_(std::move(name)) {}

Operation KeyValueTensorInitializer::Initialize(const Scope& scope, const Output& table) const {
  const Scope inside = scope.NameScope(name_);
  const Operation init = BuildOp(inside, "LookupTableImportV2", {table, keys_, values_});
  if (init.valid()) AddToCollection(scope, GraphKeys::kTableInitializers, init);
  return init;
}

TextFileInitializer::TextFileInitializer(std::string filename, DType key_dtype, int64_t key_index,
                                         DType value_dtype, int64_t value_index,
                                         TextFileOptions options)
    : TableInitializer(key_dtype, value_dtype),
      filename_(std::move(filename)),
      key_index_(key_index),
      value_index_(value_index),
      options_(std::move(options)) {}

std::string TextFileInitializer::SharedName() const {
  std::string name = absl::StrCat("hash_table_", filename_);
  if (options_.lines > 0) absl::StrAppend(&name, "_", options_.lines);
  absl::StrAppend(&name, "_", key_index_, "_", value_index_);
  if (options_.offset != 0) absl::StrAppend(&name, "_", options_.offset);
  return name;
}

Operation TextFileInitializer::Initialize(const Scope& scope, const Output& table) const {
  const auto fits = [](int64_t index, DType dtype) {
    if (index == TextFileIndex::kLineNumber) return dtype == DType::kInt64;
    if (index == TextFileIndex::kWholeLine) return dtype == DType::kString || IsInteger(dtype);
    return index >= 0;
  };
  if (filename_.empty() || !fits(key_index_, key_dtype()) || !fits(value_index_, value_dtype())) {
    scope.Fail(InvalidArgument(
        "TextFileInitializer of '", filename_, "': a line's number is int64, the whole line a ",
        "string or integer, other columns are 0 or more; got column ", key_index_, " as ",
        DTypeName(key_dtype()), " and ", value_index_, " as ", DTypeName(value_dtype())));
    return Operation();
  }
  const Scope inside = scope.NameScope(options_.initializer_name);
  const Output file = Constant(inside.Named("asset_filepath"), filename_);
  const Operation init = BuildOp(inside, "InitializeTableFromTextFileV2", {table, file},
                                 OpAttrs()
                                     .Set("key_index", key_index_)
                                     .Set("value_index", value_index_)
                                     .Set("vocab_size", options_.lines)
                                     .Set("delimiter", options_.column_delimiter)
                                     .Set("offset", options_.offset));
  if (!init.valid()) return init;
  AddToCollection(scope, GraphKeys::kTableInitializers, init);
  AddToCollection(scope, "asset_filepaths", file);
  return init;
}

StaticHashTable::StaticHashTable(ScopeRef scope_ref, const TableInitializer& initializer,
                                 const Input& default_value) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return;
  key_dtype_ = initializer.key_dtype();
  value_dtype_ = initializer.value_dtype();
  const Scope unnamed = scope.Named("");
  default_value_ = AsOutput(unnamed, default_value, value_dtype_);
  handle_ = BuildOutput(scope.Named(scope.OpNameOr("hash_table")), "HashTableV2", {},
                        OpAttrs()
                            .Set("shared_name", initializer.SharedName())
                            .Set("key_dtype", key_dtype_)
                            .Set("value_dtype", value_dtype_));
  if (!scope.ok()) return;
  if (default_value_.dtype() != value_dtype_) {
    scope.Fail(InvalidArgument("the table '", handle_.op().name(), "' has values of the type ",
                               DTypeName(value_dtype_), ", the default is ",
                               DTypeName(default_value_.dtype())));
    return;
  }
  initializer_ = initializer.Initialize(unnamed, handle_);
}

std::string StaticHashTable::name() const { return LastPart(handle_.op().name()); }

Output StaticHashTable::Lookup(ScopeRef scope_ref, const Input& keys) const {
  const Scope scope = scope_ref.scope();
  const Output given =
      AsOutput(scope.Named("keys"), keys, keys.adapts() ? key_dtype_ : DType::kInvalid);
  if (!CheckKeys(scope, name(), given, key_dtype_)) return Output();
  return scope(Find(OfTable(scope, name(), "Lookup"), handle_, given, default_value_));
}

SparseOutput StaticHashTable::Lookup(ScopeRef scope, const SparseOutput& keys) const {
  return {keys.indices, Lookup(scope, Input(keys.values)), keys.dense_shape};
}

Output StaticHashTable::Size(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  return scope(BuildOutput(OfTable(scope, name(), "Size"), "LookupTableSizeV2", {handle_}));
}

TableEntries StaticHashTable::Export(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  return ExportOf(OfTable(scope, name(), "Export"), handle_, key_dtype_, value_dtype_);
}

StaticVocabularyTable::StaticVocabularyTable(ScopeRef scope_ref,
                                             const TableInitializer& initializer,
                                             int64_t num_oov_buckets, DType lookup_key_dtype)
    : buckets_(num_oov_buckets),
      key_dtype_(lookup_key_dtype == DType::kInvalid ? initializer.key_dtype() : lookup_key_dtype) {
  const Scope scope = scope_ref.scope();
  if (scope.ok() && num_oov_buckets < 1) {
    scope.Fail(
        InvalidArgument("StaticVocabularyTable needs a bucket or more, got ", num_oov_buckets));
  }
  if (!scope.ok()) return;
  table_ = StaticHashTable(scope, initializer, Input(int64_t{-1}));
  CheckTypes(scope);
}

StaticVocabularyTable::StaticVocabularyTable(ScopeRef scope_ref, int64_t num_oov_buckets,
                                             DType lookup_key_dtype)
    : buckets_(num_oov_buckets), key_dtype_(lookup_key_dtype) {
  const Scope scope = scope_ref.scope();
  if (scope.ok() && num_oov_buckets < 1) {
    scope.Fail(
        InvalidArgument("a table of buckets alone needs one or more, got ", num_oov_buckets));
  }
}

bool StaticVocabularyTable::CheckTypes(const Scope& scope) const {
  if (!scope.ok()) return false;
  const DType keys = table_.key_dtype();
  if ((keys == DType::kString || keys == DType::kInt64) && table_.value_dtype() == DType::kInt64 &&
      IsInteger(keys) == IsInteger(key_dtype_) &&
      (key_dtype_ == DType::kString || IsInteger(key_dtype_))) {
    return true;
  }
  scope.Fail(
      InvalidArgument("a vocabulary has string or int64 keys and int64 values, and is asked ",
                      "for keys of the same kind; got ", DTypeName(keys), " to ",
                      DTypeName(table_.value_dtype()), ", asked for by ", DTypeName(key_dtype_)));
  return false;
}

StaticVocabularyTable MakeVocabularyTable(const Scope& scope, const StaticHashTable& table,
                                          int64_t num_oov_buckets, DType key_dtype) {
  StaticVocabularyTable vocabulary;
  vocabulary.table_ = table;
  vocabulary.buckets_ = num_oov_buckets;
  vocabulary.key_dtype_ = key_dtype;
  if (scope.ok() && num_oov_buckets < 0) {
    scope.Fail(InvalidArgument("num_oov_buckets must not be negative, got ", num_oov_buckets));
  }
  return vocabulary.CheckTypes(scope) ? vocabulary : StaticVocabularyTable();
}

std::string StaticVocabularyTable::name() const {
  return table_.resource_handle().valid() ? table_.name() : "hash_bucket";
}

Output StaticVocabularyTable::Lookup(ScopeRef scope_ref, const Input& keys) const {
  const Scope scope = scope_ref.scope();
  const Output given =
      AsOutput(scope.Named("keys"), keys, keys.adapts() ? key_dtype_ : DType::kInvalid);
  if (!CheckKeys(scope, name(), given, key_dtype_)) return Output();
  const bool has_words = table_.resource_handle().valid();
  const Scope unnamed = scope.Named("");
  const Output words = has_words && table_.key_dtype() == DType::kInt64
                           ? Cast(unnamed, given, DType::kInt64)
                           : given;
  if (buckets_ == 0) return table_.Lookup(scope, words);
  const Scope inside = OfTable(scope, name(), "Lookup");
  const Output text =
      words.dtype() == DType::kString ? words : BuildOutput(inside, "AsString", {words});
  const Output hashed = BuildOutput(inside.Named("hash_bucket"), "StringToHashBucketFast", {text},
                                    OpAttrs().Set("num_buckets", buckets_));
  if (!has_words) return scope(hashed);
  const Output ids = table_.Lookup(inside, words);
  const Output behind = Add(inside, hashed, table_.Size(inside));
  const Output known = NotEqual(inside, ids, table_.default_value());
  return scope(BuildOutput(inside, "SelectV2", {known, ids, behind}));
}

SparseOutput StaticVocabularyTable::Lookup(ScopeRef scope, const SparseOutput& keys) const {
  return {keys.indices, Lookup(scope, Input(keys.values)), keys.dense_shape};
}

Output StaticVocabularyTable::Size(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  const Scope inside = OfTable(scope, name(), "Size");
  if (!table_.resource_handle().valid()) return scope(Constant(inside, buckets_, DType::kInt64));
  return scope(Add(inside, table_.Size(inside), buckets_));
}

StaticVocabularyTable IndexTableFromTensor(ScopeRef scope_ref, const Input& vocabulary_list,
                                           const IndexTableOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("string_to_index");
  const Output words = AsOutput(inside, vocabulary_list);
  if (!scope.ok()) return StaticVocabularyTable();
  const Output places =
      Cast(inside, BuildOutput(inside, "Range", {0, BuildOutput(inside, "Size", {words}), 1}),
           DType::kInt64);
  const Scope table = inside.NameScope("hash_table");
  const Output keys = IsInteger(words.dtype()) ? Cast(table, words, DType::kInt64) : words;
  if (!scope.ok()) return StaticVocabularyTable();
  const KeyValueTensorInitializer initializer(table, keys, places, DType::kInvalid, DType::kInvalid,
                                              "table_init");
  const StaticHashTable hash_table(table, initializer, options.missing);
  const DType dtype = options.dtype_of_keys == DType::kString && IsInteger(words.dtype())
                          ? words.dtype()
                          : options.dtype_of_keys;
  return MakeVocabularyTable(inside, hash_table, options.buckets, dtype);
}

StaticVocabularyTable IndexTableFromFile(ScopeRef scope_ref, const std::string& vocabulary_file,
                                         const IndexTableOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("string_to_index");
  const Scope table = inside.NameScope("hash_table");
  const DType keys = IsInteger(options.dtype_of_keys) ? DType::kInt64 : options.dtype_of_keys;
  const TextFileInitializer initializer(
      vocabulary_file, keys, TextFileIndex::kWholeLine, DType::kInt64, TextFileIndex::kLineNumber,
      TextFileOptions().vocab_size(options.lines).name("table_init"));
  const StaticHashTable hash_table(table, initializer, options.missing);
  return MakeVocabularyTable(inside, hash_table, options.buckets, options.dtype_of_keys);
}

StaticHashTable IndexToStringTableFromTensor(ScopeRef scope_ref, const Input& vocabulary_list,
                                             const std::string& default_value) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("index_to_string");
  const Output words = AsOutput(inside, vocabulary_list);
  if (!scope.ok()) return StaticHashTable();
  const Output places =
      Cast(inside, BuildOutput(inside, "Range", {0, BuildOutput(inside, "Size", {words}), 1}),
           DType::kInt64);
  const KeyValueTensorInitializer initializer(inside, places, words, DType::kInvalid,
                                              DType::kInvalid, "table_init");
  return StaticHashTable(inside, initializer, default_value);
}

StaticHashTable IndexToStringTableFromFile(ScopeRef scope_ref, const std::string& vocabulary_file,
                                           int64_t vocab_size, const std::string& default_value) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("index_to_string");
  const TextFileInitializer initializer(
      vocabulary_file, DType::kInt64, TextFileIndex::kLineNumber, DType::kString,
      TextFileIndex::kWholeLine, TextFileOptions().vocab_size(vocab_size).name("table_init"));
  return StaticHashTable(inside, initializer, default_value);
}

MutableHashTable::MutableHashTable(ScopeRef scope_ref, DType key_dtype, DType value_dtype,
                                   const Input& default_value, const std::string& shared_name)
    : key_dtype_(key_dtype), value_dtype_(value_dtype) {
  const Scope scope = scope_ref.scope();
  default_value_ = AsOutput(scope.Named("Const"), default_value,
                            default_value.adapts() ? value_dtype : DType::kInvalid);
  if (!scope.ok()) return;
  const OpAttrs attrs = OpAttrs()
                            .Set("shared_name", shared_name)
                            .Set("key_dtype", key_dtype)
                            .Set("value_dtype", value_dtype);
  const Scope named = scope.Named(scope.OpNameOr("MutableHashTable"));
  const PartialShape shape = default_value_.shape();
  if (shape.rank() == 0) {
    handle_ = BuildOutput(named, "MutableHashTableV2", {}, attrs);
  } else {
    handle_ = BuildOutput(named, "MutableHashTableOfTensorsV2", {},
                          OpAttrs(attrs).Set("value_shape", shape));
  }
}

Output MutableHashTable::Lookup(ScopeRef scope_ref, const Input& keys) const {
  const Scope scope = scope_ref.scope();
  const Output given =
      AsOutput(scope.Named("keys"), keys, keys.adapts() ? key_dtype_ : DType::kInvalid);
  const std::string table = LastPart(handle_.op().name());
  if (!CheckKeys(scope, table, given, key_dtype_)) return Output();
  return scope(Find(OfTable(scope, table, "lookup_table_find"), handle_, given, default_value_));
}

Operation MutableHashTable::Insert(ScopeRef scope, const Input& keys, const Input& values) const {
  return BuildOp(scope.scope(), "LookupTableInsertV2", {handle_, keys, values});
}

Operation MutableHashTable::Remove(ScopeRef scope, const Input& keys) const {
  return BuildOp(scope.scope(), "LookupTableRemoveV2", {handle_, keys});
}

Output MutableHashTable::Size(ScopeRef scope) const {
  return BuildOutput(scope.scope(), "LookupTableSizeV2", {handle_});
}

TableEntries MutableHashTable::Export(ScopeRef scope) const {
  return ExportOf(scope.scope(), handle_, key_dtype_, value_dtype_);
}

}  // namespace lookup
}  // namespace frontend
}  // namespace warpbeam
