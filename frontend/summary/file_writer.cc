#include "frontend/summary/file_writer.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/event_file/event_file.h"
#include "runtime/record/record_writer.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace frontend {
namespace summary {
namespace {

double SecondsNow() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

class FileWriter::Queue {
 public:
  Queue(std::string directory, const FileWriterOptions& options)
      : directory_(std::move(directory)), options_(options) {}

  Status Start();
  Status Add(std::string event);
  Status Flush();
  Status Close();
  std::string path() const;
  const std::string& directory() const { return directory_; }

 private:
  Status BeginFile();
  void WriteAll();
  Status Write(const std::string& event);

  const std::string directory_;
  const FileWriterOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;  // serialized Events
  int64_t added_ = 0;
  int64_t flushed_ = 0;      // of those added, how many can be read
  int64_t wants_flush_ = 0;  // how many somebody waits for
  bool closing_ = false;
  Status status_;  // the first error of writing
  std::string path_;

  // Only the thread uses these once it runs.
  std::unique_ptr<RecordWriter> file_;
  int64_t file_bytes_ = 0;
  int files_ = 0;
  std::thread thread_;
};

StatusOr<std::unique_ptr<FileWriter>> FileWriter::Open(const std::string& directory,
                                                       const FileWriterOptions& options) {
  if (options.max_queue == 0 || !(options.flush_secs > 0)) {
    return InvalidArgument(
        "an event file needs a queue of at least one event and a time to flush "
        "above 0; they are ",
        options.max_queue, " and ", options.flush_secs, " s");
  }
  auto queue = std::make_unique<Queue>(directory, options);
  WB_RETURN_IF_ERROR(queue->Start());
  return std::unique_ptr<FileWriter>(new FileWriter(std::move(queue)));
}

FileWriter::FileWriter(std::unique_ptr<Queue> queue) : queue_(std::move(queue)) {}

FileWriter::~FileWriter() { Close().IgnoreError(); }

Status FileWriter::Queue::Start() {
  WB_RETURN_IF_ERROR(BeginFile());
  WB_ASSIGN_OR_RETURN(thread_, NewThread([this] { WriteAll(); }));
  return OkStatus();
}

Status FileWriter::Queue::BeginFile() {
  const std::string version = VersionEvent(SecondsNow());
  WB_ASSIGN_OR_RETURN(file_,
                      BeginEventFile(directory_, options_.filename_suffix, version, &files_));
  file_bytes_ = static_cast<int64_t>(version.size());
  std::lock_guard<std::mutex> lock(mutex_);
  path_ = file_->path();
  return OkStatus();
}

Status FileWriter::Queue::Add(std::string event) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock,
                [&] { return queue_.size() < options_.max_queue || closing_ || !status_.ok(); });
  WB_RETURN_IF_ERROR(status_);
  if (closing_) return FailedPrecondition("the event file '", path_, "' is closed");
  queue_.push_back(std::move(event));
  ++added_;
  changed_.notify_all();
  return OkStatus();
}

Status FileWriter::AddSummary(const Tensor& summary, int64_t step) {
  if (summary.dtype() != DType::kString || summary.num_elements() != 1) {
    return InvalidArgument(
        "a summary is one string; this is ",
        summary.has_value() ? absl::StrCat(DTypeName(summary.dtype()), summary.shape().ToString())
                            : "nothing");
  }
  return AddSummary(*summary.data<std::string>(), step);
}

Status FileWriter::AddSummary(std::string_view serialized, int64_t step) {
  WB_ASSIGN_OR_RETURN(std::string event, SummaryEvent(SecondsNow(), step, serialized));
  return queue_->Add(std::move(event));
}

Status FileWriter::AddScalar(std::string_view tag, float value, int64_t step) {
  return queue_->Add(ScalarEvent(SecondsNow(), step, tag, value));
}

Status FileWriter::AddGraph(const Scope& scope) {
  WB_RETURN_IF_ERROR(scope.status());
  WB_ASSIGN_OR_RETURN(std::string event, GraphEvent(SecondsNow(), *scope.graph()));
  return queue_->Add(std::move(event));
}

Status FileWriter::AddRunMetadata(std::string_view serialized, std::string_view tag, int64_t step) {
  return queue_->Add(RunMetadataEvent(SecondsNow(), step, tag, serialized));
}

Status FileWriter::AddEvent(std::string_view serialized) {
  WB_RETURN_IF_ERROR(ParseEvent(serialized).status());
  return queue_->Add(std::string(serialized));
}

Status FileWriter::AddMetaGraph(std::string_view serialized) {
  WB_ASSIGN_OR_RETURN(std::string event, MetaGraphEvent(SecondsNow(), serialized));
  return queue_->Add(std::move(event));
}

Status FileWriter::AddSessionLog(SessionStatus status, int64_t step, std::string_view checkpoint) {
  return queue_->Add(SessionLogEvent(SecondsNow(), step, status, checkpoint));
}

Status FileWriter::Flush() { return queue_->Flush(); }

Status FileWriter::Queue::Flush() {
  std::unique_lock<std::mutex> lock(mutex_);
  const int64_t wanted = added_;
  wants_flush_ = std::max(wants_flush_, wanted);
  changed_.notify_all();
  changed_.wait(lock, [&] { return flushed_ >= wanted || !status_.ok(); });
  return status_;
}

Status FileWriter::Close() { return queue_->Close(); }

Status FileWriter::Queue::Close() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  std::lock_guard<std::mutex> lock(mutex_);
  return status_;
}

std::string FileWriter::path() const { return queue_->path(); }

const std::string& FileWriter::directory() const { return queue_->directory(); }

std::string FileWriter::Queue::path() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return path_;
}

Status FileWriter::Queue::Write(const std::string& event) {
  if (options_.max_file_bytes > 0 && file_bytes_ >= options_.max_file_bytes) {
    WB_RETURN_IF_ERROR(file_->Close());
    WB_RETURN_IF_ERROR(BeginFile());
  }
  file_bytes_ += static_cast<int64_t>(event.size());
  return file_->Write(event);
}

// The thread: writes what is queued, and flushes when somebody waits for it or time is up.
void FileWriter::Queue::WriteAll() {
  using Clock = std::chrono::steady_clock;
  const auto interval = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(options_.flush_secs, 1e9)));
  auto next_flush = Clock::now() + interval;
  int64_t written = 0;
  std::deque<std::string> batch;
  for (;;) {
    bool flushes, ends;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_until(lock, next_flush,
                          [&] { return !queue_.empty() || closing_ || wants_flush_ > flushed_; });
      batch.swap(queue_);
      ends = closing_;
      flushes = ends || wants_flush_ > flushed_ || Clock::now() >= next_flush;
      changed_.notify_all();
    }
    Status status;
    for (const std::string& event : batch) {
      if (status.ok()) status = Write(event);
      ++written;
    }
    batch.clear();
    if (status.ok() && flushes) status = ends ? file_->Close() : file_->Flush();
    if (flushes) next_flush = Clock::now() + interval;
    std::lock_guard<std::mutex> lock(mutex_);
    if (flushes) flushed_ = written;
    if (status_.ok()) status_ = status;
    changed_.notify_all();
    if ((ends && queue_.empty()) || !status_.ok()) return;
  }
}

}  // namespace summary
}  // namespace frontend
}  // namespace warpbeam
