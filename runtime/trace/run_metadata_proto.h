// The wire form of what a run tells: TensorFlow's StepStats and RunMetadata, which its timeline
// module, TensorBoard and profilers read.
//
//   std::string bytes = SerializeStepStats(metadata.step_stats);      // tensorflow.StepStats
//   WB_ASSIGN_OR_RETURN(std::string all,                              // tensorflow.RunMetadata
//                       SerializeRunMetadata(stats, cost, partitions));
//
// Copies are on a device of their own ("…/gpu:0/memcpy"), so that a timeline shows them in a row of
// theirs. What another task of a cluster tells of its part of a step is read back:
//
//   AppendStepStats(told_by_ps, &metadata.step_stats);                // a tensorflow.StepStats
//
// Thread safety: pure. Errors: of attributes that have no wire form; INVALID_ARGUMENT for what is
// no graph.
#ifndef WARPBEAM_RUNTIME_TRACE_RUN_METADATA_PROTO_H_
#define WARPBEAM_RUNTIME_TRACE_RUN_METADATA_PROTO_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"
#include "runtime/trace/run_graphs.h"
#include "runtime/trace/step_stats.h"

namespace tensorflow {
class CostGraphDef;
class GraphDef;
class RunMetadata;
class StepStats;
}  // namespace tensorflow

namespace warpbeam {

std::string SerializeStepStats(const StepStats& stats);
void StepStatsToProto(const StepStats& stats, tensorflow::StepStats* proto);
void CostGraphToProto(const CostGraph& cost, tensorflow::CostGraphDef* proto);
Status DeviceGraphToProto(const DeviceGraph& part, tensorflow::GraphDef* proto);

// Adds what a task has told to `stats`, which has no threads in common with it. Its clock's time of
// day is taken as this machine's. What the message does not say (cores, CPU time, bytes read) stays
// unknown.
void AppendStepStats(const tensorflow::StepStats& proto, StepStats* stats);
// The device is that of the first node that has one.
StatusOr<DeviceGraph> DeviceGraphFromProto(const tensorflow::GraphDef& proto);

Status RunMetadataToProto(const StepStats& stats, const CostGraph& cost,
                          const std::vector<DeviceGraph>& partitions,
                          tensorflow::RunMetadata* proto);
StatusOr<std::string> SerializeRunMetadata(const StepStats& stats, const CostGraph& cost,
                                           const std::vector<DeviceGraph>& partitions);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_TRACE_RUN_METADATA_PROTO_H_
