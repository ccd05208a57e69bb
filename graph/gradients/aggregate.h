// Sums of gradients, ones and zeros: the nodes that the backward walk makes of its own accord.
//
//   AggregateScope scope;  scope.prefix = "gradients/";
//   WB_ASSIGN_OR_RETURN(GradientValue sum, SumGradients(graph, parts, scope));
//
// Thread safety: that of the graph. Errors: those of NodeBuilder.
#ifndef WARPBEAM_GRAPH_GRADIENTS_AGGREGATE_H_
#define WARPBEAM_GRAPH_GRADIENTS_AGGREGATE_H_

#include <string>
#include <vector>

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

// Where such nodes go: names begin with `prefix` (which ends in '/').
struct AggregateScope {
  std::string prefix;
  std::string device;
  AttrMap attrs;
  SourceLocation location;
};

// The sum of one or more values, none of them empty: AddN of dense ones (slices beside dense ones
// are made dense), slices put one after the other where all are slices.
StatusOr<GradientValue> SumGradients(Graph& graph, const std::vector<GradientValue>& parts,
                                     const AggregateScope& scope);

// `value.dense`, or slices summed into zeros; not for a value that is none.
StatusOr<OutputRef> Densify(Graph& graph, const GradientValue& value, const AggregateScope& scope);

// Lets no value go on before all are computed: a NoOp, "tuple/group_deps", that waits for all, and
// for each an Identity, "tuple/control_dependency", that waits for it. Of fewer than two nothing.
Status GateGradients(Graph& graph, const std::vector<GradientValue*>& values,
                     const AggregateScope& scope);

// Ones or zeros of the shape and type of `like`.
StatusOr<OutputRef> EmitOnes(Graph& graph, OutputRef like, const AggregateScope& scope);
StatusOr<OutputRef> EmitZeros(Graph& graph, OutputRef like, const AggregateScope& scope);

// One node named after its op, and a constant.
StatusOr<OutputRef> EmitNode(Graph& graph, const AggregateScope& scope, absl::string_view op,
                             const std::vector<NodeInput>& inputs, const AttrMap& attrs = {});
StatusOr<OutputRef> EmitConst(Graph& graph, const AggregateScope& scope, Tensor value);
StatusOr<OutputRef> EmitKnownZeros(Graph& graph, DType type, const Shape& shape,
                                   const AggregateScope& scope);
// A scalar zero of the type; INVALID_ARGUMENT for types that have no gradient.
StatusOr<Tensor> ZeroOf(DType type);

// "name/" such that no node's name begins with it: "gradients/", "gradients_1/"…
std::string UniqueScope(Graph& graph, absl::string_view name);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_AGGREGATE_H_
