// BiasChannels: what BiasAdd and BiasAddGrad ask of their inputs, on every device.
//
//   const BiasChannels channels = ReadBiasChannels(init.attrs);
//   WB_RETURN_IF_ERROR(CheckBias(channels, value.shape(), bias.shape()));
//   const int64_t count = value.dim(channels.In(value.rank()));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT naming the shapes that do not go together.
#ifndef WARPBEAM_OPS_NN_BIAS_CHANNELS_H_
#define WARPBEAM_OPS_NN_BIAS_CHANNELS_H_

#include "graph/types/attr_value.h"
#include "graph/types/errors.h"
#include "graph/types/shape.h"

namespace warpbeam {

// Which dimension holds the channels: the last, or the second (NCHW).
struct BiasChannels {
  bool second = false;
  int In(int rank) const { return second ? 1 : rank - 1; }
};

BiasChannels ReadBiasChannels(const AttrMap& attrs);
Status CheckBias(const BiasChannels& channels, const Shape& value, const Shape& bias);
Status CheckBiasGradient(const Shape& gradient);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_BIAS_CHANNELS_H_
