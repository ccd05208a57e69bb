// DecodeJSONExample: Example messages from their JSON form, with protobuf's own reader.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver.h>
#include <google/protobuf/util/type_resolver_util.h>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "proto/example.pb.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Straight to bytes, as TensorFlow does it: a message in between would pack repeated numbers, and
// the bytes would be others.
Status RunDecodeJsonExample(KernelContext& ctx) {
  using google::protobuf::util::TypeResolver;
  static TypeResolver* const resolver = google::protobuf::util::NewTypeResolverForDescriptorPool(
      "type.googleapis.com", tensorflow::Example::descriptor()->file()->pool());
  const Tensor& texts = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * examples, ctx.Allocate(0, texts.shape()));
  for (int64_t i = 0; i < texts.num_elements(); ++i) {
    const auto status = google::protobuf::util::JsonToBinaryString(
        resolver, "type.googleapis.com/tensorflow.Example", texts.data<std::string>()[i],
        &examples->data<std::string>()[i]);
    if (!status.ok()) {
      return InvalidArgument("Error while parsing JSON of example ", i, ": ", status.ToString());
    }
  }
  return OkStatus();
}

WB_OP("DecodeJSONExample")
    .Input("json_examples: string")
    .Output("binary_examples: string")
    .Shape(shapes::Unchanged);
WB_KERNEL("DecodeJSONExample", FunctionKernel<RunDecodeJsonExample>).Cpu();

}  // namespace
}  // namespace warpbeam
