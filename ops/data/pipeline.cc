#include "ops/data/pipeline.h"

#include <utility>

#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

// How far reading ahead grows where no PrefetchDataset asks for it.
constexpr int64_t kMostAheadUnasked = 8;

ElementBuffer::Options BufferOptions(const Dataset& dataset, const DatasetRef** input,
                                     const FunctionRunner* functions) {
  ElementBuffer::Options options;
  options.close_ms = Pipeline::kCloseMs;
  options.capacity = kFirstAhead;
  options.max_capacity = kMostAheadUnasked;
  int64_t ahead = 0;
  if (const DatasetRef* inner = dataset.ReadsAhead(&ahead); inner != nullptr) {
    *input = inner;
    options.capacity = ahead == Dataset::kAutotune ? kFirstAhead : ahead;
    options.max_capacity = ahead == Dataset::kAutotune ? kMostAhead : 0;
  } else if (functions == nullptr || dataset.HasSideEffects(functions->library())) {
    options.capacity = options.max_capacity = 0;
  }
  return options;
}

}  // namespace

StatusOr<std::shared_ptr<Pipeline>> Pipeline::Open(DatasetRef dataset, FunctionRunner* functions,
                                                   ResourceStore* resources) {
  std::shared_ptr<Pipeline> pipeline(new Pipeline);
  auto context = std::make_unique<PipelineContext>(
      functions == nullptr ? nullptr : functions->Clone(), resources, &PoolAllocator::Process());
  if (dataset->IsImmediate()) {
    WB_ASSIGN_OR_RETURN(pipeline->iterator_, dataset->MakeIterator(*context));
    pipeline->context_ = std::move(context);
    pipeline->dataset_ = std::move(dataset);
    return pipeline;
  }
  const DatasetRef* root = &dataset;
  const ElementBuffer::Options options = BufferOptions(*dataset, &root, context->functions());
  WB_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> iterator, (*root)->MakeIterator(*context));
  pipeline->buffer_ =
      std::make_unique<ElementBuffer>(*root, std::move(context), std::move(iterator), options);
  return pipeline;
}

void Pipeline::GetNextAsync(StepContext* step, Done done) {
  if (buffer_ != nullptr) return buffer_->GetNextAsync(step, std::move(done));
  Element element;
  bool end = false;
  Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status = iterator_->GetNext(&element, &end);
  }
  done(std::move(status), end, std::move(element));
}

}  // namespace warpbeam
