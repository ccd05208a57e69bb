// SamplingSpans: which pixels of a row of the old image a pixel of the new one is mixed from, and
// with what weights, when images are scaled and moved.
//
//   WB_ASSIGN_OR_RETURN(SamplingKernel kernel, ParseSamplingKernel("lanczos3"));
//   const SamplingSpans spans = MakeSpans(kernel, out, in, scale, translation, antialias);
//   for (int64_t k = 0; k < spans.size[i]; ++k) sum += x[spans.start[i] + k] * spans.weights[i][k];
//
// Weights of a span sum to one; a pixel whose centre lies outside of the old image has none. With
// antialiasing a smaller image has wider spans, so that every old pixel counts.
//
// Thread safety: values, pure functions. Errors: INVALID_ARGUMENT for an unknown kernel.
#ifndef WARPBEAM_OPS_IMAGE_RESIZE_SAMPLING_SPANS_H_
#define WARPBEAM_OPS_IMAGE_RESIZE_SAMPLING_SPANS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

// A curve of the distance from the centre, zero beyond the radius.
struct SamplingKernel {
  float (*weight)(float distance, float radius);
  float radius;
};
StatusOr<SamplingKernel> ParseSamplingKernel(const std::string& name);

struct SamplingSpans {
  std::vector<int64_t> start, size;
  std::vector<std::vector<float>> weights;
};
SamplingSpans MakeSpans(const SamplingKernel& kernel, int64_t out, int64_t in, float scale,
                        float translation, bool antialias);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_RESIZE_SAMPLING_SPANS_H_
