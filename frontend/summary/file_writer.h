// FileWriter: writes summaries and graphs into event files, for TensorBoard
// (tf.summary.FileWriter).
//
//   StatusOr<std::unique_ptr<FileWriter>> writer = FileWriter::Open("/tmp/train");
//   Status s = (*writer)->AddGraph(scope);
//   s = (*writer)->AddSummary(fetched, step);           // returns at once
//   s = (*writer)->Close();
//
// A thread of its own writes, so that a step never waits for the disk unless `max_queue` events are
// waiting already. Files are "events.out.tfevents.SECONDS.HOST.PID.NUMBER" in the directory, which
// is made if need be; beyond `max_file_bytes` the next one is begun. Every event is a record of its
// own with a checksum: whoever is killed loses what was not flushed, never what was.
//
// Ownership: owns its thread and file; the destructor closes. Thread safety: any thread. Errors:
// the first one of writing (a full disk…) comes out of the next call and of all later ones;
// INVALID_ARGUMENT for what is no Summary; FAILED_PRECONDITION after Close.
#ifndef WARPBEAM_FRONTEND_SUMMARY_FILE_WRITER_H_
#define WARPBEAM_FRONTEND_SUMMARY_FILE_WRITER_H_

#include <memory>
#include <string>
#include <string_view>

#include "frontend/scope.h"
#include "frontend/summary/event.h"
#include "graph/types/tensor.h"

namespace warpbeam {
namespace frontend {
namespace summary {

struct FileWriterOptions {
  size_t max_queue = 1000;     // events
  double flush_secs = 120;     // how long an event may lie in memory
  int64_t max_file_bytes = 0;  // 0: one file
  std::string filename_suffix;
};

class FileWriter {
 public:
  static StatusOr<std::unique_ptr<FileWriter>> Open(
      const std::string& directory, const FileWriterOptions& options = FileWriterOptions());
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // What a summary operation gave: a scalar string, serialized.
  Status AddSummary(const Tensor& summary, int64_t step);
  Status AddSummary(std::string_view serialized, int64_t step);
  Status AddScalar(std::string_view tag, float value, int64_t step);
  Status AddGraph(const Scope& scope);
  // A serialized RunMetadata (runtime/trace/run_metadata_proto.h).
  Status AddRunMetadata(std::string_view serialized, std::string_view tag, int64_t step);
  // A serialized Event, as it is (tensorflow.Event).
  Status AddEvent(std::string_view serialized);
  // A serialized MetaGraphDef.
  Status AddMetaGraph(std::string_view serialized);
  Status AddSessionLog(SessionStatus status, int64_t step, std::string_view checkpoint = "");

  // Returns when everything added so far can be read from the file.
  Status Flush();
  // Writes what is left. Closing twice is no error.
  Status Close();

  // The file that is being written, and the directory in which it is.
  std::string path() const;
  const std::string& directory() const;

 private:
  class Queue;  // of events, the thread that writes them, and its file

  explicit FileWriter(std::unique_ptr<Queue> queue);

  const std::unique_ptr<Queue> queue_;
};

}  // namespace summary
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SUMMARY_FILE_WRITER_H_
