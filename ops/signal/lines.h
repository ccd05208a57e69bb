// Fourier transforms along dimensions of an array: the lines of a dimension are shared out over the
// device's threads.
//
//   WB_RETURN_IF_ERROR(CheckTransformed(x.shape(), /*rank=*/2));
//   WB_RETURN_IF_ERROR(TransformDimensions(ctx, batches, {rows, cols}, 1, inverse, data));
//
// Thread safety: pure but for the data. Errors: INVALID_ARGUMENT for too few dimensions,
// UNIMPLEMENTED for lengths above FourierTransform::kMostLength, RESOURCE_EXHAUSTED without memory
// to work in.
#ifndef WARPBEAM_OPS_SIGNAL_LINES_H_
#define WARPBEAM_OPS_SIGNAL_LINES_H_

#include <complex>

#include "graph/types/shape.h"
#include "graph/types/span.h"
#include "ops/signal/fourier_transform.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

Status CheckLengths(Span<const int64_t> lengths);
// Whether the last `rank` dimensions can be transformed.
Status CheckTransformed(const Shape& shape, int rank);

// Every dimension of `lengths` of a row-major array of [batches, lengths..., inner], in place; none
// of them is 0. T: complex<float> or complex<double>.
template <class T>
Status TransformDimensions(const KernelContext& ctx, int64_t batches, Span<const int64_t> lengths,
                           int64_t inner, bool inverse, T* data);

// fn(transform, line, index) for every line, `line` being memory of the transform's length that
// belongs to the call.
Status ForEachLine(
    const KernelContext& ctx, int64_t lines, int64_t length, bool inverse,
    absl::FunctionRef<void(FourierTransform& transform, std::complex<double>* line, int64_t index)>
        fn);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SIGNAL_LINES_H_
