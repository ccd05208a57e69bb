// CountUpTo, ResourceCountUpTo: a counter that ends with OUT_OF_RANGE at its limit.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status CountUpToShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  c.set_output(0, PartialShape(Shape()));
  return OkStatus();
}

template <bool is_resource>
class CountUpToKernel final : public Kernel {
 public:
  explicit CountUpToKernel(int64_t limit) : limit_(limit) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(int64_t limit, init.attr<int64_t>("limit"));
    return std::make_unique<CountUpToKernel>(limit);
  }
  Status Compute(KernelContext& ctx) override {
    int64_t before = 0;
    if constexpr (is_resource) {
      WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v, finder_.Find(ctx, 0));
      WB_RETURN_IF_ERROR(Count(ctx, *v, &before));
    } else {
      WB_ASSIGN_OR_RETURN(RefVariable * v, RefInput(ctx, 0));
      WB_RETURN_IF_ERROR(Count(ctx, *v, &before));
    }
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
    return WriteIndices({before}, out);
  }

 private:
  Status Count(KernelContext& ctx, Variable& variable, int64_t* before) const {
    return ModifyVariable(ctx, variable, [&](Tensor& value) -> Status {
      if (value.rank() != 0 || value.dtype() != ctx.output_type(0)) {
        return InvalidArgument("the counter must be a scalar of ", DTypeName(ctx.output_type(0)),
                               ", not ", DTypeName(value.dtype()), value.shape().ToString());
      }
      WB_ASSIGN_OR_RETURN(*before, ReadIndex(value, "ref"));
      if (*before >= limit_) return OutOfRange("Reached limit of ", limit_);
      return WriteIndices({*before + 1}, &value);
    });
  }

  const int64_t limit_;
  VariableFinder finder_;
};

WB_OP("CountUpTo")
    .Input("ref: Ref(T)")
    .Output("output: T")
    .Attr("limit: int")
    .Attr("T: {int32, int64}")
    .Shape(CountUpToShape);
WB_KERNEL("CountUpTo", CountUpToKernel<false>).Cpu({{"T", kIndexTypes}}).Cheap();

WB_OP("ResourceCountUpTo")
    .Input("resource: resource")
    .Output("output: T")
    .Attr("limit: int")
    .Attr("T: {int32, int64}")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("ResourceCountUpTo", CountUpToKernel<true>).Cpu({{"T", kIndexTypes}}).Cheap();

}  // namespace
}  // namespace warpbeam
