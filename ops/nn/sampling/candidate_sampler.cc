// UniformCandidateSampler, LogUniformCandidateSampler, LearnedUnigramCandidateSampler,
// ThreadUnsafeUnigramCandidateSampler, FixedUnigramCandidateSampler, AllCandidateSampler: the
// classes against which a sampled loss compares the true ones.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/nn/sampling/range_sampler.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using SamplerFactory = StatusOr<std::unique_ptr<RangeSampler>> (*)(const KernelInit&);

// Blocks of the stream that a step takes for each candidate, whatever it uses of them.
constexpr int64_t kBlocksPerCandidate = 512;

class CandidateSamplerKernel : public Kernel {
 public:
  Status Init(const KernelInit& init, SamplerFactory make) {
    WB_ASSIGN_OR_RETURN(num_true_, init.attr<int64_t>("num_true"));
    WB_ASSIGN_OR_RETURN(num_sampled_, init.attr<int64_t>("num_sampled"));
    WB_ASSIGN_OR_RETURN(unique_, init.attr<bool>("unique"));
    WB_ASSIGN_OR_RETURN(sampler_, make(init));
    WB_ASSIGN_OR_RETURN(stream_, RandomStream::FromAttrs(init));
    return OkStatus();
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& classes = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckTrueClasses(classes));
    if (unique_ && num_sampled_ > sampler_->range()) {
      return InvalidArgument("Sampler's range is too small: it has ", sampler_->range(),
                             " classes, of which 'num_sampled' = ", num_sampled_,
                             " different ones are to be drawn");
    }
    WB_ASSIGN_OR_RETURN(Tensor * sampled, ctx.Allocate(0, Shape({num_sampled_})));
    WB_ASSIGN_OR_RETURN(Tensor * true_count, ctx.Allocate(1, classes.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * sampled_count, ctx.Allocate(2, Shape({num_sampled_})));
    SamplerNumbers numbers(
        stream_->Reserve(static_cast<uint64_t>(num_sampled_) * kBlocksPerCandidate));
    {
      const std::unique_lock<std::mutex> snapshot = sampler_->Snapshot();
      const Span<int64_t> drawn(sampled->data<int64_t>(), static_cast<size_t>(num_sampled_));
      WB_ASSIGN_OR_RETURN(const int64_t tries, sampler_->Draw(numbers, unique_, drawn));
      Count(*sampled, tries, sampled_count);
      Count(classes, tries, true_count);
    }
    sampler_->Learn({classes.data<int64_t>(), static_cast<size_t>(classes.num_elements())});
    return OkStatus();
  }

 private:
  Status CheckTrueClasses(const Tensor& classes) const {
    if (classes.rank() != 2) {
      return InvalidArgument("true_classes must be a matrix, but has shape ",
                             classes.shape().ToString());
    }
    if (classes.dim(1) != num_true_) {
      return InvalidArgument("true_classes must have 'num_true' = ", num_true_, " columns, not ",
                             classes.dim(1));
    }
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      const int64_t c = classes.data<int64_t>()[i];
      if (c < 0 || c >= sampler_->range()) {
        return InvalidArgument("true_classes[", i / num_true_, ",", i % num_true_, "] = ", c,
                               " is outside of the range [0, ", sampler_->range(), ")");
      }
    }
    return OkStatus();
  }

  void Count(const Tensor& classes, int64_t tries, Tensor* counts) const {
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      counts->data<float>()[i] =
          ExpectedCount(sampler_->Probability(classes.data<int64_t>()[i]), num_sampled_, tries);
    }
  }

  int64_t num_true_ = 1;
  int64_t num_sampled_ = 1;
  bool unique_ = false;
  std::unique_ptr<RangeSampler> sampler_;
  std::unique_ptr<RandomStream> stream_;
};

template <std::unique_ptr<RangeSampler> (*kNew)(int64_t)>
StatusOr<std::unique_ptr<RangeSampler>> MakeOfRange(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const int64_t range, init.attr<int64_t>("range_max"));
  return kNew(range);
}

StatusOr<std::unique_ptr<RangeSampler>> MakeAll(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const int64_t range, init.attr<int64_t>("num_sampled"));
  return NewAllSampler(range);
}

StatusOr<std::unique_ptr<RangeSampler>> MakeUnigram(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const int64_t range, init.attr<int64_t>("range_max"));
  if (range >= std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("'range_max' must be less than 2^31 - 1, it is ", range);
  }
  return NewUnigramSampler(range);
}

StatusOr<std::vector<float>> ReadVocabulary(const std::string& path) {
  WB_ASSIGN_OR_RETURN(const std::string text, ReadFileToString(path));
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  std::vector<float> weights;
  for (const absl::string_view line : lines) {
    if (line.empty()) continue;
    const size_t comma = line.rfind(',');
    const absl::string_view last = comma == absl::string_view::npos ? line : line.substr(comma + 1);
    float weight;
    if (!absl::SimpleAtof(last, &weight)) {
      return InvalidArgument("Wrong vocabulary format: '", line, "' of ", path,
                             " does not end with a number");
    }
    weights.push_back(weight);
  }
  return weights;
}

// Of the reserved ids and then the words, every `num_shards`-th belongs to this sampler.
StatusOr<std::unique_ptr<RangeSampler>> MakeFixedUnigram(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const int64_t range, init.attr<int64_t>("range_max"));
  WB_ASSIGN_OR_RETURN(const std::string file, init.attr<std::string>("vocab_file"));
  WB_ASSIGN_OR_RETURN(std::vector<float> unigrams, init.attr<std::vector<float>>("unigrams"));
  WB_ASSIGN_OR_RETURN(const float distortion, init.attr<float>("distortion"));
  WB_ASSIGN_OR_RETURN(const int64_t num_reserved_ids, init.attr<int64_t>("num_reserved_ids"));
  WB_ASSIGN_OR_RETURN(const int64_t num_shards, init.attr<int64_t>("num_shards"));
  WB_ASSIGN_OR_RETURN(const int64_t shard, init.attr<int64_t>("shard"));
  if (file.empty() == unigrams.empty()) {
    return InvalidArgument("Must provide either vocab_file or unigrams, but not ",
                           file.empty() ? "neither" : "both");
  }
  if (!file.empty()) {
    WB_ASSIGN_OR_RETURN(unigrams, ReadVocabulary(file));
  }
  std::vector<float> weights;
  for (int64_t id = 0; id < num_reserved_ids && static_cast<int64_t>(weights.size()) <= range;
       ++id) {
    if (id % num_shards == shard) weights.push_back(0);
  }
  int64_t id = static_cast<int64_t>(weights.size());
  for (const float unigram : unigrams) {
    if (id++ % num_shards == shard) weights.push_back(std::pow(unigram, distortion));
  }
  if (static_cast<int64_t>(weights.size()) != range) {
    return InvalidArgument("'range_max' is ", range, ", but the ",
                           file.empty() ? "unigrams" : "words of vocab_file",
                           " and reserved ids of the shard are ", weights.size());
  }
  return NewFixedUnigramSampler(std::move(weights));
}

template <SamplerFactory kMake>
class SamplerKernel final : public CandidateSamplerKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<SamplerKernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init, kMake));
    return kernel;
  }
};

Status CandidateShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape classes, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const int64_t num_true, c.attr<int64_t>("num_true"));
  WB_ASSIGN_OR_RETURN(const int64_t num_sampled, c.attr<int64_t>("num_sampled"));
  c.set_output(0, PartialShape({num_sampled}));
  c.set_output(1, PartialShape({classes.dim(0), num_true}));
  c.set_output(2, PartialShape({num_sampled}));
  return OkStatus();
}

#define WB_CANDIDATE_SAMPLER(name)             \
  WB_OP(name)                                  \
      .Input("true_classes: int64")            \
      .Output("sampled_candidates: int64")     \
      .Output("true_expected_count: float")    \
      .Output("sampled_expected_count: float") \
      .Attr("num_true: int >= 1")              \
      .Attr("num_sampled: int >= 1")           \
      .Attr("unique: bool")                    \
      .Stateful()                              \
      .Shape(CandidateShape)

#define WB_RANGE_SAMPLER(name, make) \
  WB_CANDIDATE_SAMPLER(name)         \
      .Attr("range_max: int >= 1")   \
      .Attr("seed: int = 0")         \
      .Attr("seed2: int = 0");       \
  WB_KERNEL(name, SamplerKernel<make>).Cpu()

WB_RANGE_SAMPLER("UniformCandidateSampler", MakeOfRange<NewUniformSampler>);
WB_RANGE_SAMPLER("LogUniformCandidateSampler", MakeOfRange<NewLogUniformSampler>);
// Both learn under a lock; the second need not, and programs name it for the speed.
WB_RANGE_SAMPLER("LearnedUnigramCandidateSampler", MakeUnigram);
WB_RANGE_SAMPLER("ThreadUnsafeUnigramCandidateSampler", MakeUnigram);

WB_CANDIDATE_SAMPLER("AllCandidateSampler").Attr("seed: int = 0").Attr("seed2: int = 0");
WB_KERNEL("AllCandidateSampler", SamplerKernel<MakeAll>).Cpu();

WB_CANDIDATE_SAMPLER("FixedUnigramCandidateSampler")
    .Attr("range_max: int >= 1")
    .Attr("vocab_file: string = ''")
    .Attr("distortion: float = 1")
    .Attr("num_reserved_ids: int = 0")
    .Attr("num_shards: int >= 1 = 1")
    .Attr("shard: int >= 0 = 0")
    .Attr("unigrams: list(float) = []")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Needs(Capability::kReadFile);
WB_KERNEL("FixedUnigramCandidateSampler", SamplerKernel<MakeFixedUnigram>).Cpu();

}  // namespace
}  // namespace warpbeam
