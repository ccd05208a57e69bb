// ExtractJpegShape: height, width and channels of a JPEG file, from its header alone.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/image/codec/image_decoder.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class ExtractJpegShapeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ExtractJpegShapeKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& contents = ctx.input(0);
    if (contents.rank() != 0) {
      return InvalidArgument("contents must be scalar, got shape ", contents.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(const ImageSize size, ReadJpegSize(contents.scalar<std::string>()));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({3})));
    const int64_t extents[] = {size.height, size.width, size.channels};
    for (int i = 0; i < 3; ++i) {
      if (out->dtype() == DType::kInt64) {
        out->data<int64_t>()[i] = extents[i];
      } else {
        out->data<int32_t>()[i] = static_cast<int32_t>(extents[i]);
      }
    }
    return OkStatus();
  }
};

Status ExtractJpegShapeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  c.set_output(0, PartialShape({3}));
  return OkStatus();
}

WB_OP("ExtractJpegShape")
    .Input("contents: string")
    .Output("image_shape: output_type")
    .Attr("output_type: {int32, int64} = DT_INT32")
    .Shape(ExtractJpegShapeShape);
WB_KERNEL("ExtractJpegShape", ExtractJpegShapeKernel).Cpu();

}  // namespace
}  // namespace warpbeam
