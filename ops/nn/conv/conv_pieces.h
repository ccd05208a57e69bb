// ConvPieces: a convolution cut into smaller ones, for as many threads.
//
// A batch is cut into ranges of images. A forward convolution of fewer images than threads is cut
// further, into ranges of rows of the output: the image's first axis that is longer than 1, so that
// each range, and what it reads, lies in one piece. Neighbours read some rows of the input both;
// padding stays with the first and the last.
//
//   for (const ConvPiece& piece : CutConvolution(ConvPass::kForward, geometry, /*parts=*/2)) {
//     Convolve(piece.geometry, input + piece.a, filter + piece.b, output + piece.result);
//   }
//
// Thread safety: pure functions.
#ifndef WARPBEAM_OPS_NN_CONV_CONV_PIECES_H_
#define WARPBEAM_OPS_NN_CONV_CONV_PIECES_H_

#include <cstdint>
#include <vector>

#include "ops/nn/conv/conv_geometry.h"
#include "ops/nn/conv/dnnl_convolution.h"

namespace warpbeam {

struct ConvPiece {
  ConvGeometry geometry;
  int64_t a = 0, b = 0,
          result = 0;  // where its operands begin (those of DnnlConvolution), elements
};

// At least one piece, at most `parts`. Each computes a range of the result of its own, but for
// ConvPass::kBackwardFilter, whose results are to be added up.
std::vector<ConvPiece> CutConvolution(ConvPass pass, const ConvGeometry& geometry, int64_t parts);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_CONV_PIECES_H_
