// Images of 8-bit samples as PNG files, with libpng.
//
//   WB_ASSIGN_OR_RETURN(std::string png, EncodePng(pixels, width, height, /*channels=*/3));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for what is no image, INTERNAL with libpng's words.
#ifndef WARPBEAM_OPS_SUMMARY_PNG_ENCODER_H_
#define WARPBEAM_OPS_SUMMARY_PNG_ENCODER_H_

#include <cstdint>
#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

// `pixels` are height rows of width pixels of 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA) bytes.
StatusOr<std::string> EncodePng(const uint8_t* pixels, int64_t width, int64_t height, int channels);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SUMMARY_PNG_ENCODER_H_
