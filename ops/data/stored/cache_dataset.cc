// CacheDataset and CacheDatasetV2: elements are made once and kept, in memory or in a file; the
// first iterator that reaches the end of the input fills the cache for those that come later.

#include <mutex>

#include "ops/data/dataset_kernel.h"
#include "ops/data/stored/file_cache_dataset.h"

namespace warpbeam {
namespace {

// The elements once they are complete; shared by a dataset's iterators.
class ElementCache {
 public:
  using Elements = std::shared_ptr<const std::vector<Element>>;

  Elements Get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return elements_;
  }
  // The first complete pass counts.
  void Set(std::vector<Element> elements) {
    auto made = std::make_shared<const std::vector<Element>>(std::move(elements));
    std::lock_guard<std::mutex> lock(mutex_);
    if (elements_ == nullptr) elements_ = std::move(made);
  }

 private:
  mutable std::mutex mutex_;
  Elements elements_;
};

class CacheDataset final : public Dataset {
 public:
  CacheDataset(ElementSpec spec, DatasetRef input)
      : Dataset(std::move(spec), {std::move(input)}), cache_(std::make_unique<ElementCache>()) {}

  const char* name() const override { return "Cache"; }
  int64_t CountElements() const override { return input().Cardinality(); }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*cache_);
    iterator->elements_ = cache_->Get();
    if (iterator->elements_ == nullptr) {
      WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    }
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(ElementCache& cache) : cache_(cache) {}

    Status GetNext(Element* element, bool* end) override {
      if (elements_ != nullptr) {
        *end = next_ >= elements_->size();
        if (!*end) *element = (*elements_)[next_++];
        return OkStatus();
      }
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      Element made;
      Status status = input_->GetNext(&made, end);
      has_failed_ |= !status.ok();
      WB_RETURN_IF_ERROR(status);
      if (*end) {
        input_.reset();
        // A pass with an error in it is not the whole.
        if (!has_failed_) cache_.Set(std::move(made_));
        made_.clear();
        return OkStatus();
      }
      made_.push_back(made);
      *element = std::move(made);
      return OkStatus();
    }

   private:
    friend class CacheDataset;
    ElementCache& cache_;
    ElementCache::Elements elements_;  // reads these, or
    std::unique_ptr<DatasetIterator> input_;
    std::vector<Element> made_;
    size_t next_ = 0;
    bool has_failed_ = false;
  };

  const std::unique_ptr<ElementCache> cache_;
};

class CacheDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const std::string filename, ScalarInput<std::string>(ctx, 1, "filename"));
    if (!filename.empty()) {
      // Whether the cache is there is seen later, so that both are needed.
      for (const Capability needed : {Capability::kReadFile, Capability::kWriteFile}) {
        if (ctx.functions() == nullptr) continue;  // no session
        WB_RETURN_IF_ERROR(ctx.functions()->CheckAllowed(needed));
      }
      return FileCacheDataset(spec(), std::move(input), filename);
    }
    return std::make_shared<CacheDataset>(spec(), std::move(input));
  }
};

WB_OP("CacheDataset")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("filename: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("CacheDatasetV2")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("filename: string")
    .Input("cache: resource")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("CacheDataset", KernelOf<CacheDatasetKernel>).Cpu().Cheap();
WB_KERNEL("CacheDatasetV2", KernelOf<CacheDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
