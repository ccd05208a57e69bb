// The factorisations of real GPUs, by cuSOLVER's functions for all types and 64-bit sizes, and
// their triangular systems, by cuBLAS, which cuSOLVER itself needs.
//
// Both are opened when something of them is first called. A GPU has one handle of each, which holds
// the stream of the call under way: who calls has it to himself. Matrices of a batch are factored
// one after another.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "ops/linalg/gpu_solver.h"
#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/cuda/late_library.h"

#pragma weak cusolverDnCreate
#pragma weak cusolverDnSetStream
#pragma weak cusolverDnCreateParams
#pragma weak cusolverDnXpotrf_bufferSize
#pragma weak cusolverDnXpotrf
#pragma weak cusolverDnXgetrf_bufferSize
#pragma weak cusolverDnXgetrf
#pragma weak cusolverDnXgetrs
#pragma weak cusolverDnXsyevd_bufferSize
#pragma weak cusolverDnXsyevd
#pragma weak cusolverDnXgesvd_bufferSize
#pragma weak cusolverDnXgesvd
#pragma weak cublasCreate_v2
#pragma weak cublasSetStream_v2
#pragma weak cublasStrsm_v2_64
#pragma weak cublasDtrsm_v2_64
#pragma weak cublasCtrsm_v2_64
#pragma weak cublasZtrsm_v2_64

namespace warpbeam {
namespace {

// The functions by the names of LAPACK, where they have some.
struct Cusolver {
  decltype(&cusolverDnCreate) create = nullptr;
  decltype(&cusolverDnSetStream) set_stream = nullptr;
  decltype(&cusolverDnCreateParams) create_params = nullptr;
  decltype(&cusolverDnXpotrf_bufferSize) potrf_size = nullptr;
  decltype(&cusolverDnXpotrf) potrf = nullptr;
  decltype(&cusolverDnXgetrf_bufferSize) getrf_size = nullptr;
  decltype(&cusolverDnXgetrf) getrf = nullptr;
  decltype(&cusolverDnXgetrs) getrs = nullptr;
  decltype(&cusolverDnXsyevd_bufferSize) syevd_size = nullptr;
  decltype(&cusolverDnXsyevd) syevd = nullptr;
  decltype(&cusolverDnXgesvd_bufferSize) gesvd_size = nullptr;
  decltype(&cusolverDnXgesvd) gesvd = nullptr;

  static StatusOr<Cusolver> Open() {
    LateLibrary library("cuSOLVER", absl::StrCat("libcusolver.so.", CUSOLVER_VER_MAJOR));
    Cusolver s;
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnCreate), &s.create));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnSetStream), &s.set_stream));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnCreateParams), &s.create_params));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnXpotrf_bufferSize), &s.potrf_size));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnXpotrf), &s.potrf));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnXgetrf_bufferSize), &s.getrf_size));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnXgetrf), &s.getrf));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnXgetrs), &s.getrs));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnXsyevd_bufferSize), &s.syevd_size));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnXsyevd), &s.syevd));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnXgesvd_bufferSize), &s.gesvd_size));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cusolverDnXgesvd), &s.gesvd));
    return s;
  }
};

struct Cublas {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasStrsm_v2_64) strsm = nullptr;
  decltype(&cublasDtrsm_v2_64) dtrsm = nullptr;
  decltype(&cublasCtrsm_v2_64) ctrsm = nullptr;
  decltype(&cublasZtrsm_v2_64) ztrsm = nullptr;

  static StatusOr<Cublas> Open() {
    LateLibrary library("cuBLAS", absl::StrCat("libcublas.so.", CUBLAS_VER_MAJOR));
    Cublas b;
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cublasCreate_v2), &b.create));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cublasSetStream_v2), &b.set_stream));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cublasStrsm_v2_64), &b.strsm));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cublasDtrsm_v2_64), &b.dtrsm));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cublasCtrsm_v2_64), &b.ctrsm));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cublasZtrsm_v2_64), &b.ztrsm));
    return b;
  }
};

// Neither library of the versions that serve has a text for all of its errors.
Status Checked(absl::string_view function, cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_SUCCESS:
      return OkStatus();
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return ResourceExhausted(function, ": CUSOLVER_STATUS_ALLOC_FAILED, there is no memory");
    case CUSOLVER_STATUS_NOT_SUPPORTED:
    case CUSOLVER_STATUS_ARCH_MISMATCH:
    case CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
      return Unimplemented(function, ": cuSOLVER does not have this (error ",
                           static_cast<int>(status), ")");
    default:
      return Internal(function, ": error ", static_cast<int>(status), " of cuSOLVER");
  }
}
Status Checked(absl::string_view function, cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return OkStatus();
    case CUBLAS_STATUS_ALLOC_FAILED:
      return ResourceExhausted(function, ": CUBLAS_STATUS_ALLOC_FAILED, there is no memory");
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return Unimplemented(function, ": cuBLAS does not have this (error ",
                           static_cast<int>(status), ")");
    default:
      return Internal(function, ": error ", static_cast<int>(status), " of cuBLAS");
  }
}

// Of a GPU; made when somebody first needs them, and kept for the whole process.
struct Handles {
  std::mutex mutex;  // held through each call
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t params = nullptr;
  cublasHandle_t blas = nullptr;
};

// On the calling thread's current GPU; the mutex of `h` is held.
StatusOr<const Cusolver*> StartSolver(Handles& h) {
  WB_ASSIGN_OR_RETURN(const Cusolver* library, OpenedOnce<Cusolver>());
  if (h.solver == nullptr) {
    WB_RETURN_IF_ERROR(Checked("cusolverDnCreate", library->create(&h.solver)));
  }
  if (h.params == nullptr) {
    WB_RETURN_IF_ERROR(Checked("cusolverDnCreateParams", library->create_params(&h.params)));
  }
  return library;
}
StatusOr<const Cublas*> StartBlas(Handles& h) {
  WB_ASSIGN_OR_RETURN(const Cublas* library, OpenedOnce<Cublas>());
  if (h.blas == nullptr) {
    WB_RETURN_IF_ERROR(Checked("cublasCreate_v2", library->create(&h.blas)));
  }
  return library;
}

// Element types in the library's words, and that of absolute values.
struct Elements {
  cudaDataType type, real;
  size_t bytes;
};
StatusOr<Elements> ElementsOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return Elements{CUDA_R_32F, CUDA_R_32F, 4};
    case DType::kDouble:
      return Elements{CUDA_R_64F, CUDA_R_64F, 8};
    case DType::kComplex64:
      return Elements{CUDA_C_32F, CUDA_R_32F, 8};
    case DType::kComplex128:
      return Elements{CUDA_C_64F, CUDA_R_64F, 16};
    default:
      return Unimplemented("factors of ", DTypeName(dtype), " matrices on GPUs");
  }
}

// One matrix of a factorisation, and how the library is asked for it.
struct OneMatrix {
  const GpuFactorisation& f;
  Elements e;
  int64_t index;

  void* a() const { return At(f.a, f.m * f.n * e.bytes); }
  void* b() const { return At(f.b, f.n * f.columns * e.bytes); }
  void* values() const { return At(f.values, f.n * (e.real == CUDA_R_32F ? 4 : 8)); }
  void* u() const { return At(f.u, f.m * (f.full ? f.m : f.n) * e.bytes); }
  void* vh() const { return At(f.vh, f.n * f.n * e.bytes); }
  int64_t* pivots() const { return f.pivots + index * f.n; }
  int* info() const { return f.info + index; }
  cusolverEigMode_t mode() const {
    return f.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  }
  signed char job_u() const { return !f.vectors ? 'N' : f.full ? 'A' : 'S'; }
  signed char job_vh() const { return f.vectors ? 'A' : 'N'; }

 private:
  void* At(void* first, size_t bytes) const {
    return first == nullptr ? nullptr
                            : static_cast<char*>(first) + static_cast<size_t>(index) * bytes;
  }
};

// Memory that one matrix is factored in.
struct WorkBytes {
  size_t on_gpu = 0, on_host = 0;
};
StatusOr<WorkBytes> WorkBytesOf(const Cusolver& library, const Handles& h, const OneMatrix& x) {
  const GpuFactorisation& f = x.f;
  const Elements& e = x.e;
  WorkBytes bytes;
  switch (f.kind) {
    case GpuFactorisation::Kind::kCholesky:
      WB_RETURN_IF_ERROR(
          Checked("cusolverDnXpotrf_bufferSize",
                  library.potrf_size(h.solver, h.params, CUBLAS_FILL_MODE_UPPER, f.n, e.type, x.a(),
                                     f.n, e.type, &bytes.on_gpu, &bytes.on_host)));
      return bytes;
    case GpuFactorisation::Kind::kLu:
      WB_RETURN_IF_ERROR(Checked("cusolverDnXgetrf_bufferSize",
                                 library.getrf_size(h.solver, h.params, f.m, f.n, e.type, x.a(),
                                                    f.m, e.type, &bytes.on_gpu, &bytes.on_host)));
      return bytes;
    case GpuFactorisation::Kind::kLuSolve:
      return bytes;
    case GpuFactorisation::Kind::kEigen:
      WB_RETURN_IF_ERROR(
          Checked("cusolverDnXsyevd_bufferSize",
                  library.syevd_size(h.solver, h.params, x.mode(), CUBLAS_FILL_MODE_UPPER, f.n,
                                     e.type, x.a(), f.n, e.real, x.values(), e.type, &bytes.on_gpu,
                                     &bytes.on_host)));
      return bytes;
    case GpuFactorisation::Kind::kSingularValues:
      WB_RETURN_IF_ERROR(
          Checked("cusolverDnXgesvd_bufferSize",
                  library.gesvd_size(h.solver, h.params, x.job_u(), x.job_vh(), f.m, f.n, e.type,
                                     x.a(), f.m, e.real, x.values(), e.type, x.u(), f.m, e.type,
                                     x.vh(), f.n, e.type, &bytes.on_gpu, &bytes.on_host)));
      return bytes;
  }
  return Internal("no such factorisation");
}

Status Factor(const Cusolver& library, const Handles& h, const OneMatrix& x, const WorkBytes& bytes,
              void* on_gpu, void* on_host) {
  const GpuFactorisation& f = x.f;
  const Elements& e = x.e;
  switch (f.kind) {
    case GpuFactorisation::Kind::kCholesky:
      return Checked(
          "cusolverDnXpotrf",
          library.potrf(h.solver, h.params, CUBLAS_FILL_MODE_UPPER, f.n, e.type, x.a(), f.n, e.type,
                        on_gpu, bytes.on_gpu, on_host, bytes.on_host, x.info()));
    case GpuFactorisation::Kind::kLu:
      return Checked("cusolverDnXgetrf",
                     library.getrf(h.solver, h.params, f.m, f.n, e.type, x.a(), f.m, x.pivots(),
                                   e.type, on_gpu, bytes.on_gpu, on_host, bytes.on_host, x.info()));
    case GpuFactorisation::Kind::kLuSolve:
      return Checked(
          "cusolverDnXgetrs",
          library.getrs(h.solver, h.params, f.transpose ? CUBLAS_OP_T : CUBLAS_OP_N, f.n, f.columns,
                        e.type, x.a(), f.n, x.pivots(), e.type, x.b(), f.n, x.info()));
    case GpuFactorisation::Kind::kEigen:
      return Checked("cusolverDnXsyevd",
                     library.syevd(h.solver, h.params, x.mode(), CUBLAS_FILL_MODE_UPPER, f.n,
                                   e.type, x.a(), f.n, e.real, x.values(), e.type, on_gpu,
                                   bytes.on_gpu, on_host, bytes.on_host, x.info()));
    case GpuFactorisation::Kind::kSingularValues:
      return Checked(
          "cusolverDnXgesvd",
          library.gesvd(h.solver, h.params, x.job_u(), x.job_vh(), f.m, f.n, e.type, x.a(), f.m,
                        e.real, x.values(), e.type, x.u(), f.m, e.type, x.vh(), f.n, e.type, on_gpu,
                        bytes.on_gpu, on_host, bytes.on_host, x.info()));
  }
  return Internal("no such factorisation");
}

using HostMemory = std::vector<char>;
void CUDART_CB LetGo(void* memory) { delete static_cast<HostMemory*>(memory); }

// Memory of the host that calls work in, which may still go on when they return: it goes when the
// stream is past them. Where a GPU has failed, which calls nobody, it stays for good.
class HostWorkspace {
 public:
  HostWorkspace(size_t bytes, cudaStream_t stream)
      : stream_(stream), memory_(bytes == 0 ? nullptr : new HostMemory(bytes)) {}
  ~HostWorkspace() {
    if (memory_ == nullptr || cudaLaunchHostFunc(stream_, &LetGo, memory_) == cudaSuccess) return;
    if (cudaStreamSynchronize(stream_) == cudaSuccess) delete memory_;
  }
  HostWorkspace(const HostWorkspace&) = delete;
  HostWorkspace& operator=(const HostWorkspace&) = delete;
  char* data() { return memory_ == nullptr ? nullptr : memory_->data(); }

 private:
  const cudaStream_t stream_;
  HostMemory* const memory_;
};

// What the right-hand sides are multiplied by.
template <class T>
T One() {
  if constexpr (std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>) {
    return T{1, 0};
  } else {
    return T(1);
  }
}

// Row by row, A X = B is to the library X^T A^T = B^T, whose matrices are those bytes.
template <class T, class Function>
cublasStatus_t SolveBy(Function* trsm, cublasHandle_t handle, const GpuTriangularSystem& s) {
  const T one = One<T>();
  return trsm(handle, CUBLAS_SIDE_RIGHT, s.lower ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER,
              s.adjoint ? CUBLAS_OP_C : CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, s.columns, s.n, &one,
              static_cast<const T*>(s.a), s.n, static_cast<T*>(s.x), s.columns);
}

class SolverOnGpu final : public GpuSolver {
 public:
  bool Has(DType dtype) const override { return ElementsOf(dtype).ok(); }

  StatusOr<int64_t> WorkspaceBytes(GpuStream& stream, const GpuFactorisation& f) override {
    stream.native_handle();  // makes its GPU the current one
    WB_ASSIGN_OR_RETURN(const Elements e, ElementsOf(f.dtype));
    WB_ASSIGN_OR_RETURN(Handles * handles, HandlesOfCurrentGpu());
    const std::lock_guard<std::mutex> lock(handles->mutex);
    WB_ASSIGN_OR_RETURN(const Cusolver* library, StartSolver(*handles));
    WB_ASSIGN_OR_RETURN(const WorkBytes bytes, WorkBytesOf(*library, *handles, {f, e, 0}));
    return static_cast<int64_t>(bytes.on_gpu);
  }

  Status Enqueue(GpuStream& stream, const GpuFactorisation& f, void* workspace,
                 int64_t bytes) override {
    const auto on = static_cast<cudaStream_t>(stream.native_handle());
    WB_ASSIGN_OR_RETURN(const Elements e, ElementsOf(f.dtype));
    WB_ASSIGN_OR_RETURN(Handles * handles, HandlesOfCurrentGpu());
    const std::lock_guard<std::mutex> lock(handles->mutex);
    WB_ASSIGN_OR_RETURN(const Cusolver* library, StartSolver(*handles));
    WB_RETURN_IF_ERROR(Checked("cusolverDnSetStream", library->set_stream(handles->solver, on)));
    WB_ASSIGN_OR_RETURN(const WorkBytes wanted, WorkBytesOf(*library, *handles, {f, e, 0}));
    if (static_cast<size_t>(bytes) < wanted.on_gpu) {
      return Internal("factors of a matrix need ", wanted.on_gpu, " bytes to work in, not ", bytes);
    }
    // Calls share memory of the GPU, which is used in the order of the stream; the host's is not.
    HostWorkspace on_host(wanted.on_host * static_cast<size_t>(f.count), on);
    for (int64_t i = 0; i < f.count; ++i) {
      WB_RETURN_IF_ERROR(Factor(*library, *handles, {f, e, i}, wanted, workspace,
                                on_host.data() + wanted.on_host * static_cast<size_t>(i)));
    }
    return OkStatus();
  }

  Status Enqueue(GpuStream& stream, const GpuTriangularSystem& s) override {
    const auto on = static_cast<cudaStream_t>(stream.native_handle());
    WB_ASSIGN_OR_RETURN(Handles * handles, HandlesOfCurrentGpu());
    const std::lock_guard<std::mutex> lock(handles->mutex);
    WB_ASSIGN_OR_RETURN(const Cublas* library, StartBlas(*handles));
    WB_RETURN_IF_ERROR(Checked("cublasSetStream_v2", library->set_stream(handles->blas, on)));
    switch (s.dtype) {
      case DType::kFloat:
        return Checked("cublasStrsm_v2_64", SolveBy<float>(library->strsm, handles->blas, s));
      case DType::kDouble:
        return Checked("cublasDtrsm_v2_64", SolveBy<double>(library->dtrsm, handles->blas, s));
      case DType::kComplex64:
        return Checked("cublasCtrsm_v2_64", SolveBy<cuComplex>(library->ctrsm, handles->blas, s));
      case DType::kComplex128:
        return Checked("cublasZtrsm_v2_64",
                       SolveBy<cuDoubleComplex>(library->ztrsm, handles->blas, s));
      default:
        return Unimplemented("triangular systems of ", DTypeName(s.dtype), " on GPUs");
    }
  }

 private:
  StatusOr<Handles*> HandlesOfCurrentGpu() {
    int gpu = 0;
    WB_RETURN_IF_ERROR(
        CudaStatus(cudaGetDevice(&gpu), "asking for the current GPU (cudaGetDevice)"));
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Handles>& handles = handles_[gpu];
    if (handles == nullptr) handles = std::make_unique<Handles>();
    return handles.get();
  }

  std::mutex mutex_;
  absl::flat_hash_map<int, std::unique_ptr<Handles>> handles_;
};

// Never destroyed: the driver may be gone before the process's static objects are.
const GpuSolverRegistration registration(GpuSide::kReal, new SolverOnGpu);

}  // namespace
}  // namespace warpbeam
