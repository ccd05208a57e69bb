// SerializeSparse, SerializeManySparse: sparse tensors as three strings, or three variants, each.
// DeserializeSparse, DeserializeManySparse: a batch of them as one sparse tensor.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/io/tensor_io.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Puts one tensor in element `at` of the output.
absl::Status Put(Tensor value, int64_t at, Tensor* out) {
  if (out->dtype() == DType::kVariant) {
    out->data<Variant>()[at] = Variant::Of(std::move(value));
    return absl::OkStatus();
  }
  WB_ASSIGN_OR_RETURN(out->data<std::string>()[at], SerializeTensor(value));
  return absl::OkStatus();
}

absl::StatusOr<Tensor> Take(const Tensor& from, int64_t at) {
  if (from.dtype() != DType::kVariant) return ParseTensor(from.data<std::string>()[at]);
  const Tensor* held = from.data<Variant>()[at].get<Tensor>();
  if (held != nullptr) return *held;
  return InvalidArgument("'serialized_sparse' holds a variant of ",
                         from.data<Variant>()[at].type_name(), " instead of a tensor");
}

absl::Status SerializeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  c.set_output(0, PartialShape({3}));
  return absl::OkStatus();
}

absl::Status RunSerialize(KernelContext& ctx) {
  WB_RETURN_IF_ERROR(ReadSparse(ctx, 0).status());
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({3})));
  for (int i = 0; i < 3; ++i) WB_RETURN_IF_ERROR(Put(ctx.input(i), i, out));
  return absl::OkStatus();
}

absl::Status SerializeManyShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  c.set_output(0, PartialShape({-1, 3}));
  return absl::OkStatus();
}

// The rows of one member of the batch, without its number.
absl::Status PutMember(const SparseView& x, int64_t begin, int64_t end, int64_t member,
                       Tensor* out) {
  const int64_t count = end - begin, rank = x.rank - 1;
  WB_ASSIGN_OR_RETURN(Tensor indices, Tensor::Allocate(DType::kInt64, Shape({count, rank})));
  int64_t* to = indices.data<int64_t>();
  for (int64_t i = begin; i < end; ++i) to = std::copy_n(x.row(i) + 1, rank, to);
  WB_RETURN_IF_ERROR(Put(std::move(indices), 3 * member, out));
  WB_RETURN_IF_ERROR(Put(x.values->Rows(begin, end), 3 * member + 1, out));
  return Put(Tensor::Vector<int64_t>(absl::MakeConstSpan(x.dims).subspan(1)), 3 * member + 2, out);
}

absl::Status RunSerializeMany(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0));
  if (x.rank < 2) {
    return InvalidArgument("the sparse tensor must have a dimension besides that of the batch, ",
                           "but has ", x.rank, " in all");
  }
  WB_RETURN_IF_ERROR(DenseShape(x).status());
  WB_RETURN_IF_ERROR(CheckBounds(x));
  WB_RETURN_IF_ERROR(CheckOrder(x));
  const int64_t members = x.dims[0];
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({members, 3}));
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
  int64_t begin = 0;
  for (int64_t member = 0; member < members; ++member) {
    int64_t end = begin;
    while (end < x.count && x.row(end)[0] == member) ++end;
    WB_RETURN_IF_ERROR(PutMember(x, begin, end, member, out));
    begin = end;
  }
  return absl::OkStatus();
}

absl::Status DeserializeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, c.WithRankAtLeast(0, 1));
  if (in.has_rank()) WB_RETURN_IF_ERROR(MergeExtents(in.dim(in.rank() - 1), 3).status());
  SetSparseOutput(c, 0, -1, -1);
  return absl::OkStatus();
}

absl::Status DeserializeManyShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, c.WithRank(0, 2));
  WB_RETURN_IF_ERROR(MergeExtents(in.dim(1), 3).status());
  SetSparseOutput(c, 0, -1, -1);
  return absl::OkStatus();
}

// One member as read: views of tensors that are kept beside them.
struct Member {
  Tensor indices, values, shape;
  SparseView view;
};

absl::Status ReadMember(const Tensor& from, int64_t number, DType dtype, Member* m) {
  WB_ASSIGN_OR_RETURN(m->indices, Take(from, 3 * number));
  WB_ASSIGN_OR_RETURN(m->values, Take(from, 3 * number + 1));
  WB_ASSIGN_OR_RETURN(m->shape, Take(from, 3 * number + 2));
  if (m->indices.dtype() != DType::kInt64 || m->shape.dtype() != DType::kInt64) {
    return InvalidArgument("the indices and the shape of sparse tensor ", number,
                           " must be int64, but are ", DTypeName(m->indices.dtype()), " and ",
                           DTypeName(m->shape.dtype()));
  }
  if (m->values.dtype() != dtype) {
    return InvalidArgument("the values of sparse tensor ", number, " are ",
                           DTypeName(m->values.dtype()), ", 'dtype' is ", DTypeName(dtype));
  }
  WB_ASSIGN_OR_RETURN(
      m->view, ReadSparse(m->indices, m->values, m->shape, absl::StrCat("sparse tensor ", number)));
  return absl::OkStatus();
}

// What the members have in all: the batch's extents, then the largest of each of theirs.
absl::StatusOr<Dims> BatchDims(const Tensor& in, const std::vector<Member>& members,
                               int64_t* count) {
  Dims dims(in.shape().dims().begin(), in.shape().dims().end() - 1);
  const size_t outer = dims.size();
  dims.insert(dims.end(), members[0].view.dims.begin(), members[0].view.dims.end());
  *count = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    const SparseView& x = members[i].view;
    if (x.rank != members[0].view.rank) {
      return InvalidArgument("sparse tensor ", i, " has ", x.rank, " dimensions, the first one ",
                             members[0].view.rank);
    }
    *count += x.count;
    for (int d = 0; d < x.rank; ++d) dims[outer + d] = std::max(dims[outer + d], x.dims[d]);
  }
  return dims;
}

absl::Status RunDeserialize(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const DType dtype = ctx.output_type(1);
  if (in.rank() < 1 || in.dim(in.rank() - 1) != 3) {
    return InvalidArgument("the last extent of 'serialized_sparse' must be 3, but its shape is ",
                           in.shape().ToString());
  }
  const int64_t n = in.num_elements() / 3;
  if (n == 0) return InvalidArgument("'serialized_sparse' holds no sparse tensor");
  std::vector<Member> members(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) WB_RETURN_IF_ERROR(ReadMember(in, i, dtype, &members[i]));
  if (in.rank() == 1) {
    ctx.set_output(0, members[0].indices);
    ctx.set_output(1, members[0].values);
    ctx.set_output(2, members[0].shape);
    return absl::OkStatus();
  }
  int64_t count;
  WB_ASSIGN_OR_RETURN(const Dims dims, BatchDims(in, members, &count));
  const int64_t rank = static_cast<int64_t>(dims.size());
  WB_ASSIGN_OR_RETURN(const Shape index_shape, Shape::Make({count, rank}));
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, index_shape));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({count})));
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({rank})));
  WB_RETURN_IF_ERROR(WriteIndices(dims, shape));
  const int outer = in.rank() - 1;
  int64_t* to = indices->data<int64_t>();
  int64_t at = 0;
  for (int64_t m = 0; m < n; ++m) {
    const SparseView& x = members[m].view;
    for (int64_t i = 0; i < x.count; ++i, to += rank) {
      int64_t rest = m;
      for (int d = outer; d-- > 0; rest /= dims[d]) to[d] = rest % dims[d];
      std::copy_n(x.row(i), x.rank, to + outer);
    }
    CopyElements(dtype, Advance(values->raw_data(), dtype, at), x.values->raw_data(), x.count);
    at += x.count;
  }
  return absl::OkStatus();
}

absl::Status RunDeserializeMany(KernelContext& ctx) {
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
