// GpuSolver: factorisations of dense matrices on GPUs, and what is solved by them, by libraries.
//
// There are two sides (ops/launch/gpu_sides.h): that of real GPUs (cuSOLVER, and cuBLAS for
// triangular systems, ops/linalg/solver_gpu.cc), and that of simulated ones, Eigen on the host
// (ops/linalg/gpu/solver_on_host.cc and what it finds registered).
//
//   GpuFactorisation lu;
//   lu.kind = GpuFactorisation::Kind::kLu;
//   lu.dtype = DType::kFloat;  lu.count = 3;  lu.m = lu.n = 40;
//   lu.a = matrices.raw_data();
//   lu.pivots = pivots.data<int64_t>();
//   lu.info = info.data<int32_t>();
//   return EnqueueFactorisation(ctx, stream, lu);
//
// Matrices are dense, one after another, and stand column by column, as LAPACK has them; those of a
// triangular system stand row by row. What is factored is overwritten. Whether a matrix has such
// factors is known on the GPU alone: `info` is 0 where it has.
//
// On real GPUs the library computes in the element type, on simulated ones as the CPU's kernels do.
// Some of its functions compute on the host as well, wait for the GPU in between, or work in host
// memory that goes once the stream is past them: kernels that call it say that they are not
// replayable (runtime/kernel/replayable.h). The library is opened when it is first called.
//
// Ownership: sides are static; memory is the caller's, in the order of the stream. Thread safety:
// registration before main only, everything else from any thread. Errors: FAILED_PRECONDITION where
// a library is not installed; UNIMPLEMENTED for what the build or the library lacks; INTERNAL and
// RESOURCE_EXHAUSTED from the library. Where the side of simulated GPUs finds no memory on the
// host, `info` is -1.
#ifndef WARPBEAM_OPS_LINALG_GPU_SOLVER_H_
#define WARPBEAM_OPS_LINALG_GPU_SOLVER_H_

#include <cstdint>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "ops/launch/gpu_sides.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

// The type of a matrix's absolute values.
inline DType RealTypeOf(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat;
  return dtype == DType::kComplex128 ? DType::kDouble : dtype;
}

struct GpuFactorisation {
  enum class Kind {
    // a's upper triangle becomes U, such that U^H U is a; the lower one is not touched. info: a is
    // not positive definite.
    kCholesky,
    // a becomes L below the diagonal and U, such that L U is a with its rows exchanged. info: U has
    // a zero on its diagonal.
    kLu,
    // b becomes x, such that (the matrix that became a) x = b, or its transpose.
    kLuSolve,
    // Of a that is its own adjoint and whose upper triangle is read: eigenvalues in ascending
    // order, and eigenvectors, which become a's columns. info: they were not found.
    kEigen,
    // Of a with at least as many rows as columns: singular values in descending order, U and V^H.
    // info: they were not found.
    kSingularValues,
  };
  Kind kind = Kind::kCholesky;
  DType dtype = DType::kInvalid;
  int64_t count = 1;     // of matrices; all sizes are positive
  int64_t m = 0, n = 0;  // rows and columns of each
  void* a = nullptr;
  int32_t* info = nullptr;    // [count]
  int64_t* pivots = nullptr;  // [count, n]: row i was exchanged with row pivots[i] - 1, in order
  void* b = nullptr;          // of kLuSolve: n rows
  int64_t columns = 0;        // of b
  bool transpose = false;     // of kLuSolve
  bool vectors = false;       // of eigenvalues and singular values
  bool full = false;          // U has m columns, not n
  void* values = nullptr;     // [count, n], of RealTypeOf(dtype)
  void* u = nullptr;          // m rows
  void* vh = nullptr;         // n x n
};

// x becomes the solution of A x = (what x was), or of A^H x; all row by row.
struct GpuTriangularSystem {
  DType dtype = DType::kInvalid;
  int64_t n = 0, columns = 0;  // positive
  const void* a = nullptr;     // n x n, of which one triangle is read
  void* x = nullptr;           // n x columns
  bool lower = true;
  bool adjoint = false;
};

class GpuSolver {
 public:
  virtual ~GpuSolver() = default;
  virtual bool Has(DType dtype) const = 0;
  // How much of the GPU's memory Enqueue works in.
  virtual StatusOr<int64_t> WorkspaceBytes(GpuStream& stream, const GpuFactorisation& f) = 0;
  // `workspace` holds `bytes`, at least as many as were asked for.
  virtual Status Enqueue(GpuStream& stream, const GpuFactorisation& f, void* workspace,
                         int64_t bytes) = 0;
  virtual Status Enqueue(GpuStream& stream, const GpuTriangularSystem& system) = 0;
};

struct GpuSolverRegistration {
  GpuSolverRegistration(GpuSide side, GpuSolver* solver);
};

// By what simulated GPUs factor: a function of one matrix of a batch, which gives its `info`.
// Programs that have only some ops have only what those need.
using HostFactor = int32_t (*)(const GpuFactorisation& f, int64_t index);
struct HostFactorRegistration {
  HostFactorRegistration(GpuFactorisation::Kind kind, HostFactor factor);
};
HostFactor FindHostFactor(GpuFactorisation::Kind kind);  // null: this program has none

StatusOr<GpuSolver*> GpuSolverOf(const GpuStream& stream);
// Whether this build factors such matrices on real GPUs.
bool HasGpuSolver(DType dtype);

// With memory to work in from the kernel's context.
Status EnqueueFactorisation(const KernelContext& ctx, GpuStream& stream, const GpuFactorisation& f);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_GPU_SOLVER_H_
