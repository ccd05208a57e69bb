// MergeSummary: the values of several summaries in one; no tag may come twice.
#include <set>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "proto/summary.pb.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunMergeSummary(KernelContext& ctx) {
  tensorflow::Summary merged;
  std::set<std::string> tags;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    for (const std::string& bytes : ctx.input(i).flat<std::string>()) {
      tensorflow::Summary summary;
      if (!summary.ParseFromString(bytes)) {
        return InvalidArgument("Could not parse one of the summary inputs: input ", i);
      }
      for (auto& value : *summary.mutable_value()) {
        // Values of TensorSummary have no tag.
        if (!value.tag().empty() && !tags.insert(value.tag()).second) {
          return InvalidArgument("Duplicate tag ", value.tag(), " found in summary inputs");
        }
        *merged.add_value() = std::move(value);
      }
    }
  }
  ctx.set_output(0, Tensor::Scalar<std::string>(merged.SerializeAsString()));
  return OkStatus();
}

WB_OP("MergeSummary")
    .Input("inputs: N * string")
    .Output("summary: string")
    .Attr("N: int >= 1")
    .Shape(shapes::Scalar);
WB_KERNEL("MergeSummary", FunctionKernel<RunMergeSummary>).Cpu();
WB_NO_GRADIENT("MergeSummary");

}  // namespace
}  // namespace warpbeam
