// InTopK, InTopKV2: whether the class of each row's label is among the k most probable. A row with
// a label that is no class, or with a number that is not finite before the answer is clear, says
// no.

#include "ops/nn/in_top_k.h"

#include <cmath>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

Status CheckInTopK(const KernelContext& ctx) {
  const Tensor &predictions = ctx.input(0), &targets = ctx.input(1);
  if (predictions.rank() != 2 || targets.rank() != 1 || predictions.dim(0) != targets.dim(0)) {
    return InvalidArgument(
        "predictions must be a matrix and targets a vector with one class per "
        "row, but they have shapes ",
        predictions.shape().ToString(), " and ", targets.shape().ToString());
  }
  if (ctx.num_inputs() == 3 && ctx.input(2).rank() != 0) {
    return InvalidArgument("'k' must be a scalar, but has shape ", ctx.input(2).shape().ToString());
  }
  return OkStatus();
}

namespace {

bool IsAmongBest(const float* row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(row[target])) return false;
  int64_t better = 0;
  for (int64_t i = 0; i < classes && better <= k; ++i) {
    if (!std::isfinite(row[i])) return false;
    better += row[i] > row[target];
  }
  return better < k;
}

class InTopKKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    if (init.schema.name == "InTopKV2") return std::make_unique<InTopKKernel>(-1);
    WB_ASSIGN_OR_RETURN(const int64_t k, init.attr<int64_t>("k"));
    return std::make_unique<InTopKKernel>(k);
  }
  explicit InTopKKernel(int64_t k) : k_(k) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &predictions = ctx.input(0), &targets = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckInTopK(ctx));
    return DispatchIndex(targets.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      int64_t k = k_;
      if (ctx.num_inputs() == 3) k = ctx.input(2).scalar<T>();
      WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, targets.shape()));
      const int64_t classes = predictions.dim(1);
      for (int64_t i = 0; i < targets.num_elements(); ++i) {
        out->data<bool>()[i] =
            IsAmongBest(predictions.data<float>() + i * classes, classes, targets.data<T>()[i], k);
      }
      return OkStatus();
    });
  }

 private:
  const int64_t k_;  // of the first version
};

Status InTopKShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape predictions, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape targets, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(PartialShape rows, PartialShape::Merge(PartialShape({predictions.dim(0)}),
                                                             PartialShape({targets.dim(0)})));
  c.set_output(0, std::move(rows));
  return OkStatus();
}

}  // namespace

WB_OP("InTopK")
    .Input("predictions: float")
    .Input("targets: T")
    .Output("precision: bool")
    .Attr("k: int")
    .Attr("T: {int32, int64} = int32")
    .Shape(InTopKShape);
WB_OP("InTopKV2")
    .Input("predictions: float")
    .Input("targets: T")
    .Input("k: T")
    .Output("precision: bool")
    .Attr("T: {int32, int64} = int32")
    .Shape(InTopKShape);
WB_KERNEL("InTopK", InTopKKernel).Cpu({{"T", kIndexTypes}});
WB_KERNEL("InTopKV2", InTopKKernel).Cpu({{"T", kIndexTypes}}).Gpu({{"T", kIndexTypes}});

}  // namespace warpbeam
