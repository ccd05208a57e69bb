#include "ops/nn/conv/conv_pieces.h"

#include <algorithm>

namespace warpbeam {
namespace {

// Fewer rows are not worth code of their own.
constexpr int64_t kLeastRows = 8;

// The first axis that is longer than 1 anywhere; the last one when none is.
int RowAxis(const ConvGeometry& g) {
  int axis = 0;
  while (axis < 2 && g.input[axis] == 1 && g.filter[axis] == 1 && g.output[axis] == 1) ++axis;
  return axis;
}

// The rows [first, last) of one image's output. False where they read nothing but padding.
bool RowsOf(const ConvGeometry& g, int axis, int64_t first, int64_t last, ConvPiece* piece) {
  const int64_t reach = g.dilation[axis] * (g.filter[axis] - 1) + 1;
  const int64_t from = first * g.stride[axis] - g.before[axis];
  const int64_t to = (last - 1) * g.stride[axis] - g.before[axis] + reach;
  const int64_t begin = std::max<int64_t>(0, from), end = std::min(to, g.input[axis]);
  if (begin >= end) return false;
  piece->geometry = g;
  piece->geometry.batch = 1;
  piece->geometry.input[axis] = end - begin;
  piece->geometry.output[axis] = last - first;
  piece->geometry.before[axis] = begin - from;
  piece->geometry.after[axis] = to - end;
  piece->a = begin * (g.input_pixels() / g.input[axis]) * g.in_channels;
  piece->result = first * (g.output_pixels() / g.output[axis]) * g.out_channels;
  return true;
}

// Every image into `parts` ranges of rows; nothing where that cannot be.
std::vector<ConvPiece> CutRows(const ConvGeometry& g, int64_t parts) {
  const int axis = RowAxis(g);
  const int64_t rows = (g.output[axis] + parts - 1) / parts;
  std::vector<ConvPiece> pieces;
  if (rows < kLeastRows || rows >= g.output[axis]) return pieces;
  for (int64_t image = 0; image < g.batch; ++image) {
    for (int64_t first = 0; first < g.output[axis]; first += rows) {
      ConvPiece piece;
      if (!RowsOf(g, axis, first, std::min(first + rows, g.output[axis]), &piece)) return {};
      piece.a += image * g.input_pixels() * g.in_channels;
      piece.result += image * g.output_pixels() * g.out_channels;
      pieces.push_back(piece);
    }
  }
  return pieces;
}

}  // namespace

std::vector<ConvPiece> CutConvolution(ConvPass pass, const ConvGeometry& g, int64_t parts) {
  if (pass == ConvPass::kForward && parts >= 2 * g.batch) {
    std::vector<ConvPiece> pieces = CutRows(g, parts / g.batch);
    if (!pieces.empty()) return pieces;
  }
  const int64_t in = g.input_pixels() * g.in_channels, out = g.output_pixels() * g.out_channels;
  const int64_t share = (g.batch + parts - 1) / parts;
  std::vector<ConvPiece> pieces;
  for (int64_t first = 0; first < g.batch; first += share) {
    ConvPiece piece;
    piece.geometry = g;
    piece.geometry.batch = std::min(share, g.batch - first);
    piece.a = first * (pass == ConvPass::kBackwardInput ? out : in);
    if (pass == ConvPass::kBackwardFilter) piece.b = first * out;
    if (pass == ConvPass::kForward) piece.result = first * out;
    if (pass == ConvPass::kBackwardInput) piece.result = first * in;
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace warpbeam
