// Which elementwise nodes run together: the decisions behind FuseElementwise.
//
//   std::vector<std::vector<FusionMember>> groups =
//       FindFusionGroups(part, request, consumers, members);
//
// `members` are in a topological order, and so is each group. Only groups of two and more are
// given. Internal to runtime/lower/. Thread safety: a pure function. Errors: none.
#ifndef WARPBEAM_RUNTIME_LOWER_FUSION_GROUPS_H_
#define WARPBEAM_RUNTIME_LOWER_FUSION_GROUPS_H_

#include <vector>

#include "graph/passes/pass_pipeline.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

struct FusionRequest;

struct FusionMember {
  NodeId node = kNoNode;
  Kernel* kernel = nullptr;
  const FusibleKernel* fusible = nullptr;
  const BlockKernel* block = nullptr;  // on a CPU
  int gpu_function = -1;               // on a GPU
  Shape shape;
};

std::vector<std::vector<FusionMember>> FindFusionGroups(const GraphPart& part,
                                                        const FusionRequest& request,
                                                        const Consumers& consumers,
                                                        const std::vector<FusionMember>& members);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_FUSION_GROUPS_H_
