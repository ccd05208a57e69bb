// What BlockLSTM and BlockLSTMGrad, of both versions, share: the order of the gates in the columns
// of w, the checks of the inputs and the sizes that come of them.
//
//   WB_ASSIGN_OR_RETURN(const BlockLstmSizes n, CheckBlockLstmInputs(ctx, use_peephole));
//
// Both ops begin with the inputs seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b. Thread
// safety: pure functions. Errors: INVALID_ARGUMENT for inputs that do not fit each other.
#ifndef WARPBEAM_OPS_NN_SEQUENCE_BLOCK_LSTM_H_
#define WARPBEAM_OPS_NN_SEQUENCE_BLOCK_LSTM_H_

#include "ops/nn/sequence/recurrent_cells.h"

namespace warpbeam::host_pass {

// The gates' order in w and b: i, ci, f, o of the first version, i, f, ci, o of the second.
enum class BlockLstmGates { kIcfo, kIfco };

constexpr GatePlaces PlacesOf(BlockLstmGates gates) {
  return gates == BlockLstmGates::kIcfo ? GatePlaces{0, 1, 2, 3} : GatePlaces{0, 2, 1, 3};
}

struct BlockLstmSizes {
  int64_t all_steps, batch, inputs, cells;
  int64_t steps;  // seq_len_max
};

StatusOr<BlockLstmSizes> CheckBlockLstmInputs(const KernelContext& ctx, bool peephole);
// Of the gradients, which have the forward op's outputs and the gradients of cs and h besides.
StatusOr<BlockLstmSizes> CheckBlockLstmGradInputs(const KernelContext& ctx, bool peephole);

}  // namespace warpbeam::host_pass

#endif  // WARPBEAM_OPS_NN_SEQUENCE_BLOCK_LSTM_H_
