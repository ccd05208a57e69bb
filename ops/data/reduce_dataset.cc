// ReduceDataset: a function folds all elements into a state.

#include "ops/data/captured_function.h"
#include "ops/data/drain_kernel.h"

namespace warpbeam {
namespace {

class ReduceDatasetKernel final : public DrainKernel {
 public:
  Status Init(KernelInit& init) override {
    WB_RETURN_IF_ERROR(DrainKernel::Init(init));
    WB_ASSIGN_OR_RETURN(function_, init.attr<FunctionRef>("f"));
    WB_ASSIGN_OR_RETURN(state_types_, init.attr<std::vector<DType>>("Tstate"));
    WB_ASSIGN_OR_RETURN(std::vector<DType> captured, init.attr<std::vector<DType>>("Targuments"));
    num_captured_ = static_cast<int>(captured.size());
    return OkStatus();
  }

 private:
  Status Drain(KernelContext& ctx, PipelineContext& pipeline, DatasetIterator& input) override {
    const int num_state = static_cast<int>(state_types_.size());
    const CapturedFunction function{function_, InputRange(ctx, 1 + num_state, num_captured_)};
    WB_ASSIGN_OR_RETURN(std::unique_ptr<CapturedCall> call,
                        CapturedCall::Create(function, pipeline));
    Element state = InputRange(ctx, 1, num_state);
    Element element;
    for (;;) {
      if (pipeline.IsCancelled()) return pipeline.cancel_reason();
      bool end = false;
      WB_RETURN_IF_ERROR(input.GetNext(&element, &end));
      if (end) break;
      Element args = std::move(state);
      args.insert(args.end(), element.begin(), element.end());
      WB_RETURN_IF_ERROR(call->Run(args, &state));
      WB_RETURN_IF_ERROR(CheckState(state));
    }
    WB_RETURN_IF_ERROR(spec().CheckElement(state));
    for (size_t i = 0; i < state.size(); ++i) {
      ctx.set_output(static_cast<int>(i), std::move(state[i]));
    }
    return OkStatus();
  }

  Status CheckState(const Element& state) const {
    if (state.size() != state_types_.size()) {
      return InvalidArgument("the function of a reduction returned ", state.size(),
                             " tensors, its state has ", state_types_.size());
    }
    for (size_t i = 0; i < state.size(); ++i) {
      if (state[i].dtype() == state_types_[i]) continue;
      return InvalidArgument("the new state ", i, " of a reduction is ",
                             DTypeName(state[i].dtype()), " instead of ",
                             DTypeName(state_types_[i]));
    }
    return OkStatus();
  }

  FunctionRef function_;
  std::vector<DType> state_types_;
  int num_captured_ = 0;
};

WB_OP("ReduceDataset")
    .Input("input_dataset: variant")
    .Input("initial_state: Tstate")
    .Input("other_arguments: Targuments")
    .Output("components: output_types")
    .Attr("f: func")
    .Attr("Tstate: list(type) >= 1")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(ElementShapes);
WB_KERNEL("ReduceDataset", KernelOf<ReduceDatasetKernel>).Cpu().Async();

}  // namespace
}  // namespace warpbeam
