// The functions that elementwise nodes of a GPU can be in one launch: a line for each, with its
// functor and the ops that it serves.
//
// WB_FUSED_FUNCTIONS calls a macro with kind, functor, number of inputs and ops; WB_FUSED_UPDATES
// with rule and ops, whose names follow "Apply" or "ResourceApply" (ops/training/update_rule.h).
// The ops' own kernels have the same functors, so that results are the same bit for bit.
//
//   #define WB_NAME(kind, Fn, inputs, ops) #Fn,
//   const char* const functors[] = {WB_FUSED_FUNCTIONS(WB_NAME)};
//
// Thread safety: compile-time only. Errors: none.
#ifndef WARPBEAM_OPS_FUSED_FUSED_FUNCTIONS_H_
#define WARPBEAM_OPS_FUSED_FUSED_FUNCTIONS_H_

#include "ops/launch/elementwise.h"
#include "ops/math/functors/binary_arithmetic.h"
#include "ops/math/functors/binary_division.h"
#include "ops/math/functors/clip_by_value.h"
#include "ops/math/functors/comparison.h"
#include "ops/math/functors/select.h"
#include "ops/math/functors/unary_arithmetic.h"
#include "ops/math/functors/unary_transcendental.h"
#include "ops/nn/functors/activations.h"
#include "ops/training/rules/adagrad.h"
#include "ops/training/rules/adam.h"
#include "ops/training/rules/ftrl.h"
#include "ops/training/rules/momentum.h"
#include "ops/training/rules/rms_prop.h"
#include "ops/training/rules/sign_update.h"

namespace warpbeam::WB_PASS {

// Which types a function takes and gives; numbers are float, half and bfloat16.
enum class FusedKind : uint8_t {
  kNumbers,     // of numbers of one type, one of that type
  kPredicate,   // of numbers of one type, a bool
  kLogic,       // of bools, a bool
  kChoice,      // of a bool and two numbers, or bools, of one type, one of that type
  kConversion,  // of a number or a bool, another
};

// Cast: what is read is a float, and rounding to the result's type is what follows every step.
struct ConvertFn {
  WB_HD float operator()(float x) const { return x; }
};
struct ConvertToBoolFn {
  WB_HD bool operator()(float x) const { return x != 0; }
};

// AssignAdd and AssignSub as rules.
template <class C>
struct SumRule {
  static constexpr int kVariables = 1;
  WB_HD explicit SumRule(const UpdateScalars<C>&) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[0] = Plus(s[0], g);
  }
};
template <class C>
struct DifferenceRule {
  static constexpr int kVariables = 1;
  WB_HD explicit DifferenceRule(const UpdateScalars<C>&) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[0] = Minus(s[0], g);
  }
};

#define WB_FUSED_FUNCTIONS(F)                                             \
  F(kConversion, ConvertFn, 1, "Cast")                                    \
  F(kConversion, ConvertToBoolFn, 1, "CastToBool")                        \
  F(kNumbers, AbsFn, 1, "Abs")                                            \
  F(kNumbers, NegFn, 1, "Neg")                                            \
  F(kNumbers, SignFn, 1, "Sign")                                          \
  F(kNumbers, ReciprocalFn, 1, "Inv Reciprocal")                          \
  F(kNumbers, SquareFn, 1, "Square")                                      \
  F(kNumbers, SqrtFn, 1, "Sqrt")                                          \
  F(kNumbers, RsqrtFn, 1, "Rsqrt")                                        \
  F(kNumbers, RoundFn, 1, "Round Rint")                                   \
  F(kNumbers, FloorFn, 1, "Floor")                                        \
  F(kNumbers, CeilFn, 1, "Ceil")                                          \
  F(kNumbers, ReciprocalGradFn, 2, "InvGrad ReciprocalGrad")              \
  F(kNumbers, SqrtGradFn, 2, "SqrtGrad")                                  \
  F(kNumbers, RsqrtGradFn, 2, "RsqrtGrad")                                \
  F(kNumbers, ExpFn, 1, "Exp")                                            \
  F(kNumbers, Expm1Fn, 1, "Expm1")                                        \
  F(kNumbers, LogFn, 1, "Log")                                            \
  F(kNumbers, Log1pFn, 1, "Log1p")                                        \
  F(kNumbers, SinFn, 1, "Sin")                                            \
  F(kNumbers, CosFn, 1, "Cos")                                            \
  F(kNumbers, TanFn, 1, "Tan")                                            \
  F(kNumbers, AsinFn, 1, "Asin")                                          \
  F(kNumbers, AcosFn, 1, "Acos")                                          \
  F(kNumbers, AtanFn, 1, "Atan")                                          \
  F(kNumbers, SinhFn, 1, "Sinh")                                          \
  F(kNumbers, CoshFn, 1, "Cosh")                                          \
  F(kNumbers, TanhFn, 1, "Tanh")                                          \
  F(kNumbers, AsinhFn, 1, "Asinh")                                        \
  F(kNumbers, AcoshFn, 1, "Acosh")                                        \
  F(kNumbers, AtanhFn, 1, "Atanh")                                        \
  F(kNumbers, ErfFn, 1, "Erf")                                            \
  F(kNumbers, ErfcFn, 1, "Erfc")                                          \
  F(kNumbers, SigmoidFn, 1, "Sigmoid")                                    \
  F(kNumbers, SigmoidGradFn, 2, "SigmoidGrad")                            \
  F(kNumbers, TanhGradFn, 2, "TanhGrad")                                  \
  F(kNumbers, AddFn, 2, "Add AddV2 AddN AccumulateNV2 BiasAdd BiasAddV1") \
  F(kNumbers, SubFn, 2, "Sub")                                            \
  F(kNumbers, MulFn, 2, "Mul")                                            \
  F(kNumbers, MulNoNanFn, 2, "MulNoNan")                                  \
  F(kNumbers, SquaredDifferenceFn, 2, "SquaredDifference")                \
  F(kNumbers, MaximumFn, 2, "Maximum")                                    \
  F(kNumbers, MinimumFn, 2, "Minimum")                                    \
  F(kNumbers, XlogyFn, 2, "Xlogy")                                        \
  F(kNumbers, Xlog1pyFn, 2, "Xlog1py")                                    \
  F(kNumbers, XdivyFn, 2, "Xdivy")                                        \
  F(kNumbers, Atan2Fn, 2, "Atan2")                                        \
  F(kNumbers, PowFn, 2, "Pow")                                            \
  F(kNumbers, RealDivFn, 2, "RealDiv Div")                                \
  F(kNumbers, DivNoNanFn, 2, "DivNoNan")                                  \
  F(kNumbers, TruncateDivFn, 2, "TruncateDiv")                            \
  F(kNumbers, FloorDivFn, 2, "FloorDiv")                                  \
  F(kNumbers, FloorModFn, 2, "FloorMod")                                  \
  F(kNumbers, ClipFn, 3, "ClipByValue")                                   \
  F(kNumbers, ReluFn, 1, "Relu")                                          \
  F(kNumbers, Relu6Fn, 1, "Relu6")                                        \
  F(kNumbers, LeakyReluFn, 1, "LeakyRelu")                                \
  F(kNumbers, EluFn, 1, "Elu")                                            \
  F(kNumbers, SeluFn, 1, "Selu")                                          \
  F(kNumbers, SoftplusFn, 1, "Softplus")                                  \
  F(kNumbers, SoftsignFn, 1, "Softsign")                                  \
  F(kNumbers, ReluGradFn, 2, "ReluGrad")                                  \
  F(kNumbers, Relu6GradFn, 2, "Relu6Grad")                                \
  F(kNumbers, LeakyReluGradFn, 2, "LeakyReluGrad")                        \
  F(kNumbers, EluGradFn, 2, "EluGrad")                                    \
  F(kNumbers, SeluGradFn, 2, "SeluGrad")                                  \
  F(kNumbers, SoftplusGradFn, 2, "SoftplusGrad")                          \
  F(kNumbers, SoftsignGradFn, 2, "SoftsignGrad")                          \
  F(kPredicate, LessFn, 2, "Less")                                        \
  F(kPredicate, LessEqualFn, 2, "LessEqual")                              \
  F(kPredicate, GreaterFn, 2, "Greater")                                  \
  F(kPredicate, GreaterEqualFn, 2, "GreaterEqual")                        \
  F(kPredicate, EqualFn, 2, "Equal")                                      \
  F(kPredicate, NotEqualFn, 2, "NotEqual")                                \
  F(kPredicate, ApproximateEqualFn, 2, "ApproximateEqual")                \
  F(kPredicate, IsNanFn, 1, "IsNan")                                      \
  F(kPredicate, IsInfFn, 1, "IsInf")                                      \
  F(kPredicate, IsFiniteFn, 1, "IsFinite")                                \
  F(kLogic, LogicalAndFn, 2, "LogicalAnd")                                \
  F(kLogic, LogicalOrFn, 2, "LogicalOr")                                  \
  F(kLogic, LogicalNotFn, 1, "LogicalNot")                                \
  F(kChoice, ChooseFn, 3, "Select SelectV2")

#define WB_FUSED_UPDATES(F)                 \
  F(SumRule, "AssignAdd")                   \
  F(DifferenceRule, "AssignSub")            \
  F(GradientDescentRule, "GradientDescent") \
  F(MomentumRule, "Momentum")               \
  F(KerasMomentumRule, "KerasMomentum")     \
  F(AdamRule, "Adam")                       \
  F(AmsgradRule, "AdamWithAmsgrad")         \
  F(AdaMaxRule, "AdaMax")                   \
  F(RmsPropRule, "RMSProp")                 \
  F(CenteredRmsPropRule, "CenteredRMSProp") \
  F(AdadeltaRule, "Adadelta")               \
  F(AdagradRule, "Adagrad")                 \
  F(AdagradV2Rule, "AdagradV2")             \
  F(ProximalAdagradRule, "ProximalAdagrad") \
  F(FtrlRule, "Ftrl")                       \
  F(FtrlV2Rule, "FtrlV2")                   \
  F(AddSignRule, "AddSign")                 \
  F(PowerSignRule, "PowerSign")

// GpuProgram::Step::function.
enum FusedFunction : int16_t {
#define WB_ENUMERATOR(kind, Fn, inputs, ops) k##Fn,
  WB_FUSED_FUNCTIONS(WB_ENUMERATOR)
#undef WB_ENUMERATOR
#define WB_ENUMERATOR(Rule, ops) k##Rule,
      WB_FUSED_UPDATES(WB_ENUMERATOR)
#undef WB_ENUMERATOR
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_FUSED_FUSED_FUNCTIONS_H_
