#include "ops/nn/bias_channels.h"

#include <string>

namespace warpbeam {

BiasChannels ReadBiasChannels(const AttrMap& attrs) {
  BiasChannels channels;
  channels.second = attrs.GetOr<std::string>("data_format", "NHWC") == "NCHW";
  return channels;
}

Status CheckBias(const BiasChannels& channels, const Shape& value, const Shape& bias) {
  if (value.rank() < 2) {
    return InvalidArgument("the value must be at least a matrix, but has shape ", value.ToString());
  }
  if (bias.rank() != 1) {
    return InvalidArgument("the bias must be a vector, but has shape ", bias.ToString());
  }
  const int64_t count = value.dim(channels.In(value.rank()));
  if (bias.dim(0) == count) return OkStatus();
  return InvalidArgument("there must be one bias for each of the ", count,
                         " channels of a value of shape ", value.ToString(), ", but there are ",
                         bias.dim(0));
}

Status CheckBiasGradient(const Shape& gradient) {
  if (gradient.rank() >= 2) return OkStatus();
  return InvalidArgument("the gradient must be at least a matrix, but has shape ",
                         gradient.ToString());
}

}  // namespace warpbeam
