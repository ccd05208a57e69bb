// ShapeContext: what a shape function sees of one node, and where it puts its results.
//
// A shape function computes the outputs' partial shapes from the inputs' partial shapes, the
// attributes, and such inputs as are known constants ("shape arithmetic"). It never runs a kernel.
//
//   Status ReshapeShape(ShapeContext& c) {
//     WB_ASSIGN_OR_RETURN(PartialShape out, c.ShapeFromInput(1));
//     c.set_output(0, out);
//     return OkStatus();
//   }
//
// Thread safety: one context belongs to one call. Errors: INVALID_ARGUMENT for inputs that cannot
// fit; the caller adds node and op.
#ifndef WARPBEAM_GRAPH_OP_SHAPE_CONTEXT_H_
#define WARPBEAM_GRAPH_OP_SHAPE_CONTEXT_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/op/op_schema.h"

namespace warpbeam {

// Dtype and shape of what a resource or variant refers to (a variable's value, a dataset's
// element).
struct HandleShape {
  DType dtype = DType::kInvalid;
  PartialShape shape;
};
using HandleShapes = std::vector<HandleShape>;

class ShapeContext {
 public:
  // How a context learns more about an input than its shape; null results mean "not known".
  struct Source {
    std::function<std::optional<Tensor>(int input)> constant;
    // The value of a 1-D integer input as a shape, when it is known at least in part.
    std::function<std::optional<PartialShape>(int input)> constant_as_shape;
  };

  ShapeContext(const OpSchema& schema, const AttrMap& attrs, std::vector<PartialShape> inputs,
               std::vector<HandleShapes> input_handles, int num_outputs, Source source);

  const OpSchema& schema() const { return schema_; }
  const AttrMap& attrs() const { return attrs_; }
  template <typename T>
  StatusOr<T> attr(absl::string_view name) const {
    return attrs_.Get<T>(StdView(name));
  }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return inputs_[i]; }
  // Empty where nothing is known.
  const HandleShapes& input_handle(int i) const;
  void set_output(int i, PartialShape shape) { outputs_[i] = std::move(shape); }
  void set_output_handle(int i, HandleShapes shapes);
  const PartialShape& output(int i) const { return outputs_[i]; }
  const HandleShapes& output_handle(int i) const;

  // The value of input i when it is a constant.
  std::optional<Tensor> ConstantInput(int i) const;
  // Input i holds a shape (1-D int32 or int64, -1 for unknown; a scalar -1 is an unknown rank):
  // what is known of it. INVALID_ARGUMENT when it cannot be a shape.
  StatusOr<PartialShape> ShapeFromInput(int i) const;
  // An integer scalar input; nullopt when not known.
  std::optional<int64_t> ConstantScalar(int i) const;

  // Checks of an input's rank; the result is the input's shape with that rank.
  StatusOr<PartialShape> WithRank(int input, int rank) const;
  StatusOr<PartialShape> WithRankAtLeast(int input, int rank) const;
  // The rank of what a vector of that length has an entry a dimension for; -1 where the length is
  // unknown or no tensor has as many dimensions (the kernel refuses it).
  static int RankOfLength(int64_t length);
  // The broadcast of two shapes by NumPy's rules.
  static StatusOr<PartialShape> Broadcast(const PartialShape& a, const PartialShape& b);

 private:
  const OpSchema& schema_;
  const AttrMap& attrs_;
  std::vector<PartialShape> inputs_;
  std::vector<HandleShapes> input_handles_;
  std::vector<PartialShape> outputs_;
  std::vector<HandleShapes> output_handles_;
  Source source_;
};

// Shape functions that many ops share.
namespace shapes {
Status Unknown(ShapeContext& c);          // every output unknown
Status Scalar(ShapeContext& c);           // every output a scalar
Status Unchanged(ShapeContext& c);        // every output like input 0, handles too
Status MergeInputs(ShapeContext& c);      // all inputs and outputs of one shape
Status BroadcastBinary(ShapeContext& c);  // outputs: the broadcast of inputs 0 and 1
Status NoOutputs(ShapeContext& c);
}  // namespace shapes

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_OP_SHAPE_CONTEXT_H_
