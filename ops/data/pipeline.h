// Pipeline: a dataset with an iterator over it that any step may ask, as iterator ops do.
//
// A pipeline whose elements come from memory alone runs in the thread that asks. Any other runs in
// a thread of its own and never holds the one that asks; it is two elements ahead, up to eight
// where steps wait for it (or as many as a PrefetchDataset at its end says), so that it works while
// the step does. Where making an element could be seen from outside, elements are made when they
// are asked for.
//
//   WB_ASSIGN_OR_RETURN(auto pipeline, Pipeline::Open(dataset, ctx.functions(), ctx.resources()));
//   pipeline->GetNextAsync(ctx.step(), [](Status s, bool end, Element element) { … });
//
// Ownership: a pipeline has its own counted copy of the function library and of the plans made from
// it, and outlives steps; the destructor cancels what runs and waits for its threads, at most
// kCloseMs. Thread safety: any thread. Errors: Open gives those of making the iterators, such as
// functions that do not exist; GetNextAsync those of the elements, and CANCELLED.
#ifndef WARPBEAM_OPS_DATA_PIPELINE_H_
#define WARPBEAM_OPS_DATA_PIPELINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "ops/data/element_buffer.h"

namespace warpbeam {

class Pipeline {
 public:
  static constexpr int64_t kCloseMs = 5000;
  using Done = ElementBuffer::Done;

  // `functions` and `resources` may be null.
  static StatusOr<std::shared_ptr<Pipeline>> Open(DatasetRef dataset, FunctionRunner* functions,
                                                  ResourceStore* resources);

  // Calls `done` once, perhaps before it returns.
  void GetNextAsync(StepContext* step, Done done);

 private:
  Pipeline() = default;

  // In the caller's thread:
  DatasetRef dataset_;
  std::mutex mutex_;
  std::unique_ptr<PipelineContext> context_;
  std::unique_ptr<DatasetIterator> iterator_;
  // Or in its own:
  std::unique_ptr<ElementBuffer> buffer_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_PIPELINE_H_
