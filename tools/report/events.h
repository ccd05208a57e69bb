// What the event files of a directory hold, by run.
//
//   WB_ASSIGN_OR_RETURN(const std::vector<Run> runs, ReadRuns("/tmp/train"));
//   for (const auto& [tag, points] : runs[0].scalars) …
//
// A run is a directory with event files, at any depth; its name is the path from the one given, and
// that one's own is the last part of its path.
// Training that was started again from a checkpoint says so in its events: what an earlier start
// wrote beyond that step is left out, as TensorBoard does. A file that is damaged or still being
// written counts up to there, with a note.
//
// Thread safety: pure. Errors: NOT_FOUND where there is no event file; those of files.
#ifndef WARPBEAM_TOOLS_REPORT_EVENTS_H_
#define WARPBEAM_TOOLS_REPORT_EVENTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {
namespace report {

struct ScalarPoint {
  int64_t step = 0;
  double value = 0;
};

struct HistogramPoint {
  int64_t step = 0;
  double min = 0, max = 0, count = 0, sum = 0;
  std::vector<double> limits;  // the upper ends of the buckets
  std::vector<double> counts;
};

// A bar of a timeline.
struct NodeRun {
  std::string name;
  std::string op;
  int64_t start_ns = 0, end_ns = 0;  // from the step's first
};

// What ran in a traced step, by device and thread.
struct TracedStep {
  std::string tag;
  int64_t step = 0;
  std::map<std::pair<std::string, uint32_t>, std::vector<NodeRun>> rows;
  int64_t length_ns = 0;
};

struct Run {
  std::string name;
  std::map<std::string, std::vector<ScalarPoint>> scalars;        // by tag, steps rising
  std::map<std::string, std::vector<HistogramPoint>> histograms;  // the same
  std::vector<TracedStep> traces;
  std::string graph;                     // the last GraphDef; empty: none
  std::vector<std::string> checkpoints;  // as they were saved
  std::vector<std::string> notes;        // what was wrong with the files
  double first_time = 0, last_time = 0;  // of its events, in seconds since 1970; 0: there are none
  bool has_stopped = false;              // its last session said that it was done
};

StatusOr<std::vector<Run>> ReadRuns(const std::string& directory);

}  // namespace report
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_REPORT_EVENTS_H_
