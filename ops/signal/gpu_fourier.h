// GpuFourierTransforms: Fourier transforms on GPUs, by a library.
//
// There are two sides (ops/launch/gpu_sides.h): that of real GPUs (cuFFT,
// ops/signal/fourier_gpu.cc), and that of simulated ones, which is the CPU's own transform,
// enqueued (ops/signal/gpu/fourier_on_host.cc).
//
//   GpuFourierTransform t;                              // batches of FFT2D
//   t.kind = FourierKind::kComplex;
//   t.rank = 2;  t.lengths = {rows, columns};
//   t.batches = 10;
//   t.input = x.raw_data();  t.output = y->raw_data();
//   return EnqueueFourier(ctx, stream, t);
//
// As libraries have it, nothing is divided: an inverse transform is that of the op times the number
// of values. cuFFT adds up in the precision of the values, the CPU in double.
//
// Ownership: sides are static; memory is the caller's, in the order of the stream. Thread safety:
// registration before main only, everything else from any thread. Errors: UNIMPLEMENTED for what
// the build or the library lacks, and FAILED_PRECONDITION where the library is not installed, both
// from WorkspaceBytes already; INTERNAL and RESOURCE_EXHAUSTED from the library. Where the side of
// simulated GPUs fails after Enqueue (there is no memory on the host), the result is no number.
#ifndef WARPBEAM_OPS_SIGNAL_GPU_FOURIER_H_
#define WARPBEAM_OPS_SIGNAL_GPU_FOURIER_H_

#include <array>
#include <cstdint>

#include "graph/types/errors.h"
#include "ops/launch/gpu_sides.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

enum class FourierKind {
  kComplex,
  kRealToComplex,  // forward; the half of the spectrum that says all
  kComplexToReal,  // inverse
};

// Of `batches` arrays one after another, whose dimensions are all transformed.
struct GpuFourierTransform {
  static constexpr int kMostRank = 3;
  using Extents = std::array<int64_t, kMostRank>;  // outermost first, as many as the rank says

  FourierKind kind = FourierKind::kComplex;
  bool is_double = false;
  bool inverse = false;  // of kComplex
  int rank = 1;
  Extents lengths = {};  // of complex or real arrays; positive
  // Of kRealToComplex: those of the arrays at `input`, of which the first values take part.
  Extents given = {};
  int64_t batches = 1;  // positive
  // Of kComplexToReal it holds halves of spectra of real arrays and no others: for some lengths the
  // library reads imaginary parts that are zero in those. It is overwritten; others are not.
  const void* input = nullptr;
  void* output = nullptr;
};

class GpuFourierTransforms {
 public:
  virtual ~GpuFourierTransforms() = default;
  // How much memory Enqueue works in.
  virtual StatusOr<int64_t> WorkspaceBytes(GpuStream& stream,
                                           const GpuFourierTransform& transform) = 0;
  // `workspace` holds `bytes`, at least as many as were asked for.
  virtual Status Enqueue(GpuStream& stream, const GpuFourierTransform& transform, void* workspace,
                         int64_t bytes) = 0;
};

struct GpuFourierRegistration {
  GpuFourierRegistration(GpuSide side, GpuFourierTransforms* transforms);
};

StatusOr<GpuFourierTransforms*> GpuFourierTransformsOf(const GpuStream& stream);
// Whether this build has code of real GPUs for all of this.
bool HasGpuFourier();

// In a kernel: with memory to work in.
Status EnqueueFourier(KernelContext& ctx, GpuStream& stream, const GpuFourierTransform& transform);
// What comes of arrays without values, which are taken to be followed by zeros.
Status EnqueueZeros(GpuStream& stream, Tensor* y);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SIGNAL_GPU_FOURIER_H_
