// Products of recurrent cells on a GPU.
//
//   const RecurrentProducts products{ctx, stream, DType::kFloat};
//   WB_RETURN_IF_ERROR(products.Enqueue({batch, columns, inputs}, x, w, sums));
//   WB_RETURN_IF_ERROR(products.Enqueue({batch, inputs, columns, false, true}, sums, w, x));
//
// Ownership: the context and the stream outlive it. Thread safety: one kernel call. Errors:
// RESOURCE_EXHAUSTED without memory to work in, and the library's.
#ifndef WARPBEAM_OPS_NN_SEQUENCE_GPU_PRODUCTS_H_
#define WARPBEAM_OPS_NN_SEQUENCE_GPU_PRODUCTS_H_

#include "ops/launch/gpu_products.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct RecurrentProducts {
  struct Form {
    int64_t m, n, k;
    bool transpose_a = false, transpose_b = false;
  };
  KernelContext& ctx;
  GpuStream& stream;
  DType dtype;

  // c[m, n] = op(a) op(b); nothing where c has no elements.
  Status Enqueue(const Form& form, const void* a, const void* b, void* c) const;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_SEQUENCE_GPU_PRODUCTS_H_
