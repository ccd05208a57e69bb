// Where: the coordinates of the elements that are not zero, in row-major order.
#include <complex>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/index/where_input.h"
#include "ops/array/kernel_types.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

Status WhereShape(ShapeContext& c) {
  c.set_output(0, PartialShape({-1, c.input(0).has_rank() ? c.input(0).rank() : -1}));
  return OkStatus();
}

template <typename T>
std::vector<int64_t> Find(const Tensor& x) {
  std::vector<int64_t> found;
  const T* v = x.data<T>();
  constexpr int64_t kElementsBetweenLooks = 1 << 20;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    if (i % kElementsBetweenLooks == 0 && RunningStep::IsOver()) break;
    if (v[i] != T(0.0f)) found.push_back(i);
  }
  return found;
}

Status RunWhere(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  WB_RETURN_IF_ERROR(CheckWhereInput(x));
  std::vector<int64_t> found;
  if (x.dtype() == DType::kBool) {
    found = Find<bool>(x);
  } else {
    WB_RETURN_IF_ERROR(DispatchTypes(NumberTypeList{}, x.dtype(), [&](auto tag) -> Status {
      found = Find<typename decltype(tag)::type>(x);
      return OkStatus();
    }));
  }
  const int64_t count = static_cast<int64_t>(found.size());
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({count, x.rank()})));
  int64_t* out = y->data<int64_t>();
  StoppableFor(ctx, count, 2 + 4 * x.rank(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t at = found[static_cast<size_t>(i)];
      for (int d = x.rank(); d-- > 0; at /= x.dim(d)) out[i * x.rank() + d] = at % x.dim(d);
    }
  });
  return OkStatus();
}

WB_OP("Where")
    .Input("input: T")
    .Output("index: int64")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = bool")
    .Shape(WhereShape);
WB_KERNEL("Where", FunctionKernel<RunWhere>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kComplexTypes | TypeSet{DType::kBool, DType::kDouble, DType::kFloat, DType::kInt64,
                                        DType::kInt8, DType::kUInt8}}});
WB_KERNEL("Where", FunctionKernel<RunWhere>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"input", "index"});

}  // namespace
}  // namespace warpbeam
