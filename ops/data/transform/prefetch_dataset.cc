// PrefetchDataset: its input, made ahead in a thread of its own.

#include "ops/data/dataset_kernel.h"
#include "ops/data/element_buffer.h"

namespace warpbeam {
namespace {

class PrefetchDataset final : public Dataset {
 public:
  PrefetchDataset(ElementSpec spec, DatasetRef input, int64_t buffer_size)
      : Dataset(std::move(spec), {std::move(input)}), buffer_size_(buffer_size) {}

  const char* name() const override { return "Prefetch"; }
  int64_t CountElements() const override { return input().Cardinality(); }
  bool FindImmediate() const override { return false; }
  const Ref* ReadsAhead(int64_t* elements) const override {
    *elements = buffer_size_;
    return &inputs()[0];
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto part = std::make_unique<PipelineContext>(pipeline);
    WB_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> iterator, input().MakeIterator(*part));
    ElementBuffer::Options options;
    options.capacity = buffer_size_ == kAutotune ? kFirstAhead : buffer_size_;
    if (buffer_size_ == kAutotune) options.max_capacity = kMostAhead;
    return std::make_unique<Iterator>(std::make_unique<ElementBuffer>(
        inputs()[0], std::move(part), std::move(iterator), options));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(std::unique_ptr<ElementBuffer> buffer) : buffer_(std::move(buffer)) {}
    Status GetNext(Element* element, bool* end) override { return buffer_->GetNext(element, end); }

   private:
    const std::unique_ptr<ElementBuffer> buffer_;
  };

  const int64_t buffer_size_;
};

class PrefetchDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t size, ScalarInput<int64_t>(ctx, 1, "buffer_size"));
    if (size < 0 && size != Dataset::kAutotune) {
      return InvalidArgument("buffer_size must be >= 0, or -1 to choose it by itself, got ", size);
    }
    if (size == 0) return input;
    return std::make_shared<PrefetchDataset>(spec(), std::move(input), size);
  }
};

WB_OP("PrefetchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("slack_period: int = 0")
    .Attr("legacy_autotune: bool = true")
    .Attr("buffer_size_min: int = 0")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("PrefetchDataset", KernelOf<PrefetchDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
