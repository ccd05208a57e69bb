// BackwardLoop: the v1 loop that runs backwards through the iterations of a forward one.
//
// A counter is added to the forward loop; the backward loop counts it down. What the backward loop
// needs of an iteration's values is pushed on a stack (StackV2) by the forward loop and popped
// here: pushes precede the next count, pops the next countdown, so that both are in order however
// many iterations are under way. Values that stay the same enter as constants. A value of a branch
// is popped only where its branch was taken.
//
// Gradient functions know nothing of loops: they make nodes that read forward tensors, and `Adopt`
// moves these nodes into the backward loop.
//
//   BackwardLoop loop(&walk, forward, parent);
//   WB_RETURN_IF_ERROR(loop.Open());
//   const NodeId first = graph.num_nodes();
//   … gradient functions …
//   WB_RETURN_IF_ERROR(loop.Adopt(first));
//
// Ownership: the walk and the parent outlive it. Thread safety: that of the graph. Errors: those of
// NodeBuilder.
#ifndef WARPBEAM_GRAPH_GRADIENTS_BACKWARD_LOOP_H_
#define WARPBEAM_GRAPH_GRADIENTS_BACKWARD_LOOP_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/aggregate.h"
#include "graph/gradients/backward_walk.h"
#include "graph/gradients/loop_structure.h"

namespace warpbeam {

class BackwardLoop {
 public:
  // `parent` is null for a loop that is in no other.
  BackwardLoop(WalkState* walk, ForwardLoop forward, BackwardLoop* parent);

  // Makes both counters.
  Status Open();

  const ForwardLoop& forward() const { return forward_; }
  // The LoopCond of the backward loop.
  OutputRef condition() const { return condition_; }

  // What a forward tensor was in the iteration that is being differentiated.
  StatusOr<OutputRef> Value(OutputRef forward);
  // Zeros of its type and shape, alive where it was.
  StatusOr<OutputRef> Zeros(OutputRef forward);
  // Moves the nodes from `first` on into the backward loop.
  Status Adopt(NodeId first);

  // A tensor of the parent's backward frame (or of outside) in the backward loop, where it is in
  // every iteration or is a loop variable's first value.
  StatusOr<OutputRef> EnterConstant(OutputRef outer);
  StatusOr<OutputRef> EnterVariable(OutputRef first, const AggregateScope& scope);

  // A loop variable of the backward loop: starts as `first`, is `now` in an iteration and goes on
  // as what Close is given; Close returns its last value, outside of the loop.
  struct Variable {
    OutputRef merge;
    OutputRef last;  // the Switch's outputs
    OutputRef now;
  };
  StatusOr<Variable> OpenVariable(OutputRef first, const AggregateScope& scope);
  StatusOr<OutputRef> CloseVariable(const Variable& variable, OutputRef next,
                                    const AggregateScope& scope);

 private:
  Status OpenForward();
  Status OpenBackward();
  StatusOr<OutputRef> ForwardStart(const AggregateScope& scope);
  StatusOr<OutputRef> Pop(OutputRef forward);
  StatusOr<OutputRef> Stack(OutputRef forward);
  StatusOr<OutputRef> ForwardHandle(OutputRef stack);
  StatusOr<OutputRef> BackwardHandle(OutputRef stack);
  StatusOr<OutputRef> Guard(OutputRef value, const Conditions& conditions);
  StatusOr<OutputRef> Constant(Tensor value);
  StatusOr<OutputRef> KnownZeros(DType type, const Shape& shape);
  OutputRef ConstantSource(OutputRef forward) const;
  bool IsShapeOfForward(const Node& node) const;
  AttrMap EnterAttrs(const std::string& frame, bool is_constant) const;

  WalkState* const walk_;
  Graph& graph_;
  const ForwardLoop forward_;
  BackwardLoop* const parent_;
  const std::string frame_;
  AggregateScope scope_;
  NodeId forward_pivot_ = kNoNode;
  NodeId forward_sync_ = kNoNode;  // after all pushes of an iteration
  OutputRef count_;
  OutputRef condition_;
  NodeId pivot_ = kNoNode;
  NodeId sync_ = kNoNode;  // after all pops of an iteration
  absl::flat_hash_map<OutputRef, OutputRef> values_, constants_, handles_;
  absl::flat_hash_map<std::string, OutputRef> zeros_;
};

// The same without a loop where `loop` is null: a forward tensor is what it is.
StatusOr<OutputRef> ValueIn(BackwardLoop* loop, OutputRef forward);
StatusOr<OutputRef> ZerosIn(WalkState& walk, BackwardLoop* loop, OutputRef forward);
Status AdoptIn(BackwardLoop* loop, NodeId first);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_BACKWARD_LOOP_H_
