// Range, LinSpace: arithmetic sequences.
#include <type_traits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/range_size.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RangeShape(ShapeContext& c) {
  std::optional<Tensor> values[3];
  for (int i = 0; i < 3; ++i) {
    WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
    values[i] = c.ConstantInput(i);
  }
  int64_t size = -1;
  if (values[0] && values[1] && values[2]) {
    WB_ASSIGN_OR_RETURN(size, RangeSize(*values[0], *values[1], *values[2]));
  }
  c.set_output(0, PartialShape({size}));
  return OkStatus();
}

template <typename T>
void FillSequence(T start, T delta, int64_t size, T* out) {
  if constexpr (std::is_integral_v<T>) {
    // In unsigned arithmetic: the element after the last may lie beyond the type.
    using U = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
    U value = static_cast<U>(start);
    for (int64_t i = 0; i < size; ++i, value += static_cast<U>(delta)) {
      out[i] = static_cast<T>(value);
    }
  } else {
    T value = start;
    for (int64_t i = 0; i < size; ++i, value += delta) out[i] = value;
  }
}

Status RunRange(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(int64_t size, RangeSize(ctx));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({size})));
  return DispatchTypes(RangeTypes{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    FillSequence(ctx.input(0).scalar<T>(), ctx.input(2).scalar<T>(), size, y->data<T>());
    return OkStatus();
  });
}

Status LinSpaceShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  const std::optional<int64_t> num = c.ConstantScalar(2);
  if (num && *num <= 0) return InvalidArgument("requires num > 0: ", *num);
  c.set_output(0, PartialShape({num.value_or(-1)}));
  return OkStatus();
}

Status RunLinSpace(KernelContext& ctx) {
  constexpr const char* kNames[] = {"start", "stop", "num"};
  for (int i = 0; i < 3; ++i) {
    if (ctx.input(i).rank() == 0) continue;
    return InvalidArgument(kNames[i], " must be a scalar, not shape ",
                           ctx.input(i).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(int64_t num, ReadIndex(ctx.input(2), "num"));
  if (num <= 0) return InvalidArgument("requires num > 0: ", num);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({num})));
  return DispatchTypes(FloatTypeList{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T start = ctx.input(0).scalar<T>(), stop = ctx.input(1).scalar<T>();
    T* out = y->data<T>();
    out[0] = start;
    if (num == 1) return OkStatus();
    const T step = (stop - start) / static_cast<T>(static_cast<double>(num - 1));
    for (int64_t i = 1; i < num - 1; ++i) {
      out[i] = start + step * static_cast<T>(static_cast<double>(i));
    }
    out[num - 1] = stop;  // arithmetic alone would not promise it
    return OkStatus();
  });
}

WB_OP("Range")
    .Input("start: Tidx")
    .Input("limit: Tidx")
    .Input("delta: Tidx")
    .Output("output: Tidx")
    .Attr(
        "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} "
        "= int32")
    .Shape(RangeShape);
WB_KERNEL("Range", FunctionKernel<RunRange>)
    .Cpu({{"Tidx", kFloatingTypes | kIndexTypes}})
    .Gpu({{"Tidx", kFloatingTypes | TypeSet{DType::kInt64}}})
    .HostMemory({"start", "limit", "delta"});
WB_KERNEL("Range", FunctionKernel<RunRange>)
    .Gpu({{"Tidx", TypeSet{DType::kInt32}}})
    .HostMemory({"start", "limit", "delta", "output"});

WB_OP("LinSpace")
    .Input("start: T")
    .Input("stop: T")
    .Input("num: Tidx")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = int32")
    .Shape(LinSpaceShape);
WB_KERNEL("LinSpace", FunctionKernel<RunLinSpace>)
    .Cpu({{"T", TypeSet{DType::kDouble, DType::kFloat}}, {"Tidx", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kDouble, DType::kFloat}}, {"Tidx", kIndexTypes}})
    .HostMemory({"start", "stop", "num", "output"});

WB_NO_GRADIENT("Range");
WB_NO_GRADIENT("LinSpace");

}  // namespace
}  // namespace warpbeam
