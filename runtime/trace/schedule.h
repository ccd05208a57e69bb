// Schedule: in which order the tasks of a step began, lane by lane, for having another step begin
// them so again: to see a bug once more that depends on the order, or to compare with a simulation.
//
//   RunOptions options;  options.record_schedule = true;
//   session->Run(options, feeds, fetches, targets, &out, &metadata);
//   WriteFile(path, metadata.schedule.ToText());
//
//   WB_ASSIGN_OR_RETURN(Schedule recorded, Schedule::Read(path));
//   options.replay_schedule = std::make_shared<const Schedule>(std::move(recorded));
//
// A task is what a plan has one thread run at a stretch (runtime/plan/plan.h); its items are nodes
// and copies. The text is a line "warpbeam schedule 1", for each task, in the order in which they
// began, a line of its lane and its items with tabs between, and a line "end COUNT".
//
// Thread safety: values. Errors: NOT_FOUND for a file that cannot be read, INVALID_ARGUMENT with
// name and line for a text of another form or version.
#ifndef WARPBEAM_RUNTIME_TRACE_SCHEDULE_H_
#define WARPBEAM_RUNTIME_TRACE_SCHEDULE_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

struct Schedule {
  struct Task {
    std::string lane;  // the device whose threads or stream run it
    std::vector<std::string> items;
    bool operator==(const Task& other) const { return lane == other.lane && items == other.items; }
  };
  std::vector<Task> tasks;

  static StatusOr<Schedule> Read(const std::string& path);
  // `name` is the text's, for messages.
  static StatusOr<Schedule> Parse(const std::string& text, const std::string& name);
  std::string ToText() const;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_TRACE_SCHEDULE_H_
