#include "frontend/signal/fourier.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "frontend/signal/arguments.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {

bool FailRank(const Scope& scope, const char* function, const Output& x, int least) {
  if (!scope.ok()) return true;
  if (Input(x).rank() >= least) return false;
  scope.Fail(InvalidArgument(function, " needs a tensor of a known rank of at least ", least,
                             ", not of shape ", x.shape().ToString()));
  return true;
}

namespace signal {
namespace {

// Zeros behind the last dimensions, up to `extents` where those are more.
Output Filled(const Scope& inside, const Output& x, const Output& extents, int count) {
  const int rank = Input(x).rank();
  const Output last = ElementsFrom(inside, BuildOutput(inside, "Shape", {x}), -count);
  const Output more = Maximum(inside, BuildOutput(inside, "Sub", {extents, last}), 0);
  const Output none = Zeros(inside, Shape({rank - count}), DType::kInt32);
  const Output behind = Concat(inside, {none, more}, 0);
  const Output before = Zeros(inside, Shape({rank}), DType::kInt32);
  return Pad(inside, x, Stack(inside, {before, behind}, 1));
}

Output RealTransform(ScopeRef scope_ref, const char* name, const char* op, const Output& x,
                     const std::vector<int32_t>& fft_length, int count, bool inverse) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope(name);
  if (FailRank(scope, name, x, count)) return Output();
  if (!fft_length.empty() && fft_length.size() != static_cast<size_t>(count)) {
    scope.Fail(
        InvalidArgument(name, " needs ", count, " lengths or none, not ", fft_length.size()));
    return Output();
  }
  const Output shape = ElementsFrom(inside, BuildOutput(inside, "Shape", {x}), -count);
  std::vector<int32_t> last(static_cast<size_t>(count), 0);
  last.back() = 1;
  Output length, tensor = x;
  if (!fft_length.empty()) {
    length = Constant(inside.Named("fft_length"), fft_length);
    std::vector<int32_t> needed = fft_length;
    if (inverse) needed.back() = fft_length.back() / 2 + 1;
    tensor = Filled(inside, x, Constant(inside, needed), count);
  } else if (!inverse) {
    length = shape;
  } else {
    // Twice as many as there are without the middle one.
    std::vector<int32_t> factor(static_cast<size_t>(count), 1);
    factor.back() = 2;
    const Output without = BuildOutput(inside, "Sub", {shape, Constant(inside, last)});
    length = Maximum(inside, Multiply(inside, without, factor), 0);
  }
  const bool wide = x.dtype() == DType::kDouble || x.dtype() == DType::kComplex128;
  const OpAttrs attrs =
      inverse ? OpAttrs().Set("Treal", wide ? DType::kDouble : DType::kFloat)
              : OpAttrs().Set("Tcomplex", wide ? DType::kComplex128 : DType::kComplex64);
  return scope(BuildOutput(inside, op, {tensor, length}, attrs));
}

Output Shifted(ScopeRef scope_ref, const char* name, const Output& x,
               const std::vector<int32_t>& axes, bool back) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope(name);
  if (FailRank(scope, name, x, 0)) return Output();
  std::vector<int32_t> dims = axes;
  for (int i = 0; axes.empty() && i < Input(x).rank(); ++i) dims.push_back(i);
  for (int32_t& dim : dims) {
    if (dim < 0) dim += Input(x).rank();
  }
  const Output chosen =
      Constant(inside, dims, DType::kInt32, Shape({static_cast<int64_t>(dims.size())}));
  Output shift = FloorDivide(inside, Gather(inside, BuildOutput(inside, "Shape", {x}), chosen), 2);
  if (back) shift = Negative(inside, shift);
  return scope(Roll(inside, x, shift, chosen));
}

// The first n elements of the last dimension, from `begin` on, each `step`-th.
Output LastDimension(const Scope& inside, const Output& x, int32_t begin, int32_t end,
                     int32_t step = 1) {
  return StridedSlice(inside, x, std::vector<int32_t>{0, begin}, std::vector<int32_t>{0, end},
                      std::vector<int32_t>{1, step}, StridedSliceOptions().ellipsis_mask(1));
}

// A factor for each of n elements, as a complex constant: 2 * exp(turn * i * k), k from 0.
Output Turns(const Scope& inside, int64_t n, double turn, DType dtype) {
  std::vector<double> real, imaginary;
  for (int64_t k = 0; k < n; ++k) {
    real.push_back(2 * std::cos(turn * static_cast<double>(k)));
    imaginary.push_back(2 * std::sin(turn * static_cast<double>(k)));
  }
  return Complex(inside, Constant(inside, real, dtype), Constant(inside, imaginary, dtype));
}

// `first` once, then `others`.
Output Weights(const Scope& inside, int64_t n, double first, double others, DType dtype) {
  std::vector<double> weights(static_cast<size_t>(n), others);
  weights[0] = first;
  return Constant(inside, weights, dtype);
}

Output SecondType(const Scope& inside, const Output& x, int64_t n, bool ortho) {
  const Output spectrum = Rfft(inside, x, {static_cast<int32_t>(2 * n)});
  const Output half = LastDimension(inside, spectrum, 0, static_cast<int32_t>(n));
  const double count = static_cast<double>(n);
  const Output result =
      Real(inside, Multiply(inside, half, Turns(inside, n, -M_PI / (2 * count), x.dtype())));
  if (!ortho) return result;
  const double first = 0.5 / std::sqrt(count);
  return Multiply(inside, result, Weights(inside, n, first, first * std::sqrt(2.0), x.dtype()));
}

Output ThirdType(const Scope& inside, const Output& x, int64_t n, bool ortho) {
  const double count = static_cast<double>(n);
  const double first = std::sqrt(count);
  const Output scaled =
      ortho ? Multiply(inside, x, Weights(inside, n, first, first * std::sqrt(0.5), x.dtype()))
            : Multiply(inside, x, count);
  const Output turned = Multiply(inside, Complex(inside, scaled, ZerosOfShapeOf(inside, scaled)),
                                 Turns(inside, n, M_PI / (2 * count), x.dtype()));
  const Output whole = Irfft(inside, turned, {static_cast<int32_t>(2 * n)});
  return LastDimension(inside, whole, 0, static_cast<int32_t>(n));
}

// x with n elements in its last dimension.
Output WithLength(const Scope& inside, const Output& x, int64_t n) {
  const int rank = Input(x).rank();
  const int64_t have = x.shape().dim(rank - 1);
  if (have >= n) return have == n ? x : LastDimension(inside, x, 0, static_cast<int32_t>(n));
  return Filled(inside, x, Constant(inside, std::vector<int32_t>{static_cast<int32_t>(n)}), 1);
}

Output Cosines(const Scope& scope, const char* name, const Output& x, const DctOptions& options,
               int type) {
  const Scope inside = scope.OpenScope(name);
  if (FailRank(scope, name, x, 1)) return Output();
  const int64_t have = x.shape().dim(Input(x).rank() - 1);
  const int64_t n = options.length.value_or(have);
  const bool ortho = options.normalization == DctNorm::kOrtho;
  if (type < 1 || type > 4 || have < 0 || n < (type == 1 ? 2 : 1) || (type == 1 && ortho)) {
    scope.Fail(InvalidArgument("there is no cosine transform of type ", type, " and ", n,
                               " elements, of shape ", x.shape().ToString()));
    return Output();
  }
  const Output input = WithLength(inside, x, n);
  const int32_t count = static_cast<int32_t>(n);
  if (type == 1) {
    // There and back without both ends.
    const Output back =
        Reverse(inside, LastDimension(inside, input, 1, count - 1), std::vector<int32_t>{-1});
    return scope(Real(inside, Rfft(inside, Concat(inside, {input, back}, -1))));
  }
  if (type == 2) return scope(SecondType(inside, input, n, ortho));
  if (type == 3) return scope(ThirdType(inside, input, n, ortho));
  const Output doubled = WithLength(inside, input, 2 * n);
  const Output odd =
      LastDimension(inside, SecondType(inside, doubled, 2 * n, false), 1, 2 * count, 2);
  if (!ortho) return scope(odd);
  return scope(Multiply(inside, odd, std::sqrt(0.5 / static_cast<double>(n))));
}

}  // namespace

Output Fft(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "FFT", {x}); }
Output Ifft(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "IFFT", {x}); }
Output Fft2D(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "FFT2D", {x}); }
Output Ifft2D(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "IFFT2D", {x}); }
Output Fft3D(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "FFT3D", {x}); }
Output Ifft3D(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "IFFT3D", {x}); }

#define WB_REAL_TRANSFORM(Name, name, op, count, inverse)                                \
  Output Name(ScopeRef scope, const Output& x, const std::vector<int32_t>& fft_length) { \
    return RealTransform(scope, name, op, x, fft_length, count, inverse);                \
  }
WB_REAL_TRANSFORM(Rfft, "rfft", "RFFT", 1, false)
WB_REAL_TRANSFORM(Irfft, "irfft", "IRFFT", 1, true)
WB_REAL_TRANSFORM(Rfft2D, "rfft2d", "RFFT2D", 2, false)
WB_REAL_TRANSFORM(Irfft2D, "irfft2d", "IRFFT2D", 2, true)
WB_REAL_TRANSFORM(Rfft3D, "rfft3d", "RFFT3D", 3, false)
WB_REAL_TRANSFORM(Irfft3D, "irfft3d", "IRFFT3D", 3, true)
#undef WB_REAL_TRANSFORM

Output Fftshift(ScopeRef scope, const Output& x, const std::vector<int32_t>& axes) {
  return Shifted(scope, "fftshift", x, axes, /*back=*/false);
}

Output Ifftshift(ScopeRef scope, const Output& x, const std::vector<int32_t>& axes) {
  return Shifted(scope, "ifftshift", x, axes, /*back=*/true);
}

Output Dct(ScopeRef scope, const Output& x, const DctOptions& options) {
  return Cosines(scope.scope(), "dct", x, options, options.kind);
}

Output Idct(ScopeRef scope, const Output& x, const DctOptions& options) {
  const int type = options.kind == 2 ? 3 : options.kind == 3 ? 2 : options.kind;
  return Cosines(scope.scope(), "idct", x, options, type);
}

}  // namespace signal
}  // namespace frontend
}  // namespace warpbeam
