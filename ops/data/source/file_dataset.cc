#include "ops/data/source/file_dataset.h"

#include <algorithm>

namespace warpbeam {
namespace {

constexpr int64_t kLeastReadahead = int64_t{256} << 10;
constexpr int64_t kMostReadahead = int64_t{16} << 20;

}  // namespace

class FileDataset::Iterator final : public DatasetIterator {
 public:
  Iterator(const FileDataset& dataset, PipelineContext& pipeline)
      : dataset_(dataset), pipeline_(pipeline) {}

  Status GetNext(Element* element, bool* end) override {
    // The string of an element that nobody else has keeps its memory.
    const bool reuse = element->size() == 1 && (*element)[0].dtype() == DType::kString &&
                       (*element)[0].rank() == 0 && (*element)[0].IsUnique();
    if (!reuse) {
      element->resize(1);
      WB_ASSIGN_OR_RETURN((*element)[0], Tensor::Allocate(DType::kString, Shape()));
    }
    for (;;) {
      *end = next_file_ >= dataset_.paths_.size() && reader_ == nullptr;
      if (*end) return OkStatus();
      if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
      if (reader_ == nullptr) {
        const size_t i = next_file_++;
        WB_ASSIGN_OR_RETURN(reader_, dataset_.open_(i, dataset_.paths_[i]));
      }
      StatusOr<bool> found = reader_->Next((*element)[0].data<std::string>());
      if (found.ok() && *found) return OkStatus();
      reader_.reset();
      WB_RETURN_IF_ERROR(found.status());
    }
  }

 private:
  const FileDataset& dataset_;
  PipelineContext& pipeline_;
  std::unique_ptr<FileReader> reader_;
  size_t next_file_ = 0;
};

FileDataset::FileDataset(const char* name, std::vector<std::string> paths, Open open)
    : Dataset(StringSpec(), {}), name_(name), paths_(std::move(paths)), open_(std::move(open)) {}

StatusOr<std::unique_ptr<DatasetIterator>> FileDataset::MakeIterator(
    PipelineContext& pipeline) const {
  return std::make_unique<Iterator>(*this, pipeline);
}

size_t ReadaheadBytes(int64_t buffer_size) {
  return static_cast<size_t>(std::clamp(buffer_size, kLeastReadahead, kMostReadahead));
}

ElementSpec StringSpec() { return {{DType::kString}, {PartialShape(Shape())}}; }

}  // namespace warpbeam
