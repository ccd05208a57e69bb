// Special functions, as Eigen computes them: gamma, zeta, Bessel and the normal distribution's.

#include "ops/launch/elementwise_table.h"

#if WB_CUDA_PASS
#pragma nv_diag_suppress 20012  // of what Eigen marks for devices without need
#endif
#include <limits>
#include <unsupported/Eigen/SpecialFunctions>

namespace warpbeam::WB_PASS {

// Complex numbers have none of these; every functor is of scalars.
#define WB_SPECIAL_1(Name, expression)         \
  struct Name {                                \
    static constexpr int kPicoseconds = 30000; \
    template <class V>                         \
    WB_HD V operator()(V x) const {            \
      return expression;                       \
    }                                          \
  }
#define WB_SPECIAL_2(Name, expression)         \
  struct Name {                                \
    static constexpr int kPicoseconds = 60000; \
    template <class V>                         \
    WB_HD V operator()(V a, V x) const {       \
      return expression;                       \
    }                                          \
  }
namespace numext = Eigen::numext;
WB_SPECIAL_1(LgammaFn, numext::lgamma(x));
WB_SPECIAL_1(DigammaFn, numext::digamma(x));
// Outside of what probabilities can be there is no number.
template <class V>
WB_HD V NormalQuantile(V p) {
  return p >= V(0) && p <= V(1) ? numext::ndtri(p) : std::numeric_limits<V>::quiet_NaN();
}
WB_SPECIAL_1(NdtriFn, NormalQuantile(x));
WB_SPECIAL_1(ErfinvFn, NormalQuantile(x* V(0.5) + V(0.5)) * V(0.70710678118654752440));
WB_SPECIAL_1(BesselI0Fn, numext::bessel_i0(x));
WB_SPECIAL_1(BesselI1Fn, numext::bessel_i1(x));
WB_SPECIAL_1(BesselI0eFn, numext::bessel_i0e(x));
WB_SPECIAL_1(BesselI1eFn, numext::bessel_i1e(x));
WB_SPECIAL_1(BesselK0Fn, numext::bessel_k0(x));
WB_SPECIAL_1(BesselK1Fn, numext::bessel_k1(x));
WB_SPECIAL_1(BesselK0eFn, numext::bessel_k0e(x));
WB_SPECIAL_1(BesselK1eFn, numext::bessel_k1e(x));
WB_SPECIAL_1(BesselJ0Fn, numext::bessel_j0(x));
WB_SPECIAL_1(BesselJ1Fn, numext::bessel_j1(x));
WB_SPECIAL_1(BesselY0Fn, numext::bessel_y0(x));
WB_SPECIAL_1(BesselY1Fn, numext::bessel_y1(x));
WB_SPECIAL_2(IgammaFn, numext::igamma(a, x));
WB_SPECIAL_2(IgammacFn, numext::igammac(a, x));
WB_SPECIAL_2(IgammaGradAFn, numext::igamma_der_a(a, x));

// Where an argument is infinite, the sum comes to its first term, 1 / q^x.
template <class V>
WB_HD V HurwitzZeta(V x, V q) {
  constexpr V kInfinity = std::numeric_limits<V>::infinity();
  if (q == kInfinity && x > V(1)) return V(0);
  if (x != kInfinity || q != q) return numext::zeta(x, q);
  return q > V(1) ? V(0) : q == V(1) ? V(1) : kInfinity;
}
WB_SPECIAL_2(ZetaFn, HurwitzZeta(a, x));
WB_SPECIAL_2(PolygammaFn, numext::polygamma(a, x));
WB_SPECIAL_2(NextAfterFn, std::nextafter(a, x));

struct BetaincFn {
  static constexpr int kPicoseconds = 150000;
  template <class V>
  WB_HD V operator()(V a, V b, V x) const {
    return numext::betainc(a, b, x);
  }
};

using Singles = TypeList<float, double>;
using Halves = TypeList<Half, float, double>;

#define WB_SPECIAL_TYPES "{bfloat16, half, float, double}"
#if WB_HOST_PASS
#define WB_SPECIAL_OP_2(op, Fn, types, first, second, result) \
  WB_OP(op)                                                   \
      .Input(first ": T")                                     \
      .Input(second ": T")                                    \
      .Output(result ": T")                                   \
      .Attr("T: " types)                                      \
      .Shape(shapes::BroadcastBinary);                        \
  WB_BINARY_KERNEL(op, Fn, SameType, Singles, Singles)
#else
#define WB_SPECIAL_OP_2(op, Fn, types, first, second, result) \
  WB_BINARY_KERNEL(op, Fn, SameType, Singles, Singles)
#endif

WB_UNARY_OP("Lgamma", LgammaFn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("Digamma", DigammaFn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("Ndtri", NdtriFn, WB_SPECIAL_TYPES, Singles, Singles);
WB_UNARY_OP("Erfinv", ErfinvFn, WB_SPECIAL_TYPES, Singles, Singles);
WB_UNARY_OP("BesselI0", BesselI0Fn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselI1", BesselI1Fn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselI0e", BesselI0eFn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselI1e", BesselI1eFn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselK0", BesselK0Fn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselK1", BesselK1Fn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselK0e", BesselK0eFn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselK1e", BesselK1eFn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselJ0", BesselJ0Fn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselJ1", BesselJ1Fn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselY0", BesselY0Fn, WB_SPECIAL_TYPES, Halves, Halves);
WB_UNARY_OP("BesselY1", BesselY1Fn, WB_SPECIAL_TYPES, Halves, Halves);
WB_SPECIAL_OP_2("Igamma", IgammaFn, WB_SPECIAL_TYPES, "a", "x", "z");
WB_SPECIAL_OP_2("Igammac", IgammacFn, WB_SPECIAL_TYPES, "a", "x", "z");
WB_SPECIAL_OP_2("IgammaGradA", IgammaGradAFn, "{float, double}", "a", "x", "z");
WB_SPECIAL_OP_2("Zeta", ZetaFn, "{float, double}", "x", "q", "z");
WB_SPECIAL_OP_2("Polygamma", PolygammaFn, "{float, double}", "a", "x", "z");
WB_SPECIAL_OP_2("NextAfter", NextAfterFn, "{double, float} = float", "x1", "x2", "output");
WB_GPU_CODE(Ternary, "Betainc", BetaincFn, SameType, Singles);

#if WB_HOST_PASS

namespace {

// Betainc spreads scalars only, not as NumPy does.
class BetaincKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(auto elementwise,
                        (TernaryKernel<BetaincFn, TypeList<float, double>>::Create(init)));
    return std::make_unique<BetaincKernel>(std::move(elementwise));
  }
  explicit BetaincKernel(std::unique_ptr<Kernel> elementwise)
      : elementwise_(std::move(elementwise)) {}
  Status Compute(KernelContext& ctx) override {
    const Shape* shape = nullptr;
    for (int i = 0; i < 3; ++i) {
      const Shape& s = ctx.input(i).shape();
      if (s.rank() == 0) continue;
      if (shape != nullptr && *shape != s) {
        return InvalidArgument("inputs that are no scalars must have one shape, but there are ",
                               shape->ToString(), " and ", s.ToString());
      }
      shape = &s;
    }
    return elementwise_->Compute(ctx);
  }

 private:
  const std::unique_ptr<Kernel> elementwise_;
};

Status BetaincShape(ShapeContext& c) {
  PartialShape out = Shape();
  for (int i = 0; i < 3; ++i) {
    const PartialShape& s = c.input(i);
    if (!s.has_rank()) {
      c.set_output(0, PartialShape::Unknown());
      return OkStatus();
    }
    if (s.rank() == 0) continue;
    if (out.rank() == 0) {
      out = s;
    } else {
      WB_ASSIGN_OR_RETURN(out, PartialShape::Merge(out, s));
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

// Gradients. Of one argument: dy times the slope.
OutputRef F(GradContext& c, const char* op, OutputRef x) { return c.Emit(op, {x}); }
Status Times(GradContext& c, OutputRef slope) {
  c.set_dx(0, c.Mul(c.dy(0), slope));
  return OkStatus();
}
// The slope, but `at_zero` where x is 0 and the formula divides by it.
Status TimesUnlessZero(GradContext& c, OutputRef slope, double at_zero) {
  const OutputRef x = c.x(0), is_zero = c.Emit("Equal", {x, c.ScalarLike(x, 0)});
  return Times(c, c.Emit("SelectV2", {is_zero, c.ScalarLike(x, at_zero), slope}));
}
Status LgammaGradient(GradContext& c) { return Times(c, F(c, "Digamma", c.x(0))); }
Status DigammaGradient(GradContext& c) {
  return Times(c, c.Emit("Polygamma", {c.ScalarLike(c.x(0), 1), c.x(0)}));
}
Status NdtriGradient(GradContext& c) {
  const OutputRef y = c.y(0), half = c.Mul(F(c, "Square", y), c.ScalarLike(y, 0.5));
  return Times(c, c.Mul(c.ScalarLike(y, 2.5066282746310002), F(c, "Exp", half)));
}
Status ErfinvGradient(GradContext& c) {
  const OutputRef y = c.y(0);
  return Times(c, c.Mul(c.ScalarLike(y, 0.88622692545275801), F(c, "Exp", F(c, "Square", y))));
}
Status BesselI0Gradient(GradContext& c) { return Times(c, F(c, "BesselI1", c.x(0))); }
Status BesselI0eGradient(GradContext& c) {
  return Times(c, c.Sub(F(c, "BesselI1e", c.x(0)), c.Mul(F(c, "Sign", c.x(0)), c.y(0))));
}
Status BesselI1Gradient(GradContext& c) {
  return TimesUnlessZero(c, c.Sub(F(c, "BesselI0", c.x(0)), c.Div(c.y(0), c.x(0))), 1);
}
Status BesselI1eGradient(GradContext& c) {
  const OutputRef x = c.x(0), rest = c.Add(F(c, "Sign", x), F(c, "Reciprocal", x));
  return TimesUnlessZero(c, c.Sub(F(c, "BesselI0e", x), c.Mul(c.y(0), rest)), 0.5);
}
Status BesselK0Gradient(GradContext& c) { return Times(c, c.Neg(F(c, "BesselK1", c.x(0)))); }
Status BesselK0eGradient(GradContext& c) {
  return Times(c, c.Sub(c.y(0), F(c, "BesselK1e", c.x(0))));
}
Status BesselK1Gradient(GradContext& c) {
  return Times(c, c.Sub(c.Neg(F(c, "BesselK0", c.x(0))), c.Div(c.y(0), c.x(0))));
}
Status BesselK1eGradient(GradContext& c) {
  const OutputRef x = c.x(0), rest = c.Sub(c.ScalarLike(x, 1), F(c, "Reciprocal", x));
  return Times(c, c.Sub(c.Mul(c.y(0), rest), F(c, "BesselK0e", x)));
}
Status BesselJ0Gradient(GradContext& c) { return Times(c, c.Neg(F(c, "BesselJ1", c.x(0)))); }
Status BesselJ1Gradient(GradContext& c) {
  return TimesUnlessZero(c, c.Sub(F(c, "BesselJ0", c.x(0)), c.Div(c.y(0), c.x(0))), 0.5);
}
Status BesselY0Gradient(GradContext& c) { return Times(c, c.Neg(F(c, "BesselY1", c.x(0)))); }
Status BesselY1Gradient(GradContext& c) {
  return Times(c, c.Sub(F(c, "BesselY0", c.x(0)), c.Div(c.y(0), c.x(0))));
}
Status IncompleteGamma(GradContext& c, bool lower) {
  const OutputRef a = c.x(0), x = c.x(1), one = c.ScalarLike(a, 1);
  const OutputRef powers = c.Mul(c.Sub(a, one), F(c, "Log", x));
  OutputRef by_x = F(c, "Exp", c.Sub(c.Sub(powers, x), F(c, "Lgamma", a)));
  OutputRef by_a = c.Emit("IgammaGradA", {a, x});
  if (!lower) {
    by_x = c.Neg(by_x);
    by_a = c.Neg(by_a);
  }
  c.set_dx_broadcast(c.Mul(by_a, c.dy(0)), c.Mul(by_x, c.dy(0)));
  return OkStatus();
}
Status IgammaGradient(GradContext& c) { return IncompleteGamma(c, true); }
Status IgammacGradient(GradContext& c) { return IncompleteGamma(c, false); }
// Only the second argument's is known.
Status ZetaGradient(GradContext& c) {
  const OutputRef x = c.x(0), q = c.x(1);
  const OutputRef slope = c.Mul(c.Neg(x), c.Emit("Zeta", {c.Add(x, c.ScalarLike(x, 1)), q}));
  c.set_dx_broadcast(OutputRef(), c.Mul(slope, c.dy(0)));
  return OkStatus();
}
Status PolygammaGradient(GradContext& c) {
  const OutputRef n = c.x(0), x = c.x(1);
  const OutputRef slope = c.Emit("Polygamma", {c.Add(n, c.ScalarLike(n, 1)), x});
  c.set_dx_broadcast(OutputRef(), c.Mul(slope, c.dy(0)));
  return OkStatus();
}
Status NextAfterGradient(GradContext& c) {
  c.set_dx_broadcast(c.dy(0), c.ZerosLike(c.dy(0)));
  return OkStatus();
}
Status BetaincGradient(GradContext& c) {
  const OutputRef a = c.x(0), b = c.x(1), x = c.x(2), one = c.ScalarLike(a, 1);
  const OutputRef log_beta =
      c.Sub(c.Add(F(c, "Lgamma", a), F(c, "Lgamma", b)), F(c, "Lgamma", c.Add(a, b)));
  const OutputRef powers =
      c.Add(c.Mul(c.Sub(b, one), F(c, "Log1p", c.Neg(x))), c.Emit("Xlogy", {c.Sub(a, one), x}));
  const OutputRef dx = c.Mul(F(c, "Exp", c.Sub(powers, log_beta)), c.dy(0));
  // A scalar x was spread over the others' shape.
  const std::vector<OutputRef> axes =
      c.EmitAll("BroadcastGradientArgs", {c.ShapeOf(x), c.ShapeOf(c.y(0))});
  if (axes.size() == 2) c.set_dx(2, c.ReshapeLike(c.Emit("Sum", {dx, axes[0]}), x));
  return OkStatus();
}

}  // namespace

WB_OP("Betainc")
    .Input("a: T")
    .Input("b: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .Shape(BetaincShape);
WB_KERNEL("Betainc", BetaincKernel)
    .Cpu({{"T", TypeSetOf(Singles{})}})
    .Gpu({{"T", TypeSetOf(Singles{})}});

WB_GRADIENT("Lgamma", LgammaGradient);
WB_GRADIENT("Digamma", DigammaGradient);
WB_GRADIENT("Ndtri", NdtriGradient);
WB_GRADIENT("Erfinv", ErfinvGradient);
WB_GRADIENT("BesselI0", BesselI0Gradient);
WB_GRADIENT("BesselI1", BesselI1Gradient);
WB_GRADIENT("BesselI0e", BesselI0eGradient);
WB_GRADIENT("BesselI1e", BesselI1eGradient);
WB_GRADIENT("BesselK0", BesselK0Gradient);
WB_GRADIENT("BesselK1", BesselK1Gradient);
WB_GRADIENT("BesselK0e", BesselK0eGradient);
WB_GRADIENT("BesselK1e", BesselK1eGradient);
WB_GRADIENT("BesselJ0", BesselJ0Gradient);
WB_GRADIENT("BesselJ1", BesselJ1Gradient);
WB_GRADIENT("BesselY0", BesselY0Gradient);
WB_GRADIENT("BesselY1", BesselY1Gradient);
WB_GRADIENT("Igamma", IgammaGradient);
WB_GRADIENT("Igammac", IgammacGradient);
WB_GRADIENT("Zeta", ZetaGradient);
WB_GRADIENT("Polygamma", PolygammaGradient);
WB_GRADIENT("NextAfter", NextAfterGradient);
WB_GRADIENT("Betainc", BetaincGradient);

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
