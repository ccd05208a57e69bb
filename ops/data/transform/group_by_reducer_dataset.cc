// GroupByReducerDataset: elements are folded into a state for each key that a function gives them;
// at the end of the input come the finished states, by their keys.

#include <map>

#include "ops/data/function_attr.h"

namespace warpbeam {
namespace {

struct ReducerFunctions {
  CapturedFunction key, init, reduce, finalize;
};

class GroupByReducerDataset final : public Dataset {
 public:
  GroupByReducerDataset(ElementSpec spec, DatasetRef input, ReducerFunctions functions)
      : Dataset(std::move(spec), {std::move(input)}), functions_(std::move(functions)) {}

  const char* name() const override { return "GroupByReducer"; }
  bool FindImmediate() const override { return false; }
  bool FindSideEffects(const FunctionLibrary& library) const override {
    return Dataset::FindSideEffects(library) || functions_.key.HasSideEffects(library) ||
           functions_.init.HasSideEffects(library) || functions_.reduce.HasSideEffects(library) ||
           functions_.finalize.HasSideEffects(library);
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    WB_ASSIGN_OR_RETURN(iterator->key_, CapturedCall::Create(functions_.key, pipeline));
    WB_ASSIGN_OR_RETURN(iterator->init_, CapturedCall::Create(functions_.init, pipeline));
    WB_ASSIGN_OR_RETURN(iterator->reduce_, CapturedCall::Create(functions_.reduce, pipeline));
    WB_ASSIGN_OR_RETURN(iterator->finalize_, CapturedCall::Create(functions_.finalize, pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const GroupByReducerDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      while (input_ != nullptr) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        WB_RETURN_IF_ERROR(ReadOne());
      }
      *end = states_.empty();
      if (*end) return OkStatus();
      const Element state = std::move(states_.begin()->second);
      states_.erase(states_.begin());
      WB_RETURN_IF_ERROR(finalize_->Run(state, element));
      return dataset_.spec().CheckElement(*element);
    }

   private:
    friend class GroupByReducerDataset;

    // An element whose functions fail is left out.
    Status ReadOne() {
      bool end = false;
      Element element;
      WB_RETURN_IF_ERROR(input_->GetNext(&element, &end));
      if (end) {
        input_.reset();
        return OkStatus();
      }
      Element key_tensor;
      WB_RETURN_IF_ERROR(key_->Run(element, &key_tensor));
      WB_ASSIGN_OR_RETURN(const int64_t key, Int64Result(key_tensor, "key_func"));
      const auto found = states_.find(key);
      Element state;
      if (found != states_.end()) {
        state = found->second;
      } else {
        WB_RETURN_IF_ERROR(init_->Run(key_tensor, &state));
      }
      Element args = state;
      args.insert(args.end(), element.begin(), element.end());
      Element reduced;
      WB_RETURN_IF_ERROR(reduce_->Run(args, &reduced));
      WB_RETURN_IF_ERROR(CheckState(state, reduced));
      states_[key] = std::move(reduced);
      return OkStatus();
    }

    static Status CheckState(const Element& before, const Element& after) {
      if (before.size() != after.size()) {
        return InvalidArgument("`reduce_func` returned ", after.size(),
                               " tensors, the state that `init_func` made has ", before.size());
      }
      for (size_t i = 0; i < after.size(); ++i) {
        if (after[i].dtype() == before[i].dtype()) continue;
        return InvalidArgument("the new state ", i, " of `reduce_func` is ",
                               DTypeName(after[i].dtype()), " instead of ",
                               DTypeName(before[i].dtype()));
      }
      return OkStatus();
    }

    const GroupByReducerDataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    std::unique_ptr<CapturedCall> key_, init_, reduce_, finalize_;
    std::map<int64_t, Element> states_;
  };

  const ReducerFunctions functions_;
};

class GroupByReducerDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(key_, ReadFunctionAttr(init, "key_func"));
    WB_ASSIGN_OR_RETURN(init_, ReadFunctionAttr(init, "init_func"));
    WB_ASSIGN_OR_RETURN(reduce_, ReadFunctionAttr(init, "reduce_func"));
    WB_ASSIGN_OR_RETURN(finalize_, ReadFunctionAttr(init, "finalize_func"));
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    const int init_at = 1 + key_.num_captured;
    const int reduce_at = init_at + init_.num_captured;
    ReducerFunctions functions{key_.Capture(ctx, 1), init_.Capture(ctx, init_at),
                               reduce_.Capture(ctx, reduce_at),
                               finalize_.Capture(ctx, reduce_at + reduce_.num_captured)};
    return std::make_shared<GroupByReducerDataset>(spec(), std::move(input), std::move(functions));
  }
  FunctionAttr key_, init_, reduce_, finalize_;
};

WB_OP("GroupByReducerDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("key_func_other_arguments: Tkey_func_other_arguments")
    .Input("init_func_other_arguments: Tinit_func_other_arguments")
    .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
    .Input("finalize_func_other_arguments: Tfinalize_func_other_arguments")
    .Output("handle: variant")
    .Attr("key_func: func")
    .Attr("init_func: func")
    .Attr("reduce_func: func")
    .Attr("finalize_func: func")
    .Attr("Tkey_func_other_arguments: list(type) >= 0")
    .Attr("Tinit_func_other_arguments: list(type) >= 0")
    .Attr("Treduce_func_other_arguments: list(type) >= 0")
    .Attr("Tfinalize_func_other_arguments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(DatasetShape);
WB_OP("ExperimentalGroupByReducerDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("key_func_other_arguments: Tkey_func_other_arguments")
    .Input("init_func_other_arguments: Tinit_func_other_arguments")
    .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
    .Input("finalize_func_other_arguments: Tfinalize_func_other_arguments")
    .Output("handle: variant")
    .Attr("key_func: func")
    .Attr("init_func: func")
    .Attr("reduce_func: func")
    .Attr("finalize_func: func")
    .Attr("Tkey_func_other_arguments: list(type) >= 0")
    .Attr("Tinit_func_other_arguments: list(type) >= 0")
    .Attr("Treduce_func_other_arguments: list(type) >= 0")
    .Attr("Tfinalize_func_other_arguments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("GroupByReducerDataset", KernelOf<GroupByReducerDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalGroupByReducerDataset", KernelOf<GroupByReducerDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
