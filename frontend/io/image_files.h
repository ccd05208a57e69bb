// tf.io's names for what frontend/image/codecs.h and frontend/parsing.h have.
//
//   Output image = io::DecodePng(scope, io::ReadFile(scope, "x.png"));
//
// Ownership, thread safety and errors: those of the functions.
#ifndef WARPBEAM_FRONTEND_IO_IMAGE_FILES_H_
#define WARPBEAM_FRONTEND_IO_IMAGE_FILES_H_

#include "frontend/image.h"
#include "frontend/image/codecs.h"
#include "frontend/io/files.h"
#include "frontend/parsing.h"

namespace warpbeam {
namespace frontend {
namespace io {

using frontend::DecodeRaw;
using frontend::ParseExample;
using frontend::ParseSingleExample;
using image::DecodeAndCropJpeg;
using image::DecodeBmp;
using image::DecodeGif;
using image::DecodeImage;
using image::DecodeJpeg;
using image::DecodePng;
using image::EncodeJpeg;
using image::EncodePng;
using image::ExtractJpegShape;
using image::IsJpeg;

}  // namespace io
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IO_IMAGE_FILES_H_
