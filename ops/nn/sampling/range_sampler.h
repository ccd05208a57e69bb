// RangeSampler: classes of [0, range) drawn from a distribution, and how often each was to be
// expected among them: what the candidate samplers of sampled losses draw from.
//
//   const std::unique_ptr<RangeSampler> sampler = NewLogUniformSampler(50000);
//   SamplerNumbers numbers(stream);
//   std::vector<int64_t> classes(64);
//   WB_ASSIGN_OR_RETURN(const int64_t tries,
//                       sampler->Draw(numbers, /*unique=*/true, MakeSpan(classes)));
//   const float expected = ExpectedCount(sampler->Probability(7), 64, tries);
//
// Classes equal TensorFlow's for the same stream, number by number: each distribution says how many
// 32-bit numbers it takes for a class. Unique classes are drawn by rejection; the tries are
// counted, because the expected counts depend on them.
//
// Thread safety: Draw, Probability and Snapshot from any thread; only the unigram sampler changes,
// by Learn. Errors: INVALID_ARGUMENT when there are not so many different classes, or when their
// chances are too small for as many tries as int32 counts.
#ifndef WARPBEAM_OPS_NN_SAMPLING_RANGE_SAMPLER_H_
#define WARPBEAM_OPS_NN_SAMPLING_RANGE_SAMPLER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "graph/types/errors.h"
#include "graph/types/span.h"
#include "ops/random/philox.h"

namespace warpbeam {

// The numbers of a stream as samplers take them: two 32-bit numbers make a 64-bit one, the lower
// half first, or a double, the upper half first.
class SamplerNumbers {
 public:
  explicit SamplerNumbers(const Philox& stream) : numbers_(stream) {}
  float Float();
  double Double();
  // An integer of [0, n), n > 0, all equally likely: the few lowest numbers, which would make some
  // likelier, are drawn again.
  uint32_t Below32(uint32_t n);
  uint64_t Below64(uint64_t n);

 private:
  uint64_t Next64();

  PhiloxNumbers numbers_;
};

class RangeSampler {
 public:
  explicit RangeSampler(int64_t range) : range_(range) {}
  virtual ~RangeSampler() = default;
  RangeSampler(const RangeSampler&) = delete;
  RangeSampler& operator=(const RangeSampler&) = delete;

  int64_t range() const { return range_; }
  // Fills `classes` and returns how many draws that took: their number, unless they are unique.
  virtual StatusOr<int64_t> Draw(SamplerNumbers& numbers, bool unique, Span<int64_t> classes) const;
  // How likely a draw gives the class, which lies within the range.
  virtual float Probability(int64_t value) const = 0;
  // Makes true classes likelier; most samplers do not learn.
  virtual void Learn(Span<const int64_t> /*true_classes*/) {}
  // Held while classes are drawn and their probabilities read, so that both are of one
  // distribution.
  virtual std::unique_lock<std::mutex> Snapshot() const { return {}; }

 protected:
  virtual int64_t Sample(SamplerNumbers& numbers) const = 0;
  // How many classes can be drawn at all.
  virtual int64_t num_possible() const { return range_; }

 private:
  const int64_t range_;
};

// How often a class of this probability was to be expected in a batch that took so many tries.
float ExpectedCount(float probability, int64_t batch, int64_t tries);

// All classes are equally likely.
std::unique_ptr<RangeSampler> NewUniformSampler(int64_t range);
// P(k) = log((k + 2) / (k + 1)) / log(range + 1): Zipf's law, for classes sorted by falling
// frequency.
std::unique_ptr<RangeSampler> NewLogUniformSampler(int64_t range);
// Every class of the range, in order, each expected once.
std::unique_ptr<RangeSampler> NewAllSampler(int64_t range);
// Each class as likely as it has been a true class so far, plus one. The range is below 2^31 - 1.
std::unique_ptr<RangeSampler> NewUnigramSampler(int64_t range);
// Class i has the chance weights[i] of their sum.
std::unique_ptr<RangeSampler> NewFixedUnigramSampler(std::vector<float> weights);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_SAMPLING_RANGE_SAMPLER_H_
