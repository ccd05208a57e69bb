// RandomShuffle: the rows of a tensor in a random order.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/random/permutation.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class RandomShuffleKernel final : public RandomKernel<RandomShuffleKernel> {
 public:
  using RandomKernel::RandomKernel;
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    if (x.rank() == 0 || x.dim(0) <= 1 || x.num_elements() <= 1) {
      ctx.set_output(0, x);
      return OkStatus();
    }
    const int64_t rows = x.dim(0);
    const int64_t row = x.num_elements() / rows;
    // One number for every row but the last.
    const std::vector<int64_t> order =
        RandomOrder(rows, stream().Reserve(static_cast<uint64_t>(rows - 1 + 3) / 4));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    for (int64_t i = 0; i < rows; ++i) {
      CopyElements(x.dtype(), Advance(y->raw_data(), x.dtype(), i * row),
                   Advance(x.raw_data(), x.dtype(), order[static_cast<size_t>(i)] * row), row);
    }
    return OkStatus();
  }
};

WB_OP("RandomShuffle")
    .Input("value: T")
    .Output("output: T")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: type")
    .Stateful()
    .Shape(shapes::Unchanged);
WB_KERNEL("RandomShuffle", RandomShuffleKernel).Cpu({{"T", kPlainTypes | kObjectTypes}});
WB_NO_GRADIENT("RandomShuffle");

}  // namespace
}  // namespace warpbeam
