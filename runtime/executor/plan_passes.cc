#include "runtime/executor/plan_passes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "graph/passes/dead_branches.h"
#include "graph/passes/fold_batch_norm.h"
#include "graph/passes/fold_constants.h"
#include "graph/passes/late_reads.h"
#include "graph/passes/mask_first.h"
#include "graph/passes/merge_equal.h"
#include "graph/passes/narrow_nodes.h"
#include "graph/passes/part_order.h"
#include "graph/passes/simplify.h"
#include "graph/passes/slice_first.h"
#include "graph/passes/unread_gradients.h"
#include "placement/average.h"
#include "runtime/executor/determinism_checks.h"
#include "runtime/executor/order_effects.h"
#include "runtime/lower/evaluator.h"
#include "runtime/lower/fuse_products.h"

namespace warpbeam {
namespace {

constexpr char kAverage[] = "_Average";

std::string DescribeAverage(const Graph& graph, const AverageMatch& match) {
  return absl::StrCat("# ", graph.node(match.result).name(), " averages ",
                      absl::StrJoin(match.inputs, ", ",
                                    [&](std::string* out, OutputRef in) {
                                      absl::StrAppend(out, graph.node(in.node).name(), ":",
                                                      in.index);
                                    }),
                      "\n");
}

absl::Status ReplaceAverage(const AverageMatch& match, GraphPart* part) {
  const Node& node = part->graph->node(match.result);
  NodeSpec spec;
  spec.op = kAverage;
  spec.attrs.Set("N", static_cast<int64_t>(match.inputs.size()));
  spec.attrs.Set("T", BaseType(node.output_type(0)));
  const bool divides = match.scaling == AverageMatch::Scaling::kDivide;
  spec.attrs.Set("divisor", divides ? static_cast<float>(match.factor) : 1.0f);
  spec.attrs.Set("scale", divides ? 1.0f : static_cast<float>(match.factor));
  std::vector<NodeId> controls = node.control_inputs();
  for (const NodeId gone : match.replaced) {
    controls.erase(std::remove(controls.begin(), controls.end(), gone), controls.end());
  }
  controls.insert(controls.end(), match.control_inputs.begin(), match.control_inputs.end());
  const PartialShape shape = node.output_shape(0);
  return part->Edit().ReplaceNode(match.result, std::move(spec), match.inputs, std::move(controls),
                                  {shape});
}

// Part of cutting the graph by devices, so that it happens whatever passes are selected.
absl::Status ReplaceAverages(GraphPart* part) {
  if (part->graph->ops().Find(kAverage) == nullptr) return absl::OkStatus();
  const std::shared_ptr<const Graph> graph = part->graph;
  const Consumers consumers(*graph);
  for (const AverageMatch& match :
       FindAverages(*graph, {part->nodes, part->feeds, part->fetches, part->targets}, consumers)) {
    WB_RETURN_IF_ERROR(ReplaceAverage(match, part));
    absl::StrAppend(&part->notes, DescribeAverage(*graph, match));
  }
  return absl::OkStatus();
}

class PlanPasses {
 public:
  explicit PlanPasses(const PlanRequest& request) : request_(request) {}

  absl::StatusOr<LoweringPart> Run() {
    GraphPart& part = result_.part;
    part.graph = request_.graph;
    part.feeds = request_.feeds;
    part.fetches = request_.fetches;
    part.targets = request_.targets;
    result_.device_of = request_.device_of;
    PassPipeline pipeline;
    AddTo(&pipeline);
    WB_RETURN_IF_ERROR(pipeline.Select(request_.passes));
    WB_RETURN_IF_ERROR(pipeline.Run(&part, request_.dump));
    WB_ASSIGN_OR_RETURN(result_.order, OrderNodes(*part.graph, part.nodes, part.feeds));
    return std::move(result_);
  }

 private:
  void AddTo(PassPipeline* pipeline) {
    pipeline->AddRequired("prune", [](GraphPart* part) {
      part->Prune();
      return absl::OkStatus();
    });
    pipeline->Add("narrow", NarrowNodes);
    if (request_.bodies) pipeline->Add("inline", [this](GraphPart* part) { return Inline(part); });
    pipeline->AddRequired("late_reads", [this](GraphPart* part) { return ReadLate(part); });
    if (request_.deterministic) {
      pipeline->AddRequired("determinism", [this](GraphPart* part) { return Determine(part); });
    }
    pipeline->AddRequired("average", ReplaceAverages);
    const auto fold = [this](GraphPart* part) {
      const NodeEvaluator evaluate(request_.kernels->registry(), request_.devices->device(0));
      return FoldConstants(
          part,
          [&](const Node& node, const std::vector<Tensor>& inputs) {
            return evaluate(node, inputs);
          },
          FoldLimits());
    };
    pipeline->Add("fold", fold);
    pipeline->Add("branches", DeadBranches);
    pipeline->Add("unread", UnreadGradients);
    pipeline->Add("simplify", Simplify);
    pipeline->Add("batch_norm", FoldBatchNorm);
    pipeline->Add("slice_first",
                  [this](GraphPart* part) { return SliceFirst(part, result_.device_of); });
    pipeline->Add("mask_first",
                  [this](GraphPart* part) { return MaskFirst(part, result_.device_of); });
    pipeline->Add("cse", [this](GraphPart* part) { return MergeEqual(part, result_.device_of); });
    pipeline->Add("products", [this](GraphPart* part) {
      WB_ASSIGN_OR_RETURN(const FusionRequest fusion, Fusion(*part));
      return FuseProducts(part, fusion, &result_.programs);
    });
    pipeline->Add("fuse", [this](GraphPart* part) {
      WB_ASSIGN_OR_RETURN(const FusionRequest fusion, Fusion(*part));
      return FuseElementwise(part, fusion, &result_.programs);
    });
  }

  absl::Status Inline(GraphPart* part) {
    InlineRequest inlining;
    inlining.bodies = request_.bodies;
    inlining.device_of = request_.device_of;
    inlining.device_name = [this](int d) { return request_.devices->names()[d].ToString(); };
    InlinedNodes added;
    WB_RETURN_IF_ERROR(InlineCalls(inlining, part, &added));
    TakeDevices(std::move(added));
    return absl::OkStatus();
  }

  absl::Status ReadLate(GraphPart* part) {
    const auto is_cpu = [this](int d) {
      return request_.devices->device(d)->type() == DeviceType::kCpu;
    };
    const auto shares_memory = [this, is_cpu](NodeId from, NodeId to) {
      const int a = result_.device_of(from), b = result_.device_of(to);
      return a == b || (is_cpu(a) && is_cpu(b));
    };
    InlinedNodes added;
    added.first_node = part->graph->num_nodes();
    std::vector<NodeId> beside;
    WB_RETURN_IF_ERROR(RepeatLateReads(shares_memory, part, &beside));
    for (const NodeId id : beside) added.devices.push_back(result_.device_of(id));
    TakeDevices(std::move(added));
    return absl::OkStatus();
  }

  absl::Status Determine(GraphPart* part) {
    WB_RETURN_IF_ERROR(CheckDeterminism(*part));
    InlinedNodes added;
    WB_RETURN_IF_ERROR(OrderEffects(result_.device_of, part, &added, &result_.effects));
    TakeDevices(std::move(added));
    return absl::OkStatus();
  }

  void TakeDevices(InlinedNodes added) {
    if (added.devices.empty()) return;
    result_.device_of = [given = result_.device_of, added = std::move(added)](NodeId id) {
      return added.DeviceOf(id, given);
    };
  }

  absl::StatusOr<FusionRequest> Fusion(const GraphPart& part) {
    const std::shared_ptr<const Graph> graph = part.graph;
    FusionRequest fusion;
    fusion.device_of = result_.device_of;
    fusion.is_cpu = [this](int device) {
      return request_.devices->device(device)->type() == DeviceType::kCpu;
    };
    fusion.kernel_of = [this, graph](NodeId id) -> Kernel* {
      // A replaced node's kernel is made anew for each plan, where it is lowered.
      Device* device = request_.devices->device(result_.device_of(id));
      if (graph->IsReplaced(id)) return KernelOfReplaced(graph->node(id), device);
      auto kernel = request_.kernels->Get(graph->node(id), device, request_.services);
      return kernel.ok() ? *kernel : nullptr;
    };
    return fusion;
  }

  Kernel* KernelOfReplaced(const Node& node, Device* device) {
    auto kernel = request_.kernels->Make(node, device, request_.services);
    if (!kernel.ok()) return nullptr;
    result_.kernels.push_back(*std::move(kernel));
    return result_.kernels.back().get();
  }

  const PlanRequest& request_;
  LoweringPart result_;
};

}  // namespace

absl::StatusOr<LoweringPart> RunPlanPasses(const PlanRequest& request) {
  return PlanPasses(request).Run();
}

}  // namespace warpbeam
