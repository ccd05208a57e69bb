// StridedSlice, its gradient, and TensorStridedSliceUpdate, which replaces a slice in a copy.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "ops/array/strided_slice_spec.h"
#include "ops/array/view.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status StridedSliceShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(SliceMasks masks, SliceMasks::FromAttrs(c.attrs()));
  for (int i = 1; i <= 3; ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  WB_ASSIGN_OR_RETURN(std::optional<Dims> begin, ConstantIndices(c, 1));
  WB_ASSIGN_OR_RETURN(std::optional<Dims> end, ConstantIndices(c, 2));
  WB_ASSIGN_OR_RETURN(std::optional<Dims> strides, ConstantIndices(c, 3));
  if (!strides || !c.input(0).has_rank()) return OkStatus();
  if ((begin && begin->size() != strides->size()) || (end && end->size() != strides->size())) {
    return InvalidArgument("'begin', 'end' and 'strides' must be of one length");
  }
  WB_ASSIGN_OR_RETURN(SliceSpec spec, ResolveSlice(masks, begin, end, *strides, c.input(0)));
  c.set_output(0, std::move(spec.final));
  return OkStatus();
}

Status StridedSliceGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

template <class Derived>
class WithMasks {
 public:
  explicit WithMasks(SliceMasks masks) : masks_(masks) {}
  static StatusOr<Derived> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(SliceMasks masks, SliceMasks::FromAttrs(init.attrs));
    return Derived(masks);
  }

 protected:
  // Writes `value` into the slice of `y`.
  static Status Assign(StridedCopier& copier, const SliceSpec& spec, const Tensor& value,
                       Tensor* y) {
    int64_t offset;
    WB_ASSIGN_OR_RETURN(CopyDims dims, SliceAssignment(spec, value.shape(), y->shape(), &offset));
    if (value.num_elements() == 0) return OkStatus();
    return copier.Copy(y->dtype(), Advance(y->raw_data(), y->dtype(), offset), value.raw_data(),
                       dims);
  }

  SliceMasks masks_;
};

class StridedSlice final : public WithMasks<StridedSlice> {
 public:
  using WithMasks::WithMasks;
  Status Run(KernelContext& ctx, StridedCopier& copier) const {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(SliceSpec spec, ResolveSlice(masks_, ctx, 1, x.shape()));
    WB_ASSIGN_OR_RETURN(Shape shape, spec.final.AsShape());
    std::optional<Tensor> view;
    if (spec.is_identity) {
      view = x;
    } else if (spec.is_rows) {
      const SliceSpec::Range& rows = spec.ranges[0];
      view = AlignedRows(x, rows.begin, rows.begin + rows.size);
    }
    if (view) {
      WB_ASSIGN_OR_RETURN(Tensor y, view->Reshaped(shape));
      ctx.set_output(0, std::move(y));
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (y->num_elements() == 0) return OkStatus();
    int64_t offset;
    const CopyDims dims = SliceCopy(spec, x.shape(), &offset);
    return copier.Copy(x.dtype(), y->raw_data(), Advance(x.raw_data(), x.dtype(), offset), dims);
  }
};

class StridedSliceGrad final : public WithMasks<StridedSliceGrad> {
 public:
  using WithMasks::WithMasks;
  Status Run(KernelContext& ctx, StridedCopier& copier) const {
    WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
    WB_ASSIGN_OR_RETURN(SliceSpec spec, ResolveSlice(masks_, ctx, 1, shape));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    WB_RETURN_IF_ERROR(copier.Zero(y->dtype(), y->raw_data(), y->num_elements()));
    const Tensor& dy = ctx.input(4);
    if (spec.final != PartialShape(dy.shape())) {
      return InvalidArgument("dy must have the slice's shape ", spec.final.ToString(), ", not ",
                             dy.shape().ToString());
    }
    return Assign(copier, spec, dy, y);
  }
};

class TensorStridedSliceUpdate final : public WithMasks<TensorStridedSliceUpdate> {
 public:
  using WithMasks::WithMasks;
  Status Run(KernelContext& ctx, StridedCopier& copier) const {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(SliceSpec spec, ResolveSlice(masks_, ctx, 1, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
    if (y->raw_data() != x.raw_data()) {
      WB_RETURN_IF_ERROR(
          copier.Copy(x.dtype(), y->raw_data(), x.raw_data(), {{x.num_elements(), 1, 1}}));
      WB_RETURN_IF_ERROR(copier.Then());
    }
    return Assign(copier, spec, ctx.input(4), y);
  }
};

WB_OP("StridedSlice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int16, int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Shape(StridedSliceShape);
WB_KERNEL("StridedSlice", MovingKernel<StridedSlice>)
    .Cpu({{"T", kMovableTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}}})
    .Gpu({{"T", kPlainTypesButInt32}})
    .HostMemory({"begin", "end", "strides"});
WB_KERNEL("StridedSlice", MovingKernel<StridedSlice>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"input", "begin", "end", "strides", "output"});
WB_GPU_KERNEL("StridedSlice", MovingKernelOnGpu<StridedSlice>);

WB_OP("StridedSliceGrad")
    .Input("shape: Index")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("dy: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Shape(StridedSliceGradShape);
WB_KERNEL("StridedSliceGrad", MovingKernel<StridedSliceGrad>)
    .Cpu({{"T", kMovableTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}}})
    .Gpu({{"T", kPlainTypesButInt32}})
    .HostMemory({"shape", "begin", "end", "strides"});
WB_KERNEL("StridedSliceGrad", MovingKernel<StridedSliceGrad>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"shape", "begin", "end", "strides", "dy", "output"});
WB_GPU_KERNEL("StridedSliceGrad", MovingKernelOnGpu<StridedSliceGrad>);

WB_OP("TensorStridedSliceUpdate")
    .Input("input: T")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Shape(shapes::Unchanged);
WB_KERNEL("TensorStridedSliceUpdate", MovingKernel<TensorStridedSliceUpdate>)
    .Cpu({{"T", kMovableTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}}})
    .Gpu({{"T", kPlainTypesButInt32}})
    .HostMemory({"begin", "end", "strides"});
WB_KERNEL("TensorStridedSliceUpdate", MovingKernel<TensorStridedSliceUpdate>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"input", "begin", "end", "strides", "value", "output"});
WB_GPU_KERNEL("TensorStridedSliceUpdate", MovingKernelOnGpu<TensorStridedSliceUpdate>);

constexpr const char* kMaskAttrs[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                      "shrink_axis_mask"};

// `op` with the forward node's masks; inputs come before and after begin, end and strides.
OutputRef EmitSliced(GradContext& c, const char* op, OutputRef before, OutputRef after) {
  AttrMap attrs;
  for (const char* mask : kMaskAttrs) attrs.Set(mask, c.attr_or<int64_t>(mask, 0));
  std::vector<NodeInput> inputs = {before};
  for (int i = 1; i <= 3; ++i) {
    const bool small = c.type(c.x(i)) == DType::kInt16;  // not an index type of every op
    inputs.push_back(small ? c.Cast(c.x(i), DType::kInt32) : c.x(i));
  }
  if (after.node != kNoNode) inputs.push_back(after);
  const std::vector<OutputRef> made = c.EmitAll(op, inputs, attrs);
  return made.empty() ? OutputRef() : made[0];
}

Status StridedSliceGradient(GradContext& c) {
  const DType index = c.type(c.x(1)) == DType::kInt64 ? DType::kInt64 : DType::kInt32;
  c.set_dx(0, EmitSliced(c, "StridedSliceGrad", c.ShapeOf(c.x(0), index), c.dy(0)));
  return OkStatus();
}
WB_GRADIENT("StridedSlice", StridedSliceGradient);

Status StridedSliceGradGradient(GradContext& c) {
  c.set_dx(4, EmitSliced(c, "StridedSlice", c.dy(0), OutputRef()));
  return OkStatus();
}
WB_GRADIENT("StridedSliceGrad", StridedSliceGradGradient);

Status TensorStridedSliceUpdateGradient(GradContext& c) {
  c.set_dx(0, EmitSliced(c, "TensorStridedSliceUpdate", c.dy(0), c.ZerosLike(c.x(4))));
  c.set_dx(4, EmitSliced(c, "StridedSlice", c.dy(0), OutputRef()));
  return OkStatus();
}
WB_GRADIENT("TensorStridedSliceUpdate", TensorStridedSliceUpdateGradient);

}  // namespace
}  // namespace warpbeam
