// Mfcc: mel-frequency cepstral coefficients, a few numbers that say how a spectrum sounds.
//
// Davis and Mermelstein, "Comparison of parametric representations for monosyllabic word
// recognition in continuously spoken sentences" (1980): the logarithms of what triangular filters,
// evenly spaced on the mel scale, let through, and the beginning of their cosine transform.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// What silence counts as, so that it has a logarithm.
constexpr double kLeastEnergy = 1e-12;

struct MfccAttrs {
  double upper, lower;
  int64_t filters, coefficients;
};

double Mel(double hertz) { return 1127.0 * std::log1p(hertz / 700.0); }

// Filters of a spectrum of `bins` frequencies, from 0 to half the sample rate. A bin lies between
// the centres of two neighbours and is shared between them.
class MelFilters {
 public:
  MelFilters(const MfccAttrs& attrs, int64_t bins, double rate) : filters_(attrs.filters) {
    const double low = Mel(attrs.lower);
    const double step = (Mel(attrs.upper) - low) / static_cast<double>(filters_ + 1);
    const double width = 0.5 * rate / static_cast<double>(bins - 1);  // of a bin, in hertz
    // The first bin, the constant part, is never used.
    const double first = 1.5 + attrs.lower / width, last = attrs.upper / width;
    // A spectrum that does not reach up to the upper limit has no filters at all.
    covered_ = last < static_cast<double>(bins);
    if (!covered_ || first >= static_cast<double>(bins)) return;
    first_ = static_cast<int64_t>(first);
    for (int64_t i = first_; i <= static_cast<int64_t>(last); ++i) {
      const double mel = Mel(static_cast<double>(i) * width);
      // How many centres lie below.
      int64_t below = 0;
      if (!shares_.empty()) below = shares_.back().below;
      while (below < filters_ && low + step * static_cast<double>(below + 1) < mel) ++below;
      const double next = low + step * static_cast<double>(below + 1);
      shares_.push_back({below, (next - mel) / step});
    }
  }

  // What the filters let through of a spectrum of squares; false where there are none.
  bool Apply(const float* spectrum, std::vector<double>* energies) const {
    if (!covered_) return false;
    std::fill(energies->begin(), energies->end(), 0.0);
    for (size_t i = 0; i < shares_.size(); ++i) {
      const Share& s = shares_[i];
      const double amplitude =
          std::sqrt(static_cast<double>(spectrum[first_ + static_cast<int64_t>(i)]));
      const double lower = amplitude * s.of_lower;
      if (s.below > 0) (*energies)[static_cast<size_t>(s.below - 1)] += lower;
      if (s.below < filters_) (*energies)[static_cast<size_t>(s.below)] += amplitude - lower;
    }
    return true;
  }

 private:
  struct Share {
    int64_t below;    // centres
    double of_lower;  // of the bin, that the nearest of them takes
  };
  const int64_t filters_;
  bool covered_ = false;
  int64_t first_ = 0;
  std::vector<Share> shares_;
};

Status CheckArguments(const MfccAttrs& a, int64_t bins, int32_t rate) {
  constexpr int64_t kMostProducts = int64_t{1} << 26;
  const bool fits = a.filters >= 1 && a.coefficients >= 1 && a.coefficients <= a.filters &&
                    a.filters <= kMostProducts && a.filters * a.coefficients <= kMostProducts;
  if (fits && bins >= 2 && rate > 0 && a.lower >= 0 && !(a.upper <= a.lower)) {
    return OkStatus();
  }
  return InvalidArgument("Mfcc initialization failed for channel count ", bins, ", sample rate ",
                         rate, " and filterbank_channel_count ", a.filters, "; limits ", a.lower,
                         " to ", a.upper, ", dct_coefficient_count ", a.coefficients);
}

class MfccKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    MfccAttrs attrs;
    WB_ASSIGN_OR_RETURN(attrs.upper, init.attr<float>("upper_frequency_limit"));
    WB_ASSIGN_OR_RETURN(attrs.lower, init.attr<float>("lower_frequency_limit"));
    WB_ASSIGN_OR_RETURN(attrs.filters, init.attr<int64_t>("filterbank_channel_count"));
    WB_ASSIGN_OR_RETURN(attrs.coefficients, init.attr<int64_t>("dct_coefficient_count"));
    return std::make_unique<MfccKernel>(attrs);
  }
  explicit MfccKernel(const MfccAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &rate = ctx.input(1);
    if (x.rank() != 3) {
      return InvalidArgument("spectrogram must be 3-dimensional", x.shape().ToString());
    }
    if (rate.rank() != 0) {
      return InvalidArgument("Input sample_rate should be a scalar tensor, got ",
                             rate.shape().ToString(), " instead.");
    }
    const int64_t bins = x.dim(2);
    WB_RETURN_IF_ERROR(CheckArguments(attrs_, bins, rate.scalar<int32_t>()));
    WB_ASSIGN_OR_RETURN(const Shape shape, x.shape().WithDim(2, attrs_.coefficients));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (y->num_elements() == 0) return OkStatus();
    const MelFilters filters(attrs_, bins, rate.scalar<int32_t>());
    const std::vector<double> cosines = Cosines();
    const int64_t cost = bins + attrs_.filters * (20 + attrs_.coefficients);
    ctx.ParallelFor(x.dim(0) * x.dim(1), cost, [&](int64_t begin, int64_t end) {
      std::vector<double> energies(static_cast<size_t>(attrs_.filters));
      for (int64_t i = begin; i < end; ++i) {
        float* out = y->data<float>() + i * attrs_.coefficients;
        if (!filters.Apply(x.data<float>() + i * bins, &energies)) {
          std::fill_n(out, attrs_.coefficients, 0.0f);
          continue;
        }
        for (double& e : energies) e = std::log(e < kLeastEnergy ? kLeastEnergy : e);
        const double* row = cosines.data();
        for (int64_t k = 0; k < attrs_.coefficients; ++k) {
          double sum = 0;
          for (const double e : energies) sum += *row++ * e;
          out[k] = static_cast<float>(sum);
        }
      }
    });
    return OkStatus();
  }

 private:
  std::vector<double> Cosines() const {
    const double n = static_cast<double>(attrs_.filters);
    std::vector<double> cosines;
    for (int64_t i = 0; i < attrs_.coefficients; ++i) {
      for (int64_t j = 0; j < attrs_.filters; ++j) {
        const double angle = static_cast<double>(i) * (M_PI / n) * (static_cast<double>(j) + 0.5);
        cosines.push_back(std::sqrt(2.0 / n) * std::cos(angle));
      }
    }
    return cosines;
  }

  const MfccAttrs attrs_;
};

Status MfccShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 3));
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  WB_ASSIGN_OR_RETURN(const int64_t coefficients, c.attr<int64_t>("dct_coefficient_count"));
  x.set_dim(2, coefficients >= 1 ? coefficients : -1);
  c.set_output(0, std::move(x));
  return OkStatus();
}

WB_OP("Mfcc")
    .Input("spectrogram: float")
    .Input("sample_rate: int32")
    .Output("output: float")
    .Attr("upper_frequency_limit: float = 4000.0")
    .Attr("lower_frequency_limit: float = 20.0")
    .Attr("filterbank_channel_count: int = 40")
    .Attr("dct_coefficient_count: int = 13")
    .Shape(MfccShape);
WB_KERNEL("Mfcc", MfccKernel).Cpu();

}  // namespace
}  // namespace warpbeam
