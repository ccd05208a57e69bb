// FFT, FFT2D, FFT3D, IFFT, IFFT2D, IFFT3D and the same with Batch before: complex Fourier
// transforms over the last one, two or three dimensions.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/signal/lines.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <int kRank>
Status FftShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape in, c.WithRankAtLeast(0, kRank));
  c.set_output(0, std::move(in));
  return OkStatus();
}

template <int kRank, bool kInverse>
class FftKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FftKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor x = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckTransformed(x.shape(), kRank));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    return DispatchTypes<std::complex<float>, std::complex<double>>(
        x.dtype(), [&](auto tag) -> Status {
          using T = typename decltype(tag)::type;
          std::copy_n(x.data<T>(), x.num_elements(), y->data<T>());
          const Span<const int64_t> dims = x.shape().dims();
          const Span<const int64_t> lengths = dims.subspan(dims.size() - kRank);
          int64_t batches = x.num_elements();
          for (const int64_t length : lengths) batches /= length;
          return TransformDimensions(ctx, batches, lengths, 1, kInverse, y->data<T>());
        });
  }
};

// The number of values that one transform takes, in the type of `like`.
OutputRef TransformSize(GradContext& c, OutputRef x, OutputRef like, int rank) {
  const OutputRef own =
      c.Emit("StridedSlice", {c.ShapeOf(x), c.Ints({-rank}), c.Ints({0}), c.Ints({1})},
             {{"end_mask", int64_t{1}}});
  return c.Cast(c.Emit("Prod", {own, c.Ints({0})}), c.type(like));
}

// The transform's adjoint is the inverse without its division, and the other way round.
template <int kRank, bool kInverse>
Status FftGradient(GradContext& c) {
  constexpr const char* kRanks[] = {"", "", "2D", "3D"};
  const std::string other = absl::StrCat(kInverse ? "FFT" : "IFFT", kRanks[kRank]);
  const OutputRef back = c.Emit(other, {c.dy(0)});
  const OutputRef size = TransformSize(c, c.x(0), back, kRank);
  c.set_dx(0, kInverse ? c.Div(back, size) : c.Mul(back, size));
  return OkStatus();
}

constexpr TypeSet kComplex = {DType::kComplex64, DType::kComplex128};

#define WB_FFT(name, rank, inverse)                             \
  WB_OP(name)                                                   \
      .Input("input: Tcomplex")                                 \
      .Output("output: Tcomplex")                               \
      .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64") \
      .Shape(FftShape<rank>);                                   \
  using FftKernel##rank##inverse = FftKernel<rank, inverse>;    \
  WB_KERNEL(name, FftKernel##rank##inverse)                     \
      .Cpu({{"Tcomplex", kComplex}})                            \
      .Gpu({{"Tcomplex", kComplex}});                           \
  WB_GRADIENT(name, (FftGradient<rank, inverse>));              \
  WB_OP("Batch" name)                                           \
      .Input("input: complex64")                                \
      .Output("output: complex64")                              \
      .Deprecated(15, "Use " name)                              \
      .Shape(FftShape<rank>);                                   \
  WB_KERNEL("Batch" name, FftKernel##rank##inverse).Gpu()
WB_FFT("FFT", 1, false);
WB_FFT("FFT2D", 2, false);
WB_FFT("FFT3D", 3, false);
WB_FFT("IFFT", 1, true);
WB_FFT("IFFT2D", 2, true);
WB_FFT("IFFT3D", 3, true);
#undef WB_FFT

}  // namespace
}  // namespace warpbeam
