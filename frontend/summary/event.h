// Events: the records of an event file, as bytes (tensorflow.Event).
//
//   WB_ASSIGN_OR_RETURN(std::string record, GraphEvent(time, graph));
//
// Times are seconds since 1970. Ownership: values. Thread safety: pure, as far as the graph is
// const. Errors: INVALID_ARGUMENT for bytes that are not what they should be; those of
// graph/io/graph_export.h.
#ifndef WARPBEAM_FRONTEND_SUMMARY_EVENT_H_
#define WARPBEAM_FRONTEND_SUMMARY_EVENT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "graph/types/status_or.h"

namespace warpbeam {

class Graph;

namespace frontend {
namespace summary {

// What a run of the program says of itself (tensorflow.SessionLog).
enum class SessionStatus { kStart = 1, kStop = 2, kCheckpoint = 3 };

// The first of a file.
std::string VersionEvent(double time);
// `serialized` is what a summary operation gives.
StatusOr<std::string> SummaryEvent(double time, int64_t step, std::string_view serialized);
// A summary of one number, for what is computed outside of a graph.
std::string ScalarEvent(double time, int64_t step, std::string_view tag, float value);
StatusOr<std::string> GraphEvent(double time, const Graph& graph);
// `serialized` is a MetaGraphDef.
StatusOr<std::string> MetaGraphEvent(double time, std::string_view serialized);

// What a record says.
struct EventRecord {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
  // The summaries of one number, by their tags; those of tensors without dimensions too.
  std::map<std::string, float> scalars;
  std::string summary;     // all of them, a serialized Summary; "" where the event has none
  std::string serialized;  // the Event itself
};
StatusOr<EventRecord> ParseEvent(std::string_view serialized);
// `serialized` is a RunMetadata; TensorBoard shows it under the name `tag`.
std::string RunMetadataEvent(double time, int64_t step, std::string_view tag,
                             std::string_view serialized);
std::string SessionLogEvent(double time, int64_t step, SessionStatus status,
                            std::string_view checkpoint);

}  // namespace summary
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SUMMARY_EVENT_H_
