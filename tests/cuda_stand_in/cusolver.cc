// cuSOLVER's factorisations for all types, and cuBLAS's triangular systems, as far as they are
// called: in the order of the stream, in the element type's own precision.
//
// What does not go together is refused, and so is memory that is not a GPU's, and too little memory
// to work in. That, the host's too, is overwritten when the stream gets there. Singular values are
// those of real matrices with no fewer rows than columns.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/cuda_stand_in/libraries.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace stand_in = warpbeam::cuda_stand_in;
using stand_in::Leftovers;
using stand_in::Refuse;

struct cusolverDnContext {
  int gpu;
  cudaStream_t stream = nullptr;
};
struct cusolverDnParams {};
struct cublasContext {
  int gpu;
  cudaStream_t stream = nullptr;
};

namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using View = Eigen::Map<Matrix<T>, 0, Eigen::OuterStride<>>;
template <class T>
using RealOf = typename Eigen::NumTraits<T>::Real;

// A matrix in a GPU's memory, column by column.
struct Operand {
  void* at;
  cudaDataType type;
  int64_t rows, columns, leading;
  bool writes = true;

  size_t element() const { return type == CUDA_R_32F ? 4 : type == CUDA_C_64F ? 16 : 8; }
  size_t bytes() const { return static_cast<size_t>((columns - 1) * leading + rows) * element(); }
  template <class T>
  View<T> As() const {
    return {static_cast<T*>(stand_in::HostAddress(at)), rows, columns,
            Eigen::OuterStride<>(leading)};
  }
};
Operand Vector(void* at, cudaDataType type, int64_t count) { return {at, type, count, 1, count}; }

cudaDataType RealTypeOf(cudaDataType type) {
  return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}
// fn(T()) for an element type; false: there is no such type.
template <class Fn>
bool OfType(cudaDataType type, const Fn& fn) {
  switch (type) {
    case CUDA_R_32F:
      return fn(float()), true;
    case CUDA_R_64F:
      return fn(double()), true;
    case CUDA_C_32F:
      return fn(std::complex<float>()), true;
    case CUDA_C_64F:
      return fn(std::complex<double>()), true;
    default:
      return false;
  }
}

struct Workspace {
  void* on_gpu;
  size_t gpu_bytes;
  void* on_host;
  size_t host_bytes;
};
// What a factorisation of such a matrix works in.
void WorkBytes(const Operand& a, size_t* on_gpu, size_t* on_host) {
  *on_gpu = static_cast<size_t>(a.rows + a.columns) * a.element();
  *on_host = static_cast<size_t>(a.columns) * a.element();
}

cusolverStatus_t CheckShapes(const cusolverDnContext* library, const cusolverDnParams* params,
                             const std::vector<Operand>& operands) {
  if (library == nullptr || params == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const cudaDataType real = RealTypeOf(operands[0].type);
  for (const Operand& x : operands) {
    if (x.rows < 1 || x.columns < 1 || x.leading < x.rows) {
      return Refuse("a matrix is empty or its columns overlap", CUSOLVER_STATUS_INVALID_VALUE);
    }
    if (x.type == CUDA_R_64I) continue;  // pivots
    if (RealTypeOf(x.type) != real || !OfType(x.type, [](auto) {})) {
      return Refuse("no such arithmetic", CUSOLVER_STATUS_NOT_SUPPORTED);
    }
  }
  return CUSOLVER_STATUS_SUCCESS;
}

// A call's operands, the matrix first, are checked, and `work`, which gives info, is enqueued.
cusolverStatus_t Launch(const char* function, const cusolverDnContext* library,
                        const cusolverDnParams* params, const std::vector<Operand>& operands,
                        const Workspace* workspace, int* info, std::function<int()> work) {
  const cusolverStatus_t status = CheckShapes(library, params, operands);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  if (stand_in::GpuOf(library->stream) != library->gpu) {
    return Refuse("the stream is none of the library's GPU", CUSOLVER_STATUS_INVALID_VALUE);
  }
  std::vector<stand_in::Use> uses;
  for (const Operand& x : operands) {
    if (!stand_in::IsDeviceMemory(x.at, x.bytes())) {
      return Refuse("a matrix is not in a GPU's memory", CUSOLVER_STATUS_INVALID_VALUE);
    }
    uses.push_back({stand_in::HostAddress(x.at), x.bytes(), x.writes});
  }
  if (!stand_in::IsDeviceMemory(info, sizeof(int))) {
    return Refuse("info is not in a GPU's memory", CUSOLVER_STATUS_INVALID_VALUE);
  }
  uses.push_back({stand_in::HostAddress(info), sizeof(int), true});
  Workspace given = {};
  if (workspace != nullptr) {
    given = *workspace;
    size_t on_gpu = 0, on_host = 0;
    WorkBytes(operands[0], &on_gpu, &on_host);
    if (given.gpu_bytes < on_gpu || !stand_in::IsDeviceMemory(given.on_gpu, on_gpu)) {
      return Refuse("too little memory to work in", CUSOLVER_STATUS_INVALID_WORKSPACE);
    }
    if (given.host_bytes < on_host || given.on_host == nullptr) {
      return Refuse("too little memory of the host to work in", CUSOLVER_STATUS_INVALID_WORKSPACE);
    }
    given.on_gpu = stand_in::HostAddress(given.on_gpu);
    given.gpu_bytes = on_gpu;
    given.host_bytes = on_host;
    uses.push_back({given.on_gpu, given.gpu_bytes, true});
  }
  int* const found = static_cast<int*>(stand_in::HostAddress(info));
  stand_in::Enqueue(library->stream, function, std::move(uses), [given, found, work] {
    if (given.on_gpu != nullptr) std::memset(given.on_gpu, 0xff, given.gpu_bytes);
    if (given.on_host != nullptr) std::memset(given.on_host, 0xff, given.host_bytes);
    *found = work();
  });
  return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
int Cholesky(View<T> a, bool upper) {
  // The other triangle is not touched.
  Matrix<T> lower = a;
  if (upper) lower = a.adjoint();
  const Eigen::LLT<Eigen::Ref<Matrix<T>>> factor(lower);  // in place
  if (upper) {
    a.template triangularView<Eigen::Upper>() = lower.adjoint();
  } else {
    a.template triangularView<Eigen::Lower>() = lower;
  }
  return factor.info() == Eigen::Success ? 0 : 1;
}

template <class T>
int Lu(View<T> a, int64_t* pivots) {
  int info = 0;
  const int64_t count = std::min(a.rows(), a.cols());
  for (int64_t k = 0; k < count; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < a.rows(); ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    pivots[k] = pivot + 1;
    a.row(k).swap(a.row(pivot));
    const int64_t below = a.rows() - k - 1, right = a.cols() - k - 1;
    if (a(k, k) == T(0)) {
      if (info == 0) info = static_cast<int>(k + 1);
      continue;
    }
    a.col(k).tail(below) /= a(k, k);
    a.bottomRightCorner(below, right).noalias() -= a.col(k).tail(below) * a.row(k).tail(right);
  }
  return info;
}

template <class T>
int SolveLu(View<T> a, const int64_t* pivots, bool transpose, View<T> x) {
  const auto exchange = [&](int64_t i) { x.row(i).swap(x.row(pivots[i] - 1)); };
  if (!transpose) {
    for (int64_t i = 0; i < a.rows(); ++i) exchange(i);
    a.template triangularView<Eigen::UnitLower>().solveInPlace(x);
    a.template triangularView<Eigen::Upper>().solveInPlace(x);
    return 0;
  }
  const Matrix<T> transposed = a.transpose();
  transposed.template triangularView<Eigen::Lower>().solveInPlace(x);
  transposed.template triangularView<Eigen::UnitUpper>().solveInPlace(x);
  for (int64_t i = a.rows(); i-- > 0;) exchange(i);
  return 0;
}

template <class T>
int Eigenvalues(View<T> a, bool upper, bool vectors, View<RealOf<T>> values) {
  Matrix<T> lower = a;
  if (upper) lower = a.adjoint();
  const Eigen::SelfAdjointEigenSolver<Matrix<T>> solver(
      lower, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  a.setConstant(T(-1));  // overwritten in any case
  if (solver.info() != Eigen::Success) return 1;
  values = solver.eigenvalues();
  if (vectors) a = solver.eigenvectors();
  return 0;
}

template <class T>
int SingularValues(View<T> a, View<T> values, const Operand* u, const Operand* vt) {
  unsigned int options = 0;
  if (u != nullptr) {
    options =
        Eigen::ComputeFullV | (u->columns == u->rows ? Eigen::ComputeFullU : Eigen::ComputeThinU);
  }
  const Eigen::JacobiSVD<Matrix<T>> svd(a, options);
  a.setConstant(T(-1));  // overwritten
  values = svd.singularValues();
  if (u == nullptr) return 0;
  u->As<T>() = svd.matrixU();
  vt->As<T>() = svd.matrixV().transpose();
  return 0;
}

// B becomes the X of X op(A) = alpha B.
struct TriangularCall {
  cublasSideMode_t side;
  cublasFillMode_t fill;
  cublasOperation_t operation;
  cublasDiagType_t diagonal;
};
template <class T>
cublasStatus_t SolveTriangular(const char* function, const cublasContext* library,
                               const TriangularCall& call, const T* alpha, const Operand& a,
                               const Operand& b) {
  if (library == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (stand_in::GpuOf(library->stream) != library->gpu) {
    return Refuse("the stream is none of the library's GPU", CUBLAS_STATUS_INVALID_VALUE);
  }
  if (call.side != CUBLAS_SIDE_RIGHT || call.diagonal != CUBLAS_DIAG_NON_UNIT ||
      call.operation == CUBLAS_OP_T) {
    return Refuse("not a system of the stand-in", CUBLAS_STATUS_NOT_SUPPORTED);
  }
  for (const Operand* x : {&a, &b}) {
    if (x->rows < 1 || x->columns < 1 || x->leading < x->rows) {
      return Refuse("a matrix is empty or its columns overlap", CUBLAS_STATUS_INVALID_VALUE);
    }
    if (!stand_in::IsDeviceMemory(x->at, x->bytes())) {
      return Refuse("a matrix is not in a GPU's memory", CUBLAS_STATUS_INVALID_VALUE);
    }
  }
  const bool upper = call.fill == CUBLAS_FILL_MODE_UPPER;
  const bool adjoint = call.operation == CUBLAS_OP_C;
  stand_in::Enqueue(
      library->stream, function,
      {{stand_in::HostAddress(a.at), a.bytes(), false},
       {stand_in::HostAddress(b.at), b.bytes(), true}},
      [a, b, upper, adjoint, factor = *alpha] {
        View<T> x = b.As<T>();
        Matrix<T> matrix = a.As<T>();
        if (adjoint) matrix = matrix.adjoint().eval();
        Matrix<T> right = x * factor;
        if (upper != adjoint) {
          matrix.template triangularView<Eigen::Upper>().template solveInPlace<Eigen::OnTheRight>(
              right);
        } else {
          matrix.template triangularView<Eigen::Lower>().template solveInPlace<Eigen::OnTheRight>(
              right);
        }
        x = right;
      });
  return CUBLAS_STATUS_SUCCESS;
}

bool IsUpper(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_UPPER; }
// The operands of cusolverDnXgesvd, and what does not go together.
cusolverStatus_t CheckJobs(signed char jobu, signed char jobvt, int64_t m, int64_t n,
                           cudaDataType type) {
  if (m < n) return Refuse("fewer rows than columns", CUSOLVER_STATUS_INVALID_VALUE);
  if (type != RealTypeOf(type)) return Refuse("of real matrices", CUSOLVER_STATUS_NOT_SUPPORTED);
  const bool none = jobu == 'N' && jobvt == 'N';
  if (!none && ((jobu != 'A' && jobu != 'S') || (jobvt != 'A' && jobvt != 'S'))) {
    return Refuse("not a job of the stand-in", CUSOLVER_STATUS_NOT_SUPPORTED);
  }
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

#define CUSOLVER_STAND_IN_CALL() \
  if (stand_in::FailsInLibrary(__func__)) return CUSOLVER_STATUS_INTERNAL_ERROR
#define CUBLAS_STAND_IN_CALL() \
  if (stand_in::FailsInLibrary(__func__)) return CUBLAS_STATUS_INTERNAL_ERROR

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* library) {
  CUSOLVER_STAND_IN_CALL();
  const int gpu = stand_in::CurrentGpu();
  *library = new cusolverDnContext{gpu};
  stand_in::Count(&Leftovers::libraries, 1);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t library) {
  delete library;
  stand_in::Count(&Leftovers::libraries, -1);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t library, cudaStream_t stream) {
  CUSOLVER_STAND_IN_CALL();
  library->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  CUSOLVER_STAND_IN_CALL();
  *params = new cusolverDnParams;
  stand_in::Count(&Leftovers::descriptors, 1);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  delete params;
  stand_in::Count(&Leftovers::descriptors, -1);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t library, cusolverDnParams_t params,
                                             cublasFillMode_t, int64_t n, cudaDataType type,
                                             const void*, int64_t lda, cudaDataType compute,
                                             size_t* on_gpu, size_t* on_host) {
  CUSOLVER_STAND_IN_CALL();
  const Operand a = {nullptr, type, n, n, lda};
  if (compute != type) return Refuse("no such arithmetic", CUSOLVER_STATUS_NOT_SUPPORTED);
  WorkBytes(a, on_gpu, on_host);
  return CheckShapes(library, params, {a});
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t library, cusolverDnParams_t params,
                                  cublasFillMode_t fill, int64_t n, cudaDataType type, void* at,
                                  int64_t lda, cudaDataType compute, void* on_gpu, size_t gpu_bytes,
                                  void* on_host, size_t host_bytes, int* info) {
  CUSOLVER_STAND_IN_CALL();
  if (compute != type) return Refuse("no such arithmetic", CUSOLVER_STATUS_NOT_SUPPORTED);
  const Operand a = {at, type, n, n, lda};
  const Workspace workspace = {on_gpu, gpu_bytes, on_host, host_bytes};
  return Launch(__func__, library, params, {a}, &workspace, info, [a, fill] {
    int found = 0;
    OfType(a.type, [&](auto t) { found = Cholesky(a.As<decltype(t)>(), IsUpper(fill)); });
    return found;
  });
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t library, cusolverDnParams_t params,
                                             int64_t m, int64_t n, cudaDataType type, const void*,
                                             int64_t lda, cudaDataType compute, size_t* on_gpu,
                                             size_t* on_host) {
  CUSOLVER_STAND_IN_CALL();
  const Operand a = {nullptr, type, m, n, lda};
  if (compute != type) return Refuse("no such arithmetic", CUSOLVER_STATUS_NOT_SUPPORTED);
  WorkBytes(a, on_gpu, on_host);
  return CheckShapes(library, params, {a});
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t library, cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType type, void* at, int64_t lda,
                                  int64_t* pivots, cudaDataType compute, void* on_gpu,
                                  size_t gpu_bytes, void* on_host, size_t host_bytes, int* info) {
  CUSOLVER_STAND_IN_CALL();
  if (compute != type) return Refuse("no such arithmetic", CUSOLVER_STATUS_NOT_SUPPORTED);
  const Operand a = {at, type, m, n, lda};
  const Operand order = Vector(pivots, CUDA_R_64I, std::min(m, n));
  const Workspace workspace = {on_gpu, gpu_bytes, on_host, host_bytes};
  return Launch(__func__, library, params, {a, order}, &workspace, info, [a, pivots] {
    int found = 0;
    OfType(a.type, [&](auto t) {
      found = Lu(a.As<decltype(t)>(), static_cast<int64_t*>(stand_in::HostAddress(pivots)));
    });
    return found;
  });
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t library, cusolverDnParams_t params,
                                  cublasOperation_t operation, int64_t n, int64_t columns,
                                  cudaDataType type, const void* at, int64_t lda,
                                  const int64_t* pivots, cudaDataType type_b, void* b, int64_t ldb,
                                  int* info) {
  CUSOLVER_STAND_IN_CALL();
  if (type_b != type || operation == CUBLAS_OP_C) {
    return Refuse("not a system of the stand-in", CUSOLVER_STATUS_NOT_SUPPORTED);
  }
  const Operand a = {const_cast<void*>(at), type, n, n, lda, /*writes=*/false};
  const Operand x = {b, type, n, columns, ldb};
  Operand order = Vector(const_cast<int64_t*>(pivots), CUDA_R_64I, n);
  order.writes = false;
  return Launch(__func__, library, params, {a, x, order}, nullptr, info, [a, x, pivots, operation] {
    const auto* const rows = static_cast<const int64_t*>(stand_in::HostAddress(pivots));
    OfType(a.type, [&](auto t) {
      using T = decltype(t);
      SolveLu(a.As<T>(), rows, operation == CUBLAS_OP_T, x.As<T>());
    });
    return 0;
  });
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t library, cusolverDnParams_t params,
                                             cusolverEigMode_t, cublasFillMode_t, int64_t n,
                                             cudaDataType type, const void*, int64_t lda,
                                             cudaDataType type_of_values, const void*,
                                             cudaDataType compute, size_t* on_gpu,
                                             size_t* on_host) {
  CUSOLVER_STAND_IN_CALL();
  const Operand a = {nullptr, type, n, n, lda};
  if (compute != type || type_of_values != RealTypeOf(type)) {
    return Refuse("no such arithmetic", CUSOLVER_STATUS_NOT_SUPPORTED);
  }
  WorkBytes(a, on_gpu, on_host);
  return CheckShapes(library, params, {a});
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t library, cusolverDnParams_t params,
                                  cusolverEigMode_t mode, cublasFillMode_t fill, int64_t n,
                                  cudaDataType type, void* at, int64_t lda,
                                  cudaDataType type_of_values, void* values, cudaDataType compute,
                                  void* on_gpu, size_t gpu_bytes, void* on_host, size_t host_bytes,
                                  int* info) {
  CUSOLVER_STAND_IN_CALL();
  if (compute != type || type_of_values != RealTypeOf(type)) {
    return Refuse("no such arithmetic", CUSOLVER_STATUS_NOT_SUPPORTED);
  }
  const Operand a = {at, type, n, n, lda};
  const Operand w = Vector(values, type_of_values, n);
  const Workspace workspace = {on_gpu, gpu_bytes, on_host, host_bytes};
  return Launch(__func__, library, params, {a, w}, &workspace, info, [a, w, mode, fill] {
    int found = 0;
    OfType(a.type, [&](auto t) {
      using T = decltype(t);
      found = Eigenvalues(a.As<T>(), IsUpper(fill), mode == CUSOLVER_EIG_MODE_VECTOR,
                          w.As<RealOf<T>>());
    });
    return found;
  });
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t library, cusolverDnParams_t params,
                                             signed char jobu, signed char jobvt, int64_t m,
                                             int64_t n, cudaDataType type, const void*, int64_t lda,
                                             cudaDataType, const void*, cudaDataType, const void*,
                                             int64_t, cudaDataType, const void*, int64_t,
                                             cudaDataType, size_t* on_gpu, size_t* on_host) {
  CUSOLVER_STAND_IN_CALL();
  const cusolverStatus_t status = CheckJobs(jobu, jobvt, m, n, type);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  const Operand a = {nullptr, type, m, n, lda};
  WorkBytes(a, on_gpu, on_host);
  return CheckShapes(library, params, {a});
}

cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t library, cusolverDnParams_t params,
                                  signed char jobu, signed char jobvt, int64_t m, int64_t n,
                                  cudaDataType type, void* at, int64_t lda,
                                  cudaDataType type_of_values, void* values, cudaDataType type_u,
                                  void* u_at, int64_t ldu, cudaDataType type_vt, void* vt_at,
                                  int64_t ldvt, cudaDataType compute, void* on_gpu,
                                  size_t gpu_bytes, void* on_host, size_t host_bytes, int* info) {
  CUSOLVER_STAND_IN_CALL();
  const cusolverStatus_t status = CheckJobs(jobu, jobvt, m, n, type);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  if (type_of_values != type || type_u != type || type_vt != type || compute != type) {
    return Refuse("no such arithmetic", CUSOLVER_STATUS_NOT_SUPPORTED);
  }
  const bool vectors = jobu != 'N';
  const Operand a = {at, type, m, n, lda};
  const Operand s = Vector(values, type, n);
  const Operand u = {u_at, type, m, jobu == 'A' ? m : n, ldu};
  const Operand vt = {vt_at, type, n, n, ldvt};
  std::vector<Operand> operands = {a, s};
  if (vectors) operands.insert(operands.end(), {u, vt});
  const Workspace workspace = {on_gpu, gpu_bytes, on_host, host_bytes};
  return Launch(__func__, library, params, operands, &workspace, info, [a, s, u, vt, vectors] {
    const auto find = [&](auto t) {
      using T = decltype(t);
      return SingularValues(a.As<T>(), s.As<T>(), vectors ? &u : nullptr, &vt);
    };
    return a.type == CUDA_R_32F ? find(float()) : find(double());
  });
}

cublasStatus_t cublasCreate_v2(cublasHandle_t* library) {
  CUBLAS_STAND_IN_CALL();
  const int gpu = stand_in::CurrentGpu();
  *library = new cublasContext{gpu};
  stand_in::Count(&Leftovers::libraries, 1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t library) {
  delete library;
  stand_in::Count(&Leftovers::libraries, -1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t library, cudaStream_t stream) {
  CUBLAS_STAND_IN_CALL();
  library->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

// Complex numbers of CUDA's are stored as the standard library's.
#define CUBLAS_STAND_IN_TRSM(function, Element, T, type)                                         \
  cublasStatus_t function(cublasHandle_t library, cublasSideMode_t side, cublasFillMode_t fill,  \
                          cublasOperation_t operation, cublasDiagType_t diagonal, int64_t m,     \
                          int64_t n, const Element* alpha, const Element* a, int64_t lda,        \
                          Element* b, int64_t ldb) {                                             \
    CUBLAS_STAND_IN_CALL();                                                                      \
    return SolveTriangular<T>(__func__, library, {side, fill, operation, diagonal},              \
                              reinterpret_cast<const T*>(alpha),                                 \
                              {const_cast<Element*>(a), type, n, n, lda}, {b, type, m, n, ldb}); \
  }
CUBLAS_STAND_IN_TRSM(cublasStrsm_v2_64, float, float, CUDA_R_32F)
CUBLAS_STAND_IN_TRSM(cublasDtrsm_v2_64, double, double, CUDA_R_64F)
CUBLAS_STAND_IN_TRSM(cublasCtrsm_v2_64, cuComplex, std::complex<float>, CUDA_C_32F)
CUBLAS_STAND_IN_TRSM(cublasZtrsm_v2_64, cuDoubleComplex, std::complex<double>, CUDA_C_64F)
#undef CUBLAS_STAND_IN_TRSM

}  // extern "C"
