// The factorisations of simulated GPUs, on the thread of the stream alone and in the precision of
// the CPU's kernels. Those that iterate are ops/linalg/factorisation/gpu/decompositions_on_host.cc.
#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "ops/launch/dispatch.h"
#include "ops/linalg/gpu_solver.h"
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/triangular_systems.h"
#include "ops/linalg/wide_matrix.h"
// After the settings in eigen_matrix.h.
#include <Eigen/Cholesky>

namespace warpbeam {
namespace {

// Column by column, as the interface has them.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using View = Eigen::Map<Matrix<T>>;

// One matrix of a factorisation. Functions return its `info`.
template <class T>
struct OneMatrix {
  using Wide = WideType<T>;
  const GpuFactorisation& f;
  int64_t index;

  View<T> a() const { return {static_cast<T*>(f.a) + index * f.m * f.n, f.m, f.n}; }
  View<T> b() const { return {static_cast<T*>(f.b) + index * f.n * f.columns, f.n, f.columns}; }
  int64_t* pivots() const { return f.pivots + index * f.n; }

  int32_t Cholesky() const {
    Matrix<Wide> a = this->a().template cast<Wide>();
    const Eigen::LLT<Eigen::Ref<Matrix<Wide>>, Eigen::Upper> factor(a);  // in place
    this->a().template triangularView<Eigen::Upper>() = a.template cast<T>();
    return factor.info() == Eigen::Success ? 0 : 1;
  }

  int32_t Lu() const {
    RowMatrix<T> a = this->a();
    std::vector<int32_t> rows(f.n);
    FactorLu(f.n, a.data(), rows.data());
    this->a() = a;
    // Which exchanges bring those rows there: `order` is how they stand after the first ones.
    std::vector<int32_t> order(f.n);
    std::iota(order.begin(), order.end(), 0);
    for (int64_t i = 0; i < f.n; ++i) {
      const auto found = std::find(order.begin() + i, order.end(), rows[i]);
      pivots()[i] = found - order.begin() + 1;
      std::swap(order[i], *found);
    }
    for (int64_t i = 0; i < f.n; ++i) {
      if (a(i, i) == T(0)) return static_cast<int32_t>(i + 1);
    }
    return 0;
  }

  int32_t LuSolve() const {
    View<T> x = b();
    const auto exchange = [&](int64_t i) { x.row(i).swap(x.row(pivots()[i] - 1)); };
    if (f.transpose) {
      const auto transposed = a().transpose();
      transposed.template triangularView<Eigen::Lower>().solveInPlace(x);
      transposed.template triangularView<Eigen::UnitUpper>().solveInPlace(x);
      for (int64_t i = f.n; i-- > 0;) exchange(i);
    } else {
      for (int64_t i = 0; i < f.n; ++i) exchange(i);
      a().template triangularView<Eigen::UnitLower>().solveInPlace(x);
      a().template triangularView<Eigen::Upper>().solveInPlace(x);
    }
    return 0;
  }
};

// `Function` of a OneMatrix of the dtype's type.
template <class Function>
int32_t OfType(const GpuFactorisation& f, int64_t index, const Function& function) {
  int32_t info = -1;
  DispatchTypes(FieldTypes{}, f.dtype, [&](auto tag) {
    info = function(OneMatrix<typename decltype(tag)::type>{f, index});
    return OkStatus();
  }).IgnoreError();
  return info;
}

const HostFactorRegistration cholesky(GpuFactorisation::Kind::kCholesky,
                                      [](const GpuFactorisation& f, int64_t index) {
                                        return OfType(f, index,
                                                      [](const auto& x) { return x.Cholesky(); });
                                      });
const HostFactorRegistration lu(GpuFactorisation::Kind::kLu,
                                [](const GpuFactorisation& f, int64_t index) {
                                  return OfType(f, index, [](const auto& x) { return x.Lu(); });
                                });
const HostFactorRegistration lu_solve(GpuFactorisation::Kind::kLuSolve,
                                      [](const GpuFactorisation& f, int64_t index) {
                                        return OfType(f, index,
                                                      [](const auto& x) { return x.LuSolve(); });
                                      });

void FactorAll(const GpuFactorisation& f, HostFactor factor) {
  for (int64_t i = 0; i < f.count; ++i) {
    try {
      f.info[i] = factor(f, i);
    } catch (const std::bad_alloc&) {
      f.info[i] = -1;
    }
  }
}

void Solve(const GpuTriangularSystem& s) {
  DispatchTypes(FieldTypes{}, s.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const x = static_cast<T*>(s.x);
    try {
      SolveTriangularSystem(s.n, s.columns, s.lower, s.adjoint, static_cast<const T*>(s.a), x, x);
    } catch (const std::bad_alloc&) {
      std::memset(s.x, 0xff, sizeof(T) * s.n * s.columns);  // no number
    }
    return OkStatus();
  }).IgnoreError();
}

class SolverOnHost final : public GpuSolver {
 public:
  bool Has(DType dtype) const override { return kFieldTypes.contains(dtype); }
  StatusOr<int64_t> WorkspaceBytes(GpuStream&, const GpuFactorisation&) override { return 0; }
  Status Enqueue(GpuStream& stream, const GpuFactorisation& f, void*, int64_t) override {
    const HostFactor factor = FindHostFactor(f.kind);
    if (factor == nullptr)
      return Unimplemented("this program has no such factors on simulated GPUs");
    return stream.RunOnHost([f, factor] { FactorAll(f, factor); });
  }
  Status Enqueue(GpuStream& stream, const GpuTriangularSystem& system) override {
    return stream.RunOnHost([system] { Solve(system); });
  }
};

SolverOnHost solver;
const GpuSolverRegistration registration(GpuSide::kSimulated, &solver);

}  // namespace
}  // namespace warpbeam
