// BatchFunction: a function over batches, as servers call it to run the rows of many requests at
// once. Here each request is a batch of its own, which gives the same rows: nothing waits for other
// requests, and the attributes that say how long and in which queue have no effect. Where batches
// must have certain sizes, copies of the first row fill them up and are taken off the results.
#include <memory>
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/strided_copy.h"
#include "ops/batching/batch_rows.h"
#include "ops/control_flow/function_call.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class BatchFunctionKernel final : public AsyncKernel {
 public:
  BatchFunctionKernel(const KernelInit& init, FunctionRef f) : function_(init, std::move(f)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FunctionRef f, init.attr<FunctionRef>("f"));
    auto kernel = std::make_unique<BatchFunctionKernel>(init, std::move(f));
    WB_ASSIGN_OR_RETURN(const auto types, init.attr<std::vector<DType>>("Tin"));
    kernel->num_batched_ = static_cast<int>(types.size());
    WB_ASSIGN_OR_RETURN(kernel->most_, init.attr<int64_t>("max_batch_size"));
    if (kernel->most_ < 1) {
      return InvalidArgument("input_batch_size_limit must be positive; was ", kernel->most_);
    }
    WB_ASSIGN_OR_RETURN(kernel->sizes_, init.attr<std::vector<int64_t>>("allowed_batch_sizes"));
    WB_ASSIGN_OR_RETURN(const bool splits, init.attr<bool>("enable_large_batch_splitting"));
    const std::vector<int64_t>& sizes = kernel->sizes_;
    WB_RETURN_IF_ERROR(CheckAscending(sizes));
    if (!sizes.empty() && !splits && sizes.back() != kernel->most_) {
      return InvalidArgument(
          "final entry in allowed_batch_sizes must equal max_batch_size when "
          "enable_large_batch_splitting is False");
    }
    return kernel;
  }

  void ComputeAsync(KernelContext& ctx, Done done) override {
    const StatusOr<int64_t> rows = RowsToBatch(ctx, num_batched_, most_);
    if (!rows.ok()) return done(rows.status());
    if (*rows == 0) return done(WriteNoRows(ctx));
    const int64_t size = PaddedSize(sizes_, *rows);
    std::vector<Tensor> args = InputsOf(ctx, 0, ctx.num_inputs());
    for (int i = 0; i < num_batched_ && size > *rows; ++i) {
      StatusOr<Tensor> padded = Padded(ctx, args[i], size);
      if (!padded.ok()) return done(padded.status());
      args[i] = *std::move(padded);
    }
    function_.Run(ctx.step(), std::move(args),
                  [this, &ctx, done, rows = *rows, size](Status s, std::vector<Tensor> results) {
                    function_.Ended();
                    if (s.ok()) s = TakeRows(rows, size, &results);
                    if (s.ok()) s = SetOutputs(ctx, function_.name(), std::move(results));
                    done(std::move(s));
                  });
  }

 private:
  static StatusOr<Tensor> Padded(KernelContext& ctx, const Tensor& x, int64_t size) {
    WB_ASSIGN_OR_RETURN(const Shape shape, x.shape().WithDim(0, size));
    WB_ASSIGN_OR_RETURN(Tensor padded, ctx.AllocateTemp(x.dtype(), shape));
    const int64_t width = x.num_elements() / x.dim(0);
    CopyElements(x.dtype(), padded.raw_data(), x.raw_data(), x.num_elements());
    for (int64_t row = x.dim(0); row < size; ++row) {
      CopyElements(x.dtype(), Advance(padded.raw_data(), x.dtype(), row * width), x.raw_data(),
                   width);
    }
    return padded;
  }

  static Status TakeRows(int64_t rows, int64_t size, std::vector<Tensor>* results) {
    for (Tensor& result : *results) {
      if (result.rank() == 0) return FailedPrecondition("Batched output tensor has 0 dimensions");
      if (result.dim(0) != size) {
        return FailedPrecondition(
            "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension "
            "sizes "
            "of the input tensors. 0th dimension size: ",
            result.dim(0), "; batch size: ", rows, "; padding size: ", size - rows);
      }
      if (rows < size) result = result.Rows(0, rows);
    }
    return OkStatus();
  }

  FunctionCall function_;
  int num_batched_ = 0;
  int64_t most_ = 0;
  std::vector<int64_t> sizes_;
};

WB_OP("BatchFunction")
    .Input("in_tensors: Tin")
    .Input("captured_tensors: Tcaptured")
    .Output("out_tensors: Tout")
    .Attr("f: func")
    .Attr("num_batch_threads: int")
    .Attr("max_batch_size: int")
    .Attr("batch_timeout_micros: int")
    .Attr("max_enqueued_batches: int = 10")
    .Attr("allowed_batch_sizes: list(int) = []")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("batching_queue: string = ''")
    .Attr("low_priority_max_batch_size: int = 0")
    .Attr("low_priority_batch_timeout_micros: int = 0")
    .Attr("low_priority_allowed_batch_sizes: list(int) = []")
    .Attr("low_priority_max_enqueued_batches: int = 0")
    .Attr(
        "mixed_priority_policy: {'low_priority_padding_with_max_batch_size', "
        "'low_priority_padding_with_next_allowed_batch_size', 'priority_isolation', "
        "'priority_merge'} = 'low_priority_padding_with_max_batch_size'")
    .Attr(
        "batch_padding_policy: {'PAD_UP', 'BATCH_DOWN', 'MINIMIZE_TPU_COST_PER_REQUEST'} = "
        "'PAD_UP'")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tcaptured: list(type) >= 0")
    .Attr("Tout: list(type) >= 1")
    .Attr("enable_large_batch_splitting: bool = false")
    .DistributedCommunication()
    .Shape(shapes::Unknown);
WB_KERNEL("BatchFunction", BatchFunctionKernel)
    .Cpu()
    .Gpu()
    .HostMemory({"in_tensors", "captured_tensors", "out_tensors"})
    .Async();

}  // namespace
}  // namespace warpbeam
