// Seeds of Stateless* ops: from two seeds, or from key and counter, to an op's Philox stream.
//
//   WB_ASSIGN_OR_RETURN(Philox first, StreamFromSeed(ctx.input(1)));             // first versions
//   WB_ASSIGN_OR_RETURN(Philox stream, StreamFromState(key, counter, alg));      // V2
//
// Two seeds are mixed by one Philox block, so that weak seeds (0 and 1, say) give streams that have
// nothing in common. Thread safety: pure. Errors: INVALID_ARGUMENT for wrong shapes and dtypes, and
// for every algorithm but Philox.
#ifndef WARPBEAM_OPS_RANDOM_STATELESS_SEED_H_
#define WARPBEAM_OPS_RANDOM_STATELESS_SEED_H_

#include "graph/types/tensor.h"
#include "ops/random/philox.h"

namespace warpbeam {

// TensorFlow's numbers for algorithms.
inline constexpr int32_t kAlgorithmPhilox = 1;
inline constexpr int32_t kAlgorithmThreeFry = 2;
inline constexpr int32_t kAlgorithmAuto = 3;

StatusOr<Philox> StreamFromSeed(const Tensor& seed);
StatusOr<Philox> StreamFromState(const Tensor& key, const Tensor& counter, const Tensor& alg);
// The checks of StreamFromState, which read `alg` alone: the others may lie on a GPU.
Status CheckState(const Tensor& key, const Tensor& counter, const Tensor& alg);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_STATELESS_SEED_H_
