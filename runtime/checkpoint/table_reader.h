// Table: a table file (table_format.h) read whole, every block checked.
//
//   WB_ASSIGN_OR_RETURN(Table table, Table::Read("/m/model.ckpt.index"));
//   const Table::Entry* e = table.Find("w");   // null when there is none
//
// A checkpoint's index is small beside its data, so all keys are decoded at once: an error anywhere
// in it is seen before anything is restored from it. Blocks may be compressed by Snappy, as some
// builds of TensorFlow write them. What a file makes this allocate is bounded by a small multiple
// of the file's size.
//
// Ownership: values are views into the table's own bytes; moving the table keeps them. Thread
// safety: immutable. Errors: those of reading the file; DATA_LOSS for a file that is no table,
// saying at which byte; UNIMPLEMENTED for blocks compressed otherwise.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_TABLE_READER_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_TABLE_READER_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

class Table {
 public:
  struct Entry {
    std::string key;
    absl::string_view value;
  };

  static StatusOr<Table> Read(absl::string_view path);
  // `name` stands in messages for the file.
  static StatusOr<Table> Parse(std::string bytes, absl::string_view name);

  const std::vector<Entry>& entries() const { return entries_; }  // ascending keys
  const Entry* Find(absl::string_view key) const;

 private:
  class Parser;

  std::unique_ptr<const std::string> bytes_;
  std::vector<std::unique_ptr<const std::string>> uncompressed_;  // blocks that were compressed
  std::vector<Entry> entries_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_TABLE_READER_H_
