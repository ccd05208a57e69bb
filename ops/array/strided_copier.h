// StridedCopier: where an op that only moves elements moves them: on the host at once, or enqueued
// on a GPU. Such an op computes shapes and strides, which is the same for both, and is written once
// (ops/array/two_sided_kernel.h).
//
//   Status RunSlice(KernelContext& ctx, StridedCopier& copier) {
//     …
//     return copier.Copy(x.dtype(), y->raw_data(), from, dims);
//   }
//
// The arguments are those of ops/array/strided_copy.h; on a GPU `to` and `from` are addresses of
// the device, and types are plain. Copies may be made in any order, all together: what reads or
// overwrites the result of an earlier copy stands behind Then().
//
// Ownership: nothing. Thread safety: one thread. Errors: on a GPU UNIMPLEMENTED for more dimensions
// than a launch takes, and those of launches.
#ifndef WARPBEAM_OPS_ARRAY_STRIDED_COPIER_H_
#define WARPBEAM_OPS_ARRAY_STRIDED_COPIER_H_

#include <initializer_list>

#include "graph/types/errors.h"
#include "ops/array/strided_copy.h"

namespace warpbeam {

class StridedCopier {
 public:
  virtual ~StridedCopier() = default;

  virtual Status Copy(DType dtype, void* to, const void* from, Span<const CopyDim> dims) = 0;
  Status Copy(DType dtype, void* to, const void* from, std::initializer_list<CopyDim> dims) {
    return Copy(dtype, to, from, MakeConstSpan(dims.begin(), dims.size()));
  }
  // Before all later copies: sets `count` elements to the one at `value`, which is on the host, or
  // to zero.
  virtual Status Fill(DType dtype, void* to, const void* value, int64_t count) = 0;
  virtual Status Zero(DType dtype, void* to, int64_t count) = 0;
  // Later copies see what earlier ones have written.
  virtual Status Then() = 0;
};

class HostCopier final : public StridedCopier {
 public:
  explicit HostCopier(const KernelContext& ctx) : ctx_(ctx) {}
  using StridedCopier::Copy;
  Status Copy(DType dtype, void* to, const void* from, Span<const CopyDim> dims) override {
    StridedCopy(ctx_, dtype, to, from, dims);
    return OkStatus();
  }
  Status Fill(DType dtype, void* to, const void* value, int64_t count) override {
    FillRange(ctx_, dtype, to, value, count);
    return OkStatus();
  }
  Status Zero(DType dtype, void* to, int64_t count) override {
    ZeroRange(ctx_, dtype, to, count);
    return OkStatus();
  }
  Status Then() override { return OkStatus(); }

 private:
  const KernelContext& ctx_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_STRIDED_COPIER_H_
