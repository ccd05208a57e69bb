// SerializeSparse, SerializeManySparse: sparse tensors as three strings, or three variants, each.
// DeserializeSparse, DeserializeManySparse: a batch of them as one sparse tensor.
#include "graph/gradients/gradient_registry.h"
#include "graph/io/tensor_io.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/sparse/sparse_batch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Puts one tensor in element `at` of the output.
Status Put(Tensor value, int64_t at, Tensor* out) {
  if (out->dtype() == DType::kVariant) {
    out->data<Variant>()[at] = Variant::Of(std::move(value));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(out->data<std::string>()[at], SerializeTensor(value));
  return OkStatus();
}

StatusOr<Tensor> Take(const Tensor& from, int64_t at) {
  if (from.dtype() != DType::kVariant) return ParseTensor(from.data<std::string>()[at]);
  const Tensor* held = from.data<Variant>()[at].get<Tensor>();
  if (held != nullptr) return *held;
  return InvalidArgument("'serialized_sparse' holds a variant of ",
                         from.data<Variant>()[at].type_name(), " instead of a tensor");
}

Status SerializeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  c.set_output(0, PartialShape({3}));
  return OkStatus();
}

Status RunSerialize(KernelContext& ctx) {
  WB_RETURN_IF_ERROR(ReadSparse(ctx, 0).status());
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({3})));
  for (int i = 0; i < 3; ++i) WB_RETURN_IF_ERROR(Put(ctx.input(i), i, out));
  return OkStatus();
}

Status SerializeManyShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  c.set_output(0, PartialShape({-1, 3}));
  return OkStatus();
}

Status RunSerializeMany(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadBatch(ctx));
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({x.dims[0], 3}));
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
  return ForEachMember(x, [out](int64_t member, SparseParts parts) -> Status {
    WB_RETURN_IF_ERROR(Put(std::move(parts.indices), 3 * member, out));
    WB_RETURN_IF_ERROR(Put(std::move(parts.values), 3 * member + 1, out));
    return Put(std::move(parts.shape), 3 * member + 2, out);
  });
}

Status DeserializeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, c.WithRankAtLeast(0, 1));
  if (in.has_rank()) WB_RETURN_IF_ERROR(MergeExtents(in.dim(in.rank() - 1), 3).status());
  SetSparseOutput(c, 0, -1, -1);
  return OkStatus();
}

Status DeserializeManyShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, c.WithRank(0, 2));
  WB_RETURN_IF_ERROR(MergeExtents(in.dim(1), 3).status());
  SetSparseOutput(c, 0, -1, -1);
  return OkStatus();
}

Status RunDeserialize(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  if (in.rank() < 1 || in.dim(in.rank() - 1) != 3) {
    return InvalidArgument("the last extent of 'serialized_sparse' must be 3, but its shape is ",
                           in.shape().ToString());
  }
  const int64_t n = in.num_elements() / 3;
  if (n == 0) return InvalidArgument("'serialized_sparse' holds no sparse tensor");
  std::vector<SparseParts> members(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    SparseParts& m = members[static_cast<size_t>(i)];
    WB_ASSIGN_OR_RETURN(m.indices, Take(in, 3 * i));
    WB_ASSIGN_OR_RETURN(m.values, Take(in, 3 * i + 1));
    WB_ASSIGN_OR_RETURN(m.shape, Take(in, 3 * i + 2));
  }
  return JoinMembers(ctx, Dims(in.shape().dims().begin(), in.shape().dims().end() - 1), members);
}

Status RunDeserializeMany(KernelContext& ctx) {
  if (ctx.input(0).rank() != 2) {
    return InvalidArgument("'serialized_sparse' must be a matrix, but has shape ",
                           ctx.input(0).shape().ToString());
  }
  return RunDeserialize(ctx);
}

WB_OP("SerializeSparse")
    .Input("sparse_indices: int64")
    .Input("sparse_values: T")
    .Input("sparse_shape: int64")
    .Output("serialized_sparse: out_type")
    .Attr("T: type")
    .Attr("out_type: {string, variant} = DT_STRING")
    .Shape(SerializeShape);
WB_KERNEL("SerializeSparse", FunctionKernel<RunSerialize>)
    .Cpu({{"out_type", TypeSet{DType::kString, DType::kVariant}}});

WB_OP("SerializeManySparse")
    .Input("sparse_indices: int64")
    .Input("sparse_values: T")
    .Input("sparse_shape: int64")
    .Output("serialized_sparse: out_type")
    .Attr("T: type")
    .Attr("out_type: {string, variant} = DT_STRING")
    .Shape(SerializeManyShape);
WB_KERNEL("SerializeManySparse", FunctionKernel<RunSerializeMany>)
    .Cpu({{"T", kPlainTypes | kObjectTypes},
          {"out_type", TypeSet{DType::kString, DType::kVariant}}});

WB_OP("DeserializeSparse")
    .Input("serialized_sparse: Tserialized")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Attr("Tserialized: {string, variant} = DT_STRING")
    .Shape(DeserializeShape);
WB_KERNEL("DeserializeSparse", FunctionKernel<RunDeserialize>)
    .Cpu({{"Tserialized", TypeSet{DType::kString, DType::kVariant}}});
WB_KERNEL("DeserializeSparse", FunctionKernel<RunDeserialize>)
    .Gpu({{"Tserialized", TypeSet{DType::kVariant}}})
    .HostMemory({"serialized_sparse", "sparse_indices", "sparse_values", "sparse_shape"});

WB_OP("DeserializeManySparse")
    .Input("serialized_sparse: string")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Shape(DeserializeManyShape);
WB_KERNEL("DeserializeManySparse", FunctionKernel<RunDeserializeMany>).Cpu();

}  // namespace
}  // namespace warpbeam
