// GpuAsCpu: whether an op's kernel for GPUs gives what its kernel for the CPU gives, for tests.
//
//   OpCall call{"Sum", {{"keep_dims", true}}, {{x}, {axes}}};
//   EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus());
//
// The op runs on the CPU (ops/launch/op_runner.h) and on GPUs in all modes that there are
// (ops/launch/gpu_op_runner.h). What the CPU refuses the GPU has to refuse with the same code. An
// op without a kernel of its own for GPUs is FAILED_PRECONDITION: it would compare the CPU's with
// itself.
//
// Thread safety: one thread. Errors: what differs, with the mode and the output's index.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_AS_CPU_H_
#define WARPBEAM_OPS_LAUNCH_GPU_AS_CPU_H_

#include <string>
#include <utility>
#include <vector>

#include "graph/types/attr_value.h"
#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "graph/types/testing/tensor_compare.h"

namespace warpbeam {

struct OpCall {
  std::string op;
  std::vector<std::pair<std::string, AttrValue>> attrs;
  std::vector<std::vector<Tensor>> arguments;  // the tensors of each
};

Status GpuAsCpu(const OpCall& call, const Tolerance& tolerance);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_GPU_AS_CPU_H_
