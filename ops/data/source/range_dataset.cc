// RangeDataset: start, start + step, … up to but without stop.

#include "ops/data/dataset_kernel.h"
#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace {

class RangeDataset final : public Dataset {
 public:
  RangeDataset(ElementSpec spec, int64_t start, int64_t stop, int64_t step)
      : Dataset(std::move(spec), {}), start_(start), step_(step) {
    // Distances may exceed an int64, never a uint64.
    if (step > 0 && start < stop) {
      const uint64_t distance = static_cast<uint64_t>(stop) - static_cast<uint64_t>(start);
      count_ = (distance - 1) / static_cast<uint64_t>(step) + 1;
    } else if (step < 0 && start > stop) {
      const uint64_t distance = static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
      count_ = (distance - 1) / (uint64_t{0} - static_cast<uint64_t>(step)) + 1;
    }
  }

  const char* name() const override { return "Range"; }
  int64_t CountElements() const override {
    return count_ > static_cast<uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(count_);
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext&) const override {
    return std::make_unique<Iterator>(*this);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const RangeDataset& dataset) : dataset_(dataset) {}
    Status GetNext(Element* element, bool* end) override {
      *end = next_ >= dataset_.count_;
      if (*end) return OkStatus();
      const int64_t value = static_cast<int64_t>(static_cast<uint64_t>(dataset_.start_) +
                                                 next_ * static_cast<uint64_t>(dataset_.step_));
      ++next_;
      element->resize(1);
      return DispatchTypes(NumberTypeList{}, dataset_.spec().types[0], [&](auto tag) {
        using T = typename decltype(tag)::type;
        (*element)[0] = Tensor::Scalar<T>(static_cast<T>(value));
        return OkStatus();
      });
    }

   private:
    const RangeDataset& dataset_;
    uint64_t next_ = 0;
  };

  const int64_t start_;
  const int64_t step_;
  uint64_t count_ = 0;
};

class RangeDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit&) override {
    if (spec().types.size() != 1) {
      return InvalidArgument("a range has one component, not ", spec().types.size());
    }
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t start, ScalarInput<int64_t>(ctx, 0, "start"));
    WB_ASSIGN_OR_RETURN(const int64_t stop, ScalarInput<int64_t>(ctx, 1, "stop"));
    WB_ASSIGN_OR_RETURN(const int64_t step, ScalarInput<int64_t>(ctx, 2, "step"));
    if (step == 0) return InvalidArgument("step must not be 0");
    return std::make_shared<RangeDataset>(spec(), start, stop, step);
  }
};

WB_OP("RangeDataset")
    .Role(OpRole::kDataset)
    .Input("start: int64")
    .Input("stop: int64")
    .Input("step: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Attr("replicate_on_split: bool = false")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("RangeDataset", KernelOf<RangeDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
