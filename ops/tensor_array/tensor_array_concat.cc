// TensorArrayConcat, TensorArraySplit: elements as parts, of lengths of their own, of one tensor.
#include <algorithm>
#include <limits>
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

class ConcatKernel final : public Kernel {
 public:
  explicit ConcatKernel(PartialShape row_shape) : row_shape_(std::move(row_shape)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(PartialShape shape, init.attr<PartialShape>("element_shape_except0"));
    return std::make_unique<ConcatKernel>(std::move(shape));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
    WB_RETURN_IF_ERROR(array->CheckReads(ctx.output_type(0)));
    WB_ASSIGN_OR_RETURN(const int64_t size, array->PackedSize());
    if (size == 0) return SetEmpty(ctx);
    Dims indices(static_cast<size_t>(size));
    std::iota(indices.begin(), indices.end(), 0);
    TensorArray::Elements elements;
    WB_RETURN_IF_ERROR(array->Read(ctx, indices, &elements));
    Tensor lengths;
    WB_ASSIGN_OR_RETURN(lengths, Tensor::Allocate(DType::kInt64, Shape({size})));
    WB_ASSIGN_OR_RETURN(const Shape shape, JoinedShape(elements, lengths.data<int64_t>()));
    ctx.set_output(1, std::move(lengths));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    int64_t at = 0;
    for (const TensorArray::Element& element : elements) {
      void* to = Advance(y->raw_data(), y->dtype(), at);
      const int64_t count = element.shape.num_elements();
      if (element.value.has_value()) {
        WB_RETURN_IF_ERROR(CopyHere(ctx, y->dtype(), to, element.value.raw_data(), count));
      } else {
        WB_RETURN_IF_ERROR(ZeroHere(ctx, y->dtype(), to, count));
      }
      at += count;
    }
    return OkStatus();
  }

 private:
  Status SetEmpty(KernelContext& ctx) const {
    const StatusOr<Shape> row = row_shape_.AsShape();
    if (!row.ok()) {
      return Unimplemented("TensorArray has size zero, but element_shape_except0 ",
                           row_shape_.ToString(),
                           " is not fully defined, so that the result has no shape");
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, row->Insert(0, 0));
    WB_RETURN_IF_ERROR(ctx.Allocate(0, shape).status());
    WB_ASSIGN_OR_RETURN(Tensor lengths, Tensor::Allocate(DType::kInt64, Shape({0})));
    ctx.set_output(1, std::move(lengths));
    return OkStatus();
  }
  StatusOr<Shape> JoinedShape(const TensorArray::Elements& elements, int64_t* lengths) const {
    int64_t total = 0;
    Shape row;
    for (size_t i = 0; i < elements.size(); ++i) {
      const Shape& shape = elements[i].shape;
      if (shape.rank() == 0) {
        return InvalidArgument("Concat saw a scalar shape at index ", i,
                               " but requires at least vectors; scalars are stacked");
      }
      const Shape rest = shape.Remove(0);
      if (i == 0) {
        row = rest;
        if (!row_shape_.IsCompatibleWith(PartialShape(row))) {
          return InvalidArgument("TensorArray was passed element_shape_except0 ",
                                 row_shape_.ToString(), " but index 0 has rows of shape ",
                                 row.ToString());
        }
      } else if (rest != row) {
        return InvalidArgument("TensorArray has inconsistent shapes: the rows at index 0 are of ",
                               row.ToString(), ", those at index ", i, " of ", rest.ToString());
      }
      lengths[i] = shape.dim(0);
      total += lengths[i];
    }
    return row.Insert(0, total);
  }

  const PartialShape row_shape_;
};

Status CheckLengths(const Tensor& value, const Tensor& lengths) {
  if (lengths.rank() != 1) {
    return InvalidArgument("Expected lengths to be a vector, received shape: ",
                           lengths.shape().ToString());
  }
  if (value.rank() == 0) {
    return InvalidArgument("Expected value to be at least a vector, but received shape: ",
                           value.shape().ToString());
  }
  int64_t sum = 0;
  for (int64_t length : lengths.flat<int64_t>()) {
    if (length < 0) return InvalidArgument("lengths has a negative entry: ", length);
    if (__builtin_add_overflow(sum, length, &sum)) sum = std::numeric_limits<int64_t>::max();
  }
  if (sum == value.dim(0)) return OkStatus();
  return InvalidArgument(
      "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is ", sum,
      " and value's shape is: ", value.shape().ToString());
}

Status RunSplit(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
  const Tensor& value = ctx.input(1);
  const Tensor& lengths = ctx.input(2);
  WB_RETURN_IF_ERROR(array->CheckWrites(value.dtype()));
  WB_RETURN_IF_ERROR(CheckLengths(value, lengths));
  WB_ASSIGN_OR_RETURN(int64_t size, array->Size());
  if (array->dynamic_size()) size = std::max(size, lengths.num_elements());
  if (size != lengths.num_elements()) {
    return InvalidArgument("TensorArray's size is not equal to the size of lengths (", size,
                           " vs. ", lengths.num_elements(),
                           "), and the TensorArray is not marked as dynamically resizeable");
  }
  array->SetPackedSize(size);
  Dims indices(static_cast<size_t>(size));
  std::iota(indices.begin(), indices.end(), 0);
  std::vector<Tensor> values;
  values.reserve(indices.size());
  int64_t at = 0;
  for (int64_t length : lengths.flat<int64_t>()) {
    std::optional<Tensor> view = AlignedRows(value, at, at + length);
    if (view) {
      values.push_back(*std::move(view));
    } else {
      WB_ASSIGN_OR_RETURN(const Shape shape, value.shape().WithDim(0, length));
      WB_ASSIGN_OR_RETURN(Tensor part, ctx.AllocateTemp(value.dtype(), shape));
      WB_RETURN_IF_ERROR(CopyHere(ctx, value.dtype(), part.raw_data(),
                                  value.Rows(at, at + length).raw_data(), part.num_elements()));
      values.push_back(std::move(part));
    }
    at += length;
  }
  WB_RETURN_IF_ERROR(array->Write(ctx, indices, values));
  ctx.set_output(0, ctx.input(3));
  return OkStatus();
}

Status ConcatShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(1, PartialShape({-1}));
  return OkStatus();
}

Status SplitShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  return FlowShape(c);
}

Status ConcatGradient(GradContext& c) {
  const OutputRef dvalue = c.dy(0);
  const GradientArray g = GradientArrayOf(c, c.x(1), dvalue);
  c.set_dx(1, c.Emit(SameGeneration(c, "TensorArraySplit"), {g.handle, dvalue, c.y(1), g.flow}));
  return OkStatus();
}

Status SplitGradient(GradContext& c) {
  const OutputRef dflow = c.dy(0);
  const GradientArray g = GradientArrayOf(c, dflow, dflow);
  AttrMap attrs;
  attrs.Set("dtype", c.type(c.x(1)));
  const auto value = c.EmitAll(SameGeneration(c, "TensorArrayConcat"), {g.handle, g.flow}, attrs);
  if (!value.empty()) c.set_dx(1, value[0]);
  c.set_dx(3, dflow);
  return OkStatus();
}

#define WB_ARRAY_CONCAT(op, handle)                                  \
  WB_OP(op)                                                          \
      .Effect(StateEffect::kNone)                                    \
      .Input(handle)                                                 \
      .Input("flow_in: float")                                       \
      .Output("value: dtype")                                        \
      .Output("lengths: int64")                                      \
      .Attr("dtype: type")                                           \
      .Attr("element_shape_except0: shape = { unknown_rank: true }") \
      .Shape(ConcatShape)
WB_ARRAY_CONCAT("TensorArrayConcat", "handle: Ref(string)").Deprecated(16, kOldHandles);
WB_ARRAY_CONCAT("TensorArrayConcatV2", "handle: string");
WB_ARRAY_CONCAT("TensorArrayConcatV3", "handle: resource").Stateful();
#define WB_ARRAY_CONCAT_KERNEL(op)                               \
  WB_KERNEL(op, ConcatKernel)                                    \
      .Cpu({{"dtype", kJoinableTypes}})                          \
      .Gpu({{"dtype", kArrayGpuTypes | TypeSet{DType::kInt32}}}) \
      .HostMemory({"handle", "lengths"});                        \
  WB_GPU_KERNEL(op, SameOnGpu<ConcatKernel>);                    \
  WB_GRADIENT(op, ConcatGradient)
WB_ARRAY_CONCAT_KERNEL("TensorArrayConcat");
WB_ARRAY_CONCAT_KERNEL("TensorArrayConcatV2");
WB_ARRAY_CONCAT_KERNEL("TensorArrayConcatV3");

#define WB_ARRAY_SPLIT(op, handle) \
  WB_OP(op)                        \
      .Effect(StateEffect::kSum)   \
      .Input(handle)               \
      .Input("value: T")           \
      .Input("lengths: int64")     \
      .Input("flow_in: float")     \
      .Output("flow_out: float")   \
      .Attr("T: type")             \
      .Shape(SplitShape)
WB_ARRAY_SPLIT("TensorArraySplit", "handle: Ref(string)").Deprecated(16, kOldHandles);
WB_ARRAY_SPLIT("TensorArraySplitV2", "handle: string").Deprecated(26, kOldHandles);
WB_ARRAY_SPLIT("TensorArraySplitV3", "handle: resource").Stateful();
#define WB_ARRAY_SPLIT_KERNEL(op)                         \
  WB_KERNEL(op, FunctionKernel<RunSplit>)                 \
      .Cpu({{"T", kArrayTypes}})                          \
      .Gpu({{"T", kArrayGpuTypes}})                       \
      .HostMemory({"handle", "lengths"});                 \
  WB_GPU_KERNEL(op, SameOnGpu<FunctionKernel<RunSplit>>); \
  WB_GRADIENT(op, SplitGradient)
WB_ARRAY_SPLIT_KERNEL("TensorArraySplit");
WB_ARRAY_SPLIT_KERNEL("TensorArraySplitV2");
WB_ARRAY_SPLIT_KERNEL("TensorArraySplitV3");

}  // namespace
}  // namespace warpbeam
