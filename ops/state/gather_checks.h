// What gathers from variables ask of their arguments, for kernels of all devices.
//
// Thread safety: pure but for the variable. Errors: those of variables; INVALID_ARGUMENT for a
// value of another dtype than the output's and for batch dimensions that the tensors do not have.
#ifndef WARPBEAM_OPS_STATE_GATHER_CHECKS_H_
#define WARPBEAM_OPS_STATE_GATHER_CHECKS_H_

#include "ops/state/variable_access.h"

namespace warpbeam {

// The value of the variable in input 0, of the dtype that output 0 has, where kernels find it.
StatusOr<Tensor> ReadGatherParams(const KernelContext& ctx, VariableFinder& finder);
// The attribute, which may count from the end of the indices' dimensions.
StatusOr<int> GatherBatchDims(const Tensor& params, const Tensor& indices, int64_t batch_dims);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_GATHER_CHECKS_H_
