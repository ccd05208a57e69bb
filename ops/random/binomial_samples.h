// FillBinomial: what the binomial ops with and without a state have in common.
//
//   auto stream_of = [&](int64_t sets, int64_t samples) { return StatusOr<Philox>(stream); };
//   WB_RETURN_IF_ERROR(FillBinomial(ctx, shape, counts, probs, stream_of));
//
// `stream` is asked for once the arguments have been found good, with the number of parameter sets
// and of samples for each. Thread safety: pure. Errors: those of SampleSets and of `stream`.
#ifndef WARPBEAM_OPS_RANDOM_BINOMIAL_SAMPLES_H_
#define WARPBEAM_OPS_RANDOM_BINOMIAL_SAMPLES_H_

#include "absl/functional/function_ref.h"
#include "ops/random/philox.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

Status FillBinomial(KernelContext& ctx, const Tensor& shape, const Tensor& counts,
                    const Tensor& probabilities,
                    absl::FunctionRef<StatusOr<Philox>(int64_t sets, int64_t samples)> stream);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_BINOMIAL_SAMPLES_H_
