#include "ops/data/drain_kernel.h"

#include <utility>

#include "runtime/memory/pool_allocator.h"

namespace warpbeam {

Status DrainKernel::Init(KernelInit& init) {
  WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
  return OkStatus();
}

void DrainKernel::ComputeAsync(KernelContext& ctx, Done done) {
  StatusOr<DatasetRef> dataset = DatasetFromTensor(ctx.input(0));
  if (!dataset.ok()) return done(dataset.status());
  const int64_t elements = (*dataset)->Cardinality();
  if ((*dataset)->IsImmediate() && elements >= 0 && elements <= 16) {
    return done(Run(ctx, **dataset));
  }
  // What the call holds is gone before the step goes on.
  Status started = threads_.Start([this, &ctx, dataset = *std::move(dataset), done]() mutable {
    Status status = Run(ctx, *dataset);
    dataset.reset();
    done(std::move(status));
  });
  if (!started.ok()) done(std::move(started));
}

Status DrainKernel::Run(KernelContext& ctx, const Dataset& dataset) {
  PipelineContext pipeline(ctx.functions() == nullptr ? nullptr : ctx.functions()->Clone(),
                           ctx.resources(), &PoolAllocator::Process());
  std::unique_ptr<CancellationHook> hook;
  if (ctx.step() != nullptr) {
    hook = std::make_unique<CancellationHook>(*ctx.step(), [&pipeline] { pipeline.Cancel(); });
    if (ctx.IsCancelled()) return ctx.step()->cancel_reason();
  }
  WB_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> input, dataset.MakeIterator(pipeline));
  Status status = Drain(ctx, pipeline, *input);
  input.reset();
  return status;
}

}  // namespace warpbeam
