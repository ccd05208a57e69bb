// TensorSummary, TensorSummaryV2: a whole tensor; the second with a tag and metadata.
#include "graph/gradients/gradient_registry.h"
#include "graph/io/tensor_io.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/summary/summary_content.h"
#include "ops/summary/summary_input.h"
#include "proto/summary.pb.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status WriteTensor(const Tensor& tensor, tensorflow::Summary::Value* value) {
  return TensorToProto(tensor, TensorForm::kContent, value->mutable_tensor());
}

// The description, labels and name of the op are for people who read the graph.
Status RunTensorSummary(KernelContext& ctx) {
  tensorflow::Summary summary;
  auto* value = summary.add_value();
  value->set_node_name("TensorSummary");
  WB_RETURN_IF_ERROR(WriteTensor(ctx.input(0), value));
  ctx.set_output(0, Tensor::Scalar<std::string>(summary.SerializeAsString()));
  return OkStatus();
}

Status RunTensorSummaryV2(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::string tag, ScalarTag(ctx, 0));
  if (ctx.input(2).rank() != 0) {
    return InvalidArgument("serialized_summary_metadata must be scalar, not of shape ",
                           ctx.input(2).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(std::string summary,
                      TensorContent(tag, ctx.input(1), ctx.input(2).scalar<std::string>()));
  ctx.set_output(0, Tensor::Scalar<std::string>(std::move(summary)));
  return OkStatus();
}

constexpr TypeSet kSummaryTypes =
    kNumberTypes | TypeSet{DType::kBool, DType::kString, DType::kResource, DType::kVariant};

WB_OP("TensorSummary")
    .Input("tensor: T")
    .Output("summary: string")
    .Attr("T: type")
    .Attr("description: string = ''")
    .Attr("labels: list(string) = []")
    .Attr("display_name: string = ''")
    .Shape(shapes::Scalar);
WB_KERNEL("TensorSummary", FunctionKernel<RunTensorSummary>).Cpu({{"T", kSummaryTypes}});
WB_NO_GRADIENT("TensorSummary");

WB_OP("TensorSummaryV2")
    .Input("tag: string")
    .Input("tensor: T")
    .Input("serialized_summary_metadata: string")
    .Output("summary: string")
    .Attr("T: type")
    .Shape(shapes::Scalar);
WB_KERNEL("TensorSummaryV2", FunctionKernel<RunTensorSummaryV2>).Cpu({{"T", kSummaryTypes}});
WB_NO_GRADIENT("TensorSummaryV2");

}  // namespace

StatusOr<std::string> TensorContent(const std::string& tag, const Tensor& tensor,
                                    const std::string& metadata) {
  tensorflow::Summary summary;
  auto* value = summary.add_value();
  value->set_tag(tag);
  WB_RETURN_IF_ERROR(WriteTensor(tensor, value));
  // Metadata that cannot be read is none, as in TensorFlow.
  if (!value->mutable_metadata()->ParseFromString(metadata)) value->mutable_metadata()->Clear();
  return summary.SerializeAsString();
}

}  // namespace warpbeam
