// Pack, Unpack: tensors stacked along a new dimension, and the reverse.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "ops/array/view.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status PackShape(ShapeContext& c) {
  PartialShape element;
  for (int i = 0; i < c.num_inputs(); ++i) {
    auto merged = PartialShape::Merge(element, c.input(i));
    if (!merged.ok()) {
      return Annotate(merged.status(), absl::StrCat("input ", i, " is not like those before"));
    }
    element = *std::move(merged);
  }
  if (!element.has_rank()) return OkStatus();
  WB_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, element.rank() + 1));
  std::vector<int64_t> dims = element.dims();
  dims.insert(dims.begin() + a, c.num_inputs());
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Status UnpackShape(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  if (!x.has_rank()) return OkStatus();
  WB_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, x.rank()));
  if (x.dim(a) >= 0 && x.dim(a) != c.num_outputs()) {
    return InvalidArgument("extent ", x.dim(a), " of dimension ", a,
                           " must equal 'num': ", c.num_outputs());
  }
  std::vector<int64_t> dims = x.dims();
  dims.erase(dims.begin() + a);
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape(dims));
  return OkStatus();
}

template <class Derived>
class AlongAxis {
 public:
  explicit AlongAxis(int64_t axis) : axis_(axis) {}
  static StatusOr<Derived> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(int64_t axis, init.attr<int64_t>("axis"));
    return Derived(axis);
  }

 protected:
  int64_t axis_;
};

class Pack final : public AlongAxis<Pack> {
 public:
  using AlongAxis::AlongAxis;
  Status Run(KernelContext& ctx, StridedCopier& copier) const {
    const Shape& element = ctx.input(0).shape();
    WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis_, element.rank() + 1));
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).shape() != element) {
        return InvalidArgument("shapes of all inputs must match: input 0 is ", element.ToString(),
                               ", input ", i, " is ", ctx.input(i).shape().ToString());
      }
    }
    WB_ASSIGN_OR_RETURN(Shape shape, element.Insert(a, ctx.num_inputs()));
    if (ctx.num_inputs() == 1) {
      WB_ASSIGN_OR_RETURN(Tensor same, ctx.input(0).Reshaped(shape));
      ctx.set_output(0, std::move(same));
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const int64_t outer = ElementsOf(element, 0, a);
    const int64_t inner = ElementsOf(element, a, element.rank());
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      void* to = Advance(y->raw_data(), y->dtype(), i * inner);
      WB_RETURN_IF_ERROR(copier.Copy(y->dtype(), to, ctx.input(i).raw_data(),
                                     {{outer, inner, inner * ctx.num_inputs()}, {inner, 1, 1}}));
    }
    return OkStatus();
  }
};

class Unpack final : public AlongAxis<Unpack> {
 public:
  using AlongAxis::AlongAxis;
  Status Run(KernelContext& ctx, StridedCopier& copier) const {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis_, x.rank()));
    if (x.dim(a) != ctx.num_outputs()) {
      return InvalidArgument("extent ", x.dim(a), " of dimension ", a,
                             " must equal 'num': ", ctx.num_outputs());
    }
    const Shape shape = x.shape().Remove(a);
    const int64_t outer = ElementsOf(x.shape(), 0, a);
    const int64_t inner = ElementsOf(x.shape(), a + 1, x.rank());
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      std::optional<Tensor> view;
      if (a == 0) view = AlignedRows(x, i, i + 1);
      if (view) {
        WB_ASSIGN_OR_RETURN(Tensor y, view->Reshaped(shape));
        ctx.set_output(i, std::move(y));
        continue;
      }
      WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(i, shape));
      WB_RETURN_IF_ERROR(copier.Copy(x.dtype(), y->raw_data(),
                                     Advance(x.raw_data(), x.dtype(), i * inner),
                                     {{outer, inner * ctx.num_outputs(), inner}, {inner, 1, 1}}));
    }
    return OkStatus();
  }
};

WB_OP("Pack")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .Shape(PackShape);
WB_KERNEL("Pack", MovingKernel<Pack>)
    .Cpu({{"T", kMovableTypes | kQuantizedTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | kFloat8Types |
                    TypeSet{DType::kBool, DType::kInt16, DType::kInt64, DType::kUInt32,
                            DType::kUInt64}}});
WB_KERNEL("Pack", MovingKernel<Pack>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"values", "output"});
WB_GPU_KERNEL("Pack", MovingKernelOnGpu<Pack>);

WB_OP("Unpack")
    .Input("value: T")
    .Output("output: num * T")
    .Attr("num: int >= 0")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .Shape(UnpackShape);
WB_KERNEL("Unpack", MovingKernel<Unpack>)
    .Cpu({{"T", kMovableTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kUInt8}}});
WB_KERNEL("Unpack", MovingKernel<Unpack>).Gpu({{"T", kIndexTypes}}).HostMemory({"value", "output"});
WB_GPU_KERNEL("Unpack", MovingKernelOnGpu<Unpack>);

Status PackGradient(GradContext& c) {
  AttrMap attrs;
  attrs.Set("num", c.num_inputs());
  attrs.Set("axis", c.attr_or<int64_t>("axis", 0));
  const std::vector<OutputRef> parts = c.EmitAll("Unpack", {c.dy(0)}, attrs);
  for (size_t i = 0; i < parts.size(); ++i) c.set_dx(static_cast<int>(i), parts[i]);
  return OkStatus();
}
WB_GRADIENT("Pack", PackGradient);

Status UnpackGradient(GradContext& c) {
  std::vector<OutputRef> parts;
  for (int i = 0; i < c.num_outputs(); ++i) parts.push_back(c.dy(i));
  c.set_dx(0, c.Emit("Pack", {NodeInput(parts)}, {{"axis", c.attr_or<int64_t>("axis", 0)}}));
  return OkStatus();
}
WB_GRADIENT("Unpack", UnpackGradient);

}  // namespace
}  // namespace warpbeam
