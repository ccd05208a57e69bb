// Select and SelectV2: elements of one tensor or of another, as a condition says. Moves data only,
// so one loop per element size serves all types.

#include "ops/launch/elementwise.h"

#if WB_HOST_PASS
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/device/device.h"

namespace warpbeam::WB_PASS {
namespace {

struct ChooseFn {
  template <class T>
  const T& operator()(bool condition, const T& t, const T& e) const {
    return condition ? t : e;
  }
};

absl::StatusOr<ElementwiseSpec> ChooseSpec(DType dtype) {
  ElementwiseSpec spec;
  spec.num_inputs = 3;
  spec.picoseconds = 400;
  WB_RETURN_IF_ERROR(DispatchElements(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    spec.loop = &TernaryLoop<ChooseFn, T, bool, T, T>;
    return absl::OkStatus();
  }));
  return spec;
}

struct SelectV2Kernel {
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ElementwiseSpec spec, ChooseSpec(init.input_types[1]));
    return NewElementwiseKernel(spec, init);
  }
};

// The first version: t and e of one shape; the condition is of that shape, a scalar, or a vector
// with one value per row.
class SelectKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ElementwiseSpec spec, ChooseSpec(init.input_types[1]));
    WB_ASSIGN_OR_RETURN(auto elementwise, NewElementwiseKernel(spec, init));
    return std::make_unique<SelectKernel>(spec, std::move(elementwise));
  }
  SelectKernel(const ElementwiseSpec& spec, std::unique_ptr<Kernel> elementwise)
      : spec_(spec), elementwise_(std::move(elementwise)) {}

  absl::Status Compute(KernelContext& ctx) override {
    const Tensor &condition = ctx.input(0), &t = ctx.input(1), &e = ctx.input(2);
    if (t.shape() != e.shape()) {
      return InvalidArgument("'t' and 'e' must have the same shape, but have ",
                             t.shape().ToString(), " and ", e.shape().ToString());
    }
    if (condition.shape() == t.shape()) return elementwise_->Compute(ctx);
    const bool rows = condition.rank() == 1 && t.rank() >= 1 && condition.dim(0) == t.dim(0);
    if (condition.rank() != 0 && !rows) {
      return InvalidArgument(
          "'condition' must be a scalar, a vector with one value per row of 't', or of the shape "
          "of 't', ",
          t.shape().ToString(), ", but has shape ", condition.shape().ToString());
    }
    if (ctx.device() != nullptr && ctx.device()->execution_model() == ExecutionModel::kEnqueues) {
      return Unimplemented("Select with a condition per row on this device; use SelectV2");
    }
    return ComputeRows(ctx, rows ? t.dim(0) : 1);
  }

 private:
  absl::Status ComputeRows(KernelContext& ctx, int64_t rows) {
    const Tensor* inputs[] = {&ctx.input(0), &ctx.input(1), &ctx.input(2)};
    const Shape shape = inputs[1]->shape();
    WB_ASSIGN_OR_RETURN(Tensor * output, ctx.ForwardOrAllocate({1, 2}, 0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    WB_ASSIGN_OR_RETURN(const Shape matrix, Shape::Make({rows, shape.num_elements() / rows}));
    WB_ASSIGN_OR_RETURN(const Shape column, Shape::Make({rows, 1}));
    Broadcast plan;
    Shape unused;
    WB_RETURN_IF_ERROR(MakeBroadcast({&column, &matrix, &matrix}, &plan, &unused));
    RunElementwise(ctx, spec_, plan, inputs, output);
    return absl::OkStatus();
  }

  const ElementwiseSpec spec_;
  const std::unique_ptr<Kernel> elementwise_;
};

absl::Status SelectShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape out, PartialShape::Merge(c.input(1), c.input(2)));
  const PartialShape& condition = c.input(0);
  if (condition.has_rank() && condition.rank() > 0 && out.has_rank()) {
    if (condition.rank() == 1 && out.rank() >= 1) {
      WB_RETURN_IF_ERROR(PartialShape::Merge(condition, PartialShape({out.dim(0)})).status());
    } else {
      WB_RETURN_IF_ERROR(PartialShape::Merge(condition, out).status());
    }
  }
  c.set_output(0, out);
  return absl::OkStatus();
}

absl::Status SelectV2Shape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape values, ShapeContext::Broadcast(c.input(1), c.input(2)));
  WB_ASSIGN_OR_RETURN(const PartialShape out, ShapeContext::Broadcast(c.input(0), values));
  c.set_output(0, out);
  return absl::OkStatus();
}

absl::Status SelectGradient(GradContext& c) {
  const OutputRef zeros = c.ZerosLike(c.x(1));
  c.set_dx(1, c.Emit("Select", {c.x(0), c.dy(0), zeros}));
  c.set_dx(2, c.Emit("Select", {c.x(0), zeros, c.dy(0)}));
  return absl::OkStatus();
}

// Sums a gradient of the result's shape over the dimensions along which input i was spread.
OutputRef SumTo(GradContext& c, int i, OutputRef gradient) {
  const PartialShape &own = c.shape(c.x(i)), &all = c.shape(c.y(0));
  if (own.IsFullyDefined() && own == all) return gradient;
  const OutputRef shape = c.ShapeOf(c.x(i));
  const std::vector<OutputRef> axes =
      c.EmitAll("BroadcastGradientArgs", {shape, c.ShapeOf(c.y(0))});
  if (axes.empty()) return {};
  return c.Reshape(c.Emit("Sum", {gradient, axes[0]}), shape);
}

absl::Status SelectV2Gradient(GradContext& c) {
  const OutputRef zeros = c.ScalarLike(c.dy(0), 0);
  c.set_dx(1, SumTo(c, 1, c.Emit("SelectV2", {c.x(0), c.dy(0), zeros})));
  c.set_dx(2, SumTo(c, 2, c.Emit("SelectV2", {c.x(0), zeros, c.dy(0)})));
  return absl::OkStatus();
}

constexpr TypeSet kSelectCpu =
    kNumberTypes | TypeSet{DType::kBool, DType::kString, DType::kResource, DType::kVariant};
constexpr TypeSet kSelectGpu = kFloatingTypes | kComplexTypes | kIndexTypes | TypeSet{DType::kBool};
constexpr TypeSet kSelectV2Gpu = kNumberTypes | TypeSet{DType::kBool};

}  // namespace

WB_OP("Select")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(SelectShape);
WB_OP("SelectV2")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(SelectV2Shape);
WB_KERNEL("Select", SelectKernel).Cpu({{"T", kSelectCpu}}).Gpu({{"T", kSelectGpu}});
WB_KERNEL("SelectV2", SelectV2Kernel).Cpu({{"T", kSelectCpu}}).Gpu({{"T", kSelectV2Gpu}});
WB_GRADIENT("Select", SelectGradient);
WB_GRADIENT("SelectV2", SelectV2Gradient);

}  // namespace warpbeam::WB_PASS

#endif  // WB_HOST_PASS
