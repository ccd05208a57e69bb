// DnnlMatmul: oneDNN's matrix product for operands of one size, float and dense.
//
// The library generates code for exactly this size (0.2 to 1 ms, a few KiB), where dnnl_sgemm
// generates code for all sizes when it is first called (30 ms, 3 MiB). The products are kept for
// the whole process: a size that comes again costs a look into a table.
//
//   WB_ASSIGN_OR_RETURN(auto product, DnnlMatmul::For({.m = 98, .n = 1024, .k = 256}));
//   WB_RETURN_IF_ERROR(product->Run(a, b, c, scratch));   // c[m,n] = a[m,k] op(b), row-major
//
// Ownership: shared with the process's table, which forgets all when it is full. Thread safety: any
// number of threads may run one product at once, each with a scratch of its own. Errors: those of
// dnnl_primitive.h.
#ifndef WARPBEAM_OPS_MATH_DNNL_MATMUL_H_
#define WARPBEAM_OPS_MATH_DNNL_MATMUL_H_

#include <cstdint>
#include <memory>

#include "graph/types/errors.h"
#include "ops/math/dnnl_primitive.h"

namespace warpbeam {

class DnnlMatmul {
 public:
  struct Size {
    int64_t m = 0, n = 0, k = 0;
    bool transpose_b = false;  // b is stored as [n, k]
    friend bool operator==(const Size& x, const Size& y) {
      return x.m == y.m && x.n == y.n && x.k == y.k && x.transpose_b == y.transpose_b;
    }
    template <typename H>
    friend H AbslHashValue(H h, const Size& s) {
      return H::combine(std::move(h), s.m, s.n, s.k, s.transpose_b);
    }
  };

  // Whether the processor has what the library's own code for products needs (AVX-512); without it
  // the library would call dnnl_sgemm.
  static bool IsSupported();

  static StatusOr<std::shared_ptr<const DnnlMatmul>> For(const Size& size);

  // A multiple of 64.
  size_t scratch_bytes() const { return scratch_bytes_; }
  // On the calling thread alone. `scratch` is aligned to 64 bytes.
  Status Run(const float* a, const float* b, float* c, void* scratch) const;

 private:
  static StatusOr<std::shared_ptr<const DnnlMatmul>> Make(const Size& size);

  dnnl_memory_desc_t a_ = {}, b_ = {}, c_ = {}, scratch_ = {};
  DnnlPrimitive primitive_;
  size_t scratch_bytes_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_DNNL_MATMUL_H_
