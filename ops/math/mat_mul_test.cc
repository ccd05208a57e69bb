#include <complex>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Transposed(const std::vector<double>& x, int64_t rows, int64_t columns, bool transpose,
                  DType dtype) {
  std::vector<double> y(x.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      y[transpose ? j * rows + i : i * columns + j] = x[i * columns + j];
    }
  }
  const Shape shape = transpose ? Shape({columns, rows}) : Shape({rows, columns});
  auto cast =
      OpRunner("Cast").Attr("DstT", dtype).Input(Tensor::FromValues<double>(shape, y)).RunOne();
  return cast.ok() ? *cast : Tensor();
}

// Every transposition, at sizes below and above those at which products are split, with vectors on
// either side, and with sizes at which rows, or the depth, are shared out.
TEST(MatMul, AgreesWithTheDefinition) {
  struct Size {
    int64_t m, n, k;
  };
  for (const Size s : {Size{1, 1, 1}, Size{2, 3, 4}, Size{7, 130, 33}, Size{130, 7, 65},
                       Size{100, 260, 90}, Size{1, 300, 201}, Size{300, 1, 77}, Size{1, 1, 50},
                       Size{160, 96, 70}, Size{61, 70, 800}}) {
    std::vector<double> a(s.m * s.k), b(s.k * s.n), c(s.m * s.n, 0);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>(i * 7 % 11) - 5;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int>(i * 5 % 13) - 6;
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t l = 0; l < s.k; ++l) {
        for (int64_t j = 0; j < s.n; ++j) c[i * s.n + j] += a[i * s.k + l] * b[l * s.n + j];
      }
    }
    for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kInt32, DType::kComplex64}) {
      for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
          OpTest("MatMul")
              .Attr("transpose_a", ta)
              .Attr("transpose_b", tb)
              .Input(Transposed(a, s.m, s.k, ta, dtype))
              .Input(Transposed(b, s.k, s.n, tb, dtype))
              .Expect(Transposed(c, s.m, s.n, false, dtype));
        }
      }
    }
  }
}

TEST(MatMul, SixteenBitFloats) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16}) {
    OpTest("MatMul")
        .Input(Transposed({1, 2, 3, 4}, 2, 2, false, dtype))
        .Input(Transposed({5, 6, 7, 8}, 2, 2, false, dtype))
        .Expect(Transposed({19, 22, 43, 50}, 2, 2, false, dtype));
  }
}

TEST(MatMul, EmptyInnerDimensionGivesZeros) {
  OpTest("MatMul")
      .Input<float>({2, 0}, {})
      .Input<float>({0, 2}, {})
      .Expect<float>({2, 2}, {0, 0, 0, 0});
  OpTest("MatMul")
      .Input<float>({0, 2}, {})
      .Input<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Expect<float>({0, 3}, {});
}

TEST(MatMul, RefusesWhatDoesNotFit) {
  OpTest("MatMul")
      .Input<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Input<float>({2, 1}, {1, 2})
      .ExpectError(kInvalid, "Matrix size-incompatible: In[0]: ");
  OpTest("MatMul").Input<float>({2}, {1, 2}).Input<float>({2, 1}, {1, 2}).ExpectError(kInvalid);
}

TEST(BatchMatMul, LeadingDimensionsBroadcast) {
  OpTest("BatchMatMulV2")
      .Input<float>({2, 1, 2}, {1, 2, 3, 4})
      .Input<float>({2, 1}, {10, 1})
      .Expect<float>({2, 1, 1}, {12, 34});
  OpTest("BatchMatMul")
      .Input<double>({2, 1, 2}, {1, 2, 3, 4})
      .Input<double>({2, 2, 1}, {1, 1, 2, 2})
      .Expect<double>({2, 1, 1}, {3, 14});
  OpTest("BatchMatMul")
      .Input<float>({2, 1, 1}, {1, 2})
      .Input<float>({1, 1, 1}, {1})
      .ExpectError(kInvalid);
}

TEST(BatchMatMul, AdjointConjugates) {
  using C = std::complex<float>;
  OpTest("BatchMatMulV2")
      .Attr("adj_x", true)
      .Input<C>({1, 2, 1}, {C(0, 1), C(2, 0)})
      .Input<C>({1, 2, 1}, {C(1, 0), C(0, 3)})
      .Expect<C>({1, 1, 1}, {C(0, 5)});
}

// Few products, whose rows are shared out, and many, of which each thread takes whole ones.
TEST(BatchMatMul, LargeProducts) {
  constexpr int64_t kM = 149, kN = 72, kK = 88;
  for (const int64_t batches : {2, 10}) {
    for (const bool transpose : {false, true}) {
      std::vector<float> a(batches * kM * kK), b(kK * kN), want(batches * kM * kN);
      for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7 % 11) - 5;
      for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 5 % 13) - 6;
      for (int64_t i = 0; i < batches * kM; ++i) {
        for (int64_t l = 0; l < kK; ++l) {
          for (int64_t j = 0; j < kN; ++j) {
            want[i * kN + j] += a[i * kK + l] * b[transpose ? j * kK + l : l * kN + j];
          }
        }
      }
      const Shape b_shape = transpose ? Shape({kN, kK}) : Shape({kK, kN});
      OpTest("BatchMatMulV2")
          .Attr("adj_y", transpose)
          .Input(Tensor::FromValues<float>(Shape({batches, kM, kK}), a))
          .Input(Tensor::FromValues<float>(b_shape, b))
          .Expect(Tensor::FromValues<float>(Shape({batches, kM, kN}), want));
    }
  }
}

TEST(BatchMatMul, ManySmallProducts) {
  constexpr int64_t kBatches = 30;
  std::vector<float> x(kBatches * 4), want(kBatches);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 9);
  for (int64_t i = 0; i < kBatches; ++i) {
    for (int64_t k = 0; k < 4; ++k) want[i] += x[i * 4 + k] * x[i * 4 + k];
  }
  OpTest("BatchMatMulV3")
      .Attr("Tout", DType::kFloat)
      .Attr("adj_y", true)
      .Input(Tensor::FromValues<float>(Shape({kBatches, 1, 4}), x))
      .Input(Tensor::FromValues<float>(Shape({kBatches, 1, 4}), x))
      .Expect(Tensor::FromValues<float>(Shape({kBatches, 1, 1}), want));
}

TEST(BatchMatMul, BytesGiveIntegers) {
  OpTest("BatchMatMulV3")
      .Attr("Tout", DType::kInt32)
      .Input<int8_t>({1, 1, 2}, {-100, 100})
      .Input<uint8_t>({1, 2, 1}, {200, 100})
      .Expect<int32_t>({1, 1, 1}, {-10000});
}

}  // namespace
}  // namespace warpbeam
