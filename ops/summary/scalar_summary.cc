// ScalarSummary: one value for each tag.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/summary/summary_input.h"
#include "proto/summary.pb.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunScalarSummary(KernelContext& ctx) {
  const Tensor& tags = ctx.input(0);
  const Tensor& values = ctx.input(1);
  if (tags.shape() != values.shape()) {
    return InvalidArgument(
        "tags and values are not the same shape: ", tags.shape().ToString(),
        " != ", values.shape().ToString(),
        tags.num_elements() == 1 ? absl::StrCat(" (tag '", *tags.data<std::string>(), "')") : "");
  }
  std::vector<float> numbers;
  WB_RETURN_IF_ERROR(NumbersOf(values, &numbers));
  tensorflow::Summary summary;
  for (size_t i = 0; i < numbers.size(); ++i) {
    auto* value = summary.add_value();
    value->set_tag(tags.flat<std::string>()[i]);
    value->set_simple_value(numbers[i]);
  }
  ctx.set_output(0, Tensor::Scalar<std::string>(summary.SerializeAsString()));
  return OkStatus();
}

WB_OP("ScalarSummary")
    .Input("tags: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr("T: realnumbertype")
    .Shape(shapes::Scalar);
WB_KERNEL("ScalarSummary", FunctionKernel<RunScalarSummary>).Cpu({{"T", kRealTypes}});
WB_NO_GRADIENT("ScalarSummary");

}  // namespace
}  // namespace warpbeam
