#include "frontend/layers/window.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace layers {

StatusOr<Window> Window::Make(int dims, const SpatialSize& size, const SpatialSize& strides,
                              const SpatialSize& dilations, const std::string& padding,
                              const std::string& data_format) {
  Window window;
  window.dims = dims;
  const auto along = [&](const SpatialSize& sizes, const char* name,
                         std::vector<int64_t>* to) -> Status {
    *to = sizes.Along(dims);
    if (!to->empty()) return OkStatus();
    return InvalidArgument("the ", name, " must be one positive number, or ", dims, " of them");
  };
  WB_RETURN_IF_ERROR(along(size, "size of the window", &window.size));
  WB_RETURN_IF_ERROR(along(strides, "strides", &window.strides));
  WB_RETURN_IF_ERROR(along(dilations, "dilation rate", &window.dilations));
  window.padding = absl::AsciiStrToUpper(padding);
  if (window.padding != "SAME" && window.padding != "VALID") {
    return InvalidArgument("the padding is 'valid' or 'same', got '", padding, "'");
  }
  if (data_format != "channels_last" && data_format != "channels_first") {
    return InvalidArgument("the data format is 'channels_last' or 'channels_first', got '",
                           data_format, "'");
  }
  window.channels_first = data_format == "channels_first";
  window.flat_format = window.channels_first ? "NCHW" : "NHWC";
  window.format =
      dims < 3 ? window.flat_format : std::string(window.channels_first ? "NCDHW" : "NDHWC");
  const bool strided =
      std::any_of(window.strides.begin(), window.strides.end(), [](int64_t s) { return s > 1; });
  if (strided && window.dilated()) {
    return InvalidArgument("strides above one do not go together with a dilation rate above one");
  }
  return window;
}

std::vector<int64_t> Window::OfAll(const std::vector<int64_t>& spatial) const {
  std::vector<int64_t> all(spatial.size() + 2, 1);
  std::copy(spatial.begin(), spatial.end(), all.begin() + first_spatial());
  return all;
}

bool Window::dilated() const {
  return std::any_of(dilations.begin(), dilations.end(), [](int64_t d) { return d > 1; });
}

Status Window::CheckFits(const PartialShape& inputs) const {
  for (int i = 0; i < dims && padding == "VALID"; ++i) {
    const int64_t extent = inputs.dim(first_spatial() + i);
    const int64_t needed = (size[i] - 1) * dilations[i] + 1;
    if (extent < 0 || extent >= needed) continue;
    return InvalidArgument("a window of ", needed, " does not fit into the ", extent,
                           " of dimension ", first_spatial() + i,
                           "; take a smaller one, or the padding 'same'");
  }
  return OkStatus();
}

int64_t Window::TransposedExtent(int index, int64_t extent) const {
  if (extent < 0) return -1;
  const int64_t beyond =
      padding == "VALID" ? std::max<int64_t>(size[index] - strides[index], 0) : 0;
  return extent * strides[index] + beyond;
}

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam
