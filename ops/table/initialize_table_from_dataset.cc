// InitializeTableFromDataset: fills a table that is filled once from a dataset of keys and values.
#include <memory>
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/types/dtype.h"
#include "ops/data/dataset.h"
#include "ops/queue/named_resource.h"
#include "ops/table/lookup_shapes.h"
#include "ops/table/lookup_table.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

Status CheckPair(const Element& element, const TableSpec& spec) {
  if (element.size() != 2) {
    return InvalidArgument("a table is filled from pairs of a key and a value, not from elements ",
                           "of ", element.size(), " tensors");
  }
  if (element[0].dtype() != spec.key_dtype || element[1].dtype() != spec.value_dtype) {
    return InvalidArgument("the table ", spec.name, " maps ", DTypeName(spec.key_dtype), " to ",
                           DTypeName(spec.value_dtype), ", not ", DTypeName(element[0].dtype()),
                           " to ", DTypeName(element[1].dtype()));
  }
  if (element[0].num_elements() == element[1].num_elements()) return OkStatus();
  return InvalidArgument("there must be a value for each key, but the shapes are ",
                         element[0].shape().ToString(), " and ", element[1].shape().ToString());
}

// All keys, or all values, one after the other.
StatusOr<Tensor> Joined(DType dtype, const std::vector<Tensor>& parts) {
  int64_t count = 0;
  for (const Tensor& part : parts) count += part.num_elements();
  WB_ASSIGN_OR_RETURN(Tensor all, Tensor::Allocate(dtype, Shape({count})));
  int64_t at = 0;
  for (const Tensor& part : parts) {
    CopyBetween(part, 0, &all, at, part.num_elements());
    at += part.num_elements();
  }
  return all;
}

// The dataset is read in a thread of its own: it may be slow.
class InitializeKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<InitializeKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    const Status started = threads_.Start([this, &ctx, done] { done(Run(ctx)); });
    if (!started.ok()) done(started);
  }

 private:
  Status Run(KernelContext& ctx) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, finder_.Find(ctx, 0));
    const TableSpec& spec = table->spec();
    if (!table->is_static()) return InvalidArgument("Table ", spec.name, " is not initializable");
    WB_ASSIGN_OR_RETURN(const DatasetRef dataset, DatasetFromTensor(ctx.input(1)));
    PipelineContext pipeline(ctx.functions() == nullptr ? nullptr : ctx.functions()->Clone(),
                             ctx.resources(), &HostAllocator());
    std::unique_ptr<CancellationHook> hook;
    if (ctx.step() != nullptr) {
      hook = std::make_unique<CancellationHook>(*ctx.step(), [&pipeline] { pipeline.Cancel(); });
      if (ctx.IsCancelled()) return ctx.step()->cancel_reason();
    }
    WB_ASSIGN_OR_RETURN(const std::unique_ptr<DatasetIterator> pairs,
                        dataset->MakeIterator(pipeline));
    std::vector<Tensor> keys, values;
    for (;;) {
      if (pipeline.IsCancelled()) return pipeline.cancel_reason();
      Element element;
      bool end = false;
      WB_RETURN_IF_ERROR(pairs->GetNext(&element, &end));
      if (end) break;
      WB_RETURN_IF_ERROR(CheckPair(element, spec));
      keys.push_back(std::move(element[0]));
      values.push_back(std::move(element[1]));
    }
    if (keys.empty()) return OutOfRange("the dataset for table ", spec.name, " has no elements");
    WB_ASSIGN_OR_RETURN(const Tensor all_keys, Joined(spec.key_dtype, keys));
    WB_ASSIGN_OR_RETURN(const Tensor all_values, Joined(spec.value_dtype, values));
    return table->Initialize(all_keys, all_values);
  }

  ResourceFinder<LookupTable> finder_;
  CallThreads threads_;
};

Status InitializeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckHandle(c));
  return c.WithRank(1, 0).status();
}

WB_OP("InitializeTableFromDataset")
    .Input("table_handle: resource")
    .Input("dataset: variant")
    .Stateful()
    .Shape(InitializeShape);
WB_KERNEL("InitializeTableFromDataset", InitializeKernel).Cpu().Async().Unbounded();

}  // namespace
}  // namespace warpbeam
