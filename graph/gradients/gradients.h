// AddGradients: adds to a graph the nodes that compute d(sum of ys)/dx for every x.
//
// The walk goes backwards over the nodes between xs and ys; what reaches a tensor along several
// paths is summed (AddN; slices are concatenated). Ops say what their gradient is through
// gradient_registry.h; Switch, Merge and v1 loops are handled by the walk, which finds them by
// their edges, so that imported graphs are understood too.
//
//   GradientOptions options;  options.colocate = true;
//   WB_ASSIGN_OR_RETURN(std::vector<GradientValue> g,
//                       AddGradients(graph, {loss}, {w, b}, options));
//   if (g[0].is_slices()) …                               // an embedding: rows of the gradient
//   WB_ASSIGN_OR_RETURN(OutputRef dense, ToDense(graph, g[0]));
//
// Ownership: the graph owns the nodes added. Thread safety: that of the graph. Errors: NOT_FOUND
// for an op on the way that has no gradient, UNIMPLEMENTED for one that cannot be differentiated
// (with the reason), INVALID_ARGUMENT for ys or grad_ys that do not fit; nodes already added stay.
#ifndef WARPBEAM_GRAPH_GRADIENTS_GRADIENTS_H_
#define WARPBEAM_GRAPH_GRADIENTS_GRADIENTS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/graph.h"

namespace warpbeam {

// Where the nodes of a gradient stand: a name scope that ends in '/', what all of them have of
// attributes, and their device.
struct GradientPlace {
  std::string prefix;
  AttrMap attrs;
  std::string device;
};

struct GradientOptions {
  // The gradients of the ys themselves; empty: all ones. An entry that is none is ones too.
  std::vector<GradientValue> grad_ys;
  // Tensors that count as constants: nothing flows through them.
  std::vector<OutputRef> stop_gradients;
  // Puts every gradient node beside the forward node it belongs to ("_class": "loc:@node").
  bool colocate = false;
  // The scope of the new nodes, made unique.
  std::string name = "gradients";
  // The device requested for new nodes; with `colocate` that of the forward node where it has one.
  std::string device;
  // The "swap_memory" of the stacks that keep a v1 loop's values for its gradient.
  bool swap_memory = false;
  // Of a node whose gradient has several parts, none goes on before all are computed, as the
  // optimizers of Python have it: what then changes a variable that the node has read in place does
  // not change it under the other parts.
  bool gate = false;
  // Instead of none, an x that no y depends on gets zeros of its shape.
  bool zeros_for_unconnected = false;
  const GradientRegistry* registry = nullptr;  // null: the global one
  // Gradients by names of their own, for nodes whose attribute "_gradient_op_type" says one; it may
  // also say the name of an op, whose gradient is then taken.
  std::map<std::string, std::function<Status(GradContext&, const GradientPlace&)>> named;
};

// One value per x, in order; none where no y depends on the x.
StatusOr<std::vector<GradientValue>> AddGradients(Graph& graph, const std::vector<OutputRef>& ys,
                                                  const std::vector<OutputRef>& xs,
                                                  const GradientOptions& options = {});

// The dense tensor of a value that is not none: `value.dense`, or the slices summed into zeros.
StatusOr<OutputRef> ToDense(Graph& graph, const GradientValue& value,
                            absl::string_view name = "IndexedSlicesToTensor");

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_GRADIENTS_H_
