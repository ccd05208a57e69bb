// tf.math's names of what is in frontend/ itself or in nn: `math::Abs` is `Abs`.
//
//   Output size = math::Sqrt(scope, math::ReduceSum(scope, math::Square(scope, x)));
//
// Ownership, thread safety and errors: those of the functions.
#ifndef WARPBEAM_FRONTEND_MATH_NAMES_H_
#define WARPBEAM_FRONTEND_MATH_NAMES_H_

#include "frontend/check/assertions.h"
#include "frontend/math.h"
#include "frontend/math/counting.h"
#include "frontend/math/elementwise.h"
#include "frontend/math/reductions.h"
#include "frontend/math/segments.h"
#include "frontend/nn.h"

namespace warpbeam {
namespace frontend {
namespace math {

using frontend::Abs;
using frontend::AccumulateN;
using frontend::Acos;
using frontend::Acosh;
using frontend::Add;
using frontend::AddN;
using frontend::Angle;
using frontend::ArgMax;
using frontend::ArgMin;
using frontend::Asin;
using frontend::Asinh;
using frontend::Atan;
using frontend::Atan2;
using frontend::Atanh;
using frontend::Betainc;
using frontend::Bincount;
using frontend::Ceil;
using frontend::ConfusionMatrix;
using frontend::Conj;
using frontend::Cos;
using frontend::Cosh;
using frontend::CountNonzero;
using frontend::Cumprod;
using frontend::Cumsum;
using frontend::Digamma;
using frontend::Divide;
using frontend::DivNoNan;
using frontend::Equal;
using frontend::Erf;
using frontend::Erfc;
using frontend::Exp;
using frontend::Expm1;
using frontend::Floor;
using frontend::FloorDivide;
using frontend::Greater;
using frontend::GreaterEqual;
using frontend::Igamma;
using frontend::Igammac;
using frontend::Imag;
using frontend::InvertPermutation;
using frontend::IsFinite;
using frontend::IsInf;
using frontend::IsNan;
using frontend::IsNonDecreasing;
using frontend::IsStrictlyIncreasing;
using frontend::Lbeta;
using frontend::Less;
using frontend::LessEqual;
using frontend::Lgamma;
using frontend::Log;
using frontend::Log1p;
using frontend::LogicalAnd;
using frontend::LogicalNot;
using frontend::LogicalOr;
using frontend::LogicalXor;
using frontend::LogSigmoid;
using frontend::Maximum;
using frontend::Minimum;
using frontend::Mod;
using frontend::Multiply;
using frontend::Negative;
using frontend::NotEqual;
using frontend::Polygamma;
using frontend::Pow;
using frontend::Real;
using frontend::Reciprocal;
using frontend::ReduceAll;
using frontend::ReduceAny;
using frontend::ReduceLogSumExp;
using frontend::ReduceMax;
using frontend::ReduceMean;
using frontend::ReduceMin;
using frontend::ReduceProd;
using frontend::ReduceSum;
using frontend::Rint;
using frontend::Round;
using frontend::Rsqrt;
using frontend::ScalarMul;
using frontend::SegmentMax;
using frontend::SegmentMean;
using frontend::SegmentMin;
using frontend::SegmentProd;
using frontend::SegmentSum;
using frontend::Sigmoid;
using frontend::Sign;
using frontend::Sin;
using frontend::Sinh;
using frontend::Sqrt;
using frontend::Square;
using frontend::SquaredDifference;
using frontend::Subtract;
using frontend::Tan;
using frontend::Tanh;
using frontend::UnsortedSegmentMax;
using frontend::UnsortedSegmentMean;
using frontend::UnsortedSegmentMin;
using frontend::UnsortedSegmentProd;
using frontend::UnsortedSegmentSqrtN;
using frontend::UnsortedSegmentSum;
using frontend::Zeta;

using nn::InTopK;
using nn::L2Normalize;
using nn::LogSoftmax;
using nn::Softmax;
using nn::Softplus;
using nn::Softsign;
using nn::ZeroFraction;

}  // namespace math
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MATH_NAMES_H_
