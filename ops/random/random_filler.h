// RandomFiller: where random values come to be: on the host's threads, or enqueued on a GPU. Both
// fill tensors from the same streams (ops/random/distributions.h); an op is written once for them
// (ops/array/two_sided_kernel.h).
//
//   WB_ASSIGN_OR_RETURN(const RandomSource source, filler.FromState(key, counter, alg));
//   return filler.Fill(ctx, Distribution::kUniform, source, y);
//
// Ownership: nothing. Thread safety: one thread. Errors: those of ops/random/distributions.h and
// ops/random/stateless_seed.h, and of launches.
#ifndef WARPBEAM_OPS_RANDOM_RANDOM_FILLER_H_
#define WARPBEAM_OPS_RANDOM_RANDOM_FILLER_H_

#include "ops/array/two_sided_kernel.h"
#include "ops/random/distributions.h"
#include "ops/random/stateless_seed.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

// A stream, or the place in a GPU's memory of a generator's state: a key and two halves of a
// counter.
struct RandomSource {
  RandomSource(const Philox& s) : stream(s) {}  // NOLINT: a stream is a source
  Philox stream;
  const uint64_t* key = nullptr;
  const uint64_t* counter = nullptr;
};

class RandomFiller {
 public:
  virtual ~RandomFiller() = default;

  virtual StatusOr<RandomSource> FromState(const Tensor& key, const Tensor& counter,
                                           const Tensor& alg) const = 0;
  virtual Status Fill(KernelContext& ctx, Distribution distribution, const RandomSource& source,
                      Tensor* y) = 0;
  // The bounds are on the host.
  virtual Status FillInts(KernelContext& ctx, const RandomSource& source, const Tensor& minval,
                          const Tensor& maxval, Tensor* y) = 0;
};

class HostFiller final : public RandomFiller {
 public:
  explicit HostFiller(const KernelContext&) {}
  StatusOr<RandomSource> FromState(const Tensor& key, const Tensor& counter,
                                   const Tensor& alg) const override {
    WB_ASSIGN_OR_RETURN(const Philox stream, StreamFromState(key, counter, alg));
    return RandomSource(stream);
  }
  Status Fill(KernelContext& ctx, Distribution distribution, const RandomSource& source,
              Tensor* y) override {
    return FillRandom(ctx, distribution, source.stream, y);
  }
  Status FillInts(KernelContext& ctx, const RandomSource& source, const Tensor& minval,
                  const Tensor& maxval, Tensor* y) override {
    return FillRandomInts(ctx, source.stream, minval, maxval, y);
  }
};

class GpuFiller final : public RandomFiller {
 public:
  explicit GpuFiller(GpuStream& stream) : stream_(stream) {}
  // Whether this build has code of real GPUs for it.
  static bool HasCode();
  StatusOr<RandomSource> FromState(const Tensor& key, const Tensor& counter,
                                   const Tensor& alg) const override;
  Status Fill(KernelContext& ctx, Distribution distribution, const RandomSource& source,
              Tensor* y) override;
  Status FillInts(KernelContext& ctx, const RandomSource& source, const Tensor& minval,
                  const Tensor& maxval, Tensor* y) override;
  Status Finish() { return OkStatus(); }

 private:
  GpuStream& stream_;
};

template <class Op>
using FillingKernel = KernelOnHost<Op, HostFiller>;
template <class Op>
using FillingKernelOnGpu = KernelOnGpu<Op, GpuFiller>;

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_RANDOM_FILLER_H_
