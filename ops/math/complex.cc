// Complex numbers and their parts: Real, Imag, ComplexAbs, Angle, Conj, Complex.

#include "ops/launch/complex_number.h"
#include "ops/launch/elementwise.h"

#if WB_HOST_PASS
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#endif

namespace warpbeam::WB_PASS {

struct RealFn {
  template <class C>
  WB_HD auto operator()(const C& x) const {
    return x.real();
  }
};
struct ImagFn {
  template <class C>
  WB_HD auto operator()(const C& x) const {
    return x.imag();
  }
};
struct ComplexAbsFn {
  template <class C>
  WB_HD auto operator()(const C& x) const {
    return Hypot(x.real(), x.imag());
  }
};
struct AngleFn {
  static constexpr int kPicoseconds = 15000;
  template <class C>
  WB_HD auto operator()(const C& x) const {
    return Atan2(x.imag(), x.real());
  }
};
struct ConjFn {
  template <class C>
  WB_HD C operator()(const C& x) const {
    return Conj(x);
  }
};
template <class C>
struct ComplexFn {
  using R = typename C::value_type;
  WB_HD C operator()(R real, R imaginary) const { return C(real, imaginary); }
};

WB_UNARY_KERNEL("Conj", ConjFn, SameType, ComplexTypeList, ComplexTypeList);

#if WB_HOST_PASS

namespace {

// From complex to real: the element types of input and output differ, ComplexAbs's at will.
template <class Fn>
struct PartKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    ElementwiseSpec spec;
    spec.picoseconds = internal::kPicoseconds<Fn>;
    const bool to_float = init.output_types[0] == DType::kFloat;
    if (init.input_types[0] == DType::kComplex64) {
      spec.loop = to_float ? &UnaryLoop<Fn, float, std::complex<float>>
                           : &UnaryLoop<Fn, double, std::complex<float>>;
    } else {
      spec.loop = to_float ? &UnaryLoop<Fn, float, std::complex<double>>
                           : &UnaryLoop<Fn, double, std::complex<double>>;
    }
    return NewElementwiseKernel(spec, init);
  }
};
struct ComplexKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    ElementwiseSpec spec;
    spec.num_inputs = 2;
    spec.loop =
        init.input_types[0] == DType::kFloat
            ? &BinaryLoop<ComplexFn<std::complex<float>>, std::complex<float>, float, float>
            : &BinaryLoop<ComplexFn<std::complex<double>>, std::complex<double>, double, double>;
    return NewElementwiseKernel(spec, init);
  }
};

OutputRef MakeComplex(GradContext& c, OutputRef real, OutputRef imag) {
  const DType out = c.type(real) == DType::kFloat ? DType::kComplex64 : DType::kComplex128;
  return c.Emit("Complex", {real, imag}, {{"Tout", out}});
}
OutputRef PartOf(GradContext& c, const char* op, OutputRef z) {
  const DType out = c.type(z) == DType::kComplex64 ? DType::kFloat : DType::kDouble;
  return c.Emit(op, {z}, {{"Tout", out}});
}
Status RealGradient(GradContext& c) {
  c.set_dx(0, MakeComplex(c, c.dy(0), c.ScalarLike(c.dy(0), 0)));
  return OkStatus();
}
Status ImagGradient(GradContext& c) {
  c.set_dx(0, MakeComplex(c, c.ScalarLike(c.dy(0), 0), c.dy(0)));
  return OkStatus();
}
Status ConjGradient(GradContext& c) {
  c.set_dx(0, c.Emit("Conj", {c.dy(0)}));
  return OkStatus();
}
Status ComplexGradient(GradContext& c) {
  c.set_dx_broadcast(PartOf(c, "Real", c.dy(0)), PartOf(c, "Imag", c.dy(0)));
  return OkStatus();
}
Status ComplexAbsGradient(GradContext& c) {
  const OutputRef zero = c.ZerosLike(c.dy(0));
  const OutputRef scaled = c.Mul(MakeComplex(c, c.dy(0), zero), c.x(0));
  c.set_dx(0, c.Emit("DivNoNan", {scaled, MakeComplex(c, c.y(0), zero)}));
  return OkStatus();
}
Status AngleGradient(GradContext& c) {
  const OutputRef x = c.x(0);
  const OutputRef swapped = MakeComplex(c, PartOf(c, "Imag", x), PartOf(c, "Real", x));
  const OutputRef dy = MakeComplex(c, c.dy(0), c.ScalarLike(c.dy(0), 0));
  c.set_dx(0, c.Mul(c.Neg(dy), c.Emit("Reciprocal", {swapped})));
  return OkStatus();
}

const TypeConstraints kSingle = {{"T", {DType::kComplex64}}, {"Tout", {DType::kFloat}}};
const TypeConstraints kDouble = {{"T", {DType::kComplex128}}, {"Tout", {DType::kDouble}}};
const TypeConstraints kToSingle = {{"T", {DType::kFloat}}, {"Tout", {DType::kComplex64}}};
const TypeConstraints kToDouble = {{"T", {DType::kDouble}}, {"Tout", {DType::kComplex128}}};

}  // namespace

#define WB_COMPLEX_PART(op, in, out)                  \
  WB_OP(op)                                           \
      .Input(in ": T")                                \
      .Output(out ": Tout")                           \
      .Attr("T: {complex64, complex128} = complex64") \
      .Attr("Tout: {float, double} = float")          \
      .Shape(shapes::Unchanged)
#define WB_COMPLEX_PART_KERNEL(op, Fn)                     \
  WB_KERNEL(op, PartKernel<Fn>).Cpu(kSingle).Gpu(kSingle); \
  WB_KERNEL(op, PartKernel<Fn>).Cpu(kDouble).Gpu(kDouble)

WB_COMPLEX_PART("Real", "input", "output");
WB_COMPLEX_PART_KERNEL("Real", RealFn);
WB_COMPLEX_PART("Imag", "input", "output");
WB_COMPLEX_PART_KERNEL("Imag", ImagFn);
WB_COMPLEX_PART("Angle", "input", "output");
WB_COMPLEX_PART_KERNEL("Angle", AngleFn);
WB_COMPLEX_PART("ComplexAbs", "x", "y");
WB_KERNEL("ComplexAbs", PartKernel<ComplexAbsFn>).Cpu().Gpu(kSingle);
WB_KERNEL("ComplexAbs", PartKernel<ComplexAbsFn>).Gpu(kDouble);
WB_OP("Complex")
    .Input("real: T")
    .Input("imag: T")
    .Output("out: Tout")
    .Attr("T: {float, double} = float")
    .Attr("Tout: {complex64, complex128} = complex64")
    .Shape(shapes::BroadcastBinary);
WB_KERNEL("Complex", ComplexKernel).Cpu(kToSingle).Gpu(kToSingle);
WB_KERNEL("Complex", ComplexKernel).Cpu(kToDouble).Gpu(kToDouble);
WB_OP("Conj")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128, variant} = complex64")
    .Shape(shapes::Unchanged);

WB_GRADIENT("Real", RealGradient);
WB_GRADIENT("Imag", ImagGradient);
WB_GRADIENT("Angle", AngleGradient);
WB_GRADIENT("ComplexAbs", ComplexAbsGradient);
WB_GRADIENT("Complex", ComplexGradient);
WB_GRADIENT("Conj", ConjGradient);

#else

template <class R>
struct ComplexRegistrations {
  using C = ComplexNumber<R>;
  static constexpr DType kReal = DTypeOf<R>::value;
  static constexpr DType kComplex = DTypeOf<std::complex<R>>::value;

  GpuElementwiseRegistration real{"Real", kComplex, &LaunchElementwise<RealFn, R, C>};
  GpuElementwiseRegistration imag{"Imag", kComplex, &LaunchElementwise<ImagFn, R, C>};
  GpuElementwiseRegistration abs{"ComplexAbs", kComplex, &LaunchElementwise<ComplexAbsFn, R, C>};
  GpuElementwiseRegistration angle{"Angle", kComplex, &LaunchElementwise<AngleFn, R, C>};
  GpuElementwiseRegistration complex{"Complex", kReal, &LaunchElementwise<ComplexFn<C>, C, R, R>};
};
static const ComplexRegistrations<float> complex64_registrations;
static const ComplexRegistrations<double> complex128_registrations;

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
