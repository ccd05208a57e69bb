// Transpose, ConjugateTranspose: permuted dimensions.
#include <complex>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/layout/transposed.h"
#include "ops/array/moving_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status CheckPermutation(Dims* perm, int rank) {
  if (static_cast<int>(perm->size()) != rank) {
    return InvalidArgument("'perm' must have one entry for each of ", rank, " dimensions, not ",
                           perm->size());
  }
  std::vector<bool> seen(perm->size());
  for (int64_t& p : *perm) {
    if (p < -rank || p >= rank) {
      return InvalidArgument("'perm' holds ", p, ", which is out of range for rank ", rank);
    }
    if (p < 0) p += rank;
    seen[static_cast<size_t>(p)] = true;
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) return InvalidArgument(i, " is missing from 'perm'; another is there twice");
  }
  return OkStatus();
}

Status TransposeShape(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  WB_ASSIGN_OR_RETURN(PartialShape perm_shape, c.WithRank(1, 1));
  int rank = x.rank();
  if (rank < 0) rank = ShapeContext::RankOfLength(perm_shape.dim(0));
  if (rank < 0) return OkStatus();
  if (x.has_rank() && perm_shape.dim(0) >= 0 && perm_shape.dim(0) != rank) {
    return InvalidArgument("'perm' has ", perm_shape.dim(0), " entries for ", rank, " dimensions");
  }
  WB_ASSIGN_OR_RETURN(std::optional<Dims> perm, ConstantIndices(c, 1));
  PartialShape out = PartialShape::UnknownOfRank(rank);
  if (perm) WB_RETURN_IF_ERROR(CheckPermutation(&*perm, rank));
  for (int i = 0; i < rank && x.has_rank(); ++i) {
    if (perm) {
      out.set_dim(i, x.dim(static_cast<int>((*perm)[static_cast<size_t>(i)])));
    } else if (rank == 1) {
      out.set_dim(i, x.dim(i));
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

// Dimensions of extent 1 may move freely: when the others keep their order, no element moves.
bool KeepsOrder(const Shape& shape, const Dims& perm) {
  int64_t last = -1;
  for (int64_t p : perm) {
    if (shape.dim(static_cast<int>(p)) == 1) continue;
    if (p < last) return false;
    last = p;
  }
  return true;
}

}  // namespace

StatusOr<Tensor> Transposed(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(0);
  if (ctx.input(1).rank() != 1) {
    return InvalidArgument("'perm' must be a vector, not of shape ",
                           ctx.input(1).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims perm, ReadIndices(ctx.input(1), "perm"));
  WB_RETURN_IF_ERROR(CheckPermutation(&perm, x.rank()));
  Dims extents;
  for (int64_t p : perm) extents.push_back(x.dim(static_cast<int>(p)));
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(extents));
  if (KeepsOrder(x.shape(), perm)) return x.Reshaped(shape);
  WB_ASSIGN_OR_RETURN(Tensor y, ctx.AllocateTemp(x.dtype(), shape));
  const auto from = RowMajorStrides(x.shape());
  const auto to = RowMajorStrides(shape);
  CopyDims dims;
  for (size_t i = 0; i < perm.size(); ++i) {
    dims.push_back({extents[i], from[static_cast<size_t>(perm[i])], to[i]});
  }
  WB_RETURN_IF_ERROR(copier.Copy(x.dtype(), y.raw_data(), x.raw_data(), dims));
  return y;
}

namespace {

Status RunTranspose(KernelContext& ctx, StridedCopier& copier) {
  WB_ASSIGN_OR_RETURN(Tensor y, Transposed(ctx, copier));
  ctx.set_output(0, std::move(y));
  return OkStatus();
}

template <typename T>
void Conjugate(const KernelContext& ctx, const Tensor& x, Tensor* y) {
  const T* from = x.data<T>();
  T* to = y->data<T>();
  ctx.ParallelFor(x.num_elements(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = std::conj(from[i]);
  });
}

Status RunConjugateTranspose(KernelContext& ctx) {
  HostCopier copier(ctx);
  if (!IsComplex(ctx.input(0).dtype())) return RunTranspose(ctx, copier);
  WB_ASSIGN_OR_RETURN(Tensor moved, Transposed(ctx, copier));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, moved.shape()));
  if (moved.dtype() == DType::kComplex64) {
    Conjugate<std::complex<float>>(ctx, moved, y);
  } else {
    Conjugate<std::complex<double>>(ctx, moved, y);
  }
  return OkStatus();
}

WB_OP("Transpose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = int32")
    .Shape(TransposeShape);
WB_KERNEL("Transpose", MovingKernel<FunctionOp<RunTranspose>>)
    .Cpu({{"T", kMovableTypes}})
    .Gpu({{"T", kPlainTypes | kFloat8Types}})
    .HostMemory({"perm"});
WB_GPU_KERNEL("Transpose", MovingKernelOnGpu<FunctionOp<RunTranspose>>);

WB_OP("ConjugateTranspose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = int32")
    .Shape(TransposeShape);
WB_KERNEL("ConjugateTranspose", FunctionKernel<RunConjugateTranspose>)
    .Cpu({{"T", kMovableTypes}})
    .Gpu({{"T", kPlainTypes | kFloat8Types}})
    .HostMemory({"perm"});

Status TransposeGradient(GradContext& c) {
  c.set_dx(0,
           c.Emit(c.node().op_name(), {c.dy(0), c.Folded(c.Emit("InvertPermutation", {c.x(1)}))}));
  return OkStatus();
}
WB_GRADIENT("Transpose", TransposeGradient);
WB_GRADIENT("ConjugateTranspose", TransposeGradient);

}  // namespace
}  // namespace warpbeam
