// RFFT, RFFT2D, RFFT3D: Fourier transforms of real tensors over the last one, two or three
// dimensions; the half of the spectrum that says all.
#include <complex>

#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/signal/real_transform.h"
#include "ops/signal/spectra.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <int kRank>
Status RfftShape(ShapeContext& c) {
  return RealTransformShape(c, kRank, /*to_spectrum=*/true);
}

template <int kRank>
class RfftKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_RETURN_IF_ERROR(CheckPrecision(init));
    return std::make_unique<RfftKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const TransformLengths n, TransformLengths::Read(ctx, kRank, false));
    WB_ASSIGN_OR_RETURN(const Shape shape, n.WithLast(x.shape(), n.spectrum()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    return DispatchTypes<float, double>(x.dtype(), [&](auto tag) {
      using Real = typename decltype(tag)::type;
      return ToSpectra(ctx, n, x.shape(), x.data<Real>(), y->data<std::complex<Real>>());
    });
  }
};

// Re(IFFT(dY)) times the number of values, dY with zeros for the spectrum's other half.
template <int kRank>
Status RfftGradient(GradContext& c) {
  static_assert(kRank <= 2, "as TensorFlow has it");
  const OutputRef lengths = c.x(1);
  const OutputRef batch =
      c.Emit("StridedSlice", {c.ShapeOf(c.x(0)), c.Ints({0}), c.Ints({-kRank}), c.Ints({1})},
             {{"begin_mask", int64_t{1}}});
  const OutputRef full = c.Emit("ConcatV2", {{batch, lengths}, c.Scalar<int32_t>(0)});
  const OutputRef back = c.Emit(kRank == 1 ? "IFFT" : "IFFT2D", {PadTo(c, c.dy(0), full)});
  const OutputRef real = c.Emit("Real", {back}, {{"Tout", c.type(c.x(0))}});
  const OutputRef size = c.Cast(c.Emit("Prod", {lengths, c.Ints({0})}), c.type(c.x(0)));
  c.set_dx(0, PadTo(c, c.Mul(real, size), c.ShapeOf(c.x(0))));
  return OkStatus();
}

#define WB_RFFT(name, rank)                                     \
  WB_OP(name)                                                   \
      .Input("input: Treal")                                    \
      .Input("fft_length: int32")                               \
      .Output("output: Tcomplex")                               \
      .Attr("Treal: {float, double} = DT_FLOAT")                \
      .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64") \
      .Shape(RfftShape<rank>);                                  \
  WB_KERNEL(name, RfftKernel<rank>).Cpu().Gpu().HostMemory({"fft_length"})
WB_RFFT("RFFT", 1);
WB_RFFT("RFFT2D", 2);
WB_RFFT("RFFT3D", 3);
#undef WB_RFFT
WB_GRADIENT("RFFT", RfftGradient<1>);
WB_GRADIENT("RFFT2D", RfftGradient<2>);

}  // namespace
}  // namespace warpbeam
