// GroupByWindowDataset: elements are gathered by the key that a function gives them; as soon as a
// key has as many as another function says, a third makes a dataset of them, whose elements follow.
// At the end of the input come the groups that are left, by their keys.

#include <map>

#include "ops/data/elements_dataset.h"
#include "ops/data/function_attr.h"

namespace warpbeam {
namespace {

struct GroupFunctions {
  CapturedFunction key, reduce, window_size;
};

class GroupByWindowDataset final : public Dataset {
 public:
  GroupByWindowDataset(ElementSpec spec, DatasetRef input, GroupFunctions functions)
      : Dataset(std::move(spec), {std::move(input)}), functions_(std::move(functions)) {}

  const char* name() const override { return "GroupByWindow"; }
  bool FindImmediate() const override { return false; }
  bool FindSideEffects(const FunctionLibrary& library) const override {
    return Dataset::FindSideEffects(library) || functions_.key.HasSideEffects(library) ||
           functions_.reduce.HasSideEffects(library) ||
           functions_.window_size.HasSideEffects(library);
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    WB_ASSIGN_OR_RETURN(iterator->key_, CapturedCall::Create(functions_.key, pipeline));
    WB_ASSIGN_OR_RETURN(iterator->reduce_, CapturedCall::Create(functions_.reduce, pipeline));
    WB_ASSIGN_OR_RETURN(iterator->window_size_,
                        CapturedCall::Create(functions_.window_size, pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const GroupByWindowDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        if (inner_ != nullptr) {
          bool inner_end = false;
          WB_RETURN_IF_ERROR(inner_->GetNext(element, &inner_end));
          if (!inner_end) {
            *end = false;
            return dataset_.spec().CheckElement(*element);
          }
          inner_.reset();
          groups_.erase(current_key_);
        }
        if (input_ != nullptr) {
          WB_RETURN_IF_ERROR(ReadOne());
        } else if (!groups_.empty()) {
          WB_RETURN_IF_ERROR(Flush(groups_.begin()->first));
        } else {
          *end = true;
          return OkStatus();
        }
      }
    }

   private:
    friend class GroupByWindowDataset;

    // An element whose functions fail is left out.
    Status ReadOne() {
      bool end = false;
      Element element;
      WB_RETURN_IF_ERROR(input_->GetNext(&element, &end));
      if (end) {
        input_.reset();
        return OkStatus();
      }
      Element results;
      WB_RETURN_IF_ERROR(key_->Run(element, &results));
      WB_ASSIGN_OR_RETURN(const int64_t key, Int64Result(results, "key_func"));
      WB_ASSIGN_OR_RETURN(const int64_t size, WindowSize(key, results));
      std::vector<Element>& group = groups_[key];
      group.push_back(std::move(element));
      return static_cast<int64_t>(group.size()) == size ? Flush(key) : OkStatus();
    }

    // Asked once for each key, with the tensor that the key function returned.
    StatusOr<int64_t> WindowSize(int64_t key, const Element& key_tensor) {
      const auto found = sizes_.find(key);
      if (found != sizes_.end()) return found->second;
      Element results;
      WB_RETURN_IF_ERROR(window_size_->Run(key_tensor, &results));
      WB_ASSIGN_OR_RETURN(const int64_t size, Int64Result(results, "window_size_func"));
      if (size <= 0) {
        return InvalidArgument("Window size must be greater than zero, but got ", size,
                               ". (for the key ", key, ")");
      }
      sizes_[key] = size;
      return size;
    }

    // The group is there until its dataset has ended; where the function fails it stays.
    Status Flush(int64_t key) {
      const std::vector<Element>& group = groups_[key];
      Element args{Tensor::Scalar<int64_t>(key), DatasetToTensor(std::make_shared<ElementsDataset>(
                                                     dataset_.input().spec(), group))};
      Element results;
      const Status status = reduce_->Run(args, &results);
      if (!status.ok() && !pipeline_.IsCancelled()) {
        // TensorFlow's code for whatever this function gives.
        return Internal("the function that reduces the group ", key, " gave ",
                        StatusCodeName(status.code()), ": ", status.message());
      }
      WB_RETURN_IF_ERROR(status);
      if (results.size() != 1) {
        return InvalidArgument("`reduce_func` must return one dataset, it returned ",
                               results.size(), " tensors");
      }
      WB_ASSIGN_OR_RETURN(inner_dataset_, DatasetFromTensor(results[0]));
      WB_ASSIGN_OR_RETURN(inner_, inner_dataset_->MakeIterator(pipeline_));
      current_key_ = key;
      return OkStatus();
    }

    const GroupByWindowDataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    std::unique_ptr<CapturedCall> key_, reduce_, window_size_;
    std::map<int64_t, std::vector<Element>> groups_;
    std::map<int64_t, int64_t> sizes_;
    int64_t current_key_ = 0;
    DatasetRef inner_dataset_;
    std::unique_ptr<DatasetIterator> inner_;  // reads inner_dataset_, so it goes first
  };

  const GroupFunctions functions_;
};

class GroupByWindowDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(key_, ReadFunctionAttr(init, "key_func"));
    WB_ASSIGN_OR_RETURN(reduce_, ReadFunctionAttr(init, "reduce_func"));
    WB_ASSIGN_OR_RETURN(window_size_, ReadFunctionAttr(init, "window_size_func"));
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    const int reduce_at = 1 + key_.num_captured;
    GroupFunctions functions{key_.Capture(ctx, 1), reduce_.Capture(ctx, reduce_at),
                             window_size_.Capture(ctx, reduce_at + reduce_.num_captured)};
    return std::make_shared<GroupByWindowDataset>(spec(), std::move(input), std::move(functions));
  }
  FunctionAttr key_, reduce_, window_size_;
};

WB_OP("GroupByWindowDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("key_func_other_arguments: Tkey_func_other_arguments")
    .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
    .Input("window_size_func_other_arguments: Twindow_size_func_other_arguments")
    .Output("handle: variant")
    .Attr("key_func: func")
    .Attr("reduce_func: func")
    .Attr("window_size_func: func")
    .Attr("Tkey_func_other_arguments: list(type) >= 0")
    .Attr("Treduce_func_other_arguments: list(type) >= 0")
    .Attr("Twindow_size_func_other_arguments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ExperimentalGroupByWindowDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("key_func_other_arguments: Tkey_func_other_arguments")
    .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
    .Input("window_size_func_other_arguments: Twindow_size_func_other_arguments")
    .Output("handle: variant")
    .Attr("key_func: func")
    .Attr("reduce_func: func")
    .Attr("window_size_func: func")
    .Attr("Tkey_func_other_arguments: list(type) >= 0")
    .Attr("Treduce_func_other_arguments: list(type) >= 0")
    .Attr("Twindow_size_func_other_arguments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("GroupByWindowDataset", KernelOf<GroupByWindowDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalGroupByWindowDataset", KernelOf<GroupByWindowDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
