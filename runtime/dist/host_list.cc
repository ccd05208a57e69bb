#include "runtime/dist/host_list.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace {

// A few characters of list can ask for any number of hosts.
constexpr size_t kMostHosts = size_t{1} << 20;

bool ParseNumber(absl::string_view text, int* number) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, number);
}

// At the commas outside of brackets.
std::vector<absl::string_view> SplitOutside(absl::string_view list) {
  std::vector<absl::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    depth += list[i] == '[' ? 1 : list[i] == ']' ? -1 : 0;
    if (list[i] != ',' || depth != 0) continue;
    parts.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(list.substr(begin));
  return parts;
}

// "01-03,7", what stands in brackets.
StatusOr<std::vector<std::string>> ExpandNumbers(absl::string_view ranges) {
  std::vector<std::string> numbers;
  for (const absl::string_view range : absl::StrSplit(ranges, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(range, '-');
    int first = 0, last = 0;
    if (ends.size() > 2 || !ParseNumber(ends.front(), &first) || !ParseNumber(ends.back(), &last)) {
      return InvalidArgument("'", range, "' is no number and no range of numbers");
    }
    if (last < first) return InvalidArgument("the range '", range, "' ends before it begins");
    if (numbers.size() + (last - first) >= kMostHosts) return InvalidArgument("there are too many");
    const int digits = static_cast<int>(ends.front().size());
    for (int64_t number = first; number <= last; ++number) {
      numbers.push_back(absl::StrFormat("%0*d", digits, number));
    }
  }
  return numbers;
}

StatusOr<std::vector<std::string>> ExpandName(absl::string_view name) {
  const size_t open = name.find('[');
  if (open == absl::string_view::npos) {
    if (name.empty()) return InvalidArgument("a name is missing");
    if (absl::StrContains(name, ']')) return InvalidArgument("a ']' has no '['");
    return std::vector<std::string>{std::string(name)};
  }
  const size_t close = name.find(']', open);
  if (close == absl::string_view::npos) return InvalidArgument("a '[' has no ']'");
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> numbers,
                      ExpandNumbers(name.substr(open + 1, close - open - 1)));
  std::vector<std::string> endings = {""};
  if (close + 1 < name.size()) {
    WB_ASSIGN_OR_RETURN(endings, ExpandName(name.substr(close + 1)));
  }
  if (numbers.size() * endings.size() > kMostHosts) return InvalidArgument("there are too many");
  std::vector<std::string> names;
  for (const std::string& number : numbers) {
    for (const std::string& ending : endings) {
      names.push_back(absl::StrCat(name.substr(0, open), number, ending));
    }
  }
  return names;
}

}  // namespace

StatusOr<std::vector<std::string>> ExpandHostList(absl::string_view list) {
  std::vector<std::string> hosts;
  for (const absl::string_view part : SplitOutside(list)) {
    const auto names = ExpandName(part);
    WB_RETURN_IF_ERROR(Annotate(names.status(), absl::StrCat("the list of hosts '", list, "'")));
    hosts.insert(hosts.end(), names->begin(), names->end());
    if (hosts.size() > kMostHosts) {
      return InvalidArgument("the list of hosts '", list, "': there are too many");
    }
  }
  return hosts;
}

StatusOr<std::vector<int>> ExpandTasksPerNode(absl::string_view list) {
  std::vector<int> tasks;
  for (absl::string_view part : absl::StrSplit(list, ',')) {
    int count = 0, times = 1;
    const size_t open = part.find("(x");
    const bool repeats = open != absl::string_view::npos && absl::EndsWith(part, ")");
    const bool is_good =
        ParseNumber(part.substr(0, repeats ? open : part.size()), &count) &&
        (!repeats || ParseNumber(part.substr(open + 2, part.size() - open - 3), &times));
    if (!is_good || tasks.size() + times > kMostHosts) {
      return InvalidArgument("'", part, "' in the numbers of tasks per node '", list,
                             "' is not of the form 2 or 2(x3)");
    }
    tasks.insert(tasks.end(), times, count);
  }
  return tasks;
}

StatusOr<HostTasks> ExpandHostSlots(absl::string_view list, int num_tasks) {
  HostTasks hosts;
  bool has_slots = false;
  int64_t all_slots = 0;
  for (const absl::string_view part : SplitOutside(list)) {
    const size_t colon = part.rfind(':');
    int slots = 1;
    if (colon != absl::string_view::npos && !ParseNumber(part.substr(colon + 1), &slots)) {
      return InvalidArgument("'", part, "' in the list of hosts '", list,
                             "' is not of the form host or host:tasks");
    }
    has_slots = has_slots || colon != absl::string_view::npos;
    const auto names = ExpandName(part.substr(0, colon));
    WB_RETURN_IF_ERROR(Annotate(names.status(), absl::StrCat("the list of hosts '", list, "'")));
    for (const std::string& name : *names) hosts.emplace_back(name, slots);
    all_slots += static_cast<int64_t>(slots) * static_cast<int64_t>(names->size());
    if (hosts.size() > kMostHosts) {
      return InvalidArgument("the list of hosts '", list, "': there are too many");
    }
  }
  const int num_hosts = static_cast<int>(hosts.size());
  if (!has_slots && num_tasks % num_hosts == 0) {
    for (auto& [name, tasks] : hosts) tasks = num_tasks / num_hosts;
    return hosts;
  }
  if (all_slots < num_tasks) {
    return InvalidArgument("the hosts '", list, "' take ", all_slots, " tasks, but there are ",
                           num_tasks, ": write how many each takes, as in a:2,b:4");
  }
  // The first are filled first.
  int left = num_tasks;
  for (auto& [name, tasks] : hosts) {
    tasks = std::min(tasks, left);
    left -= tasks;
  }
  return hosts;
}

}  // namespace warpbeam
