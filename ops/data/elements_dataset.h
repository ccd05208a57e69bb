// ElementsDataset: elements in memory, as a dataset.
//
//   auto window = std::make_shared<ElementsDataset>(input->spec(), std::move(elements));
//
// Ownership: the dataset owns its elements. Thread safety: as Dataset. Errors: none.
#ifndef WARPBEAM_OPS_DATA_ELEMENTS_DATASET_H_
#define WARPBEAM_OPS_DATA_ELEMENTS_DATASET_H_

#include <memory>
#include <utility>
#include <vector>

#include "ops/data/dataset.h"

namespace warpbeam {

class ElementsDataset final : public Dataset {
 public:
  ElementsDataset(ElementSpec spec, std::vector<Element> elements)
      : Dataset(std::move(spec), {}), elements_(std::move(elements)) {}

  const char* name() const override { return "Window"; }
  int64_t CountElements() const override { return static_cast<int64_t>(elements_.size()); }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext&) const override {
    return std::make_unique<Iterator>(*this);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const ElementsDataset& dataset) : dataset_(dataset) {}
    Status GetNext(Element* element, bool* end) override {
      *end = next_ >= dataset_.elements_.size();
      if (!*end) *element = dataset_.elements_[next_++];
      return OkStatus();
    }

   private:
    const ElementsDataset& dataset_;
    size_t next_ = 0;
  };

  const std::vector<Element> elements_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_ELEMENTS_DATASET_H_
