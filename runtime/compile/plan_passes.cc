#include "runtime/compile/plan_passes.h"

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
#include "graph/passes/simplify.h"
#include "graph/passes/slice_first.h"
#include "graph/passes/unread_gradients.h"
#include "placement/average.h"
#include "runtime/comm/gpu_communicator.h"
#include "runtime/compile/all_reduce_averages.h"
#include "runtime/compile/lower_calls.h"
#include "runtime/effects/determinism_checks.h"
#include "runtime/effects/order_collectives.h"
#include "runtime/effects/order_effects.h"
#include "runtime/kernel/product/tensor_float_32.h"
#include "runtime/lower/evaluator.h"
#include "runtime/lower/fuse_products.h"

namespace warpbeam {
namespace {

constexpr char kAverage[] = "_Average";
constexpr const char* kBeforeCut[] = {"narrow",     "inline",      "average",    "all_reduce",
                                      "fold",       "branches",    "unread",     "simplify",
                                      "batch_norm", "slice_first", "mask_first", "cse"};
constexpr const char* kAfterCut[] = {"products", "fuse"};

std::string DescribeAverage(const Graph& graph, const AverageMatch& match) {
  return absl::StrCat("# ", graph.node(match.result).name(), " averages ",
                      absl::StrJoin(match.inputs, ", ",
                                    [&](std::string* out, OutputRef in) {
                                      absl::StrAppend(out, graph.node(in.node).name(), ":",
                                                      in.index);
                                    }),
                      "\n");
}

Status ReplaceAverage(const AverageMatch& match, GraphPart* part) {
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
Status ReplaceAverages(GraphPart* part) {
  if (part->graph->ops().Find(kAverage) == nullptr) return OkStatus();
  if (!part->HasOp([](const OpSchema& op) { return MayEndAverage(op); })) return OkStatus();
  const std::shared_ptr<const Graph> graph = part->graph;
  const std::shared_ptr<const Consumers> consumers = part->consumers();
  for (const AverageMatch& match :
       FindAverages(*graph, {part->nodes, part->feeds, part->fetches, part->targets}, *consumers)) {
    WB_RETURN_IF_ERROR(ReplaceAverage(match, part));
    absl::StrAppend(&part->notes, DescribeAverage(*graph, match));
  }
  return OkStatus();
}

class PlanPasses {
 public:
  PlanPasses(const CompileEnv& env, const StepBounds& bounds, const PlanMode& mode)
      : env_(env), bounds_(bounds), mode_(mode) {}

  StatusOr<LoweringPart> Run() {
    GraphPart& part = result_.part;
    part.graph = bounds_.graph;
    part.feeds = bounds_.feeds;
    part.fetches = bounds_.fetches;
    part.targets = bounds_.targets;
    PassPipeline pipeline;
    AddTo(&pipeline);
    WB_RETURN_IF_ERROR(pipeline.Select(mode_.required_passes_only ? "none" : env_.passes));
    WB_RETURN_IF_ERROR(pipeline.Run(&part, env_.dump));
    WB_ASSIGN_OR_RETURN(result_.order, part.Ordered());
    return std::move(result_);
  }

 private:
  void AddTo(PassPipeline* pipeline) {
    pipeline->AddRequired("prune", [](GraphPart* part) {
      part->Prune();
      return OkStatus();
    });
    // Names that belong to the other side of the cut are known, and nothing is to be done.
    const PassPipeline::Pass elsewhere = [](GraphPart* /*part*/) { return OkStatus(); };
    if (mode_.stage == PassStage::kAfterCut) {
      for (const char* name : kBeforeCut) pipeline->Add(name, elsewhere);
    } else {
      AddBeforeCut(pipeline);
    }
    if (mode_.stage == PassStage::kBeforeCut) {
      for (const char* name : kAfterCut) pipeline->Add(name, elsewhere);
    } else {
      AddAfterCut(pipeline);
    }
  }

  // What looks at the graph as a whole, wherever its nodes run.
  void AddBeforeCut(PassPipeline* pipeline) {
    pipeline->Add("narrow", NarrowNodes);
    if (env_.bodies) pipeline->Add("inline", [this](GraphPart* part) { return Inline(part); });
    if (env_.bodies && env_.sites != nullptr) {
      pipeline->AddRequired("lower", [this](GraphPart* part) {
        return LowerCalls({env_.bodies, env_.sites}, part);
      });
    }
    pipeline->AddRequired("late_reads", [this](GraphPart* part) { return ReadLate(part); });
    if (env_.deterministic) {
      pipeline->AddRequired("determinism", [this](GraphPart* part) { return Determine(part); });
    }
    pipeline->AddRequired("average", ReplaceAverages);
    pipeline->Add("all_reduce", [this](GraphPart* part) { return AllReduce(part); });
    const auto fold = [this](GraphPart* part) {
      const NodeEvaluator evaluate(env_.kernels->registry(), env_.devices->device(0));
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
    pipeline->Add("slice_first", SliceFirst);
    pipeline->Add("mask_first", MaskFirst);
    pipeline->Add("cse", MergeEqual);
    pipeline->AddRequired("collectives", [this](GraphPart* part) {
      return OrderCollectives(part, [this](Site site) { return !IsCpu(site); });
    });
  }

  // What asks the devices that nodes run on for their kernels.
  void AddAfterCut(PassPipeline* pipeline) {
    pipeline->AddRequired("tf32", [this](GraphPart* part) {
      NoteTensorFloat32(part);
      return OkStatus();
    });
    pipeline->Add("products", [this](GraphPart* part) {
      WB_ASSIGN_OR_RETURN(const FusionRequest fusion, Fusion(*part));
      return FuseProducts(part, fusion, &result_.programs);
    });
    pipeline->Add("fuse", [this](GraphPart* part) {
      WB_ASSIGN_OR_RETURN(const FusionRequest fusion, Fusion(*part));
      return FuseElementwise(part, fusion, &result_.programs);
    });
  }

  Status Inline(GraphPart* part) {
    InlineRequest inlining;
    inlining.bodies = env_.bodies;
    inlining.device_name = [this](Site site) { return sites()[site].ToString(); };
    return InlineCalls(inlining, part);
  }

  const std::vector<DeviceName>& sites() const {
    return env_.sites != nullptr ? env_.sites->names() : env_.devices->names();
  }
  bool IsCpu(Site site) const { return sites()[site].known_type() == DeviceType::kCpu; }
  bool IsOneTask(Site a, Site b) const {
    return env_.sites == nullptr || env_.sites->task_of(a) == env_.sites->task_of(b);
  }

  Status ReadLate(GraphPart* part) {
    const auto shares_memory = [this, graph = part->graph](NodeId from, NodeId to) {
      const Site a = graph->site(from), b = graph->site(to);
      return a == b || (IsCpu(a) && IsCpu(b) && IsOneTask(a, b));
    };
    return RepeatLateReads(shares_memory, part);
  }

  Status AllReduce(GraphPart* part) {
    // The members of a sum have to be of one step in one task, and to run at the same time.
    if (env_.sites != nullptr || mode_.partial || mode_.one_thread) return OkStatus();
    const auto connects = [this](Span<const Site> towers, DType dtype) {
      std::vector<Device*> devices;
      for (const Site tower : towers) devices.push_back(env_.devices->device(tower));
      return HasGpuCommunicatorOf(devices, dtype);
    };
    return AllReduceAverages(connects, part);
  }

  Status Determine(GraphPart* part) {
    WB_RETURN_IF_ERROR(CheckDeterminism(*part, [this](Site site) -> const Device* {
      return env_.sites != nullptr ? nullptr : env_.devices->device(site);
    }));
    return OrderEffects(part, &result_.effects);
  }

  StatusOr<FusionRequest> Fusion(const GraphPart& part) {
    const std::shared_ptr<const Graph> graph = part.graph;
    FusionRequest fusion;
    fusion.is_cpu = [this](Site site) { return IsCpu(site); };
    fusion.runs_gpu_steps = [this](Site site) {
      const Device& device = *env_.devices->device(site);
      return device.type() == DeviceType::kGpu && device.runs_gpu_kernels();
    };
    fusion.kernel_of = [this, graph](NodeId id) -> Kernel* {
      // A replaced node's kernel is made anew for each plan, where it is lowered.
      Device* device = env_.devices->device(graph->site(id));
      if (graph->IsReplaced(id)) return KernelOfReplaced(graph->node(id), device);
      auto kernel = env_.kernels->Get(graph->node(id), device, env_.services);
      return kernel.ok() ? *kernel : nullptr;
    };
    return fusion;
  }

  // Says of which products the factors may be rounded (runtime/kernel/product/tensor_float_32.h).
  void NoteTensorFloat32(GraphPart* part) const {
    if (!TensorFloat32()) return;
    std::vector<absl::string_view> names;
    for (const NodeId id : part->nodes) {
      const Node& node = part->graph->node(id);
      if (node.op().cost_class != CostClass::kElements && node.num_outputs() > 0 &&
          node.output_type(0) == DType::kFloat &&
          env_.devices->device(part->graph->site(id))->has_driver()) {
        names.push_back(node.name());
      }
    }
    if (names.empty()) return;
    absl::StrAppend(&part->notes,
                    "# in TF32, where the libraries choose it: ", absl::StrJoin(names, ", "), "\n");
  }

  Kernel* KernelOfReplaced(const Node& node, Device* device) {
    auto kernel = env_.kernels->Make(node, device, env_.services);
    if (!kernel.ok()) return nullptr;
    result_.kernels.push_back(*std::move(kernel));
    return result_.kernels.back().get();
  }

  const CompileEnv& env_;
  const StepBounds& bounds_;
  const PlanMode& mode_;
  LoweringPart result_;
};

}  // namespace

StatusOr<LoweringPart> RunPlanPasses(const CompileEnv& env, const StepBounds& bounds,
                                     const PlanMode& mode) {
  return PlanPasses(env, bounds, mode).Run();
}

}  // namespace warpbeam
