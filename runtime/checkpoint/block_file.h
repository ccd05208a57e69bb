// BlockFile: a file written by appending, in large blocks and beside the caller, for checkpoints of
// many megabytes.
//
//   WB_ASSIGN_OR_RETURN(auto file, BlockFile::Create("/m/model.ckpt.data-00000-of-00001"));
//   WB_RETURN_IF_ERROR(file->Append(bytes));
//   WB_RETURN_IF_ERROR(file->Sync());                    // all of it is on the disk
//   WB_RETURN_IF_ERROR(file->Close());
//
// A file that fits into one block is written by the caller, when it is synced. From the second
// block on a thread writes one block while the next waits for it and the caller fills a third, past
// the page cache where the file system can (O_DIRECT): that saves a copy and leaves other programs'
// pages where they are; elsewhere the system is asked to begin writing at once. So what Sync has
// left to wait for is two blocks, not the file.
//
// Ownership: owns descriptor, thread and three blocks; the destructor closes and keeps what is
// there. Thread safety: one thread. Errors: those of runtime/record/file.h; those of the thread
// come out of a later Append or of Sync. RESOURCE_EXHAUSTED without memory for a block.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_BLOCK_FILE_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_BLOCK_FILE_H_

#include <cstdlib>
#include <memory>
#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

class BlockFile {
 public:
  static constexpr size_t kBlockBytes = size_t{8} << 20;

  static StatusOr<std::unique_ptr<BlockFile>> Create(absl::string_view path);
  ~BlockFile();
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;

  Status Append(absl::string_view data);
  Status Sync();
  // Writes what is left, without waiting for the disk. Twice is no error.
  Status Close();

 private:
  // Memory that the disk can read from by itself.
  class Block {
   public:
    size_t size() const { return size_; }
    absl::string_view bytes() const { return {data_.get(), size_}; }
    // False without memory.
    bool Append(absl::string_view data);
    void Clear() { size_ = 0; }

   private:
    struct Free {
      void operator()(char* p) const { std::free(p); }
    };
    std::unique_ptr<char, Free> data_;
    size_t size_ = 0, capacity_ = 0;
  };
  class Writer;  // the thread

  BlockFile(int descriptor, absl::string_view path);
  Status PassOn();
  Status Flush();

  int descriptor_;  // -1 once closed
  const std::string path_;
  Block block_;  // being filled
  std::unique_ptr<Writer> writer_;
  bool has_flushed_ = false;  // the caller writes from then on
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_BLOCK_FILE_H_
