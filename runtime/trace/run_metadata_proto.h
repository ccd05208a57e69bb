// The wire form of what a run tells: TensorFlow's StepStats and RunMetadata, which its timeline
// module, TensorBoard and profilers read.
//
//   std::string bytes = SerializeStepStats(metadata.step_stats);      // tensorflow.StepStats
//   WB_ASSIGN_OR_RETURN(std::string all,                              // tensorflow.RunMetadata
//                       SerializeRunMetadata(stats, cost, partitions));
//
// Copies are on a device of their own ("…/gpu:0/memcpy"), so that a timeline shows them in a row of
// theirs. Thread safety: pure. Errors: of attributes that have no wire form.
#ifndef WARPBEAM_RUNTIME_TRACE_RUN_METADATA_PROTO_H_
#define WARPBEAM_RUNTIME_TRACE_RUN_METADATA_PROTO_H_

#include <string>
#include <vector>

#include "graph/types/status.h"
#include "runtime/trace/run_graphs.h"
#include "runtime/trace/step_stats.h"

namespace tensorflow {
class RunMetadata;
}  // namespace tensorflow

namespace warpbeam {

std::string SerializeStepStats(const StepStats& stats);

absl::Status RunMetadataToProto(const StepStats& stats, const CostGraph& cost,
                                const std::vector<DeviceGraph>& partitions,
                                tensorflow::RunMetadata* proto);
absl::StatusOr<std::string> SerializeRunMetadata(const StepStats& stats, const CostGraph& cost,
                                                 const std::vector<DeviceGraph>& partitions);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_TRACE_RUN_METADATA_PROTO_H_
