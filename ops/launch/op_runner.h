// OpRunner: runs one op outside any graph or session, for tests.
//
// Attributes are completed from the schema, the kernel comes from the global registries, inputs are
// host tensors. The device is a plain CPU device that splits parallel loops into small pieces and
// runs them in reverse order on the calling thread, so that a kernel which depends on the order or
// on the borders of its pieces fails in every test run.
//
//   auto y = OpRunner("MatMul").Attr("transpose_b", true).Input(a).Input(b).RunOne();
//   EXPECT_TRUE(y.ok()) << y.status();
//
// Missing type and number attributes follow from the inputs, as in a frontend; `InputList` passes
// an argument that stands for several tensors.
//
// Ownership: the runner owns its inputs; variables and the resource store are the caller's. Thread
// safety: one thread. Errors: those of the registries, of attribute checks and of the kernel.
#ifndef WARPBEAM_OPS_LAUNCH_OP_RUNNER_H_
#define WARPBEAM_OPS_LAUNCH_OP_RUNNER_H_

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "runtime/state/resource_store.h"
#include "runtime/state/variable.h"

namespace warpbeam {

// What tests of ops ask for by name.
inline constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class OpRunner {
 public:
  explicit OpRunner(std::string op) : op_(std::move(op)) {}
  OpRunner& Attr(absl::string_view name, AttrValue value);
  OpRunner& Input(Tensor value);
  OpRunner& InputList(std::vector<Tensor> values);
  OpRunner& RefInput(RefVariable* variable);
  OpRunner& Resources(ResourceStore* store);
  // Lets the kernel write its outputs into the inputs' buffers; the inputs are lost.
  OpRunner& ForwardInputs();
  // Runs loops in one piece, as large as asked for.
  OpRunner& UnsplitLoops();

  // The values of all outputs; an output that is a reference gives the variable's value.
  StatusOr<std::vector<Tensor>> Run();
  // The only output.
  StatusOr<Tensor> RunOne();

  // What the shape function says of the outputs, given the inputs' shapes and (with
  // `constants_known`) the values of the inputs.
  StatusOr<std::vector<PartialShape>> InferShapes(bool constants_known = true);

  const std::vector<Tensor>& inputs() const { return inputs_; }

 private:
  struct Prepared {
    const OpSchema* schema;
    AttrMap attrs;
    std::vector<DType> input_types;
    std::vector<DType> output_types;
  };
  StatusOr<Prepared> Prepare() const;

  std::string op_;
  AttrMap attrs_;
  std::vector<Tensor> inputs_;
  std::vector<RefVariable*> refs_;   // parallel to inputs_, null for plain values
  std::vector<int> argument_sizes_;  // tensors per input argument
  ResourceStore* resources_ = nullptr;
  bool forward_inputs_ = false;
  bool split_loops_ = true;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_OP_RUNNER_H_
