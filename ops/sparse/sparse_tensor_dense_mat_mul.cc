// SparseTensorDenseMatMul: a sparse matrix times a dense one, either of them as its adjoint.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/sparse/sparse_product.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {
namespace {

using MatMulTypes = ConcatTypes<FloatTypeList, ComplexTypeList, TypeList<int32_t>>;

Status MatMulShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, SparseInputShape(c, 0));
  WB_RETURN_IF_ERROR(MergeExtents(indices.dim(1), 2).status());
  WB_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(3, 2));
  WB_ASSIGN_OR_RETURN(PartialShape a, c.ShapeFromInput(2));
  WB_ASSIGN_OR_RETURN(a, PartialShape::Merge(a, PartialShape::UnknownOfRank(2)));
  WB_ASSIGN_OR_RETURN(const bool adjoint_a, c.attr<bool>("adjoint_a"));
  WB_ASSIGN_OR_RETURN(const bool adjoint_b, c.attr<bool>("adjoint_b"));
  WB_RETURN_IF_ERROR(MergeExtents(a.dim(adjoint_a ? 0 : 1), b.dim(adjoint_b ? 1 : 0)).status());
  c.set_output(0, PartialShape({a.dim(adjoint_a ? 1 : 0), b.dim(adjoint_b ? 0 : 1)}));
  return OkStatus();
}

template <typename T>
T Conjugate(T x) {
  if constexpr (kIsComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

// The elements of op(a): rows of the product, rows of op(b).
struct Entries {
  Dims indices;  // pairs
  int row, inner;
  int64_t count() const { return static_cast<int64_t>(indices.size()) / 2; }
  int64_t row_of(int64_t i) const { return indices[2 * i + row]; }
  int64_t inner_of(int64_t i) const { return indices[2 * i + inner]; }
};

class MatMulKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<MatMulKernel>();
    WB_ASSIGN_OR_RETURN(kernel->adjoint_a_, init.attr<bool>("adjoint_a"));
    WB_ASSIGN_OR_RETURN(kernel->adjoint_b_, init.attr<bool>("adjoint_b"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor &values = ctx.input(1), &b = ctx.input(3);
    WB_ASSIGN_OR_RETURN(const SparseProduct product,
                        ReadSparseProduct(ctx, adjoint_a_, adjoint_b_));
    const int64_t m = product.m, n = product.n, k = product.k;
    Entries a{{}, adjoint_a_ ? 1 : 0, adjoint_a_ ? 0 : 1};
    WB_ASSIGN_OR_RETURN(a.indices, ReadIndices(ctx.input(0), "a_indices"));
    for (int64_t i = 0; i < a.count(); ++i) {
      if (a.row_of(i) < 0 || a.row_of(i) >= m || a.inner_of(i) < 0 || a.inner_of(i) >= k) {
        const bool inner = a.inner_of(i) < 0 || a.inner_of(i) >= k;
        return InvalidArgument(inner ? "k" : "m", " (", inner ? a.inner_of(i) : a.row_of(i),
                               ") from index[", i, ",", inner == adjoint_a_ ? 0 : 1,
                               "] out of bounds (>=", inner ? k : m, ")");
      }
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({m, n}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return DispatchTypes(MatMulTypes{}, y->dtype(), [&](auto tag) {
      return Multiply<typename decltype(tag)::type>(ctx, a, values, b, k, y);
    });
  }

 private:
  // Threads take columns of the product, so that no two write to one row's part.
  template <typename T>
  Status Multiply(const KernelContext& ctx, const Entries& a, const Tensor& values, const Tensor& b,
                  int64_t k, Tensor* y) const {
    using C = ComputeType<T>;
    const int64_t m = y->dim(0), n = y->dim(1);
    Tensor sums = *y;
    if (!std::is_same_v<C, T>) {
      WB_ASSIGN_OR_RETURN(sums, Tensor::Allocate(DTypeOf<C>::value, y->shape()));
    }
    C* sum = sums.data<C>();
    const T *x = values.data<T>(), *from = b.data<T>();
    // op(b)[inner, j] is from[inner * inner_step + j * column_step].
    const int64_t inner_step = adjoint_b_ ? 1 : n, column_step = adjoint_b_ ? k : 1;
    ctx.ParallelFor(n, a.count() + m, [&](int64_t begin, int64_t end) {
      for (int64_t r = 0; r < m; ++r) std::fill(sum + r * n + begin, sum + r * n + end, C(0));
      for (int64_t i = 0; i < a.count(); ++i) {
        if (i % kEntriesBetweenLooks == 0 && RunningStep::IsOver()) return;
        const C v = static_cast<C>(adjoint_a_ ? Conjugate(x[i]) : x[i]);
        const T* row = from + a.inner_of(i) * inner_step;
        C* to = sum + a.row_of(i) * n;
        for (int64_t j = begin; j < end; ++j) {
          const T element = row[j * column_step];
          const C w = static_cast<C>(adjoint_b_ ? Conjugate(element) : element);
          to[j] = host_pass::Plus(to[j], host_pass::Times(v, w));
        }
      }
    });
    if constexpr (!std::is_same_v<C, T>) {
      for (int64_t i = 0; i < m * n; ++i) y->data<T>()[i] = static_cast<T>(sum[i]);
    }
    return OkStatus();
  }

  // How many entries pass until a thread looks whether anyone waits for the product.
  static constexpr int64_t kEntriesBetweenLooks = 1024;

  bool adjoint_a_ = false, adjoint_b_ = false;
};

// With op(a) op(b) = y: what flows into b is op(a)* dy (transposed if b was). What flows into
// a[r, c] is row r of dy times row c of op(b) conjugated, or the other way round if a is
// transposed.
Status MatMulGradient(GradContext& c) {
  const bool adjoint_a = c.attr_or<bool>("adjoint_a", false);
  const bool adjoint_b = c.attr_or<bool>("adjoint_b", false);
  const OutputRef dy = c.dy(0), zero = c.Scalar<int32_t>(0);
  const auto adjoint = [&](OutputRef x) {
    return c.Emit("ConjugateTranspose", {x, c.Ints({1, 0})});
  };
  const OutputRef db =
      c.Emit("SparseTensorDenseMatMul", {c.x(0), c.x(1), c.x(2), dy}, {{"adjoint_a", !adjoint_a}});
  c.set_dx(3, adjoint_b ? adjoint(db) : db);
  const auto column = [&](int32_t i) {
    return c.Emit("GatherV2", {c.x(0), c.Scalar<int32_t>(i), c.Scalar<int32_t>(1)});
  };
  const OutputRef b = adjoint_b ? adjoint(c.x(3)) : c.x(3);
  const OutputRef from_dy = c.Emit("GatherV2", {dy, column(adjoint_a ? 1 : 0), zero});
  const OutputRef from_b = c.Emit("GatherV2", {b, column(adjoint_a ? 0 : 1), zero});
  const OutputRef product =
      adjoint_a ? c.Mul(from_b, c.Conj(from_dy)) : c.Mul(from_dy, c.Conj(from_b));
  c.set_dx(1, c.Emit("Sum", {product, c.Ints({1})}));
  return OkStatus();
}

WB_OP("SparseTensorDenseMatMul")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b: T")
    .Output("product: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64} = int64")
    .Attr("adjoint_a: bool = false")
    .Attr("adjoint_b: bool = false")
    .Shape(MatMulShape);
WB_KERNEL("SparseTensorDenseMatMul", MatMulKernel)
    .Cpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kInt32}},
          {"Tindices", kIndexTypes}})
    .Gpu({{"T", kComplexTypes | TypeSet{DType::kHalf, DType::kFloat, DType::kDouble}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"a_shape"});
WB_GRADIENT("SparseTensorDenseMatMul", MatMulGradient);

}  // namespace
}  // namespace warpbeam
