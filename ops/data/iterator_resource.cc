#include "ops/data/iterator_resource.h"

#include <utility>

#include "ops/data/anonymous_resource.h"

namespace warpbeam {

absl::Status IteratorResource::SetDataset(DatasetRef dataset, FunctionRunner* functions,
                                          ResourceStore* resources) {
  if (!spec_.types.empty()) WB_RETURN_IF_ERROR(spec_.CheckCompatible(dataset->spec()));
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Pipeline> pipeline,
                      Pipeline::Open(std::move(dataset), functions, resources));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    pipeline_.swap(pipeline);
  }
  // The old one ends here, outside the lock: its threads may take a while.
  pipeline.reset();
  return absl::OkStatus();
}

void IteratorResource::GetNextAsync(StepContext* step, Pipeline::Done done) {
  std::shared_ptr<Pipeline> pipeline;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    pipeline = pipeline_;
  }
  if (pipeline == nullptr) {
    return done(FailedPrecondition("the iterator has not been initialized: run its initializer "
                                   "(MakeIterator) before asking for its next element"),
                false, {});
  }
  pipeline->GetNextAsync(step, std::move(done));
}

absl::StatusOr<std::shared_ptr<IteratorResource>> FindIterator(const KernelContext& ctx, int i) {
  WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(i)));
  if (ctx.resources() == nullptr) return FailedPrecondition("there is no store of resources here");
  return ctx.resources()->Lookup<IteratorResource>(handle);
}

Tensor IteratorHandle(const std::string& container, const std::string& name) {
  return HandleTensor({"", container, name, 0, "Iterator", {}});
}

absl::Status EndOfSequence() { return OutOfRange("End of sequence"); }

}  // namespace warpbeam
