#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/op/op_registry.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/part_bounds.h"
#include "graph/passes/redirects.h"
#include "placement/liveness.h"
#include "runtime/kernel/product/product_kernel.h"
#include "runtime/lower/fuse_products.h"

namespace warpbeam {
namespace {

using Kind = FusedProgram::Operand::Kind;

constexpr char kBiasGradient[] = "BiasAddGrad";
constexpr char kPair[] = "_MatMulWithBiasGrad";

WB_OP("_MatMulWithBiasGrad")
    .Costs(CostClass::kProduct)
    .Input("inputs: Tin")
    .Output("outputs: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("members: list(string)")
    .Stateful()
    .Doc("Stands for a product and the sums of one of its factors only while a plan is compiled.");

class GradientPairer {
 public:
  GradientPairer(const GraphPart& before, const FusionRequest& request, GraphPart* part)
      : part_(part),
        graph_(*before.graph),
        request_(request),
        consumers_(before.consumers()),
        bounds_(before),
        liveness_(graph_, before.nodes, before.feeds),
        redirects_(graph_) {}

  Status Run(const std::vector<NodeId>& nodes, FusedPrograms* programs) {
    for (const NodeId id : nodes) {
      if (graph_.node(id).op_name() == kBiasGradient && IsMember(id)) {
        WB_RETURN_IF_ERROR(Pair(id, programs));
      }
    }
    return redirects_.Apply(part_);
  }

 private:
  // On a GPU, computed in every step, from tensors of its own type.
  bool IsMember(NodeId id) {
    const Node& node = graph_.node(id);
    if (bounds_.IsFed(id) || node.num_outputs() != 1 || request_.is_cpu(graph_.site(id))) {
      return false;
    }
    for (const OutputRef in : node.inputs()) {
      if (in.node == kNoNode || liveness_.MayBeDead(in) ||
          graph_.node(in.node).output_type(in.index) != node.output_type(0)) {
        return false;
      }
    }
    const std::vector<NodeId>& controls = node.control_inputs();
    return std::none_of(controls.begin(), controls.end(),
                        [&](NodeId c) { return liveness_.MayBeDead(c); });
  }

  // What a product adds up of the gradient `dy`: its columns, as BiasAddGrad does, or no such sums.
  static GpuEpilogue SumsOf(const Node& product, OutputRef dy) {
    if (product.op_name() != "MatMul") return GpuEpilogue::kNone;
    const bool a_transposed = product.attrs().GetOr<bool>("transpose_a", false);
    const bool b_transposed = product.attrs().GetOr<bool>("transpose_b", false);
    if (product.input(1) == dy && !b_transposed) return GpuEpilogue::kSecondSums;
    if (product.input(0) == dy && a_transposed) return GpuEpilogue::kFirstSums;
    return GpuEpilogue::kNone;
  }

  Status Pair(NodeId gradient, FusedPrograms* programs) {
    const OutputRef dy = graph_.node(gradient).input(0);
    for (const Consumers::Use& use : consumers_->of(dy.node)) {
      if (use.input < 0 || !bounds_.Runs(use.node) || paired_.contains(use.node)) continue;
      const Node& product = graph_.node(use.node);
      const GpuEpilogue epilogue = SumsOf(product, dy);
      if (epilogue == GpuEpilogue::kNone || !IsMember(use.node) ||
          graph_.site(use.node) != graph_.site(gradient)) {
        continue;
      }
      Kernel* const multiplies = request_.kernel_of(use.node);
      Kernel* const sums = request_.kernel_of(gradient);
      if (sums == nullptr || !TakesEpilogue(product, multiplies)) continue;
      paired_.insert(use.node);
      return Join(use.node, multiplies, gradient, sums, epilogue, programs);
    }
    return OkStatus();
  }

  Status Join(NodeId product, Kernel* multiplies, NodeId gradient, Kernel* sums,
              GpuEpilogue epilogue, FusedPrograms* programs) {
    const Node &node = graph_.node(product), &other = graph_.node(gradient);
    const DType dtype = node.output_type(0);
    const int of = epilogue == GpuEpilogue::kFirstSums ? 0 : 1;  // which of the product's inputs
    FusedProgram program;
    program.epilogue = epilogue;
    program.inputs.resize(2);
    for (FusedProgram::Input& input : program.inputs) input.dtype = dtype;
    program.output_types = {dtype, dtype};
    program.steps = {StepOf(node, multiplies, {{Kind::kInput, 0}, {Kind::kInput, 1}}, 0),
                     StepOf(other, sums, {{Kind::kInput, of}}, 1)};
    NodeSpec spec;
    spec.op = kPair;
    spec.attrs.Set("Tin", std::vector<DType>{dtype, dtype});
    spec.attrs.Set("Tout", program.output_types);
    spec.attrs.Set("members", std::vector<std::string>{node.name(), other.name()});
    std::vector<NodeId> controls = node.control_inputs();
    const std::vector<NodeId>& more = other.control_inputs();
    controls.insert(controls.end(), more.begin(), more.end());
    absl::StrAppend(&part_->notes, "# ", node.name(), " stands for ", program.ToString(), "\n");
    redirects_.Output({gradient, 0}, {product, 1});
    redirects_.Control(gradient, {product});
    programs->emplace(product, std::move(program));
    return part_->Edit().ReplaceNode(product, std::move(spec), {node.input(0), node.input(1)},
                                     std::move(controls),
                                     {node.output_shape(0), other.output_shape(0)});
  }

  static FusedProgram::Step StepOf(const Node& node, Kernel* kernel,
                                   std::vector<FusedProgram::Operand> inputs, int output) {
    FusedProgram::Step step;
    step.name = node.name();
    step.kernel = kernel;
    step.inputs = std::move(inputs);
    step.input_types = node.input_types();
    step.output_types = node.output_types();
    step.output = output;
    return step;
  }

  GraphPart* const part_;
  const Graph& graph_;
  const FusionRequest& request_;
  const std::shared_ptr<const Consumers> consumers_;
  const PartBounds bounds_;
  Liveness liveness_;
  Redirects redirects_;
  absl::flat_hash_set<NodeId> paired_;  // products
};

}  // namespace

bool TakesEpilogue(const Node& node, Kernel* kernel) {
  constexpr TypeSet kTypes = {DType::kHalf, DType::kBFloat16, DType::kFloat};
  return dynamic_cast<GpuProductKernel*>(kernel) != nullptr && kTypes.contains(node.output_type(0));
}

Status PairBiasGradients(GraphPart* part, const FusionRequest& request, FusedPrograms* programs) {
  if (!part->HasOp(kBiasGradient) || HasLoops(*part)) return OkStatus();
  const GraphPart before = *part;
  part->Fork();
  FusedPrograms paired;
  WB_RETURN_IF_ERROR(GradientPairer(before, request, part).Run(before.nodes, &paired));
  if (paired.empty()) return OkStatus();
  part->Prune();
  if (!part->Ordered().ok()) {
    // A path from one of a pair to the other made a ring: rare, and then there are no pairs.
    *part = before;
    return OkStatus();
  }
  programs->merge(paired);
  return OkStatus();
}

}  // namespace warpbeam
