// GpuOpRunner: runs the kernel of one op on a GPU, outside any graph or session, for tests; what
// OpRunner (ops/launch/op_runner.h) gives for the same inputs is the CPU's. The GPU is a simulated
// one, and where the build has code for GPUs and the machine has one, the first of those as well.
//
//   for (const GpuMode mode : GpuModes()) {
//     auto y = GpuOpRunner("MatMul", mode).Attr("transpose_b", true).Input(a).Input(b).Run();
//     EXPECT_TRUE(y.ok()) << y.status();
//   }
//
// A kernel that enqueues is shown to do nothing else: a simulated stream stands still until Compute
// has returned. Only then its inputs arrive on the GPU, and by then inputs and scratch memory have
// been let go. Where a kernel reads back (runtime/kernel/read_back_kernel.h) the stream goes on
// meanwhile. Inputs that are declared to lie in host memory stay there, and such outputs are
// there.
//
// Ops on variables get them as they take them, by reference or by handle. What the variables hold
// afterwards comes behind the outputs:
//
//   GpuOpRunner add("AssignAddVariableOp", mode);
//   auto after = add.Variable(before).Input(delta).Run();
//
// Ownership: the runner owns its inputs. Thread safety: one thread. Errors: those of the
// registries, of attribute checks and of the kernel.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_OP_RUNNER_H_
#define WARPBEAM_OPS_LAUNCH_GPU_OP_RUNNER_H_

#include <string>
#include <utility>
#include <vector>

#include "graph/op/op_schema.h"
#include "graph/types/attr_value.h"
#include "graph/types/tensor.h"

namespace warpbeam {

// Whether kernels run in the order of the stream themselves, or enqueue their work, on a simulated
// GPU; or on the machine's.
enum class GpuMode { kOnStream, kEnqueues, kReal };
// What this build and this machine have.
std::vector<GpuMode> GpuModes();

class GpuOpRunner {
 public:
  GpuOpRunner(std::string op, GpuMode mode) : op_(std::move(op)), mode_(mode) {}
  GpuOpRunner& Attr(absl::string_view name, AttrValue value);
  GpuOpRunner& Input(Tensor value);
  GpuOpRunner& InputList(std::vector<Tensor> values);  // of an argument that is a list
  GpuOpRunner& Variable(Tensor value);
  // Somebody else has read the variables and holds what he has read: INTERNAL if it changes.
  GpuOpRunner& HoldVariables();

  // The outputs and the values of the variables, in host memory.
  StatusOr<std::vector<Tensor>> RunAll() const;
  // The only one of these.
  StatusOr<Tensor> Run() const;

 private:
  struct Prepared {
    const OpSchema* schema;
    AttrMap attrs;
    std::vector<DType> input_types, output_types;
  };
  StatusOr<Prepared> Prepare() const;

  const std::string op_;
  const GpuMode mode_;
  AttrMap attrs_;
  std::vector<Tensor> inputs_;
  std::vector<bool> is_variable_;    // by input
  std::vector<int> argument_sizes_;  // tensors per input argument
  bool hold_variables_ = false;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_GPU_OP_RUNNER_H_
