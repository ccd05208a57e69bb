#include "frontend/nn/pooling.h"

#include <algorithm>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/nn.h"
#include "frontend/nn/convolution.h"
#include "frontend/nn/per_dimension.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

const char* OpOf(PoolingType type, int spatial) {
  if (type == PoolingType::kMax) return spatial == 3 ? "MaxPool3D" : "MaxPool";
  return spatial == 3 ? "AvgPool3D" : "AvgPool";
}

StatusOr<OpAttrs> PoolAttrs(int spatial, const std::vector<int64_t>& ksize,
                            const std::vector<int64_t>& strides, const std::string& padding,
                            const std::string& data_format) {
  WB_ASSIGN_OR_RETURN(const bool first, ChannelsFirst(data_format, spatial));
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> window,
                      PerDimension("the sizes of a window", ksize, spatial, first));
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> steps,
                      PerDimension("strides", strides, spatial, first));
  WB_RETURN_IF_ERROR(CheckPadding(padding, false));
  return OpAttrs()
      .Set("ksize", window)
      .Set("strides", steps)
      .Set("padding", padding)
      .Set("data_format", data_format);
}

Output PoolIn(const Scope& scope, const char* name, PoolingType type, int spatial, const Input& x,
              const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides,
              const std::string& padding, const std::string& data_format) {
  const StatusOr<OpAttrs> attrs = PoolAttrs(spatial, ksize, strides, padding, data_format);
  if (!attrs.ok()) {
    scope.Fail(Annotate(attrs.status(), name));
    return Output();
  }
  return BuildOutput(scope.Named(scope.OpNameOr(name)), OpOf(type, spatial), {x}, *attrs);
}

// Images of height 1.
Output PoolFlat(const Scope& scope, const char* name, PoolingType type, const Input& input,
                int64_t ksize, int64_t stride, const std::string& padding,
                const std::string& data_format) {
  const Scope inside = scope.OpenScope(name);
  const StatusOr<bool> first = ChannelsFirst(data_format, 1);
  if (!first.ok()) {
    scope.Fail(Annotate(first.status(), name));
    return Output();
  }
  const int axis = *first ? 2 : 1;
  std::vector<int64_t> window = {1, 1, ksize, 1}, steps = {1, 1, stride, 1};
  if (*first) window = {1, 1, 1, ksize}, steps = {1, 1, 1, stride};
  const Output images = ExpandDims(inside, input, axis);
  const Output pooled = PoolIn(inside.Named(inside.name_scope()), name, type, 2, images, window,
                               steps, padding, *first ? "NCHW" : "NHWC");
  return scope(BuildOutput(inside, "Squeeze", {pooled},
                           OpAttrs().Set("squeeze_dims", std::vector<int64_t>{axis})));
}

Output PoolOfRank(const Scope& scope, PoolingType type, const Input& input,
                  const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides,
                  const std::string& padding, const std::string& data_format) {
  if (!scope.ok()) return Output();
  const int spatial = input.rank() - 2;
  if (spatial < 1 || spatial > 3) {
    scope.Fail(InvalidArgument(type == PoolingType::kMax ? "MaxPoolV2" : "AvgPoolV2",
                               ": the input must have 3, 4 or 5 dimensions, it has ",
                               input.rank()));
    return Output();
  }
  static constexpr const char* kLast[] = {"NWC", "NHWC", "NDHWC"};
  const std::string format = data_format.empty() ? kLast[spatial - 1] : data_format;
  const bool is_max = type == PoolingType::kMax;
  if (spatial == 1) {
    if (ksize.size() != 1 || strides.size() != 1) {
      scope.Fail(InvalidArgument("pooling along one dimension takes one size and one stride"));
      return Output();
    }
    return PoolFlat(scope, is_max ? "MaxPool1d" : "AvgPool1D", type, input, ksize[0], strides[0],
                    padding, format);
  }
  const char* const name = spatial == 2 && is_max ? "MaxPool2d" : OpOf(type, spatial);
  return PoolIn(scope, name, type, spatial, input, ksize, strides, padding, format);
}

FractionalPoolResult Fractional(const Scope& scope, const char* op, const Input& value,
                                const std::vector<float>& pooling_ratio,
                                const FractionalPoolOptions& options) {
  const std::vector<Output> results =
      BuildOutputs(scope, op, {value},
                   OpAttrs()
                       .Set("pooling_ratio", pooling_ratio)
                       .Set("pseudo_random", options.is_pseudo_random)
                       .Set("overlapping", options.is_overlapping)
                       .Set("deterministic", options.is_deterministic)
                       .Set("seed", options.first_seed)
                       .Set("seed2", options.second_seed),
                   3);
  return {results[0], results[1], results[2]};
}

Status CheckPool(const std::vector<int64_t>& window, const std::vector<int64_t>& strides,
                 const std::vector<int64_t>& rates, const std::string& padding) {
  if (window.empty() || window.size() > 3) {
    return InvalidArgument("the window has 1, 2 or 3 sizes, got ", window.size());
  }
  if (strides.size() != window.size() || rates.size() != window.size()) {
    return InvalidArgument("a window of ", window.size(), " sizes takes as many strides and ",
                           "dilation rates, got ", strides.size(), " and ", rates.size());
  }
  bool strided = false, dilated = false;
  for (size_t i = 0; i < window.size(); ++i) {
    if (strides[i] < 1 || rates[i] < 1 || strides[i] > window[i]) {
      return InvalidArgument("strides are from 1 to the size of the window, dilation rates 1 or ",
                             "more; got ", strides[i], " and ", rates[i], " for a size of ",
                             window[i]);
    }
    strided = strided || strides[i] > 1;
    dilated = dilated || rates[i] > 1;
  }
  if (dilated && strided) return InvalidArgument("strides and dilation rates are both above 1");
  if (dilated && padding == "SAME") {
    return InvalidArgument("the padding \"SAME\" does not go with dilation rates above 1");
  }
  return OkStatus();
}

}  // namespace

Output MaxPool1D(ScopeRef scope, const Input& input, int64_t ksize, int64_t strides,
                 const std::string& padding, const std::string& data_format) {
  return PoolFlat(scope.scope(), "MaxPool1d", PoolingType::kMax, input, ksize, strides, padding,
                  data_format);
}

Output AvgPool1D(ScopeRef scope, const Input& input, int64_t ksize, int64_t strides,
                 const std::string& padding, const std::string& data_format) {
  return PoolFlat(scope.scope(), "AvgPool1D", PoolingType::kAvg, input, ksize, strides, padding,
                  data_format);
}

Output MaxPool2D(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format) {
  return PoolIn(scope.scope(), "MaxPool2d", PoolingType::kMax, 2, input, ksize, strides, padding,
                data_format);
}

Output AvgPool2D(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format) {
  return PoolIn(scope.scope(), "AvgPool", PoolingType::kAvg, 2, input, ksize, strides, padding,
                data_format);
}

Output MaxPool3D(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format) {
  return PoolIn(scope.scope(), "MaxPool3D", PoolingType::kMax, 3, input, ksize, strides, padding,
                data_format);
}

Output AvgPool3D(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format) {
  return PoolIn(scope.scope(), "AvgPool3D", PoolingType::kAvg, 3, input, ksize, strides, padding,
                data_format);
}

Output MaxPoolV2(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format) {
  return PoolOfRank(scope.scope(), PoolingType::kMax, input, ksize, strides, padding, data_format);
}

Output AvgPoolV2(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format) {
  return PoolOfRank(scope.scope(), PoolingType::kAvg, input, ksize, strides, padding, data_format);
}

Output Pool(ScopeRef scope_ref, const Input& input, const std::vector<int64_t>& window_shape,
            PoolingType type, const std::string& padding, const PoolingOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope(type == PoolingType::kMax ? "max_pool" : "avg_pool");
  const Output x = AsOutput(inside.Named("input"), input);
  const std::vector<int64_t> ones(window_shape.size(), 1);
  const std::vector<int64_t> strides = options.stride_list.empty() ? ones : options.stride_list;
  const std::vector<int64_t> rates = options.dilation_list.empty() ? ones : options.dilation_list;
  Status status = CheckPool(window_shape, strides, rates, padding);
  const int spatial = std::min<int>(static_cast<int>(window_shape.size()), 3);
  static constexpr const char* kLast[] = {"NWC", "NHWC", "NDHWC"};
  const std::string format =
      !options.format.empty() || spatial < 1 ? options.format : kLast[spatial - 1];
  if (status.ok()) status = ChannelsFirst(format, spatial).status();
  if (!status.ok()) {
    scope.Fail(Annotate(status, "Pool"));
    return Output();
  }
  const auto op = [&](const Scope& s, const Output& batch, const std::string& pads) {
    const Scope whole = s.Named(inside.name_scope());
    if (spatial == 1) {
      const char* const name = type == PoolingType::kMax ? "MaxPool1d" : "AvgPool1D";
      return PoolFlat(whole, name, type, batch, window_shape[0], strides[0], pads, format);
    }
    return PoolIn(whole, OpOf(type, spatial), type, spatial, batch, window_shape, strides, pads,
                  format);
  };
  return scope(
      WithSpaceToBatch(inside, x, rates, padding, op,
                       SpaceToBatchOptions().filter_shape(window_shape).data_format(format)));
}

ValuesAndPlaces MaxPoolWithArgmax(ScopeRef scope_ref, const Input& input,
                                  const std::vector<int64_t>& ksize,
                                  const std::vector<int64_t>& strides, const std::string& padding,
                                  DType targmax, bool include_batch_in_index) {
  const Scope scope = scope_ref.scope();
  const auto build = [&]() -> StatusOr<OpAttrs> {
    WB_ASSIGN_OR_RETURN(const auto window, PerDimension("the sizes of a window", ksize, 2, false));
    WB_ASSIGN_OR_RETURN(const auto steps, PerDimension("strides", strides, 2, false));
    WB_RETURN_IF_ERROR(CheckPadding(padding, false));
    return OpAttrs().Set("ksize", window).Set("strides", steps).Set("padding", padding);
  };
  StatusOr<OpAttrs> attrs = build();
  if (!attrs.ok()) {
    scope.Fail(Annotate(attrs.status(), "MaxPoolWithArgmax"));
    return {};
  }
  attrs->Set("Targmax", targmax).Set("include_batch_in_index", include_batch_in_index);
  const std::vector<Output> results = BuildOutputs(scope, "MaxPoolWithArgmax", {input}, *attrs, 2);
  return {results[0], results[1]};
}

FractionalPoolResult FractionalMaxPool(ScopeRef scope, const Input& value,
                                       const std::vector<float>& pooling_ratio,
                                       const FractionalPoolOptions& options) {
  return Fractional(scope.scope(), "FractionalMaxPool", value, pooling_ratio, options);
}

FractionalPoolResult FractionalAvgPool(ScopeRef scope, const Input& value,
                                       const std::vector<float>& pooling_ratio,
                                       const FractionalPoolOptions& options) {
  return Fractional(scope.scope(), "FractionalAvgPool", value, pooling_ratio, options);
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
