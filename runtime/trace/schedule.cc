#include "runtime/trace/schedule.h"

#include <fstream>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace {

constexpr char kHeader[] = "warpbeam schedule 1";

}  // namespace

StatusOr<Schedule> Schedule::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("the schedule ", path, " cannot be read");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return Parse(text, path);
}

StatusOr<Schedule> Schedule::Parse(const std::string& text, const std::string& name) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  size_t at = 0;
  const auto refuse = [&](const std::string& why) {
    return InvalidArgument("the schedule ", name, ", line ", at + 1, ": ", why);
  };
  if (lines[0] != kHeader) return refuse(absl::StrCat("it is not '", kHeader, "'"));
  Schedule schedule;
  for (at = 1; at < lines.size(); ++at) {
    const std::vector<std::string> words = absl::StrSplit(lines[at], '\t');
    const std::vector<std::string> end = absl::StrSplit(lines[at], ' ');
    if (end[0] == "end" && words.size() == 1) {
      size_t count = 0;
      if (end.size() == 2 && absl::SimpleAtoi(end[1], &count) && count == schedule.tasks.size()) {
        return schedule;
      }
      return refuse("there are more or fewer tasks than it says");
    }
    if (words.size() < 2) return refuse("a task is a lane and items with tabs between");
    schedule.tasks.push_back({words[0], {words.begin() + 1, words.end()}});
  }
  --at;
  return refuse("the line 'end COUNT' is missing");
}

std::string Schedule::ToText() const {
  std::string text = absl::StrCat(kHeader, "\n");
  for (const Task& task : tasks) {
    absl::StrAppend(&text, task.lane, "\t", absl::StrJoin(task.items, "\t"), "\n");
  }
  return absl::StrCat(text, "end ", tasks.size(), "\n");
}

}  // namespace warpbeam
