// OneHot: a new dimension in which one element, at the index given, is on.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/index/one_hot_plan.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status OneHotShape(ShapeContext& c) {
  const std::optional<int64_t> depth = c.ConstantScalar(1);
  for (int i = 1; i <= 3; ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  if (depth && *depth < 0) return InvalidArgument("depth must not be negative: ", *depth);
  const PartialShape& indices = c.input(0);
  if (!indices.has_rank()) return OkStatus();
  WB_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, indices.rank() + 1));
  std::vector<int64_t> dims = indices.dims();
  dims.insert(dims.begin() + a, depth.value_or(-1));
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

template <typename T, typename Index>
void SetOn(const KernelContext& ctx, const Tensor& indices, int64_t inner, int64_t depth, T on,
           T* out) {
  const Index* index = indices.data<Index>();
  ctx.ParallelFor(indices.num_elements(), 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = static_cast<int64_t>(index[i]);
      if (at >= 0 && at < depth) out[(i / inner * depth + at) * inner + i % inner] = on;
    }
  });
}

class OneHotKernel final : public Kernel {
 public:
  explicit OneHotKernel(int64_t axis) : axis_(axis) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(int64_t axis, init.attr<int64_t>("axis"));
    return std::make_unique<OneHotKernel>(axis);
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& indices = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const OneHotPlan plan, OneHotPlan::Make(ctx, axis_));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, plan.shape));
    FillRange(ctx, y->dtype(), y->raw_data(), ctx.input(3).raw_data(), y->num_elements());
    if (y->num_elements() == 0) return OkStatus();
    return DispatchElements(y->dtype(), [&](auto element) {
      return DispatchTypes<int64_t, int32_t, int8_t, uint8_t>(
          indices.dtype(), [&](auto index) -> Status {
            using T = typename decltype(element)::type;
            SetOn<T, typename decltype(index)::type>(
                ctx, indices, plan.inner, plan.depth,
                *static_cast<const T*>(ctx.input(2).raw_data()), static_cast<T*>(y->raw_data()));
            return OkStatus();
          });
    });
  }

 private:
  const int64_t axis_;
};

WB_OP("OneHot")
    .Input("indices: TI")
    .Input("depth: int32")
    .Input("on_value: T")
    .Input("off_value: T")
    .Output("output: T")
    .Attr("axis: int = -1")
    .Attr("T: type")
    .Attr("TI: {uint8, int8, int32, int64} = int64")
    .Shape(OneHotShape);
WB_KERNEL("OneHot", OneHotKernel)
    .Cpu({{"TI", kIndexTypes | TypeSet{DType::kInt8, DType::kUInt8}},
          {"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"TI", kIndexTypes | TypeSet{DType::kInt8, DType::kUInt8}},
          {"T",
           kFloatingTypes | kComplexTypes | kIndexTypes | TypeSet{DType::kBool, DType::kInt8}}})
    .HostMemory({"depth"});

WB_NO_GRADIENT("OneHot");

}  // namespace
}  // namespace warpbeam
