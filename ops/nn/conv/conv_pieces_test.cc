#include "ops/nn/conv/conv_pieces.h"

#include <set>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// Calls fn(input pixel, output pixel, tap) for every pair that a convolution of one image joins.
template <class Fn>
void ForEachPair(const ConvGeometry& g, Fn fn) {
  for (int64_t o = 0; o < g.output_pixels(); ++o) {
    const int64_t out[3] = {o / (g.output[1] * g.output[2]), o / g.output[2] % g.output[1],
                            o % g.output[2]};
    for (int64_t t = 0; t < g.taps(); ++t) {
      const int64_t tap[3] = {t / (g.filter[1] * g.filter[2]), t / g.filter[2] % g.filter[1],
                              t % g.filter[2]};
      int64_t in = 0;
      bool inside = true;
      for (int i = 0; i < 3; ++i) {
        const int64_t at = out[i] * g.stride[i] - g.before[i] + tap[i] * g.dilation[i];
        inside = inside && at >= 0 && at < g.input[i];
        in = in * g.input[i] + at;
      }
      if (inside) fn(in, o, t);
    }
  }
}

using Pairs = std::multiset<std::tuple<int64_t, int64_t, int64_t>>;  // elements and tap

Pairs PairsOf(const std::vector<ConvPiece>& pieces) {
  Pairs pairs;
  for (const ConvPiece& piece : pieces) {
    const ConvGeometry& g = piece.geometry;
    for (int64_t image = 0; image < g.batch; ++image) {
      ForEachPair(g, [&](int64_t in, int64_t out, int64_t tap) {
        pairs.emplace(piece.a + (image * g.input_pixels() + in) * g.in_channels,
                      piece.result + (image * g.output_pixels() + out) * g.out_channels, tap);
      });
    }
  }
  return pairs;
}

ConvGeometry Geometry(int64_t batch, int64_t height, int64_t filter, int64_t stride,
                      int64_t dilation, int64_t before, int64_t after) {
  ConvGeometry g;
  g.batch = batch;
  g.in_channels = 3;
  g.out_channels = 5;
  g.input[1] = height;
  g.input[2] = 4;
  g.filter[1] = filter;
  g.filter[2] = 2;
  g.stride[1] = stride;
  g.dilation[1] = dilation;
  g.before[1] = before;
  g.after[1] = after;
  g.output[1] = (height + before + after - (filter - 1) * dilation - 1) / stride + 1;
  g.output[2] = 3;
  return g;
}

TEST(CutConvolution, PiecesJoinWhatTheWholeJoins) {
  const ConvGeometry geometries[] = {
      Geometry(1, 33, 3, 1, 1, 1, 1), Geometry(1, 50, 7, 2, 1, 2, 3),
      Geometry(2, 40, 3, 1, 4, 4, 4), Geometry(7, 9, 2, 1, 1, 0, 0),
      Geometry(1, 64, 1, 2, 1, 0, 0), Geometry(1, 8, 3, 1, 1, 30, 30)};
  for (const ConvGeometry& g : geometries) {
    const Pairs whole = PairsOf({{g}});
    for (const int64_t parts : {1, 2, 3, 5, 16}) {
      const std::vector<ConvPiece> pieces = CutConvolution(ConvPass::kForward, g, parts);
      EXPECT_LE(static_cast<int64_t>(pieces.size()), parts);
      EXPECT_EQ(PairsOf(pieces), whole) << g.input[1] << " rows in " << parts;
    }
  }
}

TEST(CutConvolution, CutsAsFineAsItPays) {
  const auto count = [](const ConvGeometry& g, int64_t parts) {
    return CutConvolution(ConvPass::kForward, g, parts).size();
  };
  EXPECT_EQ(count(Geometry(1, 33, 3, 1, 1, 1, 1), 2), 2u);
  EXPECT_EQ(count(Geometry(2, 33, 3, 1, 1, 1, 1), 4), 4u);   // two of each image
  EXPECT_EQ(count(Geometry(2, 33, 3, 1, 1, 1, 1), 3), 2u);   // whole images
  EXPECT_EQ(count(Geometry(1, 9, 3, 1, 1, 1, 1), 2), 1u);    // too few rows
  EXPECT_EQ(count(Geometry(1, 8, 3, 1, 1, 30, 30), 4), 1u);  // some would read only padding
  EXPECT_EQ(CutConvolution(ConvPass::kBackwardFilter, Geometry(5, 33, 3, 1, 1, 1, 1), 2).size(),
            2u);
}

TEST(CutConvolution, GradientsAreCutByImages) {
  const ConvGeometry g = Geometry(5, 9, 3, 1, 1, 1, 1);
  const int64_t in = g.input_pixels() * 3, out = g.output_pixels() * 5;
  const auto to_input = CutConvolution(ConvPass::kBackwardInput, g, 2);
  ASSERT_EQ(to_input.size(), 2u);
  EXPECT_EQ(to_input[1].geometry.batch, 2);
  EXPECT_EQ(to_input[1].a, 3 * out);
  EXPECT_EQ(to_input[1].b, 0);
  EXPECT_EQ(to_input[1].result, 3 * in);
  const auto to_filter = CutConvolution(ConvPass::kBackwardFilter, g, 2);
  ASSERT_EQ(to_filter.size(), 2u);
  EXPECT_EQ(to_filter[1].a, 3 * in);
  EXPECT_EQ(to_filter[1].b, 3 * out);
  EXPECT_EQ(to_filter[1].result, 0);
}

}  // namespace
}  // namespace warpbeam
