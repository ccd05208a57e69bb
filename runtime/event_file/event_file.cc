#include "runtime/event_file/event_file.h"

#include <unistd.h>

#include <chrono>

#include "absl/strings/str_format.h"
#include "graph/types/errors.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

std::string HostName() {
  char name[256] = "";
  if (gethostname(name, sizeof(name) - 1) != 0) return "localhost";
  return name;
}

}  // namespace

StatusOr<std::unique_ptr<RecordWriter>> BeginEventFile(const std::string& directory,
                                                       const std::string& suffix,
                                                       absl::string_view first_record,
                                                       int* number) {
  if (!directory.empty()) {
    const Status made = files::MakeDirectories(directory);
    if (!made.ok()) return FailedPrecondition(made.message(), " for event files");
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  // Another writer of this process may have begun one in the same second.
  std::string path;
  do {
    path = absl::StrFormat("%s%sevents.out.tfevents.%010d.%s.%d.%d%s", directory,
                           directory.empty() ? "" : "/", seconds, HostName(),
                           static_cast<int>(getpid()), (*number)++, suffix);
  } while (files::Exists(path));
  WB_ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> file, RecordWriter::Create(path));
  WB_RETURN_IF_ERROR(file->Write(first_record));
  // A reader that looks now finds an event file, not an empty one.
  WB_RETURN_IF_ERROR(file->Flush());
  return file;
}

}  // namespace warpbeam
