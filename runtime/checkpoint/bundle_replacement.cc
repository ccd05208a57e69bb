#include "runtime/checkpoint/bundle_replacement.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {
namespace {

// Of the number of a shard in a file name.
constexpr size_t kShardDigits = 5;

}  // namespace

int32_t ShardCountBeside(absl::string_view prefix, int32_t count) {
  const auto old = BundleReader::Open(prefix);
  // What cannot be read is no checkpoint that has to stay.
  return old.ok() && (*old)->header().num_shards == count ? count + 1 : count;
}

absl::Status RemoveOtherData(absl::string_view prefix, int32_t num_shards) {
  const std::string first = DataFileName(prefix, 0, num_shards);
  const std::string name = std::filesystem::path(std::string(prefix)).filename().string();
  const std::string begin = absl::StrCat(name, ".data-");
  const std::string end = first.substr(first.rfind("-of-"));
  std::error_code error;
  std::vector<std::filesystem::path> gone;
  for (const auto& entry : std::filesystem::directory_iterator(DirectoryOf(prefix), error)) {
    const std::string file = entry.path().filename().string();
    // "NAME.data-00000-of-00001", and nothing that somebody writes aside.
    if (file.size() == begin.size() + kShardDigits + end.size() && absl::StartsWith(file, begin) &&
        !absl::EndsWith(file, end)) {
      gone.push_back(entry.path());
    }
  }
  for (const auto& file : gone) {
    if (unlink(file.c_str()) != 0 && errno != ENOENT) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot remove ", file.string()));
    }
  }
  return absl::OkStatus();
}

}  // namespace warpbeam
