// MatrixTriangularSolve and BatchMatrixTriangularSolve on a GPU: the right-hand sides are copied,
// and each matrix's are solved in their place. The library goes through blocks of the triangle, so
// that one right-hand side of a large one is shared out as well.
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/linalg/gpu_solver.h"
#include "ops/linalg/triangular_systems.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class MatrixTriangularSolveOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool lower, init.attr<bool>("lower"));
    WB_ASSIGN_OR_RETURN(const bool adjoint, init.attr<bool>("adjoint"));
    return std::make_unique<MatrixTriangularSolveOnGpu>(lower, adjoint);
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return GpuCopier::HasCode() && HasGpuSolver(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  MatrixTriangularSolveOnGpu(bool lower, bool adjoint) : lower_(lower), adjoint_(adjoint) {}
  bool is_replayable() const override { return false; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &matrix = ctx.input(0), &rhs = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const TriangularSystems systems, TriangularSystems::Of(matrix, rhs));
    WB_ASSIGN_OR_RETURN(Tensor * x, ctx.Allocate(0, systems.solution));
    if (x->num_elements() == 0) return OkStatus();
    GpuCopier copier(stream);
    WB_RETURN_IF_ERROR(CopyRightHandSides(systems, rhs, x, copier));
    WB_RETURN_IF_ERROR(copier.Finish());
    WB_ASSIGN_OR_RETURN(GpuSolver * solver, GpuSolverOf(stream));
    GpuTriangularSystem one;
    one.dtype = rhs.dtype();
    one.n = systems.b.rows;
    one.columns = systems.b.cols;
    one.lower = lower_;
    one.adjoint = adjoint_;
    for (int64_t i = 0; i < systems.count(); ++i) {
      one.a = Advance(matrix.raw_data(), one.dtype, systems.matrix_at(i) * systems.a.size());
      one.x = Advance(x->raw_data(), one.dtype, i * systems.b.size());
      WB_RETURN_IF_ERROR(solver->Enqueue(stream, one));
    }
    return OkStatus();
  }

 private:
  // As often as they are broadcast.
  static Status CopyRightHandSides(const TriangularSystems& systems, const Tensor& rhs, Tensor* x,
                                   GpuCopier& copier) {
    const int64_t size = systems.b.size();
    const Span<const int64_t> extents = systems.rhs_at.extents();
    const Span<const int64_t> strides = systems.rhs_at.strides();
    CopyDims dims(extents.size() + 1);
    dims.back() = {size, 1, 1};
    int64_t to = size;
    for (size_t i = extents.size(); i-- > 0; to *= extents[i]) {
      dims[i] = {extents[i], strides[i] * size, to};
    }
    return copier.Copy(rhs.dtype(), x->raw_data(), rhs.raw_data(), dims);
  }

  const bool lower_, adjoint_;
};

WB_GPU_KERNEL("MatrixTriangularSolve", MatrixTriangularSolveOnGpu);
WB_GPU_KERNEL("BatchMatrixTriangularSolve", MatrixTriangularSolveOnGpu);

}  // namespace
}  // namespace warpbeam
