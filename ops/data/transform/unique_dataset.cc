// UniqueDataset: the elements of the input, each the first time it comes.

#include <string>
#include <unordered_set>

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

// A text that only equal tensors of one dtype share: extents and values, each string with its
// length.
std::string Contents(const Tensor& t) {
  std::string text;
  const auto add = [&text](const void* bytes, size_t count) {
    text.append(static_cast<const char*>(bytes), count);
  };
  for (int d = 0; d < t.rank(); ++d) {
    const int64_t extent = t.dim(d);
    add(&extent, sizeof(extent));
  }
  if (t.dtype() != DType::kString) {
    add(t.raw_data(), t.bytes());
    return std::to_string(t.rank()) + ":" + text;
  }
  for (const std::string& s : t.flat<std::string>()) {
    const size_t size = s.size();
    add(&size, sizeof(size));
    text += s;
  }
  return std::to_string(t.rank()) + ":" + text;
}

class UniqueDataset final : public Dataset {
 public:
  UniqueDataset(ElementSpec spec, DatasetRef input)
      : Dataset(std::move(spec), {std::move(input)}) {}

  const char* name() const override { return "Unique"; }
  // An input that repeats itself without an end gives nothing new.
  bool FindImmediate() const override { return input().Cardinality() >= 0 && InputsAreImmediate(); }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(PipelineContext& pipeline) : pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        *end = input_ == nullptr;
        if (*end) return OkStatus();
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        WB_RETURN_IF_ERROR(input_->GetNext(element, end));
        if (*end) {
          input_.reset();
          seen_.clear();
          return OkStatus();
        }
        if (seen_.insert(Contents((*element)[0])).second) return OkStatus();
      }
    }

   private:
    friend class UniqueDataset;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    std::unordered_set<std::string> seen_;
  };
};

class UniqueDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    const std::vector<DType>& types = input->spec().types;
    if (types.size() != 1) {
      return InvalidArgument("UniqueDataset takes elements of one component, not of ",
                             types.size());
    }
    if (types[0] != DType::kInt32 && types[0] != DType::kInt64 && types[0] != DType::kString) {
      return InvalidArgument("UniqueDataset takes int32, int64 and string, not ",
                             DTypeName(types[0]));
    }
    return std::make_shared<UniqueDataset>(spec(), std::move(input));
  }
};

WB_OP("UniqueDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ExperimentalUniqueDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("UniqueDataset", KernelOf<UniqueDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalUniqueDataset", KernelOf<UniqueDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
