// Arithmetic gives TensorFlow's numbers, gradients and nodes.
#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

#define WB_UNARY(name, Function)                     \
  {                                                  \
    name, [](S s, X x) { return Function(s, x[0]); } \
  }
#define WB_BINARY(name, Function)                          \
  {                                                        \
    name, [](S s, X x) { return Function(s, x[0], x[1]); } \
  }
#define WB_TERNARY(name, Function)                               \
  {                                                              \
    name, [](S s, X x) { return Function(s, x[0], x[1], x[2]); } \
  }

std::vector<ValueRow> UnaryRows() {
  return {
      WB_UNARY("abs", Abs),
      WB_UNARY("abs_complex", Abs),
      {"accumulate_n",
       [](S s, X x) {
         return AccumulateN(s, {x[0], x[0]});
       }},
      {"accumulate_n_three",
       [](S s, X x) {
         return AccumulateN(s, {x[0], x[1], x[0]});
       }},
      WB_UNARY("acos", Acos),
      WB_UNARY("acosh", Acosh),
      {"add_n",
       [](S s, X x) {
         return AddN(s, {x[0], x[1]});
       }},
      WB_UNARY("angle_complex", Angle),
      WB_UNARY("asin", Asin),
      WB_UNARY("asinh", Asinh),
      WB_UNARY("atan", Atan),
      WB_UNARY("atanh", Atanh),
      WB_UNARY("bessel_i0", math::BesselI0),
      WB_UNARY("bessel_i0e", math::BesselI0e),
      WB_UNARY("bessel_i1", math::BesselI1),
      WB_UNARY("bessel_i1e", math::BesselI1e),
      {"cast", [](S s, X x) { return Cast(s, x[0], DType::kInt32); }},
      WB_UNARY("ceil", Ceil),
      {"check_numerics", [](S s, X x) { return CheckNumerics(s, x[0], "bad"); }},
      WB_UNARY("conj_complex", Conj),
      WB_UNARY("conj_of_real", Conj),
      WB_UNARY("cos", Cos),
      WB_UNARY("cosh", Cosh),
      WB_UNARY("digamma", Digamma),
      WB_UNARY("erf", Erf),
      WB_UNARY("erfc", Erfc),
      WB_UNARY("erfcinv", math::Erfcinv),
      WB_UNARY("erfinv", math::Erfinv),
      WB_UNARY("exp", Exp),
      WB_UNARY("expm1", Expm1),
      WB_UNARY("floor", Floor),
      WB_UNARY("imag_complex", Imag),
      WB_UNARY("invert", bitwise::Invert),
      WB_UNARY("invert_permutation", InvertPermutation),
      WB_UNARY("is_finite", IsFinite),
      WB_UNARY("is_inf", IsInf),
      WB_UNARY("is_nan", IsNan),
      WB_UNARY("is_non_decreasing", IsNonDecreasing),
      WB_UNARY("is_strictly_increasing", IsStrictlyIncreasing),
      WB_UNARY("lbeta", Lbeta),
      WB_UNARY("lgamma", Lgamma),
  };
}

std::vector<ValueRow> MoreUnaryRows() {
  return {
      WB_UNARY("log", Log),
      WB_UNARY("log1p", Log1p),
      WB_UNARY("log_sigmoid", LogSigmoid),
      WB_UNARY("logical_not", LogicalNot),
      WB_UNARY("ndtri", math::Ndtri),
      WB_UNARY("negative", Negative),
      WB_UNARY("real_complex", Real),
      WB_UNARY("real_of_real", Real),
      WB_UNARY("reciprocal", Reciprocal),
      WB_UNARY("reciprocal_no_nan", math::ReciprocalNoNan),
      WB_UNARY("rint", Rint),
      WB_UNARY("round", Round),
      WB_UNARY("round_integers", Round),
      WB_UNARY("rsqrt", Rsqrt),
      {"saturate_cast", [](S s, X x) { return SaturateCast(s, x[0], DType::kUInt8); }},
      WB_UNARY("sigmoid", Sigmoid),
      WB_UNARY("sign", Sign),
      WB_UNARY("sin", Sin),
      WB_UNARY("sinh", Sinh),
      WB_UNARY("softplus", nn::Softplus),
      WB_UNARY("softsign", nn::Softsign),
      WB_UNARY("sqrt", Sqrt),
      WB_UNARY("square", Square),
      WB_UNARY("tan", Tan),
      WB_UNARY("tanh", Tanh),
      WB_UNARY("to_bfloat16", ToBFloat16),
      WB_UNARY("to_complex128", ToComplex128),
      WB_UNARY("to_complex64", ToComplex64),
      WB_UNARY("to_double", ToDouble),
      WB_UNARY("to_float", ToFloat),
      WB_UNARY("to_int32", ToInt32),
      WB_UNARY("to_int64", ToInt64),
      {"verify_tensor_all_finite", [](S s, X x) { return VerifyTensorAllFinite(s, x[0], "bad"); }},
  };
}

std::vector<ValueRow> RowsOfTwo() {
  return {
      WB_BINARY("add", Add),
      WB_BINARY("atan2", Atan2),
      WB_TERNARY("betainc", Betainc),
      WB_BINARY("bitwise_and", bitwise::BitwiseAnd),
      WB_BINARY("bitwise_or", bitwise::BitwiseOr),
      WB_BINARY("bitwise_xor", bitwise::BitwiseXor),
      WB_BINARY("complex", Complex),
      WB_BINARY("div", Div),
      WB_BINARY("div_integers", Div),
      WB_BINARY("div_no_nan", DivNoNan),
      WB_BINARY("divide", Divide),
      WB_BINARY("divide_integers", Divide),
      WB_BINARY("divide_no_nan", DivNoNan),
      WB_BINARY("equal", Equal),
      WB_BINARY("floordiv", FloorDivide),
      WB_BINARY("floordiv_integers", FloorDivide),
      WB_BINARY("floormod", Mod),
      WB_BINARY("floormod_integers", Mod),
      WB_BINARY("greater", Greater),
      WB_BINARY("greater_equal", GreaterEqual),
      WB_BINARY("igamma", Igamma),
      WB_BINARY("igammac", Igammac),
      WB_BINARY("left_shift", bitwise::LeftShift),
      WB_BINARY("less", Less),
      WB_BINARY("less_equal", LessEqual),
      WB_BINARY("logical_and", LogicalAnd),
      WB_BINARY("logical_or", LogicalOr),
      WB_BINARY("logical_xor", LogicalXor),
      WB_BINARY("maximum", Maximum),
      WB_BINARY("minimum", Minimum),
      WB_BINARY("mod", Mod),
      WB_BINARY("multiply", Multiply),
      WB_BINARY("multiply_no_nan", math::MultiplyNoNan),
      WB_BINARY("nextafter", math::NextAfter),
      WB_BINARY("not_equal", NotEqual),
      WB_BINARY("polygamma", Polygamma),
      {"polyval",
       [](S s, X x) {
         return math::Polyval(s, {x[0], x[1], x[0]}, x[2]);
       }},
      WB_BINARY("pow", Pow),
      WB_BINARY("realdiv", RealDiv),
      WB_BINARY("right_shift", bitwise::RightShift),
      {"scalar_mul", [](S s, X x) { return ScalarMul(s, 2.5, x[0]); }},
      WB_BINARY("squared_difference", SquaredDifference),
      WB_BINARY("subtract", Subtract),
      WB_BINARY("truediv", Divide),
      WB_BINARY("truediv_integers", Divide),
      WB_BINARY("truncatediv_integers", TruncateDiv),
      WB_BINARY("truncatemod_integers", TruncateMod),
      WB_BINARY("xdivy", math::Xdivy),
      WB_BINARY("xlog1py", math::Xlog1py),
      WB_BINARY("xlogy", math::Xlogy),
      WB_BINARY("zeta", Zeta),
  };
}

#define WB_REDUCTION(name, Function)                                                    \
  {name, [](S s, X x) { return Function(s, x[0]); }}, {                                 \
    name "_rows", [](S s, X x) { return Function(s, x[0], std::vector<int>{1}, true); } \
  }

std::vector<ValueRow> ReductionRows() {
  return {
      {"argmax", [](S s, X x) { return ArgMax(s, x[0], 1); }},
      {"argmin", [](S s, X x) { return ArgMin(s, x[0], 0, DType::kInt32); }},
      {"count_nonzero", [](S s, X x) { return CountNonzero(s, x[0]); }},
      {"count_nonzero_rows",
       [](S s, X x) { return CountNonzero(s, x[0], 1, true, DType::kInt32); }},
      {"cumprod", [](S s, X x) { return Cumprod(s, x[0], 1, CumulativeOptions().reverse(true)); }},
      {"cumsum", [](S s, X x) { return Cumsum(s, x[0], 1, CumulativeOptions().exclusive(true)); }},
      WB_UNARY("cumulative_logsumexp", math::CumulativeLogsumexp),
      WB_UNARY("reduce_all", ReduceAll),
      {"reduce_all_rows", [](S s, X x) { return ReduceAll(s, x[0], 0, true); }},
      WB_UNARY("reduce_any", ReduceAny),
      {"reduce_any_rows", [](S s, X x) { return ReduceAny(s, x[0], 0, true); }},
      WB_UNARY("reduce_euclidean_norm", math::ReduceEuclideanNorm),
      {"reduce_euclidean_norm_rows",
       [](S s, X x) { return math::ReduceEuclideanNorm(s, x[0], 1, true); }},
      WB_REDUCTION("reduce_logsumexp", ReduceLogSumExp),
      WB_REDUCTION("reduce_max", ReduceMax),
      WB_REDUCTION("reduce_mean", ReduceMean),
      WB_REDUCTION("reduce_min", ReduceMin),
      WB_REDUCTION("reduce_prod", ReduceProd),
      WB_UNARY("reduce_std", math::ReduceStd),
      {"reduce_std_rows", [](S s, X x) { return math::ReduceStd(s, x[0], 1, true); }},
      WB_REDUCTION("reduce_sum", ReduceSum),
      WB_UNARY("reduce_variance", math::ReduceVariance),
      {"reduce_variance_rows", [](S s, X x) { return math::ReduceVariance(s, x[0], 1, true); }},
  };
}

#define WB_SPARSE_SEGMENT(name, Function)                                          \
  WB_TERNARY(name, Function), {                                                    \
    name "_with_number", [](S s, X x) { return Function(s, x[0], x[1], x[2], 4); } \
  }

std::vector<ValueRow> SegmentRows() {
  return {
      WB_BINARY("segment_max", SegmentMax),
      WB_BINARY("segment_mean", SegmentMean),
      WB_BINARY("segment_min", SegmentMin),
      WB_BINARY("segment_prod", SegmentProd),
      WB_BINARY("segment_sum", SegmentSum),
      WB_SPARSE_SEGMENT("sparse_segment_mean", SparseSegmentMean),
      WB_SPARSE_SEGMENT("sparse_segment_sqrt_n", SparseSegmentSqrtN),
      WB_SPARSE_SEGMENT("sparse_segment_sum", SparseSegmentSum),
      {"unsorted_segment_max", [](S s, X x) { return UnsortedSegmentMax(s, x[0], x[1], 4); }},
      {"unsorted_segment_mean", [](S s, X x) { return UnsortedSegmentMean(s, x[0], x[1], 4); }},
      {"unsorted_segment_min", [](S s, X x) { return UnsortedSegmentMin(s, x[0], x[1], 4); }},
      {"unsorted_segment_prod", [](S s, X x) { return UnsortedSegmentProd(s, x[0], x[1], 4); }},
      {"unsorted_segment_sqrt_n", [](S s, X x) { return UnsortedSegmentSqrtN(s, x[0], x[1], 4); }},
      {"unsorted_segment_sum", [](S s, X x) { return UnsortedSegmentSum(s, x[0], x[1], 4); }},
  };
}

std::vector<ValueRow> CountingRows() {
  return {
      {"bincount", [](S s, X x) { return Bincount(s, x[0]); }},
      {"bincount_weighted",
       [](S s, X x) { return Bincount(s, x[0], BincountOptions().weights(x[1]).minlength(8)); }},
      WB_BINARY("confusion_matrix", ConfusionMatrix),
      {"confusion_matrix_weighted",
       [](S s, X x) {
         return ConfusionMatrix(
             s, x[0], x[1],
             ConfusionMatrixOptions().num_classes(5).dtype(DType::kFloat).weights(x[2]));
       }},
      {"histogram_fixed_width",
       [](S s, X x) {
         return HistogramFixedWidth(s, x[0], {0.0f, 5.0f}, 5);
       }},
      {"histogram_fixed_width_bins",
       [](S s, X x) {
         return HistogramFixedWidthBins(s, x[0], {0.0f, 5.0f}, 5);
       }},
      {"setdiff1d",
       [](S s, X x) {
         const ListDifference difference = Setdiff1D(s, x[0], x[1]);
         return Built{difference.out, difference.idx};
       }},
      {"unique",
       [](S s, X x) {
         const auto [y, idx] = Unique(s, x[0]);
         return Built{y, idx};
       }},
      {"unique_with_counts",
       [](S s, X x) {
         const auto [y, idx, count] = UniqueWithCounts(s, x[0]);
         return Built{y, idx, count};
       }},
  };
}

TEST(MathValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows;
  for (const auto& some : {UnaryRows(), MoreUnaryRows(), RowsOfTwo(), ReductionRows(),
                           SegmentRows(), CountingRows()}) {
    rows.insert(rows.end(), some.begin(), some.end());
  }
  ExpectTensorFlowsValues("math", rows);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
