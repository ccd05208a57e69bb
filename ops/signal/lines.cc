#include "ops/signal/lines.h"

#include <atomic>
#include <cmath>
#include <new>
#include <vector>

#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

// A row-major array of [outer, length, inner] with lines along the middle.
struct LineAxis {
  int64_t outer = 1, length = 1, inner = 1;
  int64_t lines() const { return outer * inner; }
  int64_t first(int64_t line) const { return line / inner * length * inner + line % inner; }
};

// Every line in place.
template <class T>
Status TransformLines(const KernelContext& ctx, const LineAxis& axis, bool inverse, T* data) {
  return ForEachLine(ctx, axis.lines(), axis.length, inverse,
                     [&](FourierTransform& transform, std::complex<double>* line, int64_t index) {
                       T* at = data + axis.first(index);
                       for (int64_t k = 0; k < axis.length; ++k) {
                         line[k] = std::complex<double>(at[k * axis.inner]);
                       }
                       transform.Run(line);
                       for (int64_t k = 0; k < axis.length; ++k)
                         at[k * axis.inner] = static_cast<T>(line[k]);
                     });
}

}  // namespace

Status CheckLengths(Span<const int64_t> lengths) {
  for (const int64_t length : lengths) {
    if (length > FourierTransform::kMostLength) {
      return Unimplemented("Fourier transforms of more than ", FourierTransform::kMostLength,
                           " values are not supported; this one is of ", length);
    }
  }
  return OkStatus();
}

Status CheckTransformed(const Shape& shape, int rank) {
  if (shape.rank() < rank) {
    return InvalidArgument("the input must have a rank of at least ", rank, "; it is of shape ",
                           shape.ToString());
  }
  return CheckLengths(shape.dims().subspan(shape.rank() - rank));
}

Status ForEachLine(
    const KernelContext& ctx, int64_t lines, int64_t length, bool inverse,
    absl::FunctionRef<void(FourierTransform& transform, std::complex<double>* line, int64_t index)>
        fn) {
  if (lines == 0 || length == 0) return OkStatus();
  const double n = static_cast<double>(length);
  const int64_t ns = static_cast<int64_t>(2 * n * std::log2(n + 1)) + 20;
  std::atomic<bool> no_memory{false};
  ctx.ParallelFor(lines, ns, [&](int64_t begin, int64_t end) {
    if (RunningStep::IsOver()) return;
    try {
      FourierTransform transform(length, inverse);
      std::vector<std::complex<double>> line(length);
      for (int64_t i = begin; i < end && !RunningStep::IsOver(); ++i) fn(transform, line.data(), i);
    } catch (const std::bad_alloc&) {
      no_memory.store(true, std::memory_order_relaxed);
    }
  });
  if (ctx.IsCancelled()) return StepIsOver();
  if (!no_memory.load(std::memory_order_relaxed)) return OkStatus();
  return ResourceExhausted("no memory for Fourier transforms of ", length, " values");
}

template <class T>
Status TransformDimensions(const KernelContext& ctx, int64_t batches, Span<const int64_t> lengths,
                           int64_t inner, bool inverse, T* data) {
  LineAxis axis{batches, 1, inner};
  for (const int64_t length : lengths) axis.outer *= length;
  for (size_t i = lengths.size(); i-- > 0;) {
    axis = LineAxis{axis.outer / lengths[i], lengths[i], axis.length * axis.inner};
    WB_RETURN_IF_ERROR(TransformLines(ctx, axis, inverse, data));
  }
  return OkStatus();
}

template Status TransformDimensions(const KernelContext&, int64_t, Span<const int64_t>, int64_t,
                                    bool, std::complex<float>*);
template Status TransformDimensions(const KernelContext&, int64_t, Span<const int64_t>, int64_t,
                                    bool, std::complex<double>*);

}  // namespace warpbeam
