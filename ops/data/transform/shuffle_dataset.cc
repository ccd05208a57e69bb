// ShuffleDataset, V2, V3 and ShuffleAndRepeatDataset, V2: elements in random order, drawn from a
// buffer of the next `buffer_size` elements. With seeds the order is TensorFlow's.
//
// The buffer is a ring. It holds elements of the current pass over the input and, when repeating,
// of the next ones: each pass is a slice of the ring, and elements are drawn from the first slice
// until it is empty. Each pass has seeds of its own.

#include <deque>

#include "ops/data/dataset_kernel.h"
#include "ops/data/random_samples.h"

namespace warpbeam {
namespace {

constexpr int64_t kWholeInput = -2;  // a buffer_size: as large as the input
constexpr size_t kMaxSlices = 3;

class ShuffleDataset final : public Dataset {
 public:
  struct Options {
    int64_t buffer_size = 0;
    int64_t count = 1;  // passes over the input; negative for no end
    std::shared_ptr<SeedGenerator> seeds;
  };

  ShuffleDataset(ElementSpec spec, DatasetRef input, Options options)
      : Dataset(std::move(spec), {std::move(input)}), options_(std::move(options)) {}

  const char* name() const override { return "Shuffle"; }
  SeedGenerator* seeds() const override { return options_.seeds.get(); }
  int64_t CountElements() const override {
    const int64_t n = input().Cardinality();
    if (options_.count == 1) return n;
    if (options_.count == 0 || n == 0) return 0;
    if (options_.count < 0) return kInfinite;
    int64_t total;
    return n < 0 ? n : __builtin_mul_overflow(n, options_.count, &total) ? INT64_MAX : total;
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    return std::make_unique<Iterator>(*this, pipeline);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const ShuffleDataset& dataset, PipelineContext& pipeline)
        : options_(dataset.options_),
          dataset_(dataset),
          pipeline_(pipeline),
          samples_(options_.seeds->Next()) {}

    Status GetNext(Element* element, bool* end) override {
      WB_RETURN_IF_ERROR(Fill());
      *end = num_elements_ == 0;
      if (*end) return OkStatus();
      while (slices_.front().begin == slices_.front().end) {
        slices_.pop_front();
        samples_ = RandomSamples(options_.seeds->Next());
      }
      Slice& slice = slices_.front();
      const int64_t offset = samples_.Next() % (slice.end - slice.begin);
      Element& drawn = At(slice.begin + offset);
      element->swap(drawn);
      drawn.swap(At(slice.begin));
      At(slice.begin).clear();
      ++slice.begin;
      --num_elements_;
      return OkStatus();
    }

   private:
    // Positions count on from pass to pass; the ring holds them modulo its size.
    struct Slice {
      int64_t begin;
      int64_t end;
    };

    bool IsWholeInput() const { return options_.buffer_size == kWholeInput; }
    Element& At(int64_t position) {
      return ring_[IsWholeInput() ? position - base_ : position % options_.buffer_size];
    }

    bool NeedsMore() const {
      if (input_ == nullptr && options_.count >= 0 && passes_ >= options_.count) return false;
      if (slices_.size() > kMaxSlices && num_elements_ > 0) return false;
      // A pass is drawn from when all of it has been read.
      if (IsWholeInput()) return num_elements_ == 0 || input_ != nullptr;
      return num_elements_ < options_.buffer_size;
    }

    Status Fill() {
      while (NeedsMore()) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        if (input_ == nullptr) WB_RETURN_IF_ERROR(BeginPass());
        bool end = false;
        WB_RETURN_IF_ERROR(input_->GetNext(&row_, &end));
        if (!end) {
          Add();
          continue;
        }
        input_.reset();
        // An input without elements would be repeated for ever in vain.
        if (!has_produced_ && options_.count < 0) return OkStatus();
      }
      return OkStatus();
    }

    Status BeginPass() {
      WB_ASSIGN_OR_RETURN(input_, dataset_.input().MakeIterator(pipeline_));
      const int64_t at = slices_.empty() ? position_ : slices_.back().end;
      slices_.push_back({at, at});
      if (IsWholeInput()) {
        base_ = at;
        ring_.clear();
      }
      ++passes_;
      return OkStatus();
    }

    void Add() {
      has_produced_ = true;
      const int64_t position = slices_.back().end++;
      position_ = slices_.back().end;
      // The ring grows as it is first filled, so that a generous buffer_size costs nothing.
      const size_t index = IsWholeInput() ? position - base_ : position % options_.buffer_size;
      if (index >= ring_.size()) ring_.resize(index + 1);
      ring_[index].swap(row_);
      ++num_elements_;
    }

    const Options& options_;
    const ShuffleDataset& dataset_;
    PipelineContext& pipeline_;
    RandomSamples samples_;
    std::unique_ptr<DatasetIterator> input_;
    std::deque<Slice> slices_;
    std::vector<Element> ring_;
    Element row_;
    int64_t num_elements_ = 0;
    int64_t passes_ = 0;
    int64_t position_ = 0;
    int64_t base_ = 0;
    bool has_produced_ = false;
  };

  const Options options_;
};

// One kernel for all versions; they differ in which inputs they have.
struct ShuffleInputs {
  int seed = -1;  // and seed2 behind it
  int count = -1;
  int generator = -1;
};

class ShuffleDatasetKernel : public DatasetKernel {
 protected:
  explicit ShuffleDatasetKernel(ShuffleInputs inputs) : inputs_(inputs) {}

 private:
  Status ReadAttrs(KernelInit& init) override {
    reshuffle_ = init.attrs.GetOr<bool>("reshuffle_each_iteration", true);
    return OkStatus();
  }

  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    ShuffleDataset::Options options;
    WB_ASSIGN_OR_RETURN(options.buffer_size, ScalarInput<int64_t>(ctx, 1, "buffer_size"));
    if (options.buffer_size <= 0 && options.buffer_size != kWholeInput) {
      return InvalidArgument("buffer_size must be greater than 0 (or ", kWholeInput,
                             " for the whole input), got ", options.buffer_size);
    }
    if (inputs_.count >= 0) {
      WB_ASSIGN_OR_RETURN(options.count, ScalarInput<int64_t>(ctx, inputs_.count, "count"));
      if (options.count < -1) options.count = -1;
    }
    WB_ASSIGN_OR_RETURN(options.seeds, Seeds(ctx));
    return std::make_shared<ShuffleDataset>(spec(), std::move(input), std::move(options));
  }

  // The generator given, if it exists, else one of the dataset's own.
  StatusOr<std::shared_ptr<SeedGenerator>> Seeds(KernelContext& ctx) const {
    if (inputs_.generator >= 0 && ctx.resources() != nullptr) {
      const Tensor& handle = ctx.input(inputs_.generator);
      if (handle.num_elements() != 1) return InvalidArgument("seed_generator must be a scalar");
      auto found = ctx.resources()->Lookup<SeedGenerator>(handle.scalar<ResourceHandle>());
      const bool may_lack = IsNotFound(found.status()) && inputs_.seed >= 0;
      if (found.ok() || !may_lack) return found;
    }
    if (inputs_.seed < 0) return FailedPrecondition("there is no store to find the seeds in");
    WB_ASSIGN_OR_RETURN(const int64_t seed, ScalarInput<int64_t>(ctx, inputs_.seed, "seed"));
    WB_ASSIGN_OR_RETURN(const int64_t seed2, ScalarInput<int64_t>(ctx, inputs_.seed + 1, "seed2"));
    return std::make_shared<SeedGenerator>(ResolveSeeds(seed, seed2), reshuffle_);
  }

  const ShuffleInputs inputs_;
  bool reshuffle_ = true;
};

struct ShuffleKernel final : ShuffleDatasetKernel {
  ShuffleKernel() : ShuffleDatasetKernel({2, -1, -1}) {}
};
struct ShuffleKernelV2 final : ShuffleDatasetKernel {
  ShuffleKernelV2() : ShuffleDatasetKernel({-1, -1, 2}) {}
};
struct ShuffleKernelV3 final : ShuffleDatasetKernel {
  ShuffleKernelV3() : ShuffleDatasetKernel({2, -1, 4}) {}
};
struct ShuffleAndRepeatKernel final : ShuffleDatasetKernel {
  ShuffleAndRepeatKernel() : ShuffleDatasetKernel({2, 4, -1}) {}
};
struct ShuffleAndRepeatKernelV2 final : ShuffleDatasetKernel {
  ShuffleAndRepeatKernelV2() : ShuffleDatasetKernel({2, 4, 5}) {}
};

WB_OP("ShuffleDataset")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: variant")
    .Attr("reshuffle_each_iteration: bool = true")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ShuffleDatasetV2")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed_generator: resource")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_OP("ShuffleDatasetV3")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("seed_generator: resource")
    .Output("handle: variant")
    .Attr("reshuffle_each_iteration: bool = true")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_OP("ShuffleAndRepeatDataset")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("count: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("reshuffle_each_iteration: bool = true")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ShuffleAndRepeatDatasetV2")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("count: int64")
    .Input("seed_generator: resource")
    .Output("handle: variant")
    .Attr("reshuffle_each_iteration: bool = true")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("ShuffleDataset", KernelOf<ShuffleKernel>).Cpu().Cheap();
WB_KERNEL("ShuffleDatasetV2", KernelOf<ShuffleKernelV2>).Cpu().Cheap();
WB_KERNEL("ShuffleDatasetV3", KernelOf<ShuffleKernelV3>).Cpu().Cheap();
WB_KERNEL("ShuffleAndRepeatDataset", KernelOf<ShuffleAndRepeatKernel>).Cpu().Cheap();
WB_KERNEL("ShuffleAndRepeatDatasetV2", KernelOf<ShuffleAndRepeatKernelV2>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
