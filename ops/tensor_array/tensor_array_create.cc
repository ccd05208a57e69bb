// TensorArray, TensorArrayGrad, TensorArrayGradWithShape, TensorArraySize, TensorArrayClose: what
// makes arrays, and what asks them.
#include <utility>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"
#include "ops/state/elements_here.h"
#include "ops/state/same_on_gpu.h"
#include "ops/tensor_array/tensor_array_op.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr char kContainer[] = "_tensor_arrays";

// A kernel that gives out the handle of an array: as a resource, as strings, or as a reference.
class HandleKernel : public Kernel {
 public:
  explicit HandleKernel(const KernelInit& init) : handle_type_(init.output_types[0]) {}

 protected:
  Status SetOutputs(KernelContext& ctx, std::shared_ptr<TensorArray> array) {
    std::string name = array->name();
    WB_ASSIGN_OR_RETURN(Tensor handle, NewStepHandle(ctx, handle_type_, kContainer, std::move(name),
                                                     std::move(array)));
    if (IsRef(handle_type_)) {
      WB_ASSIGN_OR_RETURN(RefVariable * reference, references_.New(ctx, std::move(handle)));
      ctx.set_output_ref(0, reference);
    } else {
      ctx.set_output(0, std::move(handle));
    }
    if (ctx.num_outputs() == 1) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor * flow, ctx.Allocate(1, Shape()));
    WB_RETURN_IF_ERROR(ZeroHere(ctx, flow->dtype(), flow->raw_data(), 1));
    return OkStatus();
  }

 private:
  const DType handle_type_;
  StepReferences references_;
};

class TensorArrayKernel final : public HandleKernel {
 public:
  TensorArrayKernel(const KernelInit& init, TensorArray::Spec spec)
      : HandleKernel(init), spec_(std::move(spec)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    TensorArray::Spec spec;
    WB_ASSIGN_OR_RETURN(spec.dtype, init.attr<DType>("dtype"));
    WB_ASSIGN_OR_RETURN(spec.element_shape, init.attr<PartialShape>("element_shape"));
    WB_ASSIGN_OR_RETURN(spec.dynamic_size, init.attr<bool>("dynamic_size"));
    WB_ASSIGN_OR_RETURN(spec.clear_after_read, init.attr<bool>("clear_after_read"));
    WB_ASSIGN_OR_RETURN(spec.name, init.attr<std::string>("tensor_array_name"));
    spec.identical_element_shapes = init.attrs.GetOr<bool>("identical_element_shapes", false);
    if (spec.name.empty()) spec.name = init.node_name;
    return std::make_unique<TensorArrayKernel>(init, std::move(spec));
  }
  Status Compute(KernelContext& ctx) override {
    if (ctx.input(0).rank() != 0) {
      return InvalidArgument("TensorArray size must be scalar, but had shape: ",
                             ctx.input(0).shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(int64_t size, ReadIndex(ctx.input(0), "size"));
    TensorArray::Spec spec = spec_;
    spec.name = UniqueStepName(spec_.name);
    WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array,
                        TensorArray::Make(std::move(spec), size));
    return SetOutputs(ctx, std::move(array));
  }

 private:
  const TensorArray::Spec spec_;
};

class GradientArrayKernel final : public HandleKernel {
 public:
  GradientArrayKernel(const KernelInit& init, std::string source)
      : HandleKernel(init), source_(std::move(source)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string source, init.attr<std::string>("source"));
    return std::make_unique<GradientArrayKernel>(init, std::move(source));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
    std::shared_ptr<TensorArray> gradient;
    if (ctx.num_inputs() > 2) {
      WB_ASSIGN_OR_RETURN(const Shape prefix, ReadShape(ctx.input(2), "shape_to_prepend"));
      WB_ASSIGN_OR_RETURN(gradient, array->Gradient(source_, &prefix));
    } else {
      WB_ASSIGN_OR_RETURN(gradient, array->Gradient(source_, nullptr));
    }
    return SetOutputs(ctx, std::move(gradient));
  }

 private:
  const std::string source_;
};

Status RunSize(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
  WB_ASSIGN_OR_RETURN(int64_t size, array->Size());
  ctx.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(size)));
  return OkStatus();
}

Status RunClose(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
  array->Close();
  return OkStatus();
}

Status ArrayShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  if (c.num_outputs() == 1) {
    c.set_output(0, PartialShape({2}));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(DType dtype, c.attr<DType>("dtype"));
  WB_ASSIGN_OR_RETURN(PartialShape element, c.attr<PartialShape>("element_shape"));
  WB_ASSIGN_OR_RETURN(bool identical, c.attr<bool>("identical_element_shapes"));
  if (identical || element.IsFullyDefined()) c.set_output_handle(0, {{dtype, element}});
  c.set_output(1, PartialShape(Shape()));
  return OkStatus();
}

Status GradientShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  if (c.num_outputs() == 1) {
    c.set_output(0, PartialShape({2}));
    return OkStatus();
  }
  c.set_output(1, PartialShape(Shape()));
  if (c.num_inputs() == 2 && !c.input_handle(0).empty()) c.set_output_handle(0, c.input_handle(0));
  return OkStatus();
}

constexpr TypeSet kMadeOnGpu = kArrayGpuTypes | TypeSet{DType::kInt64};

WB_OP("TensorArray")
    .Effect(StateEffect::kNone)
    .Input("size: int32")
    .Output("handle: Ref(string)")
    .Attr("dtype: type")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("tensor_array_name: string = ''")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Stateful()
    .Deprecated(16, kOldHandles)
    .Shape(ArrayShape);
WB_OP("TensorArrayV2")
    .Effect(StateEffect::kNone)
    .Input("size: int32")
    .Output("handle: string")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("tensor_array_name: string = ''")
    .Stateful()
    .Deprecated(26, kOldHandles)
    .Shape(ArrayShape);
WB_OP("TensorArrayV3")
    .Effect(StateEffect::kNone)
    .Input("size: int32")
    .Output("handle: resource")
    .Output("flow: float")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("identical_element_shapes: bool = false")
    .Attr("tensor_array_name: string = ''")
    .Stateful()
    .Shape(ArrayShape);
#define WB_ARRAY_KERNEL(op)            \
  WB_KERNEL(op, TensorArrayKernel)     \
      .Cpu()                           \
      .Gpu({{"dtype", kMadeOnGpu}})    \
      .HostMemory({"size", "handle"}); \
  WB_GPU_KERNEL(op, SameOnGpu<TensorArrayKernel>)
WB_ARRAY_KERNEL("TensorArray");
WB_ARRAY_KERNEL("TensorArrayV2");
WB_ARRAY_KERNEL("TensorArrayV3");
WB_NO_GRADIENT("TensorArray");
WB_NO_GRADIENT("TensorArrayV2");
WB_NO_GRADIENT("TensorArrayV3");

WB_OP("TensorArrayGrad")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kGradientArray)
    .Input("handle: string")
    .Input("flow_in: float")
    .Output("grad_handle: Ref(string)")
    .Attr("source: string")
    .Stateful()
    .Deprecated(16, kOldHandles)
    .Shape(GradientShape);
WB_OP("TensorArrayGradV2")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kGradientArray)
    .Input("handle: string")
    .Input("flow_in: float")
    .Output("grad_handle: string")
    .Attr("source: string")
    .Stateful()
    .Deprecated(26, kOldHandles)
    .Shape(GradientShape);
WB_OP("TensorArrayGradV3")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kGradientArray)
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("grad_handle: resource")
    .Output("flow_out: float")
    .Attr("source: string")
    .Stateful()
    .Shape(GradientShape);
WB_OP("TensorArrayGradWithShape")
    .Effect(StateEffect::kNone)
    .Role(OpRole::kGradientArray)
    .Input("handle: resource")
    .Input("flow_in: float")
    .Input("shape_to_prepend: int32")
    .Output("grad_handle: resource")
    .Output("flow_out: float")
    .Attr("source: string")
    .Stateful()
    .Shape(GradientShape);
#define WB_GRADIENT_ARRAY_KERNEL(op)                                                    \
  WB_KERNEL(op, GradientArrayKernel).Cpu().Gpu().HostMemory({"handle", "grad_handle"}); \
  WB_GPU_KERNEL(op, SameOnGpu<GradientArrayKernel>)
WB_GRADIENT_ARRAY_KERNEL("TensorArrayGrad");
WB_GRADIENT_ARRAY_KERNEL("TensorArrayGradV2");
WB_GRADIENT_ARRAY_KERNEL("TensorArrayGradV3");
WB_KERNEL("TensorArrayGradWithShape", GradientArrayKernel)
    .Cpu()
    .Gpu()
    .HostMemory({"handle", "shape_to_prepend", "grad_handle"});
WB_GPU_KERNEL("TensorArrayGradWithShape", SameOnGpu<GradientArrayKernel>);
WB_NO_GRADIENT("TensorArrayGrad");
WB_NO_GRADIENT("TensorArrayGradV2");
WB_NO_GRADIENT("TensorArrayGradV3");
WB_NO_GRADIENT("TensorArrayGradWithShape");

#define WB_ARRAY_SIZE(op, handle) \
  WB_OP(op)                       \
      .Effect(StateEffect::kNone) \
      .Input(handle)              \
      .Input("flow_in: float")    \
      .Output("size: int32")      \
      .Shape(FlowShape)
WB_ARRAY_SIZE("TensorArraySize", "handle: Ref(string)").Deprecated(16, kOldHandles);
WB_ARRAY_SIZE("TensorArraySizeV2", "handle: string").Deprecated(26, kOldHandles);
WB_ARRAY_SIZE("TensorArraySizeV3", "handle: resource").Stateful();
#define WB_ARRAY_SIZE_KERNEL(op)                                                             \
  WB_KERNEL(op, FunctionKernel<RunSize>).Cpu().Gpu().HostMemory({"handle", "size"}).Cheap(); \
  WB_GPU_KERNEL(op, SameOnGpu<FunctionKernel<RunSize>>)
WB_ARRAY_SIZE_KERNEL("TensorArraySize");
WB_ARRAY_SIZE_KERNEL("TensorArraySizeV2");
WB_ARRAY_SIZE_KERNEL("TensorArraySizeV3");
WB_NO_GRADIENT("TensorArraySize");
WB_NO_GRADIENT("TensorArraySizeV2");
WB_NO_GRADIENT("TensorArraySizeV3");

#define WB_ARRAY_CLOSE(op, handle) \
  WB_OP(op).Effect(StateEffect::kNone).Input(handle).Shape(shapes::NoOutputs)
WB_ARRAY_CLOSE("TensorArrayClose", "handle: Ref(string)").Deprecated(16, kOldHandles);
WB_ARRAY_CLOSE("TensorArrayCloseV2", "handle: string").Deprecated(26, kOldHandles);
WB_ARRAY_CLOSE("TensorArrayCloseV3", "handle: resource").Stateful();
#define WB_ARRAY_CLOSE_KERNEL(op) \
  WB_KERNEL(op, FunctionKernel<RunClose>).Cpu().Gpu().HostMemory({"handle"}).Cheap()
WB_ARRAY_CLOSE_KERNEL("TensorArrayClose");
WB_ARRAY_CLOSE_KERNEL("TensorArrayCloseV2");
WB_ARRAY_CLOSE_KERNEL("TensorArrayCloseV3");
WB_NO_GRADIENT("TensorArrayClose");
WB_NO_GRADIENT("TensorArrayCloseV2");
WB_NO_GRADIENT("TensorArrayCloseV3");

}  // namespace
}  // namespace warpbeam
