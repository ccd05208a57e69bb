#include "runtime/checkpoint/bundle_replacement.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/record/file_root.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// The digits of a shard's number in a file name.
constexpr size_t kShardDigits = 5;

// Removes a file's name. Its space is given back on a thread that nobody waits for: that takes 60
// ms for 500 MB, and is done by the system at the latest when the process ends.
Status RemoveFile(const std::string& path) {
  const int held = files::Open(path, O_PATH | O_CLOEXEC);
  const int error = files::Unlink(path) == 0 ? 0 : errno;
  if (held >= 0) {
    StatusOr<std::thread> thread = NewThread([held] { close(held); });
    if (thread.ok()) {
      thread->detach();
    } else {
      close(held);
    }
  }
  if (error == 0 || error == ENOENT) return OkStatus();
  return ErrnoToStatus(error, absl::StrCat("cannot remove ", files::Shown(path)));
}

}  // namespace

int32_t ShardCountBeside(absl::string_view prefix, int32_t count) {
  const auto old = BundleReader::Open(prefix);
  // What cannot be read is no checkpoint that has to stay.
  return old.ok() && (*old)->header().num_shards == count ? count + 1 : count;
}

Status RemoveOtherData(absl::string_view prefix, int32_t num_shards) {
  const std::string first = DataFileName(prefix, 0, num_shards);
  const size_t slash = prefix.rfind('/');
  const absl::string_view name =
      slash == absl::string_view::npos ? prefix : prefix.substr(slash + 1);
  const std::string begin = absl::StrCat(name, ".data-");
  const std::string end = first.substr(first.rfind("-of-"));
  const std::string directory = DirectoryOf(prefix);
  const auto files_beside = files::List(directory);
  // A directory that may not be listed keeps what is in it.
  if (!files_beside.ok()) return OkStatus();
  for (const std::string& file : *files_beside) {
    // "NAME.data-00000-of-00001", and nothing that somebody writes aside.
    if (file.size() == begin.size() + kShardDigits + end.size() && absl::StartsWith(file, begin) &&
        !absl::EndsWith(file, end)) {
      WB_RETURN_IF_ERROR(RemoveFile(absl::StrCat(directory, "/", file)));
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
