// RandomCrop: a part of an image at a random place.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class RandomCropKernel final : public RandomKernel<RandomCropKernel> {
 public:
  using RandomKernel::RandomKernel;
  Status Compute(KernelContext& ctx) override {
    const Tensor& image = ctx.input(0);
    if (image.rank() != 3) {
      return InvalidArgument("input must be 3-dimensional", image.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(const Shape size, ReadShape(ctx.input(1), "size"));
    if (size.rank() != 2) {
      return InvalidArgument("'size' must have two elements, not ", size.rank());
    }
    const int64_t height = image.dim(0), width = image.dim(1), channels = image.dim(2);
    if (width < size.dim(1)) {
      return FailedPrecondition("width must be >= target_width: width = ", width,
                                ", target_width = ", size.dim(1));
    }
    if (height < size.dim(0)) {
      return FailedPrecondition("height must be >= target_height: height = ", height,
                                ", target_height = ", size.dim(0));
    }
    // One block holds both numbers; the first is the column's.
    PhiloxNumbers numbers(stream().Reserve(1));
    const int64_t left = Offset(width - size.dim(1), &numbers);
    const int64_t top = Offset(height - size.dim(0), &numbers);
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({size.dim(0), size.dim(1), channels}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t row = size.dim(1) * channels;
    StridedCopy(ctx, image.dtype(), y->raw_data(),
                Advance(image.raw_data(), image.dtype(), (top * width + left) * channels),
                {{size.dim(0), width * channels, row}, {row, 1, 1}});
    return OkStatus();
  }

 private:
  static int64_t Offset(int64_t most, PhiloxNumbers* numbers) {
    return most > 0 ? numbers->Next() % static_cast<uint32_t>(most + 1) : 0;
  }
};

Status RandomCropShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape image, c.WithRank(0, 3));
  WB_ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(1, 1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(vector, PartialShape({2})).status());
  WB_ASSIGN_OR_RETURN(const PartialShape size, c.ShapeFromInput(1));
  const bool known = size.has_rank();
  c.set_output(0, PartialShape({known ? size.dim(0) : -1, known ? size.dim(1) : -1, image.dim(2)}));
  return OkStatus();
}

WB_OP("RandomCrop")
    .Input("image: T")
    .Input("size: int64")
    .Output("output: T")
    .Attr("T: {uint8, int8, int16, int32, int64, float, double}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Stateful()
    .Deprecated(8, "use a random Slice")
    .Shape(RandomCropShape);
WB_KERNEL("RandomCrop", RandomCropKernel).Cpu({{"T", kRealTypes}});
WB_NO_GRADIENT("RandomCrop");

}  // namespace
}  // namespace warpbeam
