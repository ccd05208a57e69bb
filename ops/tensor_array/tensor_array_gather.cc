// TensorArrayGather, TensorArrayScatter and their forebears TensorArrayPack, TensorArrayUnpack:
// elements as rows of one tensor.
#include <algorithm>
#include <numeric>
#include <utility>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"
#include "ops/array/view.h"
#include "ops/state/elements_here.h"
#include "ops/state/same_on_gpu.h"
#include "ops/tensor_array/tensor_array_op.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

StatusOr<Dims> ReadIndexVector(const Tensor& indices) {
  if (indices.rank() != 1) {
    return InvalidArgument("Expected indices to be a vector, but received shape: ",
                           indices.shape().ToString());
  }
  return ReadIndices(indices, "indices");
}

Dims Count(int64_t size) {
  Dims all(static_cast<size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

template <bool kPack>
class GatherKernel final : public Kernel {
 public:
  explicit GatherKernel(PartialShape element_shape) : element_shape_(std::move(element_shape)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(PartialShape shape, init.attr<PartialShape>("element_shape"));
    return std::make_unique<GatherKernel>(std::move(shape));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
    WB_RETURN_IF_ERROR(array->CheckReads(ctx.output_type(0)));
    Dims indices;
    if constexpr (kPack) {
      WB_ASSIGN_OR_RETURN(const int64_t size, array->PackedSize());
      indices = Count(size);
    } else {
      WB_ASSIGN_OR_RETURN(indices, ReadIndexVector(ctx.input(1)));
    }
    WB_ASSIGN_OR_RETURN(const PartialShape known, array->MergeElementShape(element_shape_));
    if (indices.empty()) return SetEmpty(ctx, known);
    TensorArray::Elements elements;
    WB_RETURN_IF_ERROR(array->Read(ctx, indices, &elements));
    return Join(ctx, known, elements);
  }

 private:
  static Status SetEmpty(KernelContext& ctx, const PartialShape& known) {
    const StatusOr<Shape> element = known.AsShape();
    if (!element.ok()) {
      return Unimplemented("TensorArray has size zero, but element shape ", known.ToString(),
                           " is not fully defined. Currently only static shapes are supported "
                           "when packing zero-size TensorArrays.");
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, element->Insert(0, 0));
    return ctx.Allocate(0, shape).status();
  }
  static Status Join(KernelContext& ctx, const PartialShape& known,
                     const TensorArray::Elements& elements) {
    const Shape& first = elements[0].shape;
    if (!known.IsCompatibleWith(PartialShape(first))) {
      return InvalidArgument("TensorArray was passed element_shape ", known.ToString(),
                             " which does not match the Tensor at index 0: ", first.ToString());
    }
    for (size_t i = 1; i < elements.size(); ++i) {
      if (elements[i].shape == first) continue;
      return InvalidArgument("TensorArray has inconsistent shapes: index 0 has shape ",
                             first.ToString(), " but index ", i, " has ",
                             elements[i].shape.ToString());
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, first.Insert(0, static_cast<int64_t>(elements.size())));
    if (elements.size() == 1 && elements[0].value.has_value()) {
      WB_ASSIGN_OR_RETURN(Tensor same, elements[0].value.Reshaped(shape));
      ctx.set_output(0, std::move(same));
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const int64_t count = first.num_elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      void* to = Advance(y->raw_data(), y->dtype(), static_cast<int64_t>(i) * count);
      const Tensor& value = elements[i].value;
      if (value.has_value()) {
        WB_RETURN_IF_ERROR(CopyHere(ctx, y->dtype(), to, value.raw_data(), count));
      } else {
        WB_RETURN_IF_ERROR(ZeroHere(ctx, y->dtype(), to, count));
      }
    }
    return OkStatus();
  }

  const PartialShape element_shape_;
};

Status WriteRows(KernelContext& ctx, TensorArray& array, Span<const int64_t> indices,
                 const Tensor& rows) {
  const Shape shape = rows.shape().Remove(0);
  std::vector<Tensor> values;
  values.reserve(indices.size());
  for (int64_t i = 0; i < static_cast<int64_t>(indices.size()); ++i) {
    if (std::optional<Tensor> view = AlignedRows(rows, i, i + 1)) {
      WB_ASSIGN_OR_RETURN(Tensor value, view->Reshaped(shape));
      values.push_back(std::move(value));
      continue;
    }
    WB_ASSIGN_OR_RETURN(Tensor value, ctx.AllocateTemp(rows.dtype(), shape));
    WB_RETURN_IF_ERROR(CopyHere(ctx, rows.dtype(), value.raw_data(), rows.Rows(i, i + 1).raw_data(),
                                shape.num_elements()));
    values.push_back(std::move(value));
  }
  return array.Write(ctx, indices, values);
}

Status CheckRows(const Tensor& value) {
  if (value.rank() > 0) return OkStatus();
  return InvalidArgument("the value to unpack must be at least a vector but is of shape ",
                         value.shape().ToString());
}

Status RunScatter(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
  WB_ASSIGN_OR_RETURN(const Dims indices, ReadIndexVector(ctx.input(1)));
  const Tensor& value = ctx.input(2);
  WB_RETURN_IF_ERROR(array->CheckWrites(value.dtype()));
  WB_RETURN_IF_ERROR(CheckRows(value));
  if (value.dim(0) != static_cast<int64_t>(indices.size())) {
    return InvalidArgument("Expected len(indices) == values.shape[0], but saw: ", indices.size(),
                           " vs. ", value.dim(0));
  }
  WB_ASSIGN_OR_RETURN(const int64_t size, array->Size());
  const auto last = std::max_element(indices.begin(), indices.end());
  if (last != indices.end() && *last >= size && !array->dynamic_size()) {
    return InvalidArgument("Max scatter index must be < array size (", *last, " vs. ", size, ")");
  }
  WB_RETURN_IF_ERROR(WriteRows(ctx, *array, indices, value));
  ctx.set_output(0, ctx.input(3));
  return OkStatus();
}

Status RunUnpack(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
  const Tensor& value = ctx.input(1);
  WB_RETURN_IF_ERROR(array->CheckWrites(value.dtype()));
  WB_RETURN_IF_ERROR(CheckRows(value));
  WB_ASSIGN_OR_RETURN(int64_t size, array->Size());
  if (array->dynamic_size()) size = std::max(size, value.dim(0));
  if (value.dim(0) != size) {
    return InvalidArgument("the value must have as many rows as the array has elements: ",
                           value.dim(0), " against ", size);
  }
  array->SetPackedSize(size);
  WB_RETURN_IF_ERROR(WriteRows(ctx, *array, Count(size), value));
  ctx.set_output(0, ctx.input(2));
  return OkStatus();
}

Status GatherShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 1));
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  WB_ASSIGN_OR_RETURN(PartialShape element, c.attr<PartialShape>("element_shape"));
  WB_ASSIGN_OR_RETURN(element, PartialShape::Merge(element, ElementShapeOfHandle(c)));
  c.set_output(0, WithRows(element, indices.dim(0)));
  return OkStatus();
}

Status ScatterShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  WB_ASSIGN_OR_RETURN(const PartialShape value, c.WithRankAtLeast(2, 1));
  if (value.has_rank() && !c.input_handle(0).empty()) {
    const PartialShape row(std::vector<int64_t>(value.dims().begin() + 1, value.dims().end()));
    WB_RETURN_IF_ERROR(PartialShape::Merge(ElementShapeOfHandle(c), row).status());
  }
  return FlowShape(c);
}

Status GatherGradient(GradContext& c) {
  const OutputRef dvalue = c.dy(0);
  const GradientArray g = GradientArrayOf(c, c.x(2), dvalue);
  c.set_dx(2, c.Emit(SameGeneration(c, "TensorArrayScatter"), {g.handle, c.x(1), dvalue, g.flow}));
  return OkStatus();
}

Status ScatterGradient(GradContext& c) {
  const OutputRef dflow = c.dy(0);
  const GradientArray g = GradientArrayOf(c, dflow, dflow);
  AttrMap attrs;
  attrs.Set("dtype", c.type(c.x(2)));
  const auto value =
      c.EmitAll(SameGeneration(c, "TensorArrayGather"), {g.handle, c.x(1), g.flow}, attrs);
  if (!value.empty()) c.set_dx(2, value[0]);
  c.set_dx(3, dflow);
  return OkStatus();
}

#define WB_ARRAY_GATHER(op, handle)                          \
  WB_OP(op)                                                  \
      .Effect(StateEffect::kNone)                            \
      .Input(handle)                                         \
      .Input("indices: int32")                               \
      .Input("flow_in: float")                               \
      .Output("value: dtype")                                \
      .Attr("dtype: type")                                   \
      .Attr("element_shape: shape = { unknown_rank: true }") \
      .Shape(GatherShape)
WB_ARRAY_GATHER("TensorArrayGather", "handle: Ref(string)").Deprecated(16, kOldHandles);
WB_ARRAY_GATHER("TensorArrayGatherV2", "handle: string").Deprecated(26, kOldHandles);
WB_ARRAY_GATHER("TensorArrayGatherV3", "handle: resource").Stateful();
#define WB_ARRAY_GATHER_KERNEL(op)                                 \
  WB_KERNEL(op, GatherKernel<false>)                               \
      .Cpu({{"dtype", kJoinableTypes | TypeSet{DType::kVariant}}}) \
      .Gpu({{"dtype", kArrayGpuTypes | TypeSet{DType::kInt32}}})   \
      .HostMemory({"handle", "indices"});                          \
  WB_GPU_KERNEL(op, SameOnGpu<GatherKernel<false>>);               \
  WB_GRADIENT(op, GatherGradient)
WB_ARRAY_GATHER_KERNEL("TensorArrayGather");
WB_ARRAY_GATHER_KERNEL("TensorArrayGatherV2");
WB_ARRAY_GATHER_KERNEL("TensorArrayGatherV3");

WB_OP("TensorArrayPack")
    .Effect(StateEffect::kNone)
    .Input("handle: Ref(string)")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Deprecated(16, kOldHandles)
    .Shape(shapes::Unknown);
WB_KERNEL("TensorArrayPack", GatherKernel<true>)
    .Cpu({{"dtype", kJoinableTypes | TypeSet{DType::kVariant}}})
    .Gpu({{"dtype", kArrayGpuTypes}})
    .HostMemory({"handle"});
WB_GPU_KERNEL("TensorArrayPack", SameOnGpu<GatherKernel<true>>);

#define WB_ARRAY_SCATTER(op, handle) \
  WB_OP(op)                          \
      .Effect(StateEffect::kSum)     \
      .Input(handle)                 \
      .Input("indices: int32")       \
      .Input("value: T")             \
      .Input("flow_in: float")       \
      .Output("flow_out: float")     \
      .Attr("T: type")               \
      .Shape(ScatterShape)
WB_ARRAY_SCATTER("TensorArrayScatter", "handle: Ref(string)").Deprecated(19, kOldHandles);
WB_ARRAY_SCATTER("TensorArrayScatterV2", "handle: string").Deprecated(26, kOldHandles);
WB_ARRAY_SCATTER("TensorArrayScatterV3", "handle: resource").Stateful();
#define WB_ARRAY_SCATTER_KERNEL(op)                          \
  WB_KERNEL(op, FunctionKernel<RunScatter>)                  \
      .Cpu({{"T", kArrayTypes}})                             \
      .Gpu({{"T", kArrayGpuTypes | TypeSet{DType::kInt64}}}) \
      .HostMemory({"handle", "indices"});                    \
  WB_GPU_KERNEL(op, SameOnGpu<FunctionKernel<RunScatter>>);  \
  WB_GRADIENT(op, ScatterGradient)
WB_ARRAY_SCATTER_KERNEL("TensorArrayScatter");
WB_ARRAY_SCATTER_KERNEL("TensorArrayScatterV2");
WB_ARRAY_SCATTER_KERNEL("TensorArrayScatterV3");

WB_OP("TensorArrayUnpack")
    .Effect(StateEffect::kSum)
    .Input("handle: Ref(string)")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .Deprecated(20, kOldHandles)
    .Shape(FlowShape);
WB_KERNEL("TensorArrayUnpack", FunctionKernel<RunUnpack>)
    .Cpu({{"T", kArrayTypes}})
    .Gpu({{"T", kArrayGpuTypes | TypeSet{DType::kInt64}}})
    .HostMemory({"handle"});
WB_GPU_KERNEL("TensorArrayUnpack", SameOnGpu<FunctionKernel<RunUnpack>>);

}  // namespace
}  // namespace warpbeam
