// GpuProducts: matrix products on GPUs, by a library.
//
// There are two sides (ops/launch/gpu_sides.h): that of real GPUs (cuBLASLt,
// ops/math/products_gpu.cc), and that of simulated ones, which is the CPU's own product, enqueued
// (ops/math/gpu/products_on_host.cc).
//
//   GpuProduct p;
//   p.dtype = DType::kFloat;  p.m = 32;  p.n = 500;  p.k = 784;
//   p.a = a.raw_data();  p.b = b.raw_data();  p.c = c->raw_data();
//   WB_ASSIGN_OR_RETURN(GpuProducts * products, GpuProductsOf(stream));
//   WB_ASSIGN_OR_RETURN(const int64_t bytes, products->WorkspaceBytes(stream, p));
//   WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
//   return products->Enqueue(stream, p, workspace.raw_data(), bytes);   // c = op(a) op(b)
//
// float is computed in float, unless TF32 is allowed; 16-bit floats are added up in float and
// rounded once. Equal products on equal GPUs give equal bits. With a product goes what its library
// computes in the same launch: a bias, which a real GPU adds before the result is rounded, and a
// Relu behind it, of which only the library knows whether it keeps a NaN; or sums of a factor.
//
// Ownership: sides are static; memory is the caller's, in the order of the stream. Thread safety:
// registration before main only, everything else from any thread. Errors: UNIMPLEMENTED for what
// the build or the library lacks, from WorkspaceBytes already; INTERNAL and RESOURCE_EXHAUSTED from
// the library. Where the side of simulated GPUs fails after Enqueue (there is no memory on the
// host), the result is no number.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_PRODUCTS_H_
#define WARPBEAM_OPS_LAUNCH_GPU_PRODUCTS_H_

#include <cstdint>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "ops/launch/gpu_sides.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

// c[m, n] = op(a) op(b), all of them dense and row by row, at addresses on the GPU; or `batches`
// such products at once, whose results stand one after another.
struct GpuProduct {
  DType dtype = DType::kInvalid;
  int64_t m = 0, n = 0, k = 0;   // m and n are positive; without k the result is zero
  bool transpose_a = false;      // a is stored as [k, m]
  bool transpose_b = false;      // b is stored as [n, k]
  bool conjugate = false;        // what is transposed is conjugated, too
  bool tensor_float_32 = false;  // of float: it may be multiplied so (tensor_float_32.h)
  int64_t batches = 1;           // positive
  int64_t stride_a = 0;  // elements from one batch's matrix to the next one's, 0 for the same
  int64_t stride_b = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  // At most one of these three, of one product that is no batch; null: none.
  const void* bias = nullptr;  // n elements: added to every row
  void* sums_of_a = nullptr;   // m elements: the sums of op(a)'s rows
  void* sums_of_b = nullptr;   // n elements: the sums of op(b)'s columns
  bool relu = false;           // with a bias: what is negative then becomes 0
};

class GpuProducts {
 public:
  virtual ~GpuProducts() = default;
  virtual bool Has(DType dtype) const = 0;
  // How much memory Enqueue works in.
  virtual StatusOr<int64_t> WorkspaceBytes(GpuStream& stream, const GpuProduct& product) = 0;
  // `workspace` holds `bytes`, at least as many as were asked for.
  virtual Status Enqueue(GpuStream& stream, const GpuProduct& product, void* workspace,
                         int64_t bytes) = 0;
};

struct GpuProductsRegistration {
  GpuProductsRegistration(GpuSide side, GpuProducts* products);
};

StatusOr<GpuProducts*> GpuProductsOf(const GpuStream& stream);
// Whether this build multiplies such matrices on real GPUs.
bool HasGpuProducts(DType dtype);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_GPU_PRODUCTS_H_
