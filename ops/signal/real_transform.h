// What the Fourier transforms between real and complex tensors share: the lengths asked for, checks
// and shapes, and the copying of the part of the input that takes part.
//
//   WB_ASSIGN_OR_RETURN(TransformLengths n, TransformLengths::Read(ctx, rank, spectrum_is_input));
//   WB_ASSIGN_OR_RETURN(Shape out, n.WithLast(x.shape(), n.spectrum()));
//
// Along the last dimension, `n` real values have a spectrum of n / 2 + 1 complex ones: the others
// are their conjugates. An input may be longer than what is transformed; the rest is left out.
//
// Thread safety: values. Errors: INVALID_ARGUMENT for lengths that are no vector of `rank`
// non-negative numbers, and for an input that is too short; UNIMPLEMENTED for lengths above
// FourierTransform::kMostLength.
#ifndef WARPBEAM_OPS_SIGNAL_REAL_TRANSFORM_H_
#define WARPBEAM_OPS_SIGNAL_REAL_TRANSFORM_H_

#include <utility>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

class TransformLengths {
 public:
  explicit TransformLengths(std::vector<int64_t> lengths) : lengths_(std::move(lengths)) {}
  // From inputs 0 (data) and 1 (lengths) of a kernel.
  static StatusOr<TransformLengths> Read(const KernelContext& ctx, int rank,
                                         bool spectrum_is_input);

  int rank() const { return static_cast<int>(lengths_.size()); }
  int64_t length(int i) const { return lengths_[i]; }
  int64_t last() const { return lengths_.back(); }
  int64_t spectrum() const { return SpectrumOf(last()); }
  static int64_t SpectrumOf(int64_t length) { return length == 0 ? 0 : length / 2 + 1; }
  Span<const int64_t> lengths() const { return lengths_; }

  // The batch dimensions of `input`, the lengths, and `last` in place of the last one.
  StatusOr<Shape> WithLast(const Shape& input, int64_t last) const;
  // How many arrays of these lengths there are.
  int64_t Batches(const Shape& input) const;
  // Lines along the last dimension of the result, and in which line of the input the values of one
  // of them begin; -1 where the input has none.
  int64_t Lines(const Shape& input) const;
  int64_t InputLine(const Shape& input, int64_t line) const;

 private:
  TransformLengths() = default;

  std::vector<int64_t> lengths_;
};

// The shape function; the last length becomes that of its spectrum where `to_spectrum`.
Status RealTransformShape(ShapeContext& c, int rank, bool to_spectrum);

// INVALID_ARGUMENT unless the real and the complex type have one precision.
Status CheckPrecision(const KernelInit& init);

// For gradients: `x` with zeros behind it along every dimension, up to `shape`.
OutputRef PadTo(GradContext& c, OutputRef x, OutputRef shape);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SIGNAL_REAL_TRANSFORM_H_
