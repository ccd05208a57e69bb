// BiasAdd, BiasAddV1: a vector added along the channels. BiasAddGrad: the sum over all else.
//
// The channels are the last dimension (NHWC) or the second (NCHW, of any rank).

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/elementwise.h"
#include "ops/math/reduction.h"
#include "ops/nn/bias_channels.h"
#include "runtime/kernel/block_kernel.h"

namespace warpbeam::host_pass {

struct BiasFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x, V bias) const {
    return Plus(x, bias);
  }
};

namespace {

class BiasAddKernel final : public Kernel, public BlockKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    ElementwiseSpec spec;
    spec.num_inputs = 2;
    WB_RETURN_IF_ERROR(DispatchTypes(NumberTypeList{}, init.input_types[0], [&](auto tag) {
      using T = typename decltype(tag)::type;
      spec.loop = &BinaryLoop<BiasFn, T, T, T>;
      return OkStatus();
    }));
    const BiasChannels channels = ReadBiasChannels(init.attrs);
    WB_ASSIGN_OR_RETURN(auto elementwise, NewElementwiseKernel(spec, init));
    return std::make_unique<BiasAddKernel>(spec, channels, std::move(elementwise));
  }
  BiasAddKernel(const ElementwiseSpec& spec, BiasChannels channels,
                std::unique_ptr<Kernel> elementwise)
      : spec_(spec), channels_(channels), elementwise_(std::move(elementwise)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &value = ctx.input(0), &bias = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckBias(channels_, value.shape(), bias.shape()));
    // With the channels last this is a broadcast by NumPy's rules.
    if (channels_.In(value.rank()) == value.rank() - 1) return elementwise_->Compute(ctx);
    return ComputeSecond(ctx);
  }

  // A block of a value with its channels last, after a product, and the biases of its elements.
  bool AcceptsInputs(Span<const Tensor* const> inputs) const override {
    return inputs.size() == 2 && !channels_.second;
  }
  bool RunBlock(const BlockCall& call) const override {
    return spec_.loop(spec_.functor, call.inputs, call.scalars, call.outputs[0], call.count);
  }
  int picoseconds() const override { return spec_.picoseconds; }

 private:
  Status ComputeSecond(KernelContext& ctx) {
    const Tensor* inputs[] = {&ctx.input(0), &ctx.input(1)};
    const Shape shape = inputs[0]->shape();
    const int64_t channels = shape.dim(1);
    WB_ASSIGN_OR_RETURN(Tensor * output, ctx.ForwardOrAllocate({0}, 0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t inner = shape.num_elements() / (shape.dim(0) * channels);
    WB_ASSIGN_OR_RETURN(const Shape blocks, Shape::Make({shape.dim(0), channels, inner}));
    WB_ASSIGN_OR_RETURN(const Shape column, Shape::Make({channels, 1}));
    Broadcast plan;
    Shape unused;
    WB_RETURN_IF_ERROR(MakeBroadcast({&blocks, &column}, &plan, &unused));
    RunElementwise(ctx, spec_, plan, inputs, output);
    return OkStatus();
  }

  const ElementwiseSpec spec_;
  const BiasChannels channels_;
  const std::unique_ptr<Kernel> elementwise_;
};

class BiasAddGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    const BiasChannels channels = ReadBiasChannels(init.attrs);
    return std::make_unique<BiasAddGradKernel>(channels);
  }
  explicit BiasAddGradKernel(BiasChannels channels) : channels_(channels) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& dy = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckBiasGradient(dy.shape()));
    const int axis = channels_.In(dy.rank());
    uint64_t axes = 0;
    for (int i = 0; i < dy.rank() && i < 64; ++i) {
      if (i != axis) axes |= uint64_t{1} << i;
    }
    const int64_t channels = dy.dim(axis);
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({channels})));
    return Reduce(ctx, Reduction::kSum, dy, axes, out);
  }

 private:
  const BiasChannels channels_;
};

Status BiasAddShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape value, c.WithRankAtLeast(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape bias, c.WithRank(1, 1));
  const BiasChannels channels = ReadBiasChannels(c.attrs());
  if (value.has_rank()) {
    const int axis = channels.In(value.rank());
    WB_ASSIGN_OR_RETURN(
        const PartialShape merged,
        PartialShape::Merge(PartialShape({value.dim(axis)}), PartialShape({bias.dim(0)})));
    value.set_dim(axis, merged.dim(0));
  }
  c.set_output(0, std::move(value));
  return OkStatus();
}

Status BiasAddGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape dy, c.WithRankAtLeast(0, 2));
  const BiasChannels channels = ReadBiasChannels(c.attrs());
  c.set_output(0, PartialShape({dy.has_rank() ? dy.dim(channels.In(dy.rank())) : -1}));
  return OkStatus();
}

Status BiasAddGradient(GradContext& c) {
  c.set_dx(0, c.dy(0));
  c.set_dx(1, c.Emit("BiasAddGrad", {c.dy(0)},
                     {{"data_format", c.attr_or<std::string>("data_format", "NHWC")}}));
  return OkStatus();
}

// Each channel's gradient is spread over all its elements.
Status BiasAddGradGradient(GradContext& c) {
  OutputRef g = c.dy(0);
  const OutputRef shape = c.ShapeOf(c.x(0));
  if (c.attr_or<std::string>("data_format", "NHWC") == "NCHW") {
    const OutputRef inner =
        c.Emit("StridedSlice", {shape, c.Ints({2}), c.Ints({0}), c.Ints({1})}, {{"end_mask", 1}});
    const OutputRef ones = c.Emit("OnesLike", {inner});
    g = c.Reshape(g, c.Emit("ConcatV2", {c.Ints({-1}), ones, c.Scalar<int32_t>(0)}, {{"N", 2}}));
  }
  c.set_dx(0, c.Emit("BroadcastTo", {g, shape}));
  return OkStatus();
}

constexpr TypeSet kGpuBias = TypeSetOf(ConcatTypes<FloatTypeList, TypeList<int32_t>>{});

}  // namespace

#define WB_NUMBERS                                                                          \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, " \
  "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"

WB_OP("BiasAdd")
    .Input("value: T")
    .Input("bias: T")
    .Output("output: T")
    .Attr(WB_NUMBERS)
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Shape(BiasAddShape);
WB_OP("BiasAddV1")
    .Input("value: T")
    .Input("bias: T")
    .Output("output: T")
    .Attr(WB_NUMBERS)
    .Shape(BiasAddShape);
WB_OP("BiasAddGrad")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr(WB_NUMBERS)
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Shape(BiasAddGradShape);
WB_KERNEL("BiasAdd", BiasAddKernel).Cpu({{"T", kNumberTypes}}).Gpu({{"T", kGpuBias}});
WB_KERNEL("BiasAddV1", BiasAddKernel).Cpu({{"T", kNumberTypes}}).Gpu({{"T", kGpuBias}});
WB_KERNEL("BiasAddGrad", BiasAddGradKernel).Cpu({{"T", kNumberTypes}}).Gpu({{"T", kFloatingTypes}});
WB_GRADIENT("BiasAdd", BiasAddGradient);
WB_GRADIENT("BiasAddV1", BiasAddGradient);
WB_GRADIENT("BiasAddGrad", BiasAddGradGradient);

}  // namespace warpbeam::host_pass
