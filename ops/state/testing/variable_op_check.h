// GpuUpdatesAsCpu: whether an op's kernel for GPUs leaves in its variables, and gives, what its
// kernel for the CPU does; for tests.
//
//   VariableOp op{"ApplyMomentum", {}, {value, accum}, {lr, gradient, momentum}};
//   EXPECT_EQ(GpuUpdatesAsCpu(op, Tolerance()), OkStatus());
//
// The op runs on the CPU and on GPUs in all modes, each time once with variables that only the op
// knows and once with values that somebody else has read and holds, which have to stay as they are.
// What the CPU refuses the GPU has to refuse with the same code. An op without a kernel of its own
// for GPUs is FAILED_PRECONDITION: it would compare the CPU's with itself.
//
// Thread safety: one thread. Errors: what differs, with the mode and the place: outputs first, then
// the variables.
#ifndef WARPBEAM_OPS_STATE_TESTING_VARIABLE_OP_CHECK_H_
#define WARPBEAM_OPS_STATE_TESTING_VARIABLE_OP_CHECK_H_

#include <string>
#include <utility>
#include <vector>

#include "graph/types/attr_value.h"
#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "graph/types/testing/tensor_compare.h"

namespace warpbeam {

struct VariableOp {
  std::string op;
  std::vector<std::pair<std::string, AttrValue>> attrs;
  std::vector<Tensor> variables;  // the first arguments, by reference or by handle
  std::vector<Tensor> arguments;  // the others
};

Status GpuUpdatesAsCpu(const VariableOp& op, const Tolerance& tolerance);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_TESTING_VARIABLE_OP_CHECK_H_
