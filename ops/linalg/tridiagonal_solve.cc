// TridiagonalSolve: X such that A X = B, A given by its three diagonals. A singular A gives NaN, or
// with `perturb_singular` the solution of a system close by.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/tridiagonal_systems.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using DiagonalTypes = TypeList<float, double, std::complex<float>, std::complex<double>>;
constexpr TypeSet kDiagonalTypes = {DType::kFloat, DType::kDouble, DType::kComplex64,
                                    DType::kComplex128};

Status TridiagonalSolveShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(MatrixInput(c, 0).status());
  WB_ASSIGN_OR_RETURN(PartialShape out, MatrixInput(c, 1));
  c.set_output(0, std::move(out));
  return OkStatus();
}

template <class T>
using RealOf = decltype(std::abs(T()));

// A system being solved in place: U's three diagonals, and the right-hand sides.
template <class T>
class System {
 public:
  // `diagonals`: the one above, the main one and the one below, of n values each. The last value of
  // the first and the first value of the last stand outside the matrix.
  System(int64_t n, int64_t columns, const T* diagonals, T* x)
      : n_(n), columns_(columns), below_(diagonals + 2 * n), x_(x) {
    above_.assign(diagonals, diagonals + n);
    above_[n - 1] = T(0);
    on_.assign(diagonals + n, diagonals + 2 * n);
    second_.assign(n, T(0));
  }

  // Makes A upper triangular. False at a pivot of zero, but where it may stay.
  bool Eliminate(bool pivoting, bool zero_may_stay) {
    for (int64_t i = 0; i + 1 < n_; ++i) {
      const T below = below_[i + 1];
      if (pivoting && std::abs(below) > std::abs(on_[i])) {
        ExchangeAndEliminate(i, below);
      } else if (on_[i] != T(0)) {
        const T factor = below / on_[i];
        on_[i + 1] -= factor * above_[i];
        for (int64_t j = 0; j < columns_; ++j) at(i + 1, j) -= factor * at(i, j);
      } else if (!zero_may_stay) {
        return false;
      }
    }
    return zero_may_stay || on_[n_ - 1] != T(0);
  }

  void Substitute() {
    for (int64_t i = n_ - 1; i >= 0; --i) {
      for (int64_t j = 0; j < columns_; ++j) at(i, j) = Remaining(i, j) / on_[i];
    }
  }

  // The same with pivots moved away from zero until the quotient is in the type's range; the way of
  // LAPACK's xLAGTS.
  void SubstitutePerturbed() {
    using Real = RealOf<T>;
    Real largest = 0;
    for (int64_t i = 0; i < n_; ++i) {
      largest = std::max({largest, std::abs(on_[i]), std::abs(above_[i]), std::abs(second_[i])});
    }
    constexpr Real kSmallest = std::numeric_limits<Real>::min();
    const Real step = std::max(largest * std::numeric_limits<Real>::epsilon(), kSmallest);
    for (int64_t i = n_ - 1; i >= 0; --i) {
      for (int64_t j = 0; j < columns_; ++j) {
        const T left = Remaining(i, j);
        T pivot = on_[i];
        T move = pivot == T(0) ? T(step) : pivot / std::abs(pivot) * step;
        while (std::abs(pivot) < 1 && (std::abs(pivot) < kSmallest ||
                                       std::abs(left) > std::abs(pivot) * (1 / kSmallest))) {
          pivot += move;
          move *= Real(2);
        }
        at(i, j) = left / pivot;
      }
    }
  }

 private:
  T& at(int64_t row, int64_t column) { return x_[row * columns_ + column]; }

  // Row i + 1 takes the place of row i, which is eliminated from.
  void ExchangeAndEliminate(int64_t i, T below) {
    const T factor = on_[i] / below;
    const T on = on_[i + 1], above = above_[i + 1];
    on_[i + 1] = above_[i] - factor * on;
    above_[i + 1] = -factor * above;
    on_[i] = below;
    above_[i] = on;
    second_[i] = above;
    for (int64_t j = 0; j < columns_; ++j) {
      const T upper = at(i, j);
      at(i, j) = at(i + 1, j);
      at(i + 1, j) = upper - factor * at(i, j);
    }
  }

  // The right-hand side less what the unknowns already found contribute.
  T Remaining(int64_t i, int64_t j) {
    T left = at(i, j);
    if (i + 1 < n_) left -= above_[i] * at(i + 1, j);
    if (i + 2 < n_ && second_[i] != T(0)) left -= second_[i] * at(i + 2, j);
    return left;
  }

  const int64_t n_, columns_;
  const T* below_;
  std::vector<T> above_, on_, second_;
  T* x_;
};

class TridiagonalSolveKernel final : public Kernel {
 public:
  explicit TridiagonalSolveKernel(TridiagonalOptions options) : options_(options) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const TridiagonalOptions options, TridiagonalOptions::Read(init));
    return std::make_unique<TridiagonalSolveKernel>(options);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &diagonals = ctx.input(0), &rhs = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, TridiagonalSystems(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * x, ctx.Allocate(0, rhs.shape()));
    if (batch.empty()) return OkStatus();
    return DispatchTypes(DiagonalTypes{}, rhs.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, 20.0 * batch.size(), [&](int64_t i) {
        T* out = x->data<T>() + i * batch.size();
        std::copy_n(rhs.data<T>() + i * batch.size(), batch.size(), out);
        Solve(System<T>(batch.rows, batch.cols, diagonals.data<T>() + i * 3 * batch.rows, out),
              batch.size(), out);
        return OkStatus();
      });
    });
  }

 private:
  template <class T>
  void Solve(System<T> system, int64_t size, T* x) const {
    if (!system.Eliminate(options_.pivoting, options_.perturb)) {
      std::fill_n(x, size, T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    } else if (options_.perturb) {
      system.SubstitutePerturbed();
    } else {
      system.Substitute();
    }
  }

  const TridiagonalOptions options_;
};

// dB = A^-H dX; A's diagonals get what -dB X^H has in them.
Status TridiagonalSolveGradient(GradContext& c) {
  AttrMap unpack;
  unpack.Set("num", int64_t{3});
  unpack.Set("axis", int64_t{-2});
  const std::vector<OutputRef> diagonals = c.EmitAll("Unpack", {c.Conj(c.x(0))}, unpack);
  if (diagonals.empty()) return OkStatus();  // the walk reports the first error
  const auto packed = [&](OutputRef above, OutputRef on, OutputRef below) {
    return c.Emit("Pack", {{above, on, below}}, {{"axis", -2}});
  };
  const auto rolled = [&](OutputRef diagonal, int32_t by) {
    return c.Emit("Roll", {diagonal, c.Scalar<int32_t>(by), c.Scalar<int32_t>(-1)});
  };
  const OutputRef adjoint = packed(rolled(diagonals[2], -1), diagonals[1], rolled(diagonals[0], 1));
  const OutputRef db = c.Emit("TridiagonalSolve", {adjoint, c.dy(0)},
                              {{"partial_pivoting", c.attr_or<bool>("partial_pivoting", true)},
                               {"perturb_singular", c.attr_or<bool>("perturb_singular", false)}});
  const OutputRef x = c.Conj(c.y(0));
  const OutputRef one =
      c.Emit("ExpandDims", {c.Emit("OnesLike", {diagonals[1]}), c.Scalar<int32_t>(-2)});
  const OutputRef zero = c.ZerosLike(one);
  const auto sums = [&](OutputRef moved) {
    return c.Neg(c.Emit("Sum", {c.Mul(moved, db), c.Ints({-1})}));
  };
  c.set_dx(0, packed(sums(c.Emit("TridiagonalMatMul", {one, zero, zero, x})), sums(x),
                     sums(c.Emit("TridiagonalMatMul", {zero, zero, one, x}))));
  c.set_dx(1, db);
  return OkStatus();
}

WB_OP("TridiagonalSolve")
    .Input("diagonals: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("partial_pivoting: bool = true")
    .Attr("perturb_singular: bool = false")
    .Attr("T: {double, float, complex64, complex128}")
    .Shape(TridiagonalSolveShape);
WB_KERNEL("TridiagonalSolve", TridiagonalSolveKernel)
    .Cpu({{"T", kDiagonalTypes}})
    .Gpu({{"T", kDiagonalTypes}});
WB_GRADIENT("TridiagonalSolve", TridiagonalSolveGradient);

}  // namespace
}  // namespace warpbeam
