// StridedCopy: the one loop nest behind every op that only moves elements.
//
// Transpose, Slice, Tile, Pad, Concat, Reverse… all read elements at one set of strides and write
// them at another. The copy drops and merges dimensions, puts the loops in the order of the
// destination, and then runs as memcpy of long rows, as a fill, as a tiled two-dimensional
// transpose, or element by element, split over the device's threads.
//
//   // y[c, r] = x[r, c]
//   StridedCopy(ctx, DType::kFloat, y, x, {{.extent = rows, .from = cols, .to = 1},
//                                          {.extent = cols, .from = 1, .to = rows}});
//
// Strides count elements; those of `from` may be zero (broadcast) or negative, those of `to` may be
// negative. Every destination element must be addressed at most once. Source and destination must
// not overlap. Works for every dtype, objects included.
//
// Thread safety: uses the context's threads; returns when all is copied. Errors: none.
#ifndef WARPBEAM_OPS_ARRAY_STRIDED_COPY_H_
#define WARPBEAM_OPS_ARRAY_STRIDED_COPY_H_

#include <cstdint>
#include <initializer_list>

#include "absl/container/inlined_vector.h"
#include "graph/types/shape.h"
#include "graph/types/span.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct CopyDim {
  int64_t extent;
  int64_t from;  // stride in elements
  int64_t to;    // stride in elements
};
using CopyDims = absl::InlinedVector<CopyDim, 8>;

void StridedCopy(const KernelContext& ctx, DType dtype, void* to, const void* from,
                 Span<const CopyDim> dims);
inline void StridedCopy(const KernelContext& ctx, DType dtype, void* to, const void* from,
                        std::initializer_list<CopyDim> dims) {
  StridedCopy(ctx, dtype, to, from, MakeConstSpan(dims.begin(), dims.size()));
}

// `count` consecutive elements, split over threads when there are many.
void CopyRange(const KernelContext& ctx, DType dtype, void* to, const void* from, int64_t count);

// Sets `count` consecutive elements to the one at `value`.
void FillRange(const KernelContext& ctx, DType dtype, void* to, const void* value, int64_t count);

// Sets `count` elements to zero, "" or an empty object.
void ZeroRange(const KernelContext& ctx, DType dtype, void* to, int64_t count);

// The address `elements` further on.
inline void* Advance(void* p, DType dtype, int64_t elements) {
  return static_cast<char*>(p) + elements * static_cast<int64_t>(DTypeSize(dtype));
}
inline const void* Advance(const void* p, DType dtype, int64_t elements) {
  return static_cast<const char*>(p) + elements * static_cast<int64_t>(DTypeSize(dtype));
}

// Row-major strides of a shape.
absl::InlinedVector<int64_t, 8> RowMajorStrides(const Shape& shape);

// The product of the extents [begin, end).
int64_t ElementsOf(const Shape& shape, int begin, int end);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_STRIDED_COPY_H_
