#include "ops/nn/sampling/range_sampler.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "ops/random/distributions.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

template <typename T, typename Next>
T Below(T n, Next next) {
  if ((n & (n - 1)) == 0) return next() & (n - 1);
  const T rejected = std::numeric_limits<T>::max() % n + 1;
  T number;
  do {
    number = next();
  } while (number < rejected);
  return number % n;
}

class UniformSampler final : public RangeSampler {
 public:
  explicit UniformSampler(int64_t range)
      : RangeSampler(range), probability_(static_cast<float>(1.0 / static_cast<double>(range))) {}
  float Probability(int64_t) const override { return probability_; }

 protected:
  int64_t Sample(SamplerNumbers& numbers) const override {
    return static_cast<int64_t>(numbers.Below64(static_cast<uint64_t>(range())));
  }

 private:
  const float probability_;
};

class LogUniformSampler final : public RangeSampler {
 public:
  explicit LogUniformSampler(int64_t range)
      : RangeSampler(range), log_range_(std::log1p(static_cast<double>(range))) {}
  float Probability(int64_t value) const override {
    const double v = static_cast<double>(value);
    return static_cast<float>(std::log((v + 2) / (v + 1)) / log_range_);
  }

 protected:
  int64_t Sample(SamplerNumbers& numbers) const override {
    // Rounding may reach the end of the range.
    return (static_cast<int64_t>(std::exp(numbers.Double() * log_range_)) - 1) % range();
  }

 private:
  const double log_range_;
};

class AllSampler final : public RangeSampler {
 public:
  using RangeSampler::RangeSampler;
  float Probability(int64_t) const override { return 1; }
  StatusOr<int64_t> Draw(SamplerNumbers&, bool, Span<int64_t> classes) const override {
    std::iota(classes.begin(), classes.end(), int64_t{0});
    // As many tries as would make any class expected once.
    return 1;
  }

 protected:
  int64_t Sample(SamplerNumbers&) const override { return 0; }
};

// Weights in a Fenwick tree (Fenwick, "A new data structure for cumulative frequency tables",
// 1994): a class is found, and its weight changed, in the logarithm of the range.
class UnigramSampler final : public RangeSampler {
 public:
  explicit UnigramSampler(int64_t range)
      : RangeSampler(range),
        weights_(static_cast<size_t>(range), 1),
        sums_(static_cast<size_t>(range) + 1),
        total_(range) {
    for (size_t i = 1; i < sums_.size(); ++i) sums_[i] = static_cast<int32_t>(i & (~i + 1));
    while (top_ * 2 < sums_.size()) top_ *= 2;
  }
  float Probability(int64_t value) const override {
    return static_cast<float>(weights_[static_cast<size_t>(value)]) / static_cast<float>(total_);
  }
  void Learn(Span<const int64_t> true_classes) override {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const int64_t value : true_classes) {
      // From then on it has learned enough.
      if (total_ == std::numeric_limits<int32_t>::max()) return;
      ++total_;
      ++weights_[static_cast<size_t>(value)];
      for (size_t i = static_cast<size_t>(value) + 1; i < sums_.size(); i += i & (~i + 1)) {
        ++sums_[i];
      }
    }
  }
  std::unique_lock<std::mutex> Snapshot() const override {
    return std::unique_lock<std::mutex>(mutex_);
  }

 protected:
  int64_t Sample(SamplerNumbers& numbers) const override {
    int32_t left = static_cast<int32_t>(numbers.Below32(static_cast<uint32_t>(total_)));
    size_t at = 0;
    for (size_t step = top_; step > 0; step /= 2) {
      if (at + step < sums_.size() && sums_[at + step] <= left) {
        at += step;
        left -= sums_[at];
      }
    }
    return static_cast<int64_t>(at);
  }

 private:
  std::vector<int32_t> weights_;
  std::vector<int32_t> sums_;  // sums_[i]: of the lowest-bit(i) weights that end before i
  size_t top_ = 1;             // the largest power of two below sums_.size()
  int64_t total_;
  mutable std::mutex mutex_;
};

// The alias method of Walker, "An efficient method for generating discrete random variables with
// general distributions" (1977): a class and its alias share a slot of the table.
class FixedUnigramSampler final : public RangeSampler {
 public:
  explicit FixedUnigramSampler(std::vector<float> weights)
      : RangeSampler(static_cast<int64_t>(weights.size())),
        weights_(std::move(weights)),
        slots_(weights_.size()) {
    double sum = 0;
    for (const float w : weights_) {
      total_ += w;
      sum += static_cast<double>(w);
      num_possible_ += w > 0 ? 1 : 0;
    }
    std::vector<double> shares(weights_.size());
    std::vector<size_t> rich, poor;
    for (size_t i = 0; i < weights_.size(); ++i) {
      shares[i] = static_cast<double>(weights_[i] * static_cast<float>(weights_.size())) / sum;
      (shares[i] < 1 ? poor : rich).push_back(i);
    }
    while (!rich.empty() && !poor.empty()) {
      const size_t giver = rich.back(), taker = poor.back();
      rich.pop_back();
      poor.pop_back();
      slots_[taker].alias = static_cast<int64_t>(giver);
      shares[giver] -= 1.0 - shares[taker];
      (shares[giver] < 1 ? poor : rich).push_back(giver);
    }
    // What is left has a slot of its own: only rounding keeps it from exactly 1.
    for (const std::vector<size_t>* left : {&rich, &poor}) {
      for (const size_t i : *left) {
        shares[i] = 1;
        slots_[i].alias = static_cast<int64_t>(i);
      }
    }
    for (size_t i = 0; i < slots_.size(); ++i) slots_[i].share = static_cast<float>(shares[i]);
  }
  float Probability(int64_t value) const override {
    return weights_[static_cast<size_t>(value)] / total_;
  }

 protected:
  int64_t Sample(SamplerNumbers& numbers) const override {
    const float chance = numbers.Float();
    const uint32_t at = numbers.Below32(static_cast<uint32_t>(slots_.size()));
    return chance < slots_[at].share ? int64_t{at} : slots_[at].alias;
  }
  int64_t num_possible() const override { return num_possible_; }

 private:
  struct Slot {
    float share = 0;  // of the slot that is the class's own
    int64_t alias = 0;
  };
  const std::vector<float> weights_;
  std::vector<Slot> slots_;
  float total_ = 0;
  int64_t num_possible_ = 0;
};

}  // namespace

float SamplerNumbers::Float() { return UniformFloat(numbers_.Next()); }
double SamplerNumbers::Double() {
  const uint32_t upper = numbers_.Next();
  return UniformDouble(upper, numbers_.Next());
}
uint64_t SamplerNumbers::Next64() {
  const uint64_t lower = numbers_.Next();
  return lower | uint64_t{numbers_.Next()} << 32;
}
uint32_t SamplerNumbers::Below32(uint32_t n) {
  return Below(n, [this] { return numbers_.Next(); });
}
uint64_t SamplerNumbers::Below64(uint64_t n) {
  return Below(n, [this] { return Next64(); });
}

StatusOr<int64_t> RangeSampler::Draw(SamplerNumbers& numbers, bool unique,
                                     Span<int64_t> classes) const {
  const int64_t count = static_cast<int64_t>(classes.size());
  if (!unique) {
    for (int64_t& c : classes) {
      if (RunningStep::IsOver()) return StepIsOver();
      c = Sample(numbers);
    }
    return count;
  }
  if (count > num_possible()) {
    return InvalidArgument("Sampler's range is too small: there are not ", count,
                           " different classes to draw, only ", num_possible());
  }
  absl::flat_hash_set<int64_t> drawn;
  drawn.reserve(classes.size());
  int64_t tries = 0;
  for (int64_t& c : classes) {
    do {
      if (RunningStep::IsOver()) return StepIsOver();
      if (++tries == std::numeric_limits<int32_t>::max()) {
        return InvalidArgument("no ", count, " different classes came within ", tries,
                               " tries: too many of them are too unlikely");
      }
      c = Sample(numbers);
    } while (!drawn.insert(c).second);
  }
  return tries;
}

float ExpectedCount(float probability, int64_t batch, int64_t tries) {
  if (tries == batch) return probability * static_cast<float>(batch);
  return -std::expm1(static_cast<float>(tries) * std::log1p(-probability));
}

std::unique_ptr<RangeSampler> NewUniformSampler(int64_t range) {
  return std::make_unique<UniformSampler>(range);
}
std::unique_ptr<RangeSampler> NewLogUniformSampler(int64_t range) {
  return std::make_unique<LogUniformSampler>(range);
}
std::unique_ptr<RangeSampler> NewAllSampler(int64_t range) {
  return std::make_unique<AllSampler>(range);
}
std::unique_ptr<RangeSampler> NewUnigramSampler(int64_t range) {
  return std::make_unique<UnigramSampler>(range);
}
std::unique_ptr<RangeSampler> NewFixedUnigramSampler(std::vector<float> weights) {
  return std::make_unique<FixedUnigramSampler>(std::move(weights));
}

}  // namespace warpbeam
