// Strides, window sizes and dilations as Python's functions take them, in the form of the ops: one
// number for each dimension of a batch of images.
//
// Internal to the frontend.
//
//   StatusOr<std::vector<int64_t>> strides = PerDimension("strides", {2}, 2, false);
//   *strides == std::vector<int64_t>{1, 2, 2, 1};
//
// Ownership: values. Thread safety: values. Errors: INVALID_ARGUMENT naming what is wrong.
#ifndef WARPBEAM_FRONTEND_NN_PER_DIMENSION_H_
#define WARPBEAM_FRONTEND_NN_PER_DIMENSION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/types.h"

namespace warpbeam {
namespace frontend {
namespace nn {

// Of `given` with one number, one for each of the `spatial` dimensions, or one for each dimension.
StatusOr<std::vector<int64_t>> PerDimension(const char* what, const std::vector<int64_t>& given,
                                            int spatial, bool channels_first);

// "NC…" has the channels first. A format for other than `spatial` dimensions is an error.
StatusOr<bool> ChannelsFirst(const std::string& data_format, int spatial);

// "SAME" or "VALID", with `explicit_too` "EXPLICIT" as well.
Status CheckPadding(const std::string& padding, bool explicit_too);

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NN_PER_DIMENSION_H_
