// StringToNumber: text to numbers.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/launch/dispatch.h"
#include "ops/parsing/number_text.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using NumberTypes = TypeList<float, double, int32_t, int64_t, uint32_t, uint64_t>;

Status RunStringToNumber(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  return DispatchTypes(NumberTypes{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T* out = y->data<T>();
    for (const std::string& text : x.flat<std::string>()) {
      if (!ParseNumber(text, out++)) {
        return InvalidArgument("StringToNumberOp could not correctly convert string: ", text,
                               " is no ", DTypeName(y->dtype()));
      }
    }
    return OkStatus();
  });
}

WB_OP("StringToNumber")
    .Input("string_tensor: string")
    .Output("output: out_type")
    .Attr("out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT")
    .Shape(shapes::Unchanged);
WB_KERNEL("StringToNumber", FunctionKernel<RunStringToNumber>)
    .Cpu({{"out_type", TypeSetOf(NumberTypes{})}});
WB_NO_GRADIENT("StringToNumber");

}  // namespace
}  // namespace warpbeam
