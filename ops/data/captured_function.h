// CapturedFunction: a library function with the tensors it closes over, as a dataset op names it;
// CapturedCall: the same, ready to be called by one iterator. FunctionDataset and its kernel are
// the bases of the ops that call one function.
//
//   WB_ASSIGN_OR_RETURN(auto call, CapturedCall::Create(dataset.function(), pipeline));
//   WB_RETURN_IF_ERROR(call->Run(std::move(element), &results));
//
// The function runs in the calling thread as far as its plan allows. A call that fails leaves the
// others alone; the end of the pipeline cancels the one that runs.
//
// Ownership: a call keeps nothing alive: pipeline and captured function outlive it. Thread safety:
// a CapturedCall belongs to one thread at a time; each parallel worker makes its own. Errors: those
// of the function; INVALID_ARGUMENT when its results are not what the op declares;
// RESOURCE_EXHAUSTED for a call that lies so deep in other calls that this thread's stack, or the
// number of threads, would have no room for many more.
#ifndef WARPBEAM_OPS_DATA_CAPTURED_FUNCTION_H_
#define WARPBEAM_OPS_DATA_CAPTURED_FUNCTION_H_

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ops/data/dataset_kernel.h"

namespace warpbeam {

struct CapturedFunction {
  FunctionRef function;
  std::vector<Tensor> captured;  // follow the element among the arguments

  // Whether calling it could be seen from outside: it is given a resource, or its body (functions
  // called from there included) reaches one or writes.
  bool HasSideEffects(const FunctionLibrary& library) const;
};

class CapturedCall {
 public:
  static StatusOr<std::unique_ptr<CapturedCall>> Create(const CapturedFunction& function,
                                                        PipelineContext& pipeline);
  // Parts of a pipeline in each other (each has threads), as far as functions make them.
  static constexpr int kMostParts = 200;

  CapturedCall(const CapturedCall&) = delete;
  CapturedCall& operator=(const CapturedCall&) = delete;

  // `*results` may be `*args`.
  Status Run(const Element& args, Element* results);

 private:
  CapturedCall(const CapturedFunction& function, PipelineContext& pipeline,
               FunctionRunner::Handle handle);
  void Renew();

  const CapturedFunction& function_;
  PipelineContext& pipeline_;
  const FunctionRunner::Handle handle_;
  // A failing step cancels its context, so the next call needs a new one.
  std::mutex mutex_;  // of step_, which a cancelling thread reads
  std::shared_ptr<StepContext> step_;
  CancellationHook hook_;
};

// The scalar boolean that a predicate returns.
StatusOr<bool> PredicateResult(const Element& results);

// The dataset that a function makes of an element.
StatusOr<DatasetRef> DatasetFromFunction(CapturedCall& call, const Element& args);

// A dataset over one input that calls one function.
class FunctionDataset : public Dataset {
 public:
  FunctionDataset(ElementSpec spec, DatasetRef input, CapturedFunction function)
      : Dataset(std::move(spec), {std::move(input)}), function_(std::move(function)) {}

  const CapturedFunction& function() const { return function_; }
  bool FindImmediate() const override { return false; }
  bool FindSideEffects(const FunctionLibrary& library) const override {
    return Dataset::FindSideEffects(library) || function_.HasSideEffects(library);
  }

 private:
  const CapturedFunction function_;
};

// The kernel of an op that names a function (the attribute `f` or `predicate`) and closes over as
// many inputs as `Targuments` has types.
class FunctionDatasetKernel : public DatasetKernel {
 protected:
  Status ReadAttrs(KernelInit& init) override;
  int num_captured() const { return num_captured_; }
  // The function with inputs [begin, begin + num_captured()).
  CapturedFunction Capture(const KernelContext& ctx, int begin) const {
    return {function_, InputRange(ctx, begin, num_captured_)};
  }

 private:
  FunctionRef function_;
  int num_captured_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_CAPTURED_FUNCTION_H_
