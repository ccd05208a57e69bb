// CheckpointsIterator: the checkpoints of a directory as they come, for a program that evaluates
// what another trains (tf.train.checkpoints_iterator).
//
//   CheckpointsIterator checkpoints("/tmp/train", CheckpointsIteratorOptions().timeout_secs(600));
//   for (;;) {
//     WB_ASSIGN_OR_RETURN(const auto prefix, checkpoints.Next());
//     if (!prefix.has_value()) break;                              // none came in ten minutes
//     WB_RETURN_IF_ERROR(saver.Restore(session, *prefix));
//   }
//
// Each gives the newest one there is, so that those that came while one was evaluated are left out.
//
// Ownership: a value. Thread safety: one thread at a time. Errors: DATA_LOSS for a list that is not
// in its form; a directory without a list is one in which nothing has been saved yet.
#ifndef WARPBEAM_FRONTEND_SAVER_CHECKPOINTS_ITERATOR_H_
#define WARPBEAM_FRONTEND_SAVER_CHECKPOINTS_ITERATOR_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "graph/types/status_or.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct CheckpointsIteratorOptions {
  // At least so long from one to the next.
  CheckpointsIteratorOptions& min_interval_secs(double value) {
    min_interval = value;
    return *this;
  }
  // How long to wait for a new one; else for ever.
  CheckpointsIteratorOptions& timeout_secs(double value) {
    timeout = value;
    return *this;
  }
  // Asked when the time is up: false waits once more.
  CheckpointsIteratorOptions& timeout_fn(std::function<bool()> value) {
    ends_at_timeout = std::move(value);
    return *this;
  }
  // How often the directory is looked at.
  CheckpointsIteratorOptions& poll_secs(double value) {
    poll_interval = value;
    return *this;
  }

  double min_interval = 0;
  std::optional<double> timeout;
  std::function<bool()> ends_at_timeout;
  double poll_interval = 1;
};

class CheckpointsIterator {
 public:
  explicit CheckpointsIterator(std::string directory, const CheckpointsIteratorOptions& options =
                                                          CheckpointsIteratorOptions())
      : directory_(std::move(directory)), options_(options) {}

  // Waits for a checkpoint that is not the last one given, and gives its prefix; nothing when the
  // time is up.
  StatusOr<std::optional<std::string>> Next();

 private:
  StatusOr<std::optional<std::string>> Wait() const;

  const std::string directory_;
  const CheckpointsIteratorOptions options_;
  std::string last_;
  double next_secs_ = 0;  // not before this time of the steady clock
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_CHECKPOINTS_ITERATOR_H_
