#include "ops/linalg/gpu_solver.h"

namespace warpbeam {
namespace {

GpuSides<GpuSolver> sides("factorisations of matrices");
constexpr int kKinds = static_cast<int>(GpuFactorisation::Kind::kSingularValues) + 1;
// Initialised at compile time, as the sides are: registrations may run before anything else here.
HostFactor host_factors[kKinds] = {};

}  // namespace

GpuSolverRegistration::GpuSolverRegistration(GpuSide side, GpuSolver* solver) {
  sides.Register(side, solver);
}

StatusOr<GpuSolver*> GpuSolverOf(const GpuStream& stream) { return sides.Of(stream); }

HostFactorRegistration::HostFactorRegistration(GpuFactorisation::Kind kind, HostFactor factor) {
  host_factors[static_cast<int>(kind)] = factor;
}

HostFactor FindHostFactor(GpuFactorisation::Kind kind) {
  return host_factors[static_cast<int>(kind)];
}

bool HasGpuSolver(DType dtype) { return sides.real() != nullptr && sides.real()->Has(dtype); }

Status EnqueueFactorisation(const KernelContext& ctx, GpuStream& stream,
                            const GpuFactorisation& f) {
  WB_ASSIGN_OR_RETURN(GpuSolver * solver, GpuSolverOf(stream));
  WB_ASSIGN_OR_RETURN(const int64_t bytes, solver->WorkspaceBytes(stream, f));
  WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
  return solver->Enqueue(stream, f, workspace.raw_data(), bytes);
}

}  // namespace warpbeam
