#include "tools/cli/simulation/search_report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "graph/types/shown_name.h"
#include "placement/report.h"
#include "placement/short_names.h"
#include "placement/simulate/json_object.h"
#include "placement/simulate/simulation_report.h"

namespace warpbeam {
namespace cli {
namespace {

constexpr size_t kMostMoves = 10;

struct MoveRow {
  const SearchExplanation::Group* group;
  const std::string* to;
  double step_s;
};

// The moves that change the step most, in either direction, most first.
std::vector<MoveRow> LargestMoves(const SearchExplanation& explanation) {
  std::vector<MoveRow> rows;
  for (const SearchExplanation::Group& group : explanation.groups) {
    rows.push_back({&group, &group.best_device, group.best_step_s});
    if (group.worst_device == group.best_device) continue;
    rows.push_back({&group, &group.worst_device, group.worst_step_s});
  }
  const auto change = [&](const MoveRow& row) { return std::abs(row.step_s - explanation.step_s); };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const MoveRow& a, const MoveRow& b) { return change(a) > change(b); });
  if (rows.size() > kMostMoves) rows.resize(kMostMoves);
  return rows;
}

}  // namespace

SearchExplanation SearchExplanation::Of(const Machine& machine, const SearchedStep& searched) {
  const StepGraph& step = searched.step;
  const FoundPlacement& found = searched.found;
  SearchExplanation explanation;
  explanation.step_s = found.step_s;
  const auto name = [&](int device) { return machine.device(device).name.ToString(); };
  for (const GroupMoves& moves : searched.moves) {
    const std::vector<int>& members = searched.groups.members[moves.group];
    const int device = found.devices[moves.group];
    const int longest = *std::max_element(members.begin(), members.end(), [&](int a, int b) {
      return step.Seconds(a, device) < step.Seconds(b, device);
    });
    explanation.groups.push_back({step.name(longest), static_cast<int>(members.size()),
                                  moves.seconds, name(device), name(moves.best_device),
                                  name(moves.worst_device), moves.best_step_s, moves.worst_step_s});
  }
  return explanation;
}

std::string SearchExplanation::ToText() const {
  if (groups.empty()) return "\nNothing that takes time could be elsewhere.\n";
  std::vector<std::string> devices;
  for (const Group& group : groups) {
    for (const std::string* device : {&group.device, &group.best_device, &group.worst_device}) {
      if (std::find(devices.begin(), devices.end(), *device) == devices.end()) {
        devices.push_back(*device);
      }
    }
  }
  const ShortDeviceNames short_names(devices);
  std::string text = "\nThe moves that would change the step most:\n";
  for (const MoveRow& row : LargestMoves(*this)) {
    absl::StrAppendFormat(
        &text, "  %9s  %+6.1f %%  %s from %s to %s%s\n", SecondsText(row.step_s),
        step_s > 0 ? 100 * (row.step_s / step_s - 1) : 0.0, ShownName(row.group->name),
        short_names.Short(row.group->device), short_names.Short(*row.to),
        row.group->nodes > 1
            ? absl::StrCat(", with ", row.group->nodes - 1,
                           row.group->nodes == 2 ? " node" : " nodes", " beside it")
            : "");
  }
  return text;
}

std::string SearchExplanation::ToJsonKeys() const {
  std::vector<std::string> moves, rows;
  for (const MoveRow& row : LargestMoves(*this)) {
    moves.push_back(JsonObject()
                        .Add("name", row.group->name)
                        .Add("nodes", row.group->nodes)
                        .Add("from", row.group->device)
                        .Add("to", *row.to)
                        .Add("step_time_s", row.step_s)
                        .Text());
  }
  for (const Group& group : groups) {
    rows.push_back(JsonObject()
                       .Add("name", group.name)
                       .Add("nodes", group.nodes)
                       .Add("seconds", group.seconds)
                       .Add("device", group.device)
                       .Add("rule", std::string(PlacementRuleName(PlacementRule::kSearched)))
                       .Add("best_other", group.best_device)
                       .Add("best_other_step_time_s", group.best_step_s)
                       .Text());
  }
  return JsonObject().AddText("moves", JsonList(moves)).AddText("groups", JsonList(rows)).Pairs();
}

}  // namespace cli
}  // namespace warpbeam
