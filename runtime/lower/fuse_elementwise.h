// FuseElementwise: groups of elementwise nodes become one node: of a CPU one that runs block by
// block, of a GPU one launch.
//
// Two kinds of groups are found. Chains: a node joins the only reader of its result, so that a
// group has one way out. Updates: chains that end in updates of variables and read a tensor in
// common join, such as a weight's L2 penalty, its gradient step and its moving average; they then
// read and write the variables once. Nodes join only when they have the same requested and assigned
// device and shape, are large enough, cannot be dead, and when no path leads from the group through
// others back into it.
//
//   FusionRequest request;
//   request.is_cpu = …;  request.runs_gpu_steps = …;  request.kernel_of = …;
//   FusedPrograms programs;
//   WB_RETURN_IF_ERROR(FuseElementwise(&part, request, &programs));
//   // programs[id] is what the _FusedElementwise node `id` of the part runs
//
// The same part always gives the same groups. Ownership: programs point at kernels of `kernel_of`.
// Thread safety: one thread for a part. Errors: none of its own; what cannot be fused stays.
#ifndef WARPBEAM_RUNTIME_LOWER_FUSE_ELEMENTWISE_H_
#define WARPBEAM_RUNTIME_LOWER_FUSE_ELEMENTWISE_H_

#include <functional>

#include "absl/container/flat_hash_map.h"
#include "graph/passes/pass_pipeline.h"
#include "runtime/lower/fused_kernel.h"

namespace warpbeam {

inline constexpr char kFusedElementwise[] = "_FusedElementwise";

using FusedPrograms = absl::flat_hash_map<NodeId, FusedProgram>;

struct FusionRequest {
  std::function<bool(Site)> is_cpu;
  // Whether it is a GPU that runs the kernels written for GPUs.
  std::function<bool(Site)> runs_gpu_steps;
  // The node's kernel, or null when it cannot be made.
  std::function<Kernel*(NodeId)> kernel_of;
  // What a smaller tensor costs on a CPU is calling kernels, of which a fused node calls as many;
  // on a GPU it is launching them, which is saved at any size.
  int64_t least_elements = 1024;
  int64_t least_gpu_elements = 2;
};

Status FuseElementwise(GraphPart* part, const FusionRequest& request, FusedPrograms* programs);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_FUSE_ELEMENTWISE_H_
