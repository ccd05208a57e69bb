// WriterLock: one process at a time saves checkpoints under a path. Two would remove each other's
// old checkpoints and list only their own.
//
//   WB_ASSIGN_OR_RETURN(auto lock, WriterLock::Take("/tmp/train/model.ckpt"));
//   std::lock_guard<std::mutex> turn(lock->turns());       // the threads of this process
//
// The file "PATH.lock" holds the process id and a lock of the system (flock), which ends with the
// process however that ends. Whoever takes it removes what a killed writer has left half-written.
// On file systems without locks nothing is refused and nothing removed.
//
// Ownership: holds the lock as long as it lives; savers of one process share it. Thread safety: any
// thread. Errors: FAILED_PRECONDITION naming the other process; those of files.
#ifndef WARPBEAM_FRONTEND_SAVER_WRITER_LOCK_H_
#define WARPBEAM_FRONTEND_SAVER_WRITER_LOCK_H_

#include <memory>
#include <mutex>
#include <string>

#include "graph/types/status_or.h"

namespace warpbeam {
namespace frontend {
namespace train {

class WriterLock {
 public:
  // `path` is that of Saver::Save, without the step; its directory must be there.
  static StatusOr<std::shared_ptr<WriterLock>> Take(const std::string& path);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  std::mutex& turns();

 private:
  struct Held;  // what the handles of one process share

  explicit WriterLock(Held* held) : held_(held) {}

  Held* const held_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_WRITER_LOCK_H_
