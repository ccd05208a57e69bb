#include "frontend/summary/event.h"
#include "graph/io/graph_export.h"
#include "proto/event.pb.h"
#include "proto/meta_graph.pb.h"

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

StatusOr<std::string> MetaGraphEvent(double time, std::string_view serialized) {
  tensorflow::MetaGraphDef graph;
  if (!graph.ParseFromArray(serialized.data(), static_cast<int>(serialized.size()))) {
    return InvalidArgument("what is to be written (", serialized.size(),
                           " bytes) is no serialized MetaGraphDef");
  }
  tensorflow::Event event = NewEvent(time, 0);
  event.set_meta_graph_def(std::string(serialized));
  return event.SerializeAsString();
}

StatusOr<EventRecord> ParseEvent(std::string_view serialized) {
  tensorflow::Event event;
  if (!event.ParseFromArray(serialized.data(), static_cast<int>(serialized.size()))) {
    return InvalidArgument(serialized.size(), " bytes that should be a serialized Event are none");
  }
  EventRecord record;
  record.wall_time = event.wall_time();
  record.step = event.step();
  record.serialized = std::string(serialized);
  if (!event.has_summary()) return record;
  record.summary = event.summary().SerializeAsString();
  for (const tensorflow::Summary::Value& entry : event.summary().value()) {
    if (entry.value_case() == tensorflow::Summary::Value::kSimpleValue) {
      record.scalars[entry.tag()] = entry.simple_value();
    } else if (entry.has_tensor() && entry.tensor().tensor_shape().dim_size() == 0 &&
               entry.tensor().float_val_size() == 1) {
      record.scalars[entry.tag()] = entry.tensor().float_val(0);
    }
  }
  return record;
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
