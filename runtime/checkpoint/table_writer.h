// TableWriter: writes sorted keys and values as a table file (table_format.h), byte for byte as
// TensorFlow does without compression.
//
//   TableWriter table(file.get());
//   WB_RETURN_IF_ERROR(table.Add("a", "1"));
//   WB_RETURN_IF_ERROR(table.Finish());      // the file is not closed
//
// Ownership: the file is the caller's. Thread safety: one thread. Errors: those of the file;
// INTERNAL for keys that are not in ascending order.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_TABLE_WRITER_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_TABLE_WRITER_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"
#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {

class TableWriter {
 public:
  explicit TableWriter(DurableFile* file) : file_(file), index_(1) {}
  Status Add(absl::string_view key, absl::string_view value);
  Status Finish();

 private:
  struct Handle {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  // The entries of a block that is not yet written.
  class Block {
   public:
    explicit Block(int restart_interval) : restart_interval_(restart_interval) {}
    void Add(absl::string_view key, absl::string_view value);
    bool empty() const { return bytes_.empty(); }
    size_t size() const { return bytes_.size() + 4 * restarts_.size() + 4; }
    std::string Take();

   private:
    const int restart_interval_;
    int since_restart_ = 0;
    std::string bytes_;
    std::string last_key_;
    std::vector<uint32_t> restarts_ = {0};
  };

  Status Flush();
  Status Write(Block* block, Handle* handle);
  // The index's key for the block before, which may be anything from its last key up to `next`.
  void AddToIndex(const std::string& separator);

  DurableFile* const file_;
  Block block_{16};
  Block index_;
  std::string last_key_;
  bool has_keys_ = false;
  bool index_is_behind_ = false;  // of the block at `behind_`
  Handle behind_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_TABLE_WRITER_H_
