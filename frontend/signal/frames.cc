#include "frontend/signal/frames.h"

#include <algorithm>
#include <cmath>

#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "frontend/math/segments.h"
#include "frontend/signal/arguments.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace signal {
namespace {

bool FailPositive(const Scope& scope, const char* function, int64_t number) {
  if (!scope.ok()) return true;
  if (number > 0) return false;
  scope.Fail(InvalidArgument(function, " needs lengths and steps of at least 1, not ", number));
  return true;
}

Output Window(ScopeRef scope_ref, const char* name, int64_t length, DType dtype,
              const std::function<double(double)>& value) {
  const Scope scope = scope_ref.scope();
  if (FailPositive(scope, name, length)) return Output();
  std::vector<double> values;
  for (int64_t i = 0; i < length; ++i) values.push_back(value(static_cast<double>(i)));
  return Constant(scope.Named(scope.OpNameOr(name)), values, dtype);
}

Output RaisedCosine(ScopeRef scope, const char* name, int64_t length, bool periodic, DType dtype,
                    double mean, double height) {
  const bool even = length % 2 == 0;
  const double turns = static_cast<double>(length + (periodic && even ? 1 : 0) - 1);
  return Window(scope, name, length, dtype, [=](double i) {
    return length == 1 ? 1.0 : mean - height * std::cos(2 * M_PI * i / turns);
  });
}

// The modified Bessel function of the first kind and order 0.
double BesselI0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 500 && term > sum * 1e-17; ++k) {
    term *= (x / 2 / k) * (x / 2 / k);
    sum += term;
  }
  return sum;
}

double KaiserAt(double i, int64_t length, double beta) {
  if (length == 1) return 1;
  const double half = static_cast<double>(length - 1) / 2;
  const double off = (i - half) / half;
  return BesselI0(beta * std::sqrt(std::max(0.0, 1 - off * off))) / BesselI0(beta);
}

Output LastDimension(const Scope& inside, const Output& x, int64_t end) {
  return StridedSlice(inside, x, std::vector<int32_t>{0, 0},
                      std::vector<int32_t>{0, static_cast<int32_t>(end)},
                      std::vector<int32_t>{1, 1}, StridedSliceOptions().ellipsis_mask(1));
}

Output ReverseLast(const Scope& inside, const Output& x) {
  return Reverse(inside, x, std::vector<int32_t>{-1});
}

int64_t PowerOfTwo(int64_t least) {
  int64_t power = 1;
  while (power < least) power *= 2;
  return power;
}

}  // namespace

WindowFunction HannWindows() {
  return [](const Scope& scope, int64_t length, DType dtype) {
    return HannWindow(scope, length, /*periodic=*/true, dtype);
  };
}

Output HannWindow(ScopeRef scope, int64_t length, bool periodic, DType dtype) {
  return RaisedCosine(scope.scope(), "hann_window", length, periodic, dtype, 0.5, 0.5);
}

Output HammingWindow(ScopeRef scope, int64_t length, bool periodic, DType dtype) {
  return RaisedCosine(scope.scope(), "hamming_window", length, periodic, dtype, 0.54, 0.46);
}

Output KaiserWindow(ScopeRef scope, int64_t length, double beta, DType dtype) {
  return Window(scope.scope(), "kaiser_window", length, dtype,
                [=](double i) { return KaiserAt(i, length, beta); });
}

Output KaiserBesselDerivedWindow(ScopeRef scope, int64_t length, double beta, DType dtype) {
  const int64_t half = length / 2;
  std::vector<double> sums;
  double sum = 0;
  for (int64_t i = 0; i <= half; ++i) {
    sum += KaiserAt(static_cast<double>(i), half + 1, beta);
    sums.push_back(sum);
  }
  return Window(scope.scope(), "kaiser_bessel_derived_window", length, dtype, [&](double i) {
    const int64_t at = std::min(static_cast<int64_t>(i), length - 1 - static_cast<int64_t>(i));
    return std::sqrt(sums[static_cast<size_t>(at)] / sum);
  });
}

Output VorbisWindow(ScopeRef scope, int64_t length, DType dtype) {
  return Window(scope.scope(), "vorbis_window", length, dtype, [=](double i) {
    const double rise = std::sin(M_PI / static_cast<double>(length) * (i + 0.5));
    return std::sin(M_PI / 2 * rise * rise);
  });
}

Output Frame(ScopeRef scope_ref, const Output& x, int64_t frame_length, int64_t frame_step,
             bool pad_end, const Input& pad_value, int axis) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("frame");
  if (FailRank(scope, "Frame", x, 1) || FailPositive(scope, "Frame", frame_length) ||
      FailPositive(scope, "Frame", frame_step)) {
    return Output();
  }
  const int rank = Input(x).rank();
  const int dim = axis < 0 ? axis + rank : axis;
  if (dim < 0 || dim >= rank) {
    scope.Fail(InvalidArgument("Frame along dimension ", axis, " of a tensor of rank ", rank));
    return Output();
  }
  const int32_t width = static_cast<int32_t>(frame_length), step = static_cast<int32_t>(frame_step);
  const Output length = ElementAt(inside, BuildOutput(inside, "Shape", {x}), dim);
  Output count, signal = x;
  if (pad_end) {
    count = FloorDivide(inside, Add(inside, length, step - 1), step);
    const Output end = Add(inside, Multiply(inside, Subtract(inside, count, 1), step), width);
    const Output more = Reshape(inside, Maximum(inside, Subtract(inside, end, length), 0), {1, 1});
    std::vector<int32_t> place(static_cast<size_t>(2 * rank), 0);
    place[static_cast<size_t>(2 * dim + 1)] = 1;
    const Output paddings =
        Multiply(inside, more, Constant(inside, place, DType::kInt32, Shape({rank, 2})));
    signal = Pad(inside, x, paddings, PadMode::kConstant, pad_value);
  } else {
    count = Maximum(inside,
                    Add(inside, FloorDivide(inside, Subtract(inside, length, width), step), 1), 0);
  }
  const Output begins = ExpandDims(inside, Multiply(inside, Range(inside, count), step), 1);
  const Output places = Add(inside, begins, Range(inside, width));
  return scope(Gather(inside, signal, places, dim));
}

Output OverlapAndAdd(ScopeRef scope_ref, const Output& x, int64_t frame_step) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("overlap_and_add");
  if (FailRank(scope, "OverlapAndAdd", x, 2) || FailPositive(scope, "OverlapAndAdd", frame_step))
    return Output();
  const int rank = Input(x).rank();
  const int32_t step = static_cast<int32_t>(frame_step);
  const Output shape = BuildOutput(inside, "Shape", {x});
  const Output frames = ElementAt(inside, shape, -2), width = ElementAt(inside, shape, -1);
  const Output begins = ExpandDims(inside, Multiply(inside, Range(inside, frames), step), 1);
  const Output places = Reshape(inside, Add(inside, begins, Range(inside, width)), {-1});
  const Output length = Add(inside, Multiply(inside, Subtract(inside, frames, 1), step), width);
  // Each place of the signal is a segment: of rows, one for each element of the frames.
  const Output elements = Reshape(inside, Multiply(inside, frames, width), {1});
  const Output minus_one = Constant(inside, std::vector<int32_t>{-1});
  const Output rows =
      Transpose(inside, Reshape(inside, x, Concat(inside, {minus_one, elements}, 0)), {1, 0});
  const Output sums = Transpose(inside, UnsortedSegmentSum(inside, rows, places, length), {1, 0});
  const Output outer = BuildOutput(
      inside, "Slice", {shape, std::vector<int32_t>{0}, std::vector<int32_t>{rank - 2}});
  return scope(Reshape(inside, sums, Concat(inside, {outer, Reshape(inside, length, {1})}, 0)));
}

Output Stft(ScopeRef scope_ref, const Output& x, int64_t frame_length, int64_t frame_step,
            const StftOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("stft");
  Output frames = Frame(inside, x, frame_length, frame_step, options.pads_end);
  if (!scope.ok()) return Output();
  if (options.window) {
    frames = Multiply(inside, frames, options.window(inside, frame_length, x.dtype()));
  }
  const int64_t length = options.transformed.value_or(PowerOfTwo(frame_length));
  return scope(Rfft(inside, frames, {static_cast<int32_t>(length)}));
}

Output InverseStft(ScopeRef scope_ref, const Output& x, int64_t frame_length, int64_t frame_step,
                   const StftOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("inverse_stft");
  if (FailRank(scope, "InverseStft", x, 2) || FailPositive(scope, "InverseStft", frame_length))
    return Output();
  const int64_t length = options.transformed.value_or(PowerOfTwo(frame_length));
  Output frames = Irfft(inside, x, {static_cast<int32_t>(length)});
  if (length > frame_length) frames = LastDimension(inside, frames, frame_length);
  if (length < frame_length) {
    std::vector<int32_t> paddings(static_cast<size_t>(2 * Input(x).rank()), 0);
    paddings.back() = static_cast<int32_t>(frame_length - length);
    frames =
        Pad(inside, frames, Constant(inside, paddings, DType::kInt32, Shape({Input(x).rank(), 2})));
  }
  if (!scope.ok()) return Output();
  if (options.window) {
    frames = Multiply(inside, frames, options.window(inside, frame_length, frames.dtype()));
  }
  return scope(OverlapAndAdd(inside, frames, frame_step));
}

WindowFunction InverseStftWindowFn(int64_t frame_step, WindowFunction forward) {
  return [frame_step, forward](const Scope& scope, int64_t length, DType dtype) -> Output {
    const Scope inside = scope.OpenScope("inverse_stft_window_fn");
    if (FailPositive(scope, "InverseStftWindowFn", frame_step) ||
        FailPositive(scope, "InverseStftWindowFn", length))
      return Output();
    const Output window =
        forward ? forward(inside, length, dtype) : Ones(inside, Shape({length}), dtype);
    const int32_t overlaps = static_cast<int32_t>((length + frame_step - 1) / frame_step);
    const int32_t step = static_cast<int32_t>(frame_step);
    const Output paddings =
        Constant(inside, std::vector<int32_t>{0, overlaps * step - static_cast<int32_t>(length)},
                 DType::kInt32, Shape({1, 2}));
    // The squares of all windows that cover a place.
    const Output squares =
        Reshape(inside, Pad(inside, Square(inside, window), paddings), {overlaps, step});
    const Output sums =
        Tile(inside, ReduceSum(inside, squares, {0}), std::vector<int32_t>{overlaps});
    return scope(Divide(inside, window, LastDimension(inside, sums, length)));
  };
}

Output Mdct(ScopeRef scope_ref, const Output& x, int64_t frame_length, const MdctOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("mdct");
  if (FailRank(scope, "Mdct", x, 1)) return Output();
  if (frame_length < 4 || frame_length % 4 != 0) {
    scope.Fail(InvalidArgument("frames of Mdct need a length that is a multiple of 4, not ",
                               frame_length));
    return Output();
  }
  Output frames = Frame(inside, x, frame_length, frame_length / 2, options.pads_end);
  if (!scope.ok()) return Output();
  if (options.window) {
    Output window = options.window(inside, frame_length, x.dtype());
    frames = Multiply(inside, frames, window);
  }
  const std::vector<Output> parts = Split(inside, frames, 4, -1);
  if (!scope.ok()) return Output();
  const Output first = Subtract(inside, Negative(inside, ReverseLast(inside, parts[2])), parts[3]);
  const Output second = Subtract(inside, parts[0], ReverseLast(inside, parts[1]));
  return scope(Dct(inside, Concat(inside, {first, second}, -1),
                   DctOptions().type(4).norm(options.normalization)));
}

Output InverseMdct(ScopeRef scope_ref, const Output& x, const MdctOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("inverse_mdct");
  if (FailRank(scope, "InverseMdct", x, 2)) return Output();
  const int64_t half = x.shape().dim(Input(x).rank() - 1);
  Output back = Idct(inside, x, DctOptions().type(4).norm(options.normalization));
  if (!scope.ok()) return Output();
  if (options.normalization == DctNorm::kNone) {
    back = Multiply(inside, back, 0.5 / static_cast<double>(half));
  }
  const std::vector<Output> parts = Split(inside, back, 2, -1);
  if (!scope.ok()) return Output();
  Output frames =
      Concat(inside,
             {parts[1], Negative(inside, ReverseLast(inside, parts[1])),
              Negative(inside, ReverseLast(inside, parts[0])), Negative(inside, parts[0])},
             -1);
  if (options.window) {
    frames = Multiply(inside, frames, options.window(inside, 2 * half, x.dtype()));
  }
  return scope(OverlapAndAdd(inside, frames, half));
}

Output LinearToMelWeightMatrix(ScopeRef scope_ref, const MelOptions& options, DType dtype) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (options.bands < 1 || options.bins < 2 || options.lower < 0 ||
      options.upper <= options.lower || options.upper > options.rate / 2) {
    scope.Fail(InvalidArgument("bands need 0 <= lower < upper <= half the sample rate, not ",
                               options.lower, " and ", options.upper, " of ", options.rate));
    return Output();
  }
  const auto mel = [](double hertz) { return 1127 * std::log(1 + hertz / 700); };
  std::vector<double> edges;
  const double low = mel(options.lower), high = mel(options.upper);
  for (int64_t i = 0; i < options.bands + 2; ++i) {
    edges.push_back(low +
                    (high - low) * static_cast<double>(i) / static_cast<double>(options.bands + 1));
  }
  // The bin of frequency 0 belongs to no band.
  std::vector<double> weights(static_cast<size_t>(options.bands), 0);
  for (int64_t bin = 1; bin < options.bins; ++bin) {
    const double at =
        mel(options.rate / 2 * static_cast<double>(bin) / static_cast<double>(options.bins - 1));
    for (size_t band = 0; band < static_cast<size_t>(options.bands); ++band) {
      const double rise = (at - edges[band]) / (edges[band + 1] - edges[band]);
      const double fall = (edges[band + 2] - at) / (edges[band + 2] - edges[band + 1]);
      weights.push_back(std::max(0.0, std::min(rise, fall)));
    }
  }
  return Constant(scope.Named(scope.OpNameOr("linear_to_mel_weight_matrix")), weights, dtype,
                  Shape({options.bins, options.bands}));
}

Output MfccsFromLogMelSpectrograms(ScopeRef scope_ref, const Output& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("mfccs_from_log_mel_spectrograms");
  const Output cosines = Dct(inside, x);
  if (!scope.ok()) return Output();
  const double bands = static_cast<double>(x.shape().dim(Input(x).rank() - 1));
  return scope(Multiply(inside, cosines, 1 / std::sqrt(2 * bands)));
}

}  // namespace signal
}  // namespace frontend
}  // namespace warpbeam
