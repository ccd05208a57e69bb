// DifferentiatedBody: the body of a function and its gradient in one graph, which is then cut in
// two: the function itself, and what computes the gradient from tensors that the function has
// computed.
//
//   WB_ASSIGN_OR_RETURN(auto body, DifferentiatedBody::Make(graph, {"f", attrs}, options));
//   WB_RETURN_IF_ERROR(body->Finish({0, 2}));                   // gradients of these arguments
//   for (OutputRef tensor : body->needed()) …                   // what the gradient reads of it
//   WB_ASSIGN_OR_RETURN(auto kept, body->CopyForward(&forward));
//   WB_ASSIGN_OR_RETURN(auto dxs, body->CopyBackward(&backward, values, dys));
//
// A body with v1 control flow is not cut, since its tensors may be dead: its gradient reads the
// arguments alone and computes everything once more.
//
// Ownership: owns its graph. Thread safety: none. Errors: those of AddGradients; UNIMPLEMENTED for
// a body that would have to run twice and changes state, naming the node that does.
#ifndef WARPBEAM_GRAPH_GRADIENTS_DIFFERENTIATED_BODY_H_
#define WARPBEAM_GRAPH_GRADIENTS_DIFFERENTIATED_BODY_H_

#include <memory>
#include <vector>

#include "graph/functions/instantiate.h"
#include "graph/gradients/body_writer.h"
#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

struct BodyGradientOptions {
  // What is known of the arguments that are resources or lists; may be shorter than the arguments.
  std::vector<HandleShapes> handles;
  // By result: whether a gradient flows into it.
  std::vector<bool> has_dy;
  // By argument: whether it is at hand wherever the gradient is computed, so that the gradient may
  // read it at no cost. Empty: all are.
  std::vector<bool> at_hand;
  // Whether the function can be given further results.
  bool can_widen = true;
};

// Whether gradients flow through values of the type; variants carry them for lists.
bool IsDifferentiable(DType type);
// The type of what a resource or a list refers to, if that is differentiable (lists may be of
// lists); else kInvalid.
DType CarriedType(DType type, const HandleShapes& handle);
// Zeros shaped like the value of the variable that `handle` refers to.
StatusOr<OutputRef> ZerosOfVariable(Graph& graph, OutputRef handle, DType type);

class DifferentiatedBody {
 public:
  // Functions that call each other deeper cannot be run either.
  static constexpr int kMostCalls = 200;

  // RESOURCE_EXHAUSTED for functions that call each other deeper than kMostCalls, or themselves.
  static StatusOr<std::unique_ptr<DifferentiatedBody>> Make(const Graph& caller,
                                                            const FunctionRef& function,
                                                            const BodyGradientOptions& options);

  const InstantiatedFunction& body() const { return body_; }
  int num_args() const { return static_cast<int>(body_.args.size()); }
  int num_results() const { return static_cast<int>(body_.results.size()); }
  // The results whose gradients it takes.
  const std::vector<int>& results() const { return results_; }
  // Whether something flows into an argument, as far as Make found.
  bool HasGradient(int arg) const { return !dxs_[static_cast<size_t>(arg)].is_none(); }

  // Settles which arguments' gradients it gives (zeros where nothing flows) and what they need.
  Status Finish(const std::vector<int>& args);

  // Tensors of the function's own graph. From here on to be called after Finish.
  const std::vector<OutputRef>& needed() const { return needed_; }
  DType TypeOf(OutputRef tensor) const;
  // The argument or result that a tensor is, or -1.
  int ArgOf(OutputRef tensor) const;
  int ResultOf(OutputRef tensor) const;
  DType GradientType(size_t k) const { return TypeOf(gradients_[k]); }
  // `tensor`, or what it is a copy of.
  OutputRef Resolve(OutputRef tensor) const;

  // The function as it was, with its arguments and results; returns the needed tensors in it.
  StatusOr<std::vector<OutputRef>> CopyForward(Graph* to) const;
  // What computes the gradients of Finish's arguments, given the needed tensors and the gradients
  // of `results()`.
  StatusOr<std::vector<OutputRef>> CopyBackward(Graph* to, const std::vector<OutputRef>& needed,
                                                const std::vector<OutputRef>& dys) const;

 private:
  DifferentiatedBody(InstantiatedFunction body, const BodyGradientOptions& options)
      : body_(std::move(body)), graph_(*body_.graph), options_(options) {}

  Status Differentiate();
  bool HasV1ControlFlow() const;
  DType CarriedBy(int arg) const;
  bool IsAtHand(OutputRef tensor) const;
  bool IsGiven(OutputRef tensor) const;
  bool IsRepeatable(const Node& node) const;
  StatusOr<OutputRef> ZerosOf(int arg);
  NodeId FindSame(NodeId id) const;
  void MarkForward();
  Status MarkDescriptions();
  void MarkBackward();

  InstantiatedFunction body_;
  Graph& graph_;
  const BodyGradientOptions options_;
  bool recomputes_ = false;
  bool has_effects_ = false;
  NodeId first_new_ = 0;  // nodes from here on were not in the function
  std::vector<int> results_;
  std::vector<OutputRef> dys_;
  std::vector<GradientValue> dxs_;  // by argument
  std::vector<OutputRef> gradients_;
  std::vector<bool> forward_, backward_;  // by node: which part it is in; Const may be in both
  std::vector<OutputRef> needed_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_DIFFERENTIATED_BODY_H_
