// BatchMatMul, BatchMatMulV2 and BatchMatMulV3 on a GPU: by the library of products.

#include "ops/launch/gpu_products.h"
#include "ops/math/batch_problem.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/product/tensor_float_32.h"

namespace warpbeam {
namespace {

class BatchMatMulOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const BatchMatMulAttrs attrs, ReadBatchMatMulAttrs(init));
    return std::make_unique<BatchMatMulOnGpu>(attrs);
  }
  // The third version's types on GPUs are all the same one.
  static bool HasGpuCode(const AttrMap& attrs) {
    const DType result = attrs.GetOr<DType>("Tout", DType::kInvalid);
    return HasGpuProducts(attrs.GetOr<DType>("T", result));
  }
  explicit BatchMatMulOnGpu(const BatchMatMulAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &x = ctx.input(0), &y = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const BatchProblem p, BatchMatMulProblem(attrs_, x.shape(), y.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * result, ctx.Allocate(0, p.result));
    if (result->num_elements() == 0) return OkStatus();
    GpuProduct product;
    product.tensor_float_32 = TensorFloat32();
    product.dtype = result->dtype();
    product.m = p.product.m;
    product.n = p.product.n;
    product.k = p.product.k;
    product.transpose_a = p.product.transpose_a;
    product.transpose_b = p.product.transpose_b;
    product.conjugate = true;
    return EnqueueBatches(ctx, stream, p.batches, product, x, y, result);
  }

 private:
  // A launch for each run of the innermost dimension, which is all unless an input repeats in
  // between.
  static Status EnqueueBatches(KernelContext& ctx, GpuStream& stream, const Broadcast& batches,
                               GpuProduct product, const Tensor& x, const Tensor& y,
                               Tensor* result) {
    const int64_t of_a = product.m * product.k, of_b = product.k * product.n;
    const int64_t of_c = product.m * product.n;
    const auto bytes = static_cast<int64_t>(DTypeSize(product.dtype));
    product.batches = batches.inner();
    product.stride_a = batches.strides[0][batches.rank - 1] * of_a;
    product.stride_b = batches.strides[1][batches.rank - 1] * of_b;
    WB_ASSIGN_OR_RETURN(GpuProducts * products, GpuProductsOf(stream));
    for (int64_t i = 0; i < batches.count; i += product.batches) {
      int64_t at[Broadcast::kMaxInputs];
      batches.Locate(i, at);
      product.a = static_cast<const char*>(x.raw_data()) + at[0] * of_a * bytes;
      product.b = static_cast<const char*>(y.raw_data()) + at[1] * of_b * bytes;
      product.c = static_cast<char*>(result->raw_data()) + i * of_c * bytes;
      WB_ASSIGN_OR_RETURN(const int64_t size, products->WorkspaceBytes(stream, product));
      WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({size})));
      WB_RETURN_IF_ERROR(products->Enqueue(stream, product, workspace.raw_data(), size));
    }
    return OkStatus();
  }

  const BatchMatMulAttrs attrs_;
};

WB_GPU_KERNEL("BatchMatMul", BatchMatMulOnGpu);
WB_GPU_KERNEL("BatchMatMulV2", BatchMatMulOnGpu);
WB_GPU_KERNEL("BatchMatMulV3", BatchMatMulOnGpu);

}  // namespace
}  // namespace warpbeam
