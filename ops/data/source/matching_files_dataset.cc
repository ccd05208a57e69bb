// MatchingFilesDataset: the names of the files that patterns match, sorted pattern by pattern.
// Directories are none of them; names that begin with a dot are matched as others are.

#include "ops/data/dataset_kernel.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

ElementSpec NameSpec() { return {{DType::kString}, {PartialShape(Shape())}}; }

class MatchingFilesDataset final : public Dataset {
 public:
  explicit MatchingFilesDataset(std::vector<std::string> patterns)
      : Dataset(NameSpec(), {}), patterns_(std::move(patterns)) {}

  const char* name() const override { return "MatchingFiles"; }
  bool FindImmediate() const override { return false; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    return std::make_unique<Iterator>(patterns_, pipeline);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const std::vector<std::string>& patterns, PipelineContext& pipeline)
        : patterns_(patterns), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      while (next_name_ == names_.size() && next_pattern_ < patterns_.size()) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        WB_ASSIGN_OR_RETURN(names_, files::MatchFiles(patterns_[next_pattern_++]));
        next_name_ = 0;
        has_found_ |= !names_.empty();
      }
      *end = next_name_ == names_.size();
      if (!*end) {
        *element = {Tensor::Scalar<std::string>(std::move(names_[next_name_++]))};
      } else if (!has_found_ && !patterns_.empty()) {
        return NotFound("no files match ", patterns_[0],
                        patterns_.size() > 1 ? " or the other patterns" : "");
      }
      return OkStatus();
    }

   private:
    const std::vector<std::string>& patterns_;
    PipelineContext& pipeline_;
    size_t next_pattern_ = 0;
    std::vector<std::string> names_;
    size_t next_name_ = 0;
    bool has_found_ = false;
  };

  const std::vector<std::string> patterns_;
};

class MatchingFilesDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::vector<std::string> patterns,
                        VectorInput<std::string>(ctx, 0, "patterns"));
    return std::make_shared<MatchingFilesDataset>(std::move(patterns));
  }
};

WB_OP("MatchingFilesDataset")
    .Role(OpRole::kDataset)
    .Input("patterns: string")
    .Output("handle: variant")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_OP("ExperimentalMatchingFilesDataset")
    .Role(OpRole::kDataset)
    .Input("patterns: string")
    .Output("handle: variant")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_KERNEL("MatchingFilesDataset", KernelOf<MatchingFilesDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalMatchingFilesDataset", KernelOf<MatchingFilesDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
