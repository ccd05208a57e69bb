// How simulated GPUs find eigenvalues and singular values: as the CPU's kernels do, in double.
#include <algorithm>

#include "ops/launch/dispatch.h"
#include "ops/linalg/factorisation/wide_factors.h"
#include "ops/linalg/gpu_solver.h"

namespace warpbeam {
namespace {

template <class T>
using View = Eigen::Map<WideMatrix<T>>;
template <class T>
using RealOf = typename Eigen::NumTraits<T>::Real;

template <class T>
View<T> MatrixAt(void* first, int64_t index, int64_t rows, int64_t columns) {
  return {static_cast<T*>(first) + index * rows * columns, rows, columns};
}

template <class T>
int32_t StoreEigenpairs(const GpuFactorisation& f, int64_t index) {
  View<T> a = MatrixAt<T>(f.a, index, f.n, f.n);
  // The lower triangle is read.
  const WideMatrix<WideType<T>> wide = a.adjoint().template cast<WideType<T>>();
  const auto pairs = FindEigenpairs(wide, f.vectors);
  if (!pairs.found) return 1;
  std::copy_n(pairs.values.data(), f.n, static_cast<RealOf<T>*>(f.values) + index * f.n);
  if (f.vectors) a = pairs.vectors.template cast<T>();
  return 0;
}

template <class T>
int32_t StoreSingularFactors(const GpuFactorisation& f, int64_t index) {
  const WideMatrix<WideType<T>> wide =
      MatrixAt<T>(f.a, index, f.m, f.n).template cast<WideType<T>>();
  const auto svd = FindSingularFactors(wide, !f.vectors ? SingularVectors::kNone
                                             : f.full   ? SingularVectors::kFull
                                                        : SingularVectors::kThin);
  std::copy_n(svd.values.data(), f.n, static_cast<RealOf<T>*>(f.values) + index * f.n);
  if (!f.vectors) return 0;
  MatrixAt<T>(f.u, index, f.m, f.full ? f.m : f.n) = svd.u.template cast<T>();
  MatrixAt<T>(f.vh, index, f.n, f.n) = svd.v.adjoint().template cast<T>();
  return 0;
}

int32_t Eigenvalues(const GpuFactorisation& f, int64_t index) {
  int32_t info = -1;
  DispatchTypes(FieldTypes{}, f.dtype, [&](auto tag) {
    info = StoreEigenpairs<typename decltype(tag)::type>(f, index);
    return OkStatus();
  }).IgnoreError();
  return info;
}

int32_t SingularValues(const GpuFactorisation& f, int64_t index) {
  int32_t info = -1;
  DispatchTypes(FieldTypes{}, f.dtype, [&](auto tag) {
    info = StoreSingularFactors<typename decltype(tag)::type>(f, index);
    return OkStatus();
  }).IgnoreError();
  return info;
}

const HostFactorRegistration eigenvalues(GpuFactorisation::Kind::kEigen, &Eigenvalues);
const HostFactorRegistration singular_values(GpuFactorisation::Kind::kSingularValues,
                                             &SingularValues);

}  // namespace
}  // namespace warpbeam
