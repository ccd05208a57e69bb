// What the kernels of ops whose generator's state is a variable have in common, whatever device
// they are on.
//
//   WB_ASSIGN_OR_RETURN(const int64_t algorithm, ReadGeneratorScalar(ctx.input(1), 1));
//   WB_RETURN_IF_ERROR(CheckGeneratorAlgorithm(algorithm));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for arguments and states that are none,
// UNIMPLEMENTED for an algorithm that nobody computes.
#ifndef WARPBEAM_OPS_RANDOM_STATEFUL_RANDOM_H_
#define WARPBEAM_OPS_RANDOM_STATEFUL_RANDOM_H_

#include <cstdint>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// The state of Philox: the counter's lower and upper half, then the key.
constexpr int64_t kStateSize = 3;

Status CheckGeneratorAlgorithm(int64_t algorithm);
// A number of input `input`, in host memory.
StatusOr<int64_t> ReadGeneratorScalar(const Tensor& t, int input);
// Its values are not looked at.
Status CheckGeneratorState(const Tensor& state, int64_t least_size);
// Of StatefulUniformInt: the shape, once the bounds have been checked.
StatusOr<Shape> ReadUniformIntArguments(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_STATEFUL_RANDOM_H_
