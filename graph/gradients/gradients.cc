#include "graph/gradients/gradients.h"

#include <utility>

#include "graph/gradients/backward_walk.h"

namespace warpbeam {
namespace {

bool IsOutputOf(const Graph& graph, OutputRef ref) {
  return ref.node >= 0 && ref.node < graph.num_nodes() && ref.index >= 0 &&
         ref.index < graph.node(ref.node).num_outputs();
}

Status CheckOutputs(const Graph& graph, absl::string_view what,
                    const std::vector<OutputRef>& refs) {
  for (size_t i = 0; i < refs.size(); ++i) {
    if (IsOutputOf(graph, refs[i])) continue;
    return InvalidArgument("gradients: ", what, "[", i, "] is no output of a node of the graph");
  }
  return OkStatus();
}

Status CheckArguments(const Graph& graph, const std::vector<OutputRef>& ys,
                      const std::vector<OutputRef>& xs, const GradientOptions& options) {
  WB_RETURN_IF_ERROR(CheckOutputs(graph, "ys", ys));
  WB_RETURN_IF_ERROR(CheckOutputs(graph, "xs", xs));
  WB_RETURN_IF_ERROR(CheckOutputs(graph, "stop_gradients", options.stop_gradients));
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys.size()) {
    return InvalidArgument("gradients: ", options.grad_ys.size(), " grad_ys for ", ys.size(),
                           " ys");
  }
  return OkStatus();
}

// A tensor inside a loop has one value for every iteration: there is no gradient of it.
Status CheckOutsideLoops(const Graph& graph, const LoopStructure& loops, absl::string_view what,
                         const std::vector<OutputRef>& refs) {
  for (size_t i = 0; i < refs.size(); ++i) {
    const int32_t frame = loops.frame_of(refs[i].node);
    if (frame <= 0) continue;
    return InvalidArgument("gradients: ", what, "[", i, "], ",
                           DescribeNode(graph.node(refs[i].node)), ", is inside the loop '",
                           loops.name(frame), "'; take what enters or leaves the loop instead");
  }
  return OkStatus();
}

// What says of slices where they belong is a vector of int32 or int64.
Status CheckWholeVector(const Graph& graph, OutputRef ref, absl::string_view what, size_t i) {
  if (!IsOutputOf(graph, ref)) {
    return InvalidArgument("gradients: the ", what, " of grad_ys[", i,
                           "] is no output of a node of the graph");
  }
  const Node& node = graph.node(ref.node);
  const DType type = BaseType(node.output_type(ref.index));
  const PartialShape& shape = node.output_shape(ref.index);
  const bool is_whole = type == DType::kInt32 || type == DType::kInt64;
  if (is_whole && (!shape.has_rank() || shape.rank() == 1)) return OkStatus();
  return InvalidArgument("gradients: the ", what, " of grad_ys[", i,
                         "] must be a vector of int32 or int64, not ", DTypeName(type),
                         shape.ToString(), " ('", node.name(), "')");
}

StatusOr<GradientValue> GivenSeed(const Graph& graph, OutputRef y, size_t i,
                                  const GradientValue& given) {
  const Node& node = graph.node(y.node);
  const DType type = BaseType(node.output_type(y.index));
  const OutputRef ref = given.part();
  if (!IsOutputOf(graph, ref)) {
    return InvalidArgument("gradients: grad_ys[", i, "] is no output of a node of the graph");
  }
  const DType got = BaseType(graph.node(ref.node).output_type(ref.index));
  if (got != type) {
    return InvalidArgument("gradients: grad_ys[", i, "] is ", DTypeName(got), ", ys[", i, "] is ",
                           DTypeName(type), " ('", node.name(), "')");
  }
  if (given.is_dense()) return given;
  WB_RETURN_IF_ERROR(CheckWholeVector(graph, given.indices, "indices", i));
  WB_RETURN_IF_ERROR(CheckWholeVector(graph, given.dense_shape, "shape", i));
  return given;
}

StatusOr<GradientValue> SeedOf(WalkState& walk, OutputRef y, size_t i) {
  const GradientOptions& options = walk.options;
  if (!options.grad_ys.empty() && !options.grad_ys[i].is_none()) {
    return GivenSeed(walk.graph, y, i, options.grad_ys[i]);
  }
  const Node& node = walk.graph.node(y.node);
  if (IsComplex(BaseType(node.output_type(y.index)))) {
    return InvalidArgument("gradients: ys[", i, "] ('", node.name(),
                           "') is complex: give its gradient in grad_ys");
  }
  AggregateScope scope = walk.ScopeOf(y.node);
  scope.prefix = absl::StrCat(walk.prefix, "grad_ys_", i, "/");
  WB_ASSIGN_OR_RETURN(OutputRef ones, EmitOnes(walk.graph, y, scope));
  return GradientValue::Dense(ones);
}

Status SeedOutputs(WalkState& walk, const std::vector<OutputRef>& ys, RegionWalk* outside) {
  for (size_t i = 0; i < ys.size(); ++i) {
    const DType type = BaseType(walk.graph.node(ys[i].node).output_type(ys[i].index));
    GradientValue seed;
    // Integers have no gradient; strings and the like neither. That of a list has to be given.
    const bool is_given = !walk.options.grad_ys.empty() && !walk.options.grad_ys[i].is_none();
    const bool flows = IsFloating(type) || IsComplex(type) || (type == DType::kVariant && is_given);
    if (flows && walk.between[ys[i].node]) {
      WB_ASSIGN_OR_RETURN(seed, SeedOf(walk, ys[i], i));
    }
    outside->Seed(ys[i], seed);
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::vector<GradientValue>> AddGradients(Graph& graph, const std::vector<OutputRef>& ys,
                                                  const std::vector<OutputRef>& xs,
                                                  const GradientOptions& options) {
  WB_RETURN_IF_ERROR(CheckArguments(graph, ys, xs, options));
  WB_ASSIGN_OR_RETURN(LoopStructure loops, LoopStructure::Find(graph, ys));
  WB_RETURN_IF_ERROR(CheckOutsideLoops(graph, loops, "ys", ys));
  WB_RETURN_IF_ERROR(CheckOutsideLoops(graph, loops, "xs", xs));
  WalkState walk(graph, options, std::move(loops));
  walk.Mark(ys, xs);
  walk.prefix = UniqueScope(graph, options.name);
  RegionWalk outside(&walk, nullptr);
  WB_RETURN_IF_ERROR(SeedOutputs(walk, ys, &outside));
  WB_RETURN_IF_ERROR(outside.Run());
  std::vector<GradientValue> result;
  for (OutputRef x : xs) {
    GradientValue value = walk.Arrived(x);
    if (value.is_none() && options.zeros_for_unconnected) {
      WB_ASSIGN_OR_RETURN(OutputRef zeros, EmitZeros(graph, x, walk.ScopeOf(x.node)));
      value = GradientValue::Dense(zeros);
    }
    result.push_back(value);
  }
  return result;
}

}  // namespace warpbeam
