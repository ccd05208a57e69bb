// StringStrip: no white space at the ends.
#include <string>

#include "absl/strings/ascii.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunStrip(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  std::string* out = y->data<std::string>();
  for (const std::string& s : x.flat<std::string>()) {
    *out++ = std::string(absl::StripAsciiWhitespace(s));
  }
  return OkStatus();
}

WB_OP("StringStrip").Input("input: string").Output("output: string").Shape(shapes::Unchanged);
WB_KERNEL("StringStrip", FunctionKernel<RunStrip>).Cpu();

}  // namespace
}  // namespace warpbeam
