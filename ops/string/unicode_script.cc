// UnicodeScript: the script of each code point, by ICU's numbers.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/string/unicode_scripts.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunUnicodeScript(KernelContext& ctx) {
  const Tensor& codes = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * scripts, ctx.Allocate(0, codes.shape()));
  int32_t* out = scripts->data<int32_t>();
  for (int32_t code : codes.flat<int32_t>()) *out++ = UnicodeScriptOf(code);
  return OkStatus();
}

WB_OP("UnicodeScript").Input("input: int32").Output("output: int32").Shape(shapes::Unchanged);
WB_KERNEL("UnicodeScript", FunctionKernel<RunUnicodeScript>).Cpu();

}  // namespace
}  // namespace warpbeam
