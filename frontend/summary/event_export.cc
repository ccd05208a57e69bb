#include "frontend/summary/event.h"
#include "graph/io/graph_export.h"
#include "proto/event.pb.h"

namespace warpbeam {
namespace frontend {
namespace summary {
namespace {

tensorflow::Event NewEvent(double time, int64_t step) {
  tensorflow::Event event;
  event.set_wall_time(time);
  event.set_step(step);
  return event;
}

}  // namespace

std::string VersionEvent(double time) {
  tensorflow::Event event = NewEvent(time, 0);
  event.set_file_version("brain.Event:2");
  return event.SerializeAsString();
}

StatusOr<std::string> SummaryEvent(double time, int64_t step, std::string_view serialized) {
  tensorflow::Event event = NewEvent(time, step);
  if (!event.mutable_summary()->ParseFromArray(serialized.data(),
                                               static_cast<int>(serialized.size()))) {
    return InvalidArgument("what is to be written at step ", step, " (", serialized.size(),
                           " bytes) is no serialized Summary; give what a summary operation gave");
  }
  return event.SerializeAsString();
}

std::string ScalarEvent(double time, int64_t step, std::string_view tag, float value) {
  tensorflow::Event event = NewEvent(time, step);
  tensorflow::Summary::Value* entry = event.mutable_summary()->add_value();
  entry->set_tag(std::string(tag));
  entry->set_simple_value(value);
  return event.SerializeAsString();
}

StatusOr<std::string> GraphEvent(double time, const Graph& graph) {
  tensorflow::Event event = NewEvent(time, 0);
  WB_ASSIGN_OR_RETURN(*event.mutable_graph_def(), ExportGraphDef(graph));
  return event.SerializeAsString();
}

std::string RunMetadataEvent(double time, int64_t step, std::string_view tag,
                             std::string_view serialized) {
  tensorflow::Event event = NewEvent(time, step);
  event.mutable_tagged_run_metadata()->set_tag(std::string(tag));
  event.mutable_tagged_run_metadata()->set_run_metadata(std::string(serialized));
  return event.SerializeAsString();
}

std::string SessionLogEvent(double time, int64_t step, SessionStatus status,
                            std::string_view checkpoint) {
  tensorflow::Event event = NewEvent(time, step);
  tensorflow::SessionLog* log = event.mutable_session_log();
  log->set_status(static_cast<tensorflow::SessionLog::SessionStatus>(status));
  log->set_checkpoint_path(std::string(checkpoint));
  return event.SerializeAsString();
}

}  // namespace summary
}  // namespace frontend
}  // namespace warpbeam
