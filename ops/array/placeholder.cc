// Placeholder, PlaceholderV2: values that a run feeds. PlaceholderWithDefault: one that it may
// feed.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ShapeOfAttr(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status WithDefaultShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  WB_RETURN_IF_ERROR(PartialShape::Merge(c.input(0), shape).status());
  // The value fed need only fit the attribute; the default's extents say nothing about it.
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Runs only when the value was not fed.
class PlaceholderKernel final : public Kernel {
 public:
  explicit PlaceholderKernel(std::string message) : message_(std::move(message)) {}

  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("dtype"));
    const PartialShape shape = init.attrs.GetOr<PartialShape>("shape", PartialShape());
    return std::make_unique<PlaceholderKernel>(
        absl::StrCat("You must feed a value for placeholder tensor '", init.node_name,
                     "' with dtype ", DTypeName(dtype), " and shape ", shape.ToString()));
  }
  Status Compute(KernelContext&) override { return InvalidArgument(message_); }

 private:
  const std::string message_;
};

Status PassDefault(KernelContext& ctx) {
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

WB_OP("Placeholder")
    .Role(OpRole::kPlaceholder)
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape = { unknown_rank: true }")
    .Shape(ShapeOfAttr);
WB_KERNEL("Placeholder", PlaceholderKernel).Cpu().Gpu().Cheap();

WB_OP("PlaceholderV2")
    .Role(OpRole::kPlaceholder)
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Deprecated(23, "Placeholder now behaves the same as PlaceholderV2.")
    .Shape(ShapeOfAttr);
WB_KERNEL("PlaceholderV2", PlaceholderKernel).Cpu().Gpu().Cheap();

WB_OP("PlaceholderWithDefault")
    .PassesOn(PassOn::kDefault)
    .Input("input: dtype")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Shape(WithDefaultShape);
WB_KERNEL("PlaceholderWithDefault", FunctionKernel<PassDefault>)
    .Cpu()
    .Gpu({{"dtype", kHostedTypes}})
    .HostMemory({"input", "output"})
    .Cheap();
WB_KERNEL("PlaceholderWithDefault", FunctionKernel<PassDefault>)
    .Gpu({{"dtype", kPlainTypesButInt32 | TypeSet{DType::kVariant}}})
    .Cheap();

Status HandBack(GradContext& c) {
  c.set_dx(0, c.dy_value(0));
  return OkStatus();
}
WB_GRADIENT("PlaceholderWithDefault", HandBack);

}  // namespace
}  // namespace warpbeam
