// Fourier transforms along dimensions of a tensor: the lines of a dimension are shared out over the
// device's threads.
//
//   WB_RETURN_IF_ERROR(CheckLengths({rows, cols}));
//   WB_RETURN_IF_ERROR(TransformLines(ctx, Axis{batch, rows, cols}, inverse, data));   // over rows
//
// Thread safety: pure but for the data. Errors: UNIMPLEMENTED for lengths above
// FourierTransform::kMostLength, RESOURCE_EXHAUSTED without memory to work in.
#ifndef WARPBEAM_OPS_SIGNAL_LINES_H_
#define WARPBEAM_OPS_SIGNAL_LINES_H_

#include <complex>

#include "graph/types/span.h"
#include "ops/signal/fourier_transform.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// A row-major array of [outer, length, inner] with lines along the middle.
struct Axis {
  int64_t outer = 1, length = 1, inner = 1;
  int64_t lines() const { return outer * inner; }
  int64_t first(int64_t line) const { return line / inner * length * inner + line % inner; }
};

Status CheckLengths(Span<const int64_t> lengths);

// Every line in place. T: complex<float> or complex<double>.
template <class T>
Status TransformLines(const KernelContext& ctx, const Axis& axis, bool inverse, T* data);

// fn(transform, line, index) for every line, `line` being memory of the transform's length that
// belongs to the call.
Status ForEachLine(
    const KernelContext& ctx, int64_t lines, int64_t length, bool inverse,
    absl::FunctionRef<void(FourierTransform& transform, std::complex<double>* line, int64_t index)>
        fn);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SIGNAL_LINES_H_
