#include "ops/quantize/round_levels.h"

#include <string>

namespace warpbeam::host_pass {
namespace {

Status CheckRoundBits(int64_t bits, bool is_signed) {
  const int64_t limit = is_signed ? 62 : 63;
  if (bits > 0 && bits < limit) return OkStatus();
  return InvalidArgument("'num_bits' must be between 1 and ", limit - 1, ", but is ", bits);
}

}  // namespace

StatusOr<RoundPlan> RoundPlan::FromAttrs(const KernelInit& init) {
  const AttrMap& attrs = init.attrs;
  RoundPlan plan;
  plan.options.is_signed = attrs.GetOr<bool>("signed_input", true);
  plan.options.range_given = attrs.GetOr<bool>("range_given", false);
  plan.options.narrow_range = attrs.GetOr<bool>("narrow_range", false);
  plan.options.half_up = attrs.GetOr<std::string>("round_mode", "HALF_TO_EVEN") == "HALF_UP";
  plan.axis = attrs.GetOr<int64_t>("axis", -1);
  plan.bits = attrs.GetOr<int64_t>("num_bits", 8);
  plan.min = attrs.GetOr<float>("input_min", 0);
  plan.max = attrs.GetOr<float>("input_max", 0);
  const bool bits_are_input = init.schema.name == "QuantizeAndDequantizeV3";
  if (!bits_are_input) WB_RETURN_IF_ERROR(CheckRoundBits(plan.bits, plan.options.is_signed));
  return plan;
}

StatusOr<int64_t> RoundPlan::Bits(const KernelContext& ctx) const {
  if (ctx.num_inputs() < 4) return bits;
  const Tensor& t = ctx.input(3);
  if (t.rank() != 0) {
    return InvalidArgument("'num_bits' must be a scalar, but has shape ", t.shape().ToString());
  }
  const int64_t given = t.scalar<int32_t>();
  WB_RETURN_IF_ERROR(CheckRoundBits(given, options.is_signed));
  return given;
}

template <class T>
StatusOr<std::vector<std::pair<T, T>>> RoundPlan::GivenRanges(const KernelContext& ctx,
                                                              const Channels& channels) const {
  std::vector<std::pair<T, T>> ranges;
  if (ctx.num_inputs() == 1) {
    ranges.emplace_back(static_cast<T>(min), static_cast<T>(max));
  } else {
    const Tensor &low = ctx.input(1), &high = ctx.input(2);
    WB_RETURN_IF_ERROR(channels.CheckRange(low, high));
    // Version 3, which has the number of bits as an input, takes a vector of one too.
    if (channels.axis < 0 && ctx.num_inputs() == 3 && (low.rank() != 0 || high.rank() != 0)) {
      return InvalidArgument("input_min and input_max must be scalars, not of shapes ",
                             low.shape().ToString(), " and ", high.shape().ToString());
    }
    for (int64_t i = 0; i < channels.count; ++i) {
      ranges.emplace_back(low.data<T>()[i], high.data<T>()[i]);
    }
  }
  for (const auto& [low, high] : ranges) {
    if (low <= high) continue;
    return InvalidArgument("'input_min' ", low, " must not be greater than 'input_max' ", high);
  }
  return ranges;
}

StatusOr<Channels> CheckRoundGradient(const KernelContext& ctx, int64_t axis) {
  const Shape &dy = ctx.input(0).shape(), &x = ctx.input(1).shape();
  if (dy != x) {
    return InvalidArgument("'gradients' of shape ", dy.ToString(), " for an input of shape ",
                           x.ToString());
  }
  WB_ASSIGN_OR_RETURN(const Channels channels, Channels::Of(x, axis));
  WB_RETURN_IF_ERROR(channels.CheckRange(ctx.input(2), ctx.input(3)));
  return channels;
}

template StatusOr<std::vector<std::pair<float, float>>> RoundPlan::GivenRanges<float>(
    const KernelContext& ctx, const Channels& channels) const;
template StatusOr<std::vector<std::pair<double, double>>> RoundPlan::GivenRanges<double>(
    const KernelContext& ctx, const Channels& channels) const;

}  // namespace warpbeam::host_pass
