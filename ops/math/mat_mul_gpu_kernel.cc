// MatMul on a GPU: by the library of products, with a bias or sums where the plan asks for them.

#include "ops/launch/gpu_products.h"
#include "ops/math/mat_mul.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/product/product_kernel.h"
#include "runtime/kernel/product/tensor_float_32.h"

namespace warpbeam {
namespace {

class MatMulOnGpu final : public GpuKernel, public GpuProductKernel {
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
    return EnqueueWith(ctx, stream, GpuEpilogue::kNone);
  }

  Status EnqueueWith(KernelContext& ctx, GpuStream& stream, GpuEpilogue epilogue) override {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const GemmProblem p, MatMulProblem(attrs_, a.shape(), b.shape()));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({p.m, p.n}));
    WB_ASSIGN_OR_RETURN(Tensor * result, ctx.Allocate(0, shape));
    GpuProduct product;
    if (epilogue != GpuEpilogue::kNone) {
      if (result->num_elements() == 0 || p.k == 0) return Unimplemented("nothing is multiplied");
      WB_RETURN_IF_ERROR(AddEpilogue(ctx, p, epilogue, &product));
    }
    if (result->num_elements() == 0) return OkStatus();
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
  static Status AddEpilogue(KernelContext& ctx, const GemmProblem& p, GpuEpilogue epilogue,
                            GpuProduct* product) {
    if (HasBias(epilogue)) {
      const Tensor& bias = ctx.input(2);
      if (bias.dtype() != ctx.input(0).dtype() || bias.shape() != Shape({p.n})) {
        return Unimplemented("the bias has no element for each column");
      }
      product->bias = bias.raw_data();
      product->relu = epilogue == GpuEpilogue::kBiasRelu;
      return OkStatus();
    }
    const bool of_a = epilogue == GpuEpilogue::kFirstSums;
    WB_ASSIGN_OR_RETURN(Tensor * sums, ctx.Allocate(1, Shape({of_a ? p.m : p.n})));
    (of_a ? product->sums_of_a : product->sums_of_b) = sums->raw_data();
    return OkStatus();
  }

  const MatMulAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("MatMul", MatMulOnGpu);

}  // namespace warpbeam
