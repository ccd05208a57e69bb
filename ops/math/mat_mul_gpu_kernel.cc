// MatMul on a GPU: by the library of products.

#include "ops/launch/gpu_products.h"
#include "ops/launch/tensor_float_32.h"
#include "ops/math/mat_mul.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class MatMulOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const MatMulAttrs attrs, ReadMatMulAttrs(init));
    return std::make_unique<MatMulOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return HasGpuProducts(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  explicit MatMulOnGpu(const MatMulAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const GemmProblem p, MatMulProblem(attrs_, a.shape(), b.shape()));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({p.m, p.n}));
    WB_ASSIGN_OR_RETURN(Tensor * result, ctx.Allocate(0, shape));
    if (result->num_elements() == 0) return OkStatus();
    GpuProduct product;
    product.tensor_float_32 = TensorFloat32();
    product.dtype = a.dtype();
    product.m = p.m;
    product.n = p.n;
    product.k = p.k;
    product.transpose_a = p.transpose_a;
    product.transpose_b = p.transpose_b;
    product.a = a.raw_data();
    product.b = b.raw_data();
    product.c = result->raw_data();
    WB_ASSIGN_OR_RETURN(GpuProducts * products, GpuProductsOf(stream));
    WB_ASSIGN_OR_RETURN(const int64_t bytes, products->WorkspaceBytes(stream, product));
    WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
    return products->Enqueue(stream, product, workspace.raw_data(), bytes);
  }

 private:
  const MatMulAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("MatMul", MatMulOnGpu);

}  // namespace warpbeam
