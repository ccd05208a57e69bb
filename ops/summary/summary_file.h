// SummaryFile: an event file that ops write, the resource behind a SummaryWriter's handle.
//
//   WB_ASSIGN_OR_RETURN(std::shared_ptr<SummaryFile> file, SummaryFile::Open("/logs", {}));
//   WB_RETURN_IF_ERROR(file->Write(event));
//
// Events are flushed when more than `max_queue` of them lie in memory, or `flush_millis` after the
// latest flush; only a call to Write looks at the clock.
//
// Ownership: owns its file; the destructor writes what is left. Thread safety: any thread. Errors:
// those of files; FAILED_PRECONDITION after Close.
#ifndef WARPBEAM_OPS_SUMMARY_SUMMARY_FILE_H_
#define WARPBEAM_OPS_SUMMARY_SUMMARY_FILE_H_

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/record/record_writer.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

// Seconds since 1970, as events have them.
double WallTime();

class SummaryFile final : public Resource {
 public:
  struct Options {
    int64_t max_queue;
    int64_t flush_millis;
    std::string suffix;  // of the file's name
  };
  static StatusOr<std::shared_ptr<SummaryFile>> Open(const std::string& directory, Options options);
  SummaryFile(Options options, std::unique_ptr<RecordWriter> file)
      : options_(std::move(options)), file_(std::move(file)) {}
  std::string DebugString() const override { return "an event file"; }

  // A serialized Event.
  Status Write(absl::string_view event);
  Status Flush();
  Status Close();

 private:
  using Clock = std::chrono::steady_clock;
  Status FlushLocked();

  const Options options_;
  std::mutex mutex_;  // of all below: the file is written one event after the other
  std::unique_ptr<RecordWriter> file_;
  int64_t unflushed_ = 0;
  Clock::time_point flushed_at_ = Clock::now();
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SUMMARY_SUMMARY_FILE_H_
