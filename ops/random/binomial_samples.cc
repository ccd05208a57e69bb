#include "ops/random/binomial_samples.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/launch/dispatch.h"
#include "ops/random/binomial_sampler.h"
#include "ops/random/poisson_sampler.h"
#include "ops/random/sample_sets.h"

namespace warpbeam {
namespace {

// A sample in its output's type: integers have no NaN, and end somewhere.
template <typename T>
T Stored(double sample) {
  if constexpr (std::is_integral_v<T>) {
    if (std::isnan(sample)) return T{-1};
    if (sample >= LargestSample<T>()) return std::numeric_limits<T>::max();
  }
  return static_cast<T>(sample);
}

}  // namespace

Status FillBinomial(KernelContext& ctx, const Tensor& shape, const Tensor& counts,
                    const Tensor& probabilities,
                    absl::FunctionRef<StatusOr<Philox>(int64_t sets, int64_t samples)> stream) {
  WB_ASSIGN_OR_RETURN(const SampleSets sets,
                      SampleSets::Make(shape, {&counts.shape(), &probabilities.shape()}));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, sets.shape));
  const int64_t all = sets.shape.num_elements();
  if (all == 0) return OkStatus();
  WB_ASSIGN_OR_RETURN(const Philox base, stream(sets.count(), all / sets.count()));
  std::vector<BinomialSampler> samplers;
  WB_RETURN_IF_ERROR((DispatchTypes<Half, float, double>(counts.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    WB_ASSIGN_OR_RETURN(const std::vector<T> count, sets.Spread<T>(counts));
    WB_ASSIGN_OR_RETURN(const std::vector<T> probability, sets.Spread<T>(probabilities));
    for (size_t i = 0; i < count.size(); ++i) {
      samplers.push_back(BinomialSampler::Make<T>(count[i], probability[i]));
    }
    return OkStatus();
  })));
  return DispatchTypes(PoissonTypes{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T* out = y->data<T>();
    sets.ForEachApart(
        ctx, base, 300,
        [&](int64_t set) { return samplers[static_cast<size_t>(set)].blocks_per_sample(); },
        [&](int64_t set, const Philox& own, int64_t at) {
          out[at] = Stored<T>(samplers[static_cast<size_t>(set)].Sample(own));
        });
    return OkStatus();
  });
}

}  // namespace warpbeam
