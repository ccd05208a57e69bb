#include "ops/summary/summary_file.h"

#include <utility>

#include "graph/types/errors.h"
#include "proto/event.pb.h"
#include "runtime/event_file/event_file.h"

namespace warpbeam {

double WallTime() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

StatusOr<std::shared_ptr<SummaryFile>> SummaryFile::Open(const std::string& directory,
                                                         Options options) {
  tensorflow::Event version;
  version.set_wall_time(WallTime());
  version.set_file_version("brain.Event:2");
  int number = 0;
  WB_ASSIGN_OR_RETURN(
      std::unique_ptr<RecordWriter> file,
      BeginEventFile(directory, options.suffix, version.SerializeAsString(), &number));
  return std::make_shared<SummaryFile>(std::move(options), std::move(file));
}

Status SummaryFile::Write(absl::string_view event) {
  std::lock_guard<std::mutex> lock(mutex_);
  WB_RETURN_IF_ERROR(file_->Write(event));
  const auto since = Clock::now() - flushed_at_;
  if (++unflushed_ <= options_.max_queue &&
      since <= std::chrono::milliseconds(options_.flush_millis)) {
    return OkStatus();
  }
  return FlushLocked();
}

Status SummaryFile::Flush() {
  std::lock_guard<std::mutex> lock(mutex_);
  return FlushLocked();
}

Status SummaryFile::FlushLocked() {
  unflushed_ = 0;
  flushed_at_ = Clock::now();
  return file_->Flush();
}

Status SummaryFile::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  return file_->Close();
}

}  // namespace warpbeam
