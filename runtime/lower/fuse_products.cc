#include "runtime/lower/fuse_products.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/op/op_registry.h"
#include "graph/passes/part_bounds.h"
#include "runtime/kernel/product/product_kernel.h"
#include "runtime/lower/fused_product.h"

namespace warpbeam {
namespace {

using Kind = FusedProgram::Operand::Kind;

#define WB_PRODUCT_WITH_EPILOGUE(op)                                                      \
  WB_OP("_" op "WithEpilogue")                                                            \
      .Costs(CostClass::kProduct)                                                         \
      .Input("inputs: Tin")                                                               \
      .Output("outputs: Tout")                                                            \
      .Attr("Tin: list(type) >= 0")                                                       \
      .Attr("Tout: list(type) >= 0")                                                      \
      .Attr("members: list(string)")                                                      \
      .Stateful()                                                                         \
      .Doc(                                                                               \
          "Stands for a product and the elementwise nodes after it only while a plan is " \
          "compiled.")

WB_PRODUCT_WITH_EPILOGUE("MatMul");
WB_PRODUCT_WITH_EPILOGUE("Conv2D");
WB_PRODUCT_WITH_EPILOGUE("Conv3D");
WB_PRODUCT_WITH_EPILOGUE("DepthwiseConv2dNative");

bool IsProduct(const std::string& op) {
  return op == "MatMul" || op == "Conv2D" || op == "Conv3D" || op == "DepthwiseConv2dNative";
}

// Which input of a member is the result of the one before it, and what the other one is.
struct Link {
  int chain;
  std::optional<Kind> other;  // none: there is no other
};

bool IsOneOf(const std::string& op, std::initializer_list<const char*> ops) {
  for (const char* candidate : ops) {
    if (op == candidate) return true;
  }
  return false;
}

class ProductFuser {
 public:
  // `graph` is that of the part before anything was fused.
  ProductFuser(std::shared_ptr<const Graph> graph, GraphPart* part, const FusionRequest& request)
      : part_(part),
        kept_graph_(std::move(graph)),
        graph_(*kept_graph_),
        request_(request),
        consumers_(part->consumers()),
        bounds_(*part) {}

  Status Run(FusedPrograms* programs) {
    for (const NodeId id : std::vector<NodeId>(part_->nodes)) {
      if (!IsProduct(graph_.node(id).op_name()) || !IsMember(id)) continue;
      Kernel* product = request_.kernel_of(id);
      const bool on_cpu = request_.is_cpu(graph_.site(id));
      if (on_cpu ? dynamic_cast<ProductKernel*>(product) == nullptr
                 : !TakesEpilogue(graph_.node(id), product)) {
        continue;
      }
      FusedProgram program = Begin(id, product);
      std::vector<NodeId> chain = {id};
      while (std::optional<NodeId> next = OnlyReader(chain.back())) {
        const bool joins =
            on_cpu ? Append(*next, chain.back(), &program) : AppendOnGpu(*next, chain, &program);
        if (!joins) break;
        chain.push_back(*next);
      }
      if (chain.size() < 2) continue;
      program.steps.back().output = 0;
      WB_RETURN_IF_ERROR(Replace(chain, program));
      absl::StrAppend(&part_->notes, "# ", graph_.node(chain.back()).name(), " stands for ",
                      program.ToString(), "\n");
      programs->emplace(chain.back(), std::move(program));
    }
    return OkStatus();
  }

 private:
  static constexpr size_t kMostMembers = 8;

  bool IsMember(NodeId id) const {
    const Node& node = graph_.node(id);
    if (bounds_.IsFed(id) || taken_.contains(id) || node.num_outputs() != 1) return false;
    for (const OutputRef in : node.inputs()) {
      if (in.node == kNoNode || graph_.node(in.node).output_type(in.index) != node.output_type(0)) {
        return false;
      }
    }
    return !IsRef(node.output_type(0));
  }

  // The node that alone sees the result, which it reads once.
  std::optional<NodeId> OnlyReader(NodeId id) const {
    if (bounds_.IsWanted(id)) return std::nullopt;
    std::optional<NodeId> reader;
    for (const Consumers::Use& use : consumers_->of(id)) {
      if (!bounds_.Runs(use.node)) continue;
      if (use.input < 0 || reader.has_value()) return std::nullopt;
      reader = use.node;
    }
    return reader;
  }

  FusedProgram Begin(NodeId id, Kernel* kernel) {
    const Node& node = graph_.node(id);
    input_of_.clear();
    sources_.clear();
    columns_ = 0;
    FusedProgram program;
    program.output_types = {node.output_type(0)};
    FusedProgram::Step step = StepOf(node, kernel);
    for (const OutputRef in : node.inputs()) {
      step.inputs.push_back({Kind::kInput, InputOf(in, &program)});
    }
    program.steps.push_back(std::move(step));
    return program;
  }

  static FusedProgram::Step StepOf(const Node& node, Kernel* kernel) {
    FusedProgram::Step step;
    step.name = node.name();
    step.kernel = kernel;
    step.input_types = node.input_types();
    step.output_types = node.output_types();
    return step;
  }

  int InputOf(OutputRef r, FusedProgram* program) {
    const auto [it, added] = input_of_.try_emplace(r, static_cast<int>(sources_.size()));
    if (added) {
      sources_.push_back(r);
      FusedProgram::Input input;
      input.dtype = graph_.node(r.node).output_type(r.index);
      program->inputs.push_back(input);
    }
    return it->second;
  }

  // False when the node is no member of a chain that ends in `last`; nothing has changed then.
  bool Append(NodeId id, NodeId last, FusedProgram* program) {
    const Node& node = graph_.node(id);
    if (program->steps.size() == kMostMembers || !IsMember(id) ||
        graph_.site(id) != graph_.site(last) || node.output_type(0) != program->output_types[0]) {
      return false;
    }
    const std::optional<Link> link = LinkOf(node, last);
    if (!link.has_value()) return false;
    const bool is_vector = link->other == Kind::kColumns;
    if (is_vector && columns_ == kMostColumnOperands) return false;
    Kernel* kernel = request_.kernel_of(id);
    const auto* block = dynamic_cast<const BlockKernel*>(kernel);
    if (block == nullptr || block->may_refuse() || block->num_variables() > 0) return false;
    const std::vector<const Tensor*> unknown(node.num_inputs(), nullptr);
    if (!block->AcceptsInputs(unknown)) return false;

    columns_ += is_vector ? 1 : 0;
    FusedProgram::Step step = StepOf(node, kernel);
    step.member = step.block = block;
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (i == link->chain) {
        step.inputs.push_back({Kind::kResult, static_cast<int>(program->steps.size()) - 1});
      } else {
        step.inputs.push_back({*link->other, InputOf(node.input(i), program)});
      }
    }
    program->steps.push_back(std::move(step));
    taken_.insert(id);
    return true;
  }

  // The same on a GPU: a bias behind the product, and a Relu behind that.
  bool AppendOnGpu(NodeId id, const std::vector<NodeId>& chain, FusedProgram* program) {
    const Node& node = graph_.node(id);
    const NodeId last = chain.back();
    if (!IsMember(id) || graph_.site(id) != graph_.site(last)) return false;
    const bool is_bias = program->epilogue == GpuEpilogue::kNone &&
                         IsBiasOf(node, graph_.node(chain[0])) && node.input(1).node != last;
    const bool is_relu = program->epilogue == GpuEpilogue::kBias && node.op_name() == "Relu";
    Kernel* kernel = is_bias || is_relu ? request_.kernel_of(id) : nullptr;
    if (kernel == nullptr) return false;
    FusedProgram::Step step = StepOf(node, kernel);
    step.inputs.push_back({Kind::kResult, static_cast<int>(program->steps.size()) - 1});
    if (is_bias) step.inputs.push_back({Kind::kColumns, InputOf(node.input(1), program)});
    program->epilogue = is_bias ? GpuEpilogue::kBias : GpuEpilogue::kBiasRelu;
    program->steps.push_back(std::move(step));
    taken_.insert(id);
    return true;
  }

  // Whether a bias goes along what the product's library takes for columns or channels. A matrix
  // has its columns last and second.
  static bool IsBiasOf(const Node& node, const Node& product) {
    if (!IsOneOf(node.op_name(), {"BiasAdd", "BiasAddV1"})) return false;
    if (product.op_name() == "MatMul") return true;
    const std::string kLast = "NHWC";
    return node.attrs().GetOr<std::string>("data_format", kLast) ==
           product.attrs().GetOr<std::string>("data_format", kLast);
  }

  std::optional<Link> LinkOf(const Node& node, NodeId last) const {
    const std::string& op = node.op_name();
    if (node.num_inputs() == 1) return Link{0, std::nullopt};
    if (node.num_inputs() != 2) return std::nullopt;
    const int chain = node.input(0).node == last ? 0 : 1;
    if (IsOneOf(op, {"BiasAdd", "BiasAddV1"})) {
      if (chain != 0) return std::nullopt;
      return Link{0, Kind::kColumns};
    }
    if (IsOneOf(op, {"ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad",
                     "SoftplusGrad", "SoftsignGrad"})) {
      if (chain != 0) return std::nullopt;
      return Link{0, Kind::kInput};
    }
    if (IsOneOf(op, {"TanhGrad", "SigmoidGrad"})) {
      if (chain != 1) return std::nullopt;
      return Link{1, Kind::kInput};
    }
    if (!IsOneOf(op, {"Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum"})) return std::nullopt;
    // Tensors of the result's own size are left to the chains that FuseElementwise finds.
    const OutputRef other = node.input(1 - chain);
    const PartialShape& shape = graph_.node(other.node).output_shape(other.index);
    if (!shape.IsFullyDefined()) return std::nullopt;
    if (shape.num_elements() == 1) return Link{chain, Kind::kScalar};
    if (shape.rank() == 1) return Link{chain, Kind::kColumns};
    return std::nullopt;
  }

  // The chain's last node stands for all: nobody reads or waits for the others.
  Status Replace(const std::vector<NodeId>& chain, const FusedProgram& program) const {
    const NodeId host = chain.back();
    const absl::flat_hash_set<NodeId> inside(chain.begin(), chain.end());
    NodeSpec spec;
    spec.op = absl::StrCat("_", graph_.node(chain[0]).op_name(), "WithEpilogue");
    std::vector<NodeId> controls;
    std::vector<std::string> members;
    for (const NodeId id : chain) {
      members.push_back(graph_.node(id).name());
      for (const NodeId c : graph_.node(id).control_inputs()) {
        if (!inside.contains(c)) controls.push_back(c);
      }
    }
    std::vector<DType> types;
    for (const FusedProgram::Input& input : program.inputs) types.push_back(input.dtype);
    spec.attrs.Set("Tin", types);
    spec.attrs.Set("Tout", program.output_types);
    spec.attrs.Set("members", members);
    const PartialShape shape = graph_.node(host).output_shape(0);
    return part_->Edit().ReplaceNode(host, std::move(spec), sources_, std::move(controls), {shape});
  }

  GraphPart* const part_;
  const std::shared_ptr<const Graph> kept_graph_;
  const Graph& graph_;
  const FusionRequest& request_;
  const std::shared_ptr<const Consumers> consumers_;
  const PartBounds bounds_;
  absl::flat_hash_set<NodeId> taken_;  // members of a chain, but for products
  // The inputs of the program at hand.
  absl::flat_hash_map<OutputRef, int> input_of_;
  std::vector<OutputRef> sources_;
  int columns_ = 0;  // operands with an element for each column
};

}  // namespace

Status FuseProducts(GraphPart* part, const FusionRequest& request, FusedPrograms* programs) {
  if (!part->HasOp([](const OpSchema& op) { return IsProduct(op.name); })) return OkStatus();
  WB_RETURN_IF_ERROR(PairBiasGradients(part, request, programs));
  part->Fork();
  return ProductFuser(part->graph, part, request).Run(programs);
}

}  // namespace warpbeam
