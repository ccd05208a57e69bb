// Tables from keys to values (tf.lookup.StaticHashTable, StaticVocabularyTable, and
// tf.contrib.lookup's functions): words to numbers and back.
//
//   lookup::KeyValueTensorInitializer words(scope, Constant(scope, {"cat", "dog"}),
//                                           Constant(scope, {int64_t{7}, int64_t{9}}));
//   lookup::StaticHashTable table(scope, words, int64_t{-1});
//   Output ids = table.Lookup(scope, keys);                       // -1 for what is not there
//   session.Run({TablesInitializer(scope)});
//
//   lookup::StaticVocabularyTable vocabulary(
//       scope, lookup::TextFileInitializer("vocabulary.txt", DType::kString,
//                                          lookup::TextFileIndex::kWholeLine, DType::kInt64,
//                                          lookup::TextFileIndex::kLineNumber),
//       /*num_oov_buckets=*/10);
//
// A table is filled by its initializer, which is in GraphKeys::kTableInitializers. Nodes and names
// are TensorFlow's: "hash_table", "hash_table_Lookup/LookupTableFindV2".
//
// Ownership: a value; the graph owns the nodes, the session the entries. Thread safety: that of the
// Scope; looking up, any. Errors: kept in the scope; types that do not fit are INVALID_ARGUMENT. A
// table that has not been initialized fails the step.
#ifndef WARPBEAM_FRONTEND_LOOKUP_TABLE_H_
#define WARPBEAM_FRONTEND_LOOKUP_TABLE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "frontend/collections.h"
#include "frontend/input.h"
#include "frontend/parsing.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// Runs all operations of GraphKeys::kTableInitializers (tf.tables_initializer).
Operation TablesInitializer(ScopeRef scope);

namespace lookup {

// What fills a table.
class TableInitializer {
 public:
  virtual ~TableInitializer() = default;
  // The operation that fills the table of this handle; adds it to GraphKeys::kTableInitializers.
  virtual Operation Initialize(const Scope& scope, const Output& table) const = 0;
  // By which name several tables of one file are one; "" for none.
  virtual std::string SharedName() const { return std::string(); }

  DType key_dtype() const { return key_dtype_; }
  DType value_dtype() const { return value_dtype_; }

 protected:
  TableInitializer(DType key_dtype, DType value_dtype)
      : key_dtype_(key_dtype), value_dtype_(value_dtype) {}

 private:
  DType key_dtype_, value_dtype_;
};

// Keys and values of two vectors. Types are those of the vectors; numbers are those that are said.
class KeyValueTensorInitializer final : public TableInitializer {
 public:
  KeyValueTensorInitializer(ScopeRef scope, const Input& keys, const Input& values,
                            DType key_dtype = DType::kInvalid, DType value_dtype = DType::kInvalid,
                            std::string name = "key_value_init");
  Operation Initialize(const Scope& scope, const Output& table) const override;

 private:
  KeyValueTensorInitializer(const Output& keys, const Output& values, std::string name);

  Output keys_, values_;
  std::string name_;
};

// What of a line is a key or a value: a column by its number, or one of these.
struct TextFileIndex {
  static constexpr int64_t kWholeLine = -2;
  static constexpr int64_t kLineNumber = -1;
};

struct TextFileOptions {
  // How many lines the file has; else all are counted.
  TextFileOptions& vocab_size(int64_t value) {
    lines = value;
    return *this;
  }
  // What separates columns.
  TextFileOptions& delimiter(std::string value) {
    column_delimiter = std::move(value);
    return *this;
  }
  // Added to a line's number.
  TextFileOptions& value_index_offset(int64_t value) {
    offset = value;
    return *this;
  }
  TextFileOptions& name(std::string value) {
    initializer_name = std::move(value);
    return *this;
  }

  int64_t lines = -1;
  std::string column_delimiter = "\t";
  int64_t offset = 0;
  std::string initializer_name = "text_file_init";
};

// Keys and values of the lines of a file.
class TextFileInitializer final : public TableInitializer {
 public:
  TextFileInitializer(std::string filename, DType key_dtype, int64_t key_index, DType value_dtype,
                      int64_t value_index, TextFileOptions options = TextFileOptions());
  Operation Initialize(const Scope& scope, const Output& table) const override;
  std::string SharedName() const override;

 private:
  std::string filename_;
  int64_t key_index_, value_index_;
  TextFileOptions options_;
};

struct TableEntries {
  Output keys;
  Output values;
};

class StaticHashTable {
 public:
  StaticHashTable() = default;
  // `default_value` is what keys give that are not there.
  StaticHashTable(ScopeRef scope, const TableInitializer& initializer, const Input& default_value);

  Output Lookup(ScopeRef scope, const Input& keys) const;
  SparseOutput Lookup(ScopeRef scope, const SparseOutput& keys) const;
  // How many entries there are, an int64 scalar.
  Output Size(ScopeRef scope) const;
  // All entries, in no order.
  TableEntries Export(ScopeRef scope) const;

  const Operation& initializer() const { return initializer_; }
  const Output& resource_handle() const { return handle_; }
  const Output& default_value() const { return default_value_; }
  DType key_dtype() const { return key_dtype_; }
  DType value_dtype() const { return value_dtype_; }
  // "hash_table", without its scopes.
  std::string name() const;

 private:
  DType key_dtype_ = DType::kInvalid, value_dtype_ = DType::kInvalid;
  Output handle_, default_value_;
  Operation initializer_;
};

// Words to numbers: those of the initializer, and for each other word one of `num_oov_buckets`
// numbers behind them, by a hash of the word.
class StaticVocabularyTable {
 public:
  StaticVocabularyTable() = default;
  // Keys are of the type `lookup_key_dtype`, by default the initializer's.
  StaticVocabularyTable(ScopeRef scope, const TableInitializer& initializer,
                        int64_t num_oov_buckets, DType lookup_key_dtype = DType::kInvalid);
  // Without words: buckets alone.
  explicit StaticVocabularyTable(ScopeRef scope, int64_t num_oov_buckets,
                                 DType lookup_key_dtype = DType::kString);

  Output Lookup(ScopeRef scope, const Input& keys) const;
  SparseOutput Lookup(ScopeRef scope, const SparseOutput& keys) const;
  // The words and the buckets.
  Output Size(ScopeRef scope) const;

  // Not valid without words.
  const Operation& initializer() const { return table_.initializer(); }
  const Output& resource_handle() const { return table_.resource_handle(); }
  DType key_dtype() const { return key_dtype_; }
  DType value_dtype() const { return DType::kInt64; }
  std::string name() const;

 private:
  friend StaticVocabularyTable MakeVocabularyTable(const Scope& scope, const StaticHashTable& table,
                                                   int64_t num_oov_buckets, DType key_dtype);
  bool CheckTypes(const Scope& scope) const;

  StaticHashTable table_;
  int64_t buckets_ = 0;
  DType key_dtype_ = DType::kInvalid;
};

struct IndexTableOptions {
  // Numbers behind the vocabulary for words that are not in it; 0: they give `default_value`.
  IndexTableOptions& num_oov_buckets(int64_t value) {
    buckets = value;
    return *this;
  }
  IndexTableOptions& default_value(int64_t value) {
    missing = value;
    return *this;
  }
  IndexTableOptions& key_dtype(DType value) {
    dtype_of_keys = value;
    return *this;
  }
  // Of a file only.
  IndexTableOptions& vocab_size(int64_t value) {
    lines = value;
    return *this;
  }

  int64_t buckets = 0;
  int64_t missing = -1;
  DType dtype_of_keys = DType::kString;
  int64_t lines = -1;
};

// Each word's place in a vector, or the number of its line in a file
// (tf.contrib.lookup.index_table_from_tensor, index_table_from_file).
StaticVocabularyTable IndexTableFromTensor(ScopeRef scope, const Input& vocabulary_list,
                                           const IndexTableOptions& options = IndexTableOptions());
StaticVocabularyTable IndexTableFromFile(ScopeRef scope, const std::string& vocabulary_file,
                                         const IndexTableOptions& options = IndexTableOptions());
// And back.
StaticHashTable IndexToStringTableFromTensor(ScopeRef scope, const Input& vocabulary_list,
                                             const std::string& default_value = "UNK");
StaticHashTable IndexToStringTableFromFile(ScopeRef scope, const std::string& vocabulary_file,
                                           int64_t vocab_size = -1,
                                           const std::string& default_value = "UNK");

// A table that the program fills while it runs (tf.contrib.lookup.MutableHashTable).
class MutableHashTable {
 public:
  MutableHashTable() = default;
  MutableHashTable(ScopeRef scope, DType key_dtype, DType value_dtype, const Input& default_value,
                   const std::string& shared_name = std::string());

  Output Lookup(ScopeRef scope, const Input& keys) const;
  Operation Insert(ScopeRef scope, const Input& keys, const Input& values) const;
  Operation Remove(ScopeRef scope, const Input& keys) const;
  Output Size(ScopeRef scope) const;
  TableEntries Export(ScopeRef scope) const;

  const Output& resource_handle() const { return handle_; }

 private:
  DType key_dtype_ = DType::kInvalid, value_dtype_ = DType::kInvalid;
  Output handle_, default_value_;
};

}  // namespace lookup
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LOOKUP_TABLE_H_
