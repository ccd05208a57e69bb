// IRFFT, IRFFT2D, IRFFT3D: real tensors from half of their spectrum, over the last one, two or
// three dimensions.
#include <algorithm>
#include <complex>

#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/signal/real_transform.h"
#include "ops/signal/spectra.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

template <int kRank>
Status IrfftShape(ShapeContext& c) {
  return RealTransformShape(c, kRank, /*to_spectrum=*/false);
}

// The part of the input that takes part.
template <class Complex>
void CopySpectra(const KernelContext& ctx, const TransformLengths& n, const Tensor& x,
                 Complex* to) {
  const int64_t given = x.dim(x.rank() - 1), wide = n.spectrum(), lines = n.Lines(x.shape());
  StoppableFor(ctx, lines, wide, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t from = n.InputLine(x.shape(), i);
      if (from < 0 || given == 0) {
        std::fill_n(to + i * wide, wide, Complex(0));
      } else {
        std::copy_n(x.data<Complex>() + from * given, wide, to + i * wide);
      }
    }
  });
}

template <int kRank>
class IrfftKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_RETURN_IF_ERROR(CheckPrecision(init));
    return std::make_unique<IrfftKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const TransformLengths n, TransformLengths::Read(ctx, kRank, true));
    WB_ASSIGN_OR_RETURN(const Shape shape, n.WithLast(x.shape(), n.last()));
    WB_ASSIGN_OR_RETURN(const Shape half, n.WithLast(x.shape(), n.spectrum()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor spectra, ctx.AllocateTemp(x.dtype(), half));
    return DispatchTypes<float, double>(y->dtype(), [&](auto tag) {
      using Real = typename decltype(tag)::type;
      auto* const half_spectra = spectra.data<std::complex<Real>>();
      CopySpectra(ctx, n, x, half_spectra);
      return FromSpectra(ctx, n, n.Lines(x.shape()), half_spectra, y->data<Real>());
    });
  }
};

// RFFT(dY) over the number of values; those of the spectrum that stand for a conjugate too, so all
// but the first and, of an even length, the last, twice.
template <int kRank>
Status IrfftGradient(GradContext& c) {
  static_assert(kRank <= 2, "as TensorFlow has it");
  const OutputRef lengths = c.x(1);
  const DType real = c.type(c.dy(0)), complex = c.type(c.x(0));
  const OutputRef spectrum = c.Emit(kRank == 1 ? "RFFT" : "RFFT2D", {c.dy(0), lengths},
                                    {{"Treal", real}, {"Tcomplex", complex}});
  const auto last_of = [&](OutputRef vector) {
    return c.Emit("StridedSlice", {vector, c.Ints({-1}), c.Ints({0}), c.Ints({1})},
                  {{"end_mask", int64_t{1}}, {"shrink_axis_mask", int64_t{1}}});
  };
  const OutputRef k =
      c.Emit("Range", {c.Scalar<int32_t>(0), last_of(c.ShapeOf(spectrum)), c.Scalar<int32_t>(1)});
  const OutputRef twice = c.Mul(k, c.Scalar<int32_t>(2));
  const OutputRef is_own =
      c.Emit("Equal", {c.Emit("FloorMod", {twice, last_of(lengths)}), c.Scalar<int32_t>(0)});
  const OutputRef weight = c.Sub(c.ScalarOf(real, 2), c.Cast(is_own, real));
  const OutputRef size = c.Cast(c.Emit("Prod", {lengths, c.Ints({0})}), real);
  const OutputRef scaled = c.Mul(spectrum, c.Cast(c.Div(weight, size), complex));
  c.set_dx(0, PadTo(c, scaled, c.ShapeOf(c.x(0))));
  return OkStatus();
}

#define WB_IRFFT(name, rank)                                    \
  WB_OP(name)                                                   \
      .Input("input: Tcomplex")                                 \
      .Input("fft_length: int32")                               \
      .Output("output: Treal")                                  \
      .Attr("Treal: {float, double} = DT_FLOAT")                \
      .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64") \
      .Shape(IrfftShape<rank>);                                 \
  WB_KERNEL(name, IrfftKernel<rank>).Cpu().Gpu().HostMemory({"fft_length"})
WB_IRFFT("IRFFT", 1);
WB_IRFFT("IRFFT2D", 2);
WB_IRFFT("IRFFT3D", 3);
#undef WB_IRFFT
WB_GRADIENT("IRFFT", IrfftGradient<1>);
WB_GRADIENT("IRFFT2D", IrfftGradient<2>);

}  // namespace
}  // namespace warpbeam
