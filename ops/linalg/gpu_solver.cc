#include "ops/linalg/gpu_solver.h"

namespace warpbeam {
namespace {

// Initialised at compile time: registrations in other files may run before anything here.
GpuSolver* real = nullptr;
GpuSolver* simulated = nullptr;
constexpr int kKinds = static_cast<int>(GpuFactorisation::Kind::kSingularValues) + 1;
HostFactor host_factors[kKinds] = {};

}  // namespace

GpuSolverRegistration::GpuSolverRegistration(GpuSide side, GpuSolver* solver) {
  (side == GpuSide::kReal ? real : simulated) = solver;
}

StatusOr<GpuSolver*> GpuSolverOf(const GpuStream& stream) {
  GpuSolver* const solver = GpuSideOf(stream) == GpuSide::kReal ? real : simulated;
  if (solver == nullptr) return Unimplemented("this build factors no matrices on this GPU");
  return solver;
}

HostFactorRegistration::HostFactorRegistration(GpuFactorisation::Kind kind, HostFactor factor) {
  host_factors[static_cast<int>(kind)] = factor;
}

HostFactor FindHostFactor(GpuFactorisation::Kind kind) {
  return host_factors[static_cast<int>(kind)];
}

bool HasGpuSolver(DType dtype) { return real != nullptr && real->Has(dtype); }

Status EnqueueFactorisation(const KernelContext& ctx, GpuStream& stream,
                            const GpuFactorisation& f) {
  WB_ASSIGN_OR_RETURN(GpuSolver * solver, GpuSolverOf(stream));
  WB_ASSIGN_OR_RETURN(const int64_t bytes, solver->WorkspaceBytes(stream, f));
  WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
  return solver->Enqueue(stream, f, workspace.raw_data(), bytes);
}

}  // namespace warpbeam
