// ClipByValue: numbers held between two others, each a scalar or a tensor of the same shape.

#include "ops/math/functors/clip_by_value.h"

#include "ops/launch/elementwise.h"

#if WB_HOST_PASS
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/replayable.h"
#endif

namespace warpbeam::WB_PASS {

#if WB_HOST_PASS
namespace {

using ClipTypes = ConcatTypes<FloatTypeList, SignedTypeList, TypeList<uint8_t, uint16_t>>;

template <bool kOnHost>
class ClipKernel final : public Kernel, public GpuStepKernel, public Replayable {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    using Loops = TernaryKernel<ClipFn, ClipTypes>;
    WB_ASSIGN_OR_RETURN(auto elementwise,
                        kOnHost ? Loops::CreateOnHost(init) : Loops::Create(init));
    return std::make_unique<ClipKernel>(std::move(elementwise));
  }
  explicit ClipKernel(std::unique_ptr<Kernel> elementwise) : elementwise_(std::move(elementwise)) {}

  Status Compute(KernelContext& ctx) override {
    const Shape& shape = ctx.input(0).shape();
    for (int i = 1; i < 3; ++i) {
      const Shape& limit = ctx.input(i).shape();
      if (limit.rank() != 0 && limit != shape) {
        return InvalidArgument("a limit must be a scalar or of the shape of 't', ",
                               shape.ToString(), ", but has shape ", limit.ToString());
      }
    }
    return elementwise_->Compute(ctx);
  }
  // A limit of one element may be no vector.
  bool checks_inputs() const override { return true; }
  bool AcceptsInputs(Span<const Tensor* const> inputs) const override {
    for (int i = 1; i < 3; ++i) {
      if (inputs[i]->num_elements() == 1 && inputs[i]->rank() != 0) return false;
    }
    return true;
  }

 private:
  const std::unique_ptr<Kernel> elementwise_;
};

Status ClipGradient(GradContext& c) {
  const OutputRef x = c.x(0), dy = c.dy(0), zeros = c.ZerosLike(dy);
  const OutputRef low = c.Emit("Less", {x, c.x(1)}), high = c.Emit("Greater", {x, c.x(2)});
  const OutputRef out = c.Emit("LogicalOr", {low, high});
  c.set_dx(0, c.Emit("SelectV2", {out, zeros, dy}));
  // What a limit decided goes to the limit, summed up where it is a scalar.
  const OutputRef masks[] = {low, high};
  for (int i = 0; i < 2; ++i) {
    const OutputRef limit = c.x(i + 1);
    const std::vector<OutputRef> axes =
        c.EmitAll("BroadcastGradientArgs", {c.ShapeOf(limit), c.ShapeOf(x)});
    if (axes.size() != 2) return OkStatus();  // the walk reports the first error
    const OutputRef share = c.Emit("SelectV2", {masks[i], dy, zeros});
    c.set_dx(i + 1, c.ReshapeLike(c.Emit("Sum", {share, axes[0]}), limit));
  }
  return OkStatus();
}

constexpr TypeSet kClipGpu = kFloatingTypes | TypeSet{DType::kInt8, DType::kInt16, DType::kInt64,
                                                      DType::kUInt8, DType::kUInt16};

}  // namespace

WB_OP("ClipByValue")
    .Input("t: T")
    .Input("clip_value_min: T")
    .Input("clip_value_max: T")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
    .Shape(shapes::Unchanged);
WB_KERNEL("ClipByValue", ClipKernel<false>)
    .Cpu({{"T", TypeSetOf(ClipTypes{})}})
    .Gpu({{"T", kClipGpu}});
WB_KERNEL("ClipByValue", ClipKernel<true>)
    .Gpu({{"T", {DType::kInt32}}})
    .HostMemory({"t", "clip_value_min", "clip_value_max", "output"});
WB_GRADIENT("ClipByValue", ClipGradient);

#else

struct GpuClip;
static const GpuRegistration<
    GpuClip, TernaryLaunches<ClipFn, SameType>,
    ConcatTypes<FloatTypeList, TypeList<int8_t, int16_t, int64_t, uint8_t, uint16_t>>>
    clip_registration("ClipByValue");

#endif

}  // namespace warpbeam::WB_PASS
