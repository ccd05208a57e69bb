// InterleaveDataset and the ParallelInterleaveDatasets: a function makes a dataset of each element;
// `cycle_length` of them are open at once and give `block_length` elements in turn.
//
// The parallel ones keep that order (V1 too, whose sloppy mode allows any): each open dataset is
// read ahead by a thread of its own, so that slow sources, files above all, are read side by side.

#include <algorithm>
#include <thread>
#include <utility>

#include "ops/data/captured_function.h"
#include "ops/data/element_buffer.h"

namespace warpbeam {
namespace {

constexpr int64_t kMostThreads = 64;
// How far all datasets together are read ahead.
constexpr int64_t kMostBytesAhead = int64_t{256} << 20;

struct InterleaveOptions {
  int64_t cycle_length = 1;
  int64_t block_length = 1;
  int64_t ahead = 0;       // elements that each open dataset is read ahead, by a thread; 0: none is
  int64_t most_ahead = 0;  // as far as that grows while they are waited for
};

class InterleaveDataset final : public FunctionDataset {
 public:
  InterleaveDataset(ElementSpec spec, DatasetRef input, CapturedFunction function,
                    InterleaveOptions options)
      : FunctionDataset(std::move(spec), std::move(input), std::move(function)),
        options_(options) {}

  const char* name() const override { return "Interleave"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(options_, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    WB_ASSIGN_OR_RETURN(iterator->call_, CapturedCall::Create(function(), pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const InterleaveOptions& options, PipelineContext& pipeline)
        : options_(options), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        *end = input_ == nullptr && num_open_ == 0;
        if (*end) return OkStatus();
        WB_RETURN_IF_ERROR(OpenAhead());
        if (current_ < cycle_.size() && cycle_[current_].is_open) {
          WB_RETURN_IF_ERROR(cycle_[current_].GetNext(element, end));
          if (!*end) {
            if (++in_block_ == options_.block_length) NextSource();
            return OkStatus();
          }
          cycle_[current_].Close();
          --num_open_;
          NextSource();
        } else if (input_ != nullptr) {
          WB_RETURN_IF_ERROR(OpenSource(current_));
        } else {
          NextSource();
        }
      }
    }

   private:
    friend class InterleaveDataset;

    // One open dataset. The iterator reads the dataset, so it goes first. What kept it from being
    // opened is told in its turn, once.
    struct Source {
      bool is_open = false;
      Status failure;
      DatasetRef dataset;
      std::unique_ptr<DatasetIterator> iterator;
      std::unique_ptr<ElementBuffer> buffer;

      Status GetNext(Element* element, bool* end) {
        if (!failure.ok()) return std::exchange(failure, OkStatus());
        if (buffer != nullptr) return buffer->GetNext(element, end);
        if (iterator != nullptr) return iterator->GetNext(element, end);
        *end = true;
        return OkStatus();
      }
      void Close() {
        is_open = false;
        buffer.reset();
        iterator.reset();
        dataset.reset();
      }
    };

    void NextSource() {
      in_block_ = 0;
      // Places behind the last source stay empty once the input has ended.
      const size_t places = input_ == nullptr ? std::max<size_t>(1, cycle_.size())
                                              : static_cast<size_t>(options_.cycle_length);
      if (++current_ >= places) current_ = 0;
    }

    // Where sources are read by threads, a whole cycle is opened before the first is waited for.
    Status OpenAhead() {
      while (options_.ahead > 0 && input_ != nullptr && !has_filled_ &&
             cycle_.size() < static_cast<size_t>(options_.cycle_length)) {
        WB_RETURN_IF_ERROR(OpenSource(cycle_.size()));
      }
      has_filled_ = true;
      return OkStatus();
    }

    // Opens a dataset of the next element at this place of the cycle.
    Status OpenSource(size_t place) {
      bool end = false;
      Source source;
      Status opened = input_->GetNext(&args_, &end);
      if (opened.ok() && end) {
        input_.reset();
        return OkStatus();
      }
      if (opened.ok()) opened = Open(&source);
      if (!opened.ok()) {
        if (options_.ahead == 0 || pipeline_.IsCancelled()) return opened;
        source.failure = std::move(opened);
      }
      source.is_open = true;
      if (place >= cycle_.size()) cycle_.resize(place + 1);
      cycle_[place] = std::move(source);
      ++num_open_;
      return OkStatus();
    }

    // The dataset that the function makes of the latest element of the input.
    Status Open(Source* to) {
      Source& source = *to;
      WB_ASSIGN_OR_RETURN(source.dataset, DatasetFromFunction(*call_, args_));
      if (options_.ahead == 0 || source.dataset->IsImmediate()) {
        WB_ASSIGN_OR_RETURN(source.iterator, source.dataset->MakeIterator(pipeline_));
      } else {
        auto part = std::make_unique<PipelineContext>(pipeline_);
        WB_ASSIGN_OR_RETURN(auto iterator, source.dataset->MakeIterator(*part));
        ElementBuffer::Options options;
        options.capacity = options_.ahead;
        options.max_capacity = options_.most_ahead;
        options.max_bytes = kMostBytesAhead / options_.cycle_length;
        source.buffer = std::make_unique<ElementBuffer>(source.dataset, std::move(part),
                                                        std::move(iterator), options);
        WB_RETURN_IF_ERROR(source.buffer->Start());
      }
      return OkStatus();
    }

    const InterleaveOptions options_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    std::unique_ptr<CapturedCall> call_;
    Element args_;
    std::vector<Source> cycle_;
    size_t current_ = 0;
    int64_t in_block_ = 0;
    int64_t num_open_ = 0;
    bool has_filled_ = false;
  };

  const InterleaveOptions options_;
};

// Where the versions differ: the inputs behind block_length.
struct InterleaveInputs {
  bool is_parallel = false;
  int buffer_output = -1;   // counted from block_length
  int parallel_calls = -1;  // counted from block_length
};

class InterleaveDatasetKernel : public FunctionDatasetKernel {
 protected:
  explicit InterleaveDatasetKernel(InterleaveInputs inputs) : inputs_(inputs) {}

 private:
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    const int cycle = 1 + num_captured();
    InterleaveOptions options;
    WB_ASSIGN_OR_RETURN(options.cycle_length, ScalarInput<int64_t>(ctx, cycle, "cycle_length"));
    if (options.cycle_length == Dataset::kAutotune) {
      options.cycle_length =
          inputs_.is_parallel ? 10 : std::max<int64_t>(1, std::thread::hardware_concurrency());
    }
    if (options.cycle_length <= 0) {
      return InvalidArgument("`cycle_length` must be > 0, got ", options.cycle_length);
    }
    WB_ASSIGN_OR_RETURN(options.block_length, ScalarInput<int64_t>(ctx, cycle + 1, "block_length"));
    if (options.block_length <= 0) {
      return InvalidArgument("`block_length` must be > 0, got ", options.block_length);
    }
    if (inputs_.is_parallel) WB_RETURN_IF_ERROR(ReadParallel(ctx, cycle + 1, &options));
    return std::make_shared<InterleaveDataset>(spec(), std::move(input), Capture(ctx, 1), options);
  }

  Status ReadParallel(const KernelContext& ctx, int block, InterleaveOptions* options) const {
    int64_t ahead = Dataset::kAutotune;
    if (inputs_.buffer_output > 0) {
      WB_ASSIGN_OR_RETURN(ahead, ScalarInput<int64_t>(ctx, block + inputs_.buffer_output,
                                                      "buffer_output_elements"));
      if (ahead < 0 && ahead != Dataset::kAutotune) {
        return InvalidArgument("`buffer_output_elements` must be >= 0 or -1, got ", ahead);
      }
    }
    if (inputs_.parallel_calls > 0) {
      WB_ASSIGN_OR_RETURN(
          const int64_t calls,
          ScalarInput<int64_t>(ctx, block + inputs_.parallel_calls, "num_parallel_calls"));
      if (calls <= 0 && calls != Dataset::kAutotune) {
        return InvalidArgument("num_parallel_calls must be greater than zero, got ", calls);
      }
      if (calls > options->cycle_length) {
        return InvalidArgument("num_parallel_calls must less than or equal to cycle_length, got ",
                               calls, " against ", options->cycle_length);
      }
    }
    // A cycle that would need too many threads is read by none.
    if (options->cycle_length > kMostThreads) return OkStatus();
    if (ahead == Dataset::kAutotune) {
      options->ahead = kFirstAhead;
      options->most_ahead = kMostAhead;
    } else {
      options->ahead = std::clamp<int64_t>(ahead, 1, 1024);
    }
    return OkStatus();
  }

  const InterleaveInputs inputs_;
};

struct InterleaveKernel final : InterleaveDatasetKernel {
  InterleaveKernel() : InterleaveDatasetKernel({}) {}
};
struct ParallelInterleaveKernel final : InterleaveDatasetKernel {
  ParallelInterleaveKernel() : InterleaveDatasetKernel({true, 2, -1}) {}
};
struct LegacyParallelInterleaveKernelV2 final : InterleaveDatasetKernel {
  LegacyParallelInterleaveKernelV2() : InterleaveDatasetKernel({true, 1, -1}) {}
};
struct ParallelInterleaveKernelV2 final : InterleaveDatasetKernel {
  ParallelInterleaveKernelV2() : InterleaveDatasetKernel({true, -1, 1}) {}
};
struct ParallelInterleaveKernelV4 final : InterleaveDatasetKernel {
  ParallelInterleaveKernelV4() : InterleaveDatasetKernel({true, 1, 3}) {}
};

WB_OP("InterleaveDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ParallelInterleaveDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("sloppy: bool")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ExperimentalParallelInterleaveDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("sloppy: bool")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ParallelInterleaveDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("sloppy: bool = false")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ParallelInterleaveDatasetV3")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("deterministic: string = 'default'")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ParallelInterleaveDatasetV4")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("deterministic: string = 'default'")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("LegacyParallelInterleaveDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("deterministic: string = 'default'")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("InterleaveDataset", KernelOf<InterleaveKernel>).Cpu().Cheap();
WB_KERNEL("ParallelInterleaveDataset", KernelOf<ParallelInterleaveKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalParallelInterleaveDataset", KernelOf<ParallelInterleaveKernel>)
    .Cpu()
    .Cheap();
WB_KERNEL("LegacyParallelInterleaveDatasetV2", KernelOf<LegacyParallelInterleaveKernelV2>)
    .Cpu()
    .Cheap();
WB_KERNEL("ParallelInterleaveDatasetV2", KernelOf<ParallelInterleaveKernelV2>).Cpu().Cheap();
WB_KERNEL("ParallelInterleaveDatasetV3", KernelOf<ParallelInterleaveKernelV2>).Cpu().Cheap();
WB_KERNEL("ParallelInterleaveDatasetV4", KernelOf<ParallelInterleaveKernelV4>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
