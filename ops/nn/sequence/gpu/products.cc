#include "ops/nn/sequence/gpu/products.h"

namespace warpbeam {

Status RecurrentProducts::Enqueue(const Form& form, const void* a, const void* b, void* c) const {
  if (form.m == 0 || form.n == 0) return OkStatus();
  GpuProduct product;
  product.dtype = dtype;
  product.m = form.m;
  product.n = form.n;
  product.k = form.k;
  product.transpose_a = form.transpose_a;
  product.transpose_b = form.transpose_b;
  product.a = a;
  product.b = b;
  product.c = c;
  WB_ASSIGN_OR_RETURN(GpuProducts * products, GpuProductsOf(stream));
  WB_ASSIGN_OR_RETURN(const int64_t bytes, products->WorkspaceBytes(stream, product));
  WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
  return products->Enqueue(stream, product, workspace.raw_data(), bytes);
}

}  // namespace warpbeam
