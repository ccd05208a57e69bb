// Qr, Eig, SelfAdjointEig, Svd, MatrixSolveLs, MatrixSquareRoot, MatrixLogarithm and
// MatrixExponential.
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using C = std::complex<float>;

std::vector<Tensor> Outputs(OpRunner& runner) {
  auto outputs = runner.Run();
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return outputs.ok() ? *std::move(outputs) : std::vector<Tensor>();
}

// The product of matrices of one batch.
Tensor Product(const Tensor& a, const Tensor& b, bool adj_a, bool adj_b) {
  const int64_t m = a.dim(adj_a ? 1 : 0), k = a.dim(adj_a ? 0 : 1), n = b.dim(adj_b ? 0 : 1);
  std::vector<double> out(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l) {
        out[i * n + j] += a.data<double>()[adj_a ? l * m + i : i * k + l] *
                          b.data<double>()[adj_b ? j * k + l : l * n + j];
      }
    }
  }
  return Tensor::FromValues<double>(Shape({m, n}), out);
}

Tensor Waves(int64_t rows, int64_t cols) {
  std::vector<double> x(rows * cols);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.0 + 3.7 * static_cast<double>(i * i));
  return Tensor::FromValues<double>(Shape({rows, cols}), x);
}

void ExpectNear(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.shape(), want.shape());
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    EXPECT_NEAR(got.data<double>()[i], want.data<double>()[i], 1e-9) << i;
  }
}

void ExpectIdentity(const Tensor& got) {
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    EXPECT_NEAR(got.data<double>()[i], i % (got.dim(1) + 1) == 0 ? 1 : 0, 1e-9) << i;
  }
}

TEST(Qr, FactorsMultiplyToTheMatrix) {
  for (const auto& [rows, cols] : {std::pair(5, 3), std::pair(3, 5), std::pair(60, 50)}) {
    for (const bool full : {false, true}) {
      const Tensor a = Waves(rows, cols);
      OpRunner runner("Qr");
      runner.Attr("full_matrices", full).Input(a);
      const std::vector<Tensor> qr = Outputs(runner);
      ASSERT_EQ(qr.size(), 2u);
      EXPECT_EQ(qr[0].dim(1), full ? rows : std::min(rows, cols));
      ExpectNear(Product(qr[0], qr[1], false, false), a);
      ExpectIdentity(Product(qr[0], qr[0], true, false));
      EXPECT_EQ(qr[1].data<double>()[cols], 0);
    }
  }
}

TEST(Qr, OtherTypesAndEmptyMatrices) {
  OpTest("Qr")
      .Input<Half>({1, 1}, {Half(-2.0f)})
      .Expect<Half>({1, 1}, {Half(1.0f)})
      .Expect<Half>({1, 1}, {Half(-2.0f)});
  OpTest("Qr").Input<C>({0, 2}, {}).Expect<C>({0, 0}, {}).Expect<C>({0, 2}, {});
  OpTest("Qr")
      .Attr("full_matrices", true)
      .Input<float>({2, 0}, {})
      .Expect<float>({2, 2}, {1, 0, 0, 1})
      .Expect<float>({2, 0}, {});
}

TEST(SelfAdjointEig, ValuesAscendAndVectorsBelongToThem) {
  OpRunner runner("SelfAdjointEigV2");
  runner.Input(OpTest::Make<double>({1, 3, 3}, {2, 9, 9, 1, 2, 9, 0, 1, 2}));
  const std::vector<Tensor> ev = Outputs(runner);
  ASSERT_EQ(ev.size(), 2u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(ev[0].data<double>()[i], 2 + (i - 1) * std::sqrt(2), 1e-12);
  }
  const Tensor v =
      Tensor::FromValues<double>(Shape({3, 3}), Span<const double>(ev[1].data<double>(), 9));
  ExpectIdentity(Product(v, v, true, false));
}

TEST(SelfAdjointEig, WithoutVectorsAndInOneMatrix) {
  OpTest("SelfAdjointEigV2")
      .Attr("compute_v", false)
      .Input<C>({2, 2}, {C(2), C(9), C(0, 1), C(2)})
      .Expect<C>({2}, {C(1), C(3)})
      .Expect<C>({0}, {});
  OpTest("SelfAdjointEig").Input<float>({1, 1}, {3}).Expect<float>({2, 1}, {3, 1});
  OpTest("BatchSelfAdjointEig").Input<double>({0, 2, 2}, {}).Expect<double>({0, 3, 2}, {});
  OpTest("SelfAdjointEigV2")
      .Input<float>({0, 0}, {})
      .Expect<float>({0}, {})
      .Expect<float>({0, 0}, {});
}

TEST(SelfAdjointEig, RefusesNanAndWhatIsNotSquare) {
  OpTest("SelfAdjointEigV2").Input<float>({2, 2}, {kNaN, 1, 1, 2}).ExpectError(kInvalid, "NaN");
  OpTest("SelfAdjointEigV2").Input<float>({1, 2}, {1, 2}).ExpectError(kInvalid, "square");
}

using Z = std::complex<double>;

// Values as TensorFlow 2.21 gives them.
TEST(Eig, ValuesAndVectorsOfRealAndComplexMatrices) {
  OpTest("Eig")
      .Attr("Tout", DType::kComplex128)
      .Input<double>({2, 2}, {1, 2, 3, 4})
      .Expect<Z>({2}, {-0.3722813232690143, 5.372281323269014})
      .Expect<Z>({2, 2}, {-0.8245648401323938, -0.4159735579192842, 0.5657674649689923,
                          -0.9093767091321241});
  const double half = std::sqrt(0.5);
  OpTest("Eig")
      .Attr("Tout", DType::kComplex128)
      .Input<double>({2, 2}, {0, 1, -1, 0})
      .Expect<Z>({2}, {Z(0, 1), Z(0, -1)})
      .Expect<Z>({2, 2}, {half, half, Z(0, half), Z(0, -half)});
  OpTest("Eig")
      .Attr("Tout", DType::kComplex128)
      .Input<Z>({2, 2}, {0, 1, -1, 0})
      .Expect<Z>({2}, {Z(0, 1), Z(0, -1)})
      .Expect<Z>({2, 2}, {half, Z(0, half), Z(0, half), half});
  OpTest("Eig")
      .Attr("Tout", DType::kComplex64)
      .Attr("compute_v", false)
      .Input<float>({1, 2, 2}, {1, 2, 3, 4})
      .Expect<C>({1, 2}, {-0.37228132f, 5.3722813f})
      .Expect<C>({0}, {});
  OpTest("Eig")
      .Attr("Tout", DType::kComplex128)
      .Input<double>({0, 2, 2}, {})
      .Expect<Z>({0, 2}, {})
      .Expect<Z>({0, 2, 2}, {});
}

TEST(Eig, Refused) {
  const auto refused = [](Tensor x, DType out, const char* why) {
    OpTest("Eig").Attr("Tout", out).Input(std::move(x)).ExpectError(kInvalid, why);
  };
  const auto single = DType::kComplex64;
  refused(OpTest::Make<float>({2, 2}, {kNaN, 1, 1, 1}), single, "might not be valid");
  refused(OpTest::Make<C>({2, 2}, {kInf, 1, 1, 1}), single, "might not be valid");
  refused(OpTest::Make<float>({1, 2}, {1, 1}), single, "");
  refused(OpTest::Make<float>({2}, {1, 1}), single, "");
  refused(OpTest::Make<float>({1, 1}, {1}), DType::kComplex128, "Invalid output dtype");
}

TEST(MatrixLogarithm, PrincipalLogarithm) {
  OpTest("MatrixLogarithm")
      .Input<Z>({2, 2, 2}, {1, 2, 3, 4, 2, 0, 0, 3})
      .Expect<Z>(
          {2, 2, 2},
          {Z(-0.3504398139985536, 2.391117954451725), Z(0.9293512057047018, -1.0937621702091036),
           Z(1.3940268085570526, -1.6406432553136558), Z(1.0435869945584992, 0.7504746991380689),
           0.6931471805599453, 0, 0, 1.0986122886681098})
      .Within(1e-12, 1e-12);
  OpTest("MatrixLogarithm").Input<C>({1, 1}, {-1}).Expect<C>({1, 1}, {C(0, 3.14159265f)});
  OpTest("MatrixLogarithm").Input<C>({0, 0}, {}).Expect<C>({0, 0}, {});
  OpTest("MatrixLogarithm")
      .Input<C>({2, 2}, {kNaN, 0, 0, 1})
      .Expect<C>({2, 2}, {kNaN, kNaN, kNaN, kNaN});
  OpTest("MatrixLogarithm").Input<C>({1, 2}, {1, 1}).ExpectError(kInvalid, "square");
  const auto zero = OpRunner("MatrixLogarithm").Input(OpTest::Make<C>({1, 1}, {0})).RunOne();
  ASSERT_TRUE(zero.ok()) << zero.status();
}

// Values as TensorFlow 2.21 gives them.
TEST(MatrixExponential, OfRealAndComplexMatrices) {
  OpTest("MatrixExponential")
      .Input<double>({2, 2}, {1, 2, 3, 4})
      .Expect<double>({2, 2},
                      {51.968956198705, 74.7365645670032, 112.10484685050483, 164.07380304920986})
      .Within(1e-12, 1e-12);
  OpTest("MatrixExponential")
      .Input<float>({2, 2, 2}, {0, 1, -1, 0, 0, 0, 0, 0})
      .Expect<float>({2, 2, 2}, {0.5403023f, 0.841471f, -0.841471f, 0.5403023f, 1, 0, 0, 1});
  OpTest("MatrixExponential")
      .Input<Z>({2, 2}, {Z(0, 1), 2, 0, 1})
      .Expect<Z>({2, 2}, {Z(0.5403023058681397, 0.8414709848078965),
                          Z(3.0194505073988016, 1.336508537783009), 0, 2.7182818284590455})
      .Within(1e-12, 1e-12);
  OpTest("MatrixExponential")
      .Input<float>({2, 2}, {kInf, 0, 0, 1})
      .Expect<float>({2, 2}, {kNaN, kNaN, kNaN, kNaN});
  OpTest("MatrixExponential").Input<float>({0, 0}, {}).Expect<float>({0, 0}, {});
  OpTest("MatrixExponential").Input<float>({1, 2}, {1, 1}).ExpectError(kInvalid, "square");
}

TEST(Svd, FactorsMultiplyToTheMatrix) {
  for (const auto& [rows, cols] : {std::pair(5, 3), std::pair(3, 5), std::pair(30, 24)}) {
    for (const bool full : {false, true}) {
      const Tensor a = Waves(rows, cols);
      OpRunner runner("Svd");
      runner.Attr("full_matrices", full).Input(a);
      const std::vector<Tensor> suv = Outputs(runner);
      ASSERT_EQ(suv.size(), 3u);
      ExpectIdentity(Product(suv[1], suv[1], true, false));
      ExpectIdentity(Product(suv[2], suv[2], true, false));
      const int64_t least = std::min(rows, cols), u_cols = suv[1].dim(1), v_cols = suv[2].dim(1);
      std::vector<double> diagonal(u_cols * v_cols);
      for (int64_t i = 0; i < least; ++i) {
        diagonal[i * (v_cols + 1)] = suv[0].data<double>()[i];
        if (i > 0) {
          EXPECT_LE(suv[0].data<double>()[i], suv[0].data<double>()[i - 1]);
        }
      }
      const Tensor s = Tensor::FromValues<double>(Shape({u_cols, v_cols}), diagonal);
      ExpectNear(Product(Product(suv[1], s, false, false), suv[2], false, true), a);
    }
  }
}

TEST(Svd, ValuesOnlyNanAndEmpty) {
  OpTest("Svd")
      .Attr("compute_uv", false)
      .Input<C>({2, 2}, {C(0), C(0, -3), C(4), C(0)})
      .Expect<C>({2}, {C(4), C(3)})
      .Expect<C>({0}, {})
      .Expect<C>({0}, {});
  OpTest("Svd")
      .Input<float>({1, 1}, {kInf})
      .Expect<float>({1}, {kNaN})
      .Expect<float>({1, 1}, {kNaN})
      .Expect<float>({1, 1}, {kNaN});
  OpTest("BatchSvd")
      .Attr("full_matrices", true)
      .Input<double>({2, 0}, {})
      .Expect<double>({0}, {})
      .Expect<double>({2, 2}, {1, 0, 0, 1})
      .Expect<double>({0, 0}, {});
}

TEST(MatrixSolveLs, TallWideAndOfLowRank) {
  for (const bool fast : {true, false}) {
    OpTest("MatrixSolveLs")
        .Attr("fast", fast)
        .Input<double>({3, 2}, {1, 0, 0, 1, 0, 0})
        .Input<double>({3, 1}, {2, 3, 100})
        .Scalar<double>(0)
        .Expect<double>({2, 1}, {2, 3});
    OpTest("MatrixSolveLs")
        .Attr("fast", fast)
        .Input<C>({1, 2}, {C(0, 1), C(1)})
        .Input<C>({1, 1}, {C(2)})
        .Scalar<double>(0)
        .Expect<C>({2, 1}, {C(0, -1), C(1)});
  }
  OpTest("MatrixSolveLs")
      .Attr("fast", false)
      .Input<float>({2, 2}, {1, 2, 2, 4})
      .Input<float>({2, 1}, {1, 2})
      .Scalar<double>(0)
      .Expect<float>({2, 1}, {0.2f, 0.4f});
}

TEST(MatrixSolveLs, RegularizerAndEmptySystems) {
  OpTest("MatrixSolveLs")
      .Input<float>({1, 1, 1}, {2})
      .Input<float>({1, 1, 1}, {3})
      .Scalar<double>(2)
      .Expect<float>({1, 1, 1}, {1});
  OpTest("BatchMatrixSolveLs")
      .Input<float>({0, 2}, {})
      .Input<float>({0, 1}, {})
      .Scalar<double>(0)
      .Expect<float>({2, 1}, {0, 0});
}

TEST(MatrixSolveLs, RefusesLowRankAndBadRegularizers) {
  OpTest("MatrixSolveLs")
      .Input<float>({2, 2}, {1, 2, 2, 4})
      .Input<float>({2, 1}, {1, 2})
      .Scalar<double>(0)
      .ExpectError(kInvalid, "rank");
  OpTest("MatrixSolveLs")
      .Input<float>({1, 1}, {1})
      .Input<float>({1, 1}, {1})
      .Scalar<double>(-1)
      .ExpectError(kInvalid, "negative");
  OpTest("MatrixSolveLs")
      .Input<float>({1, 1}, {1})
      .Input<float>({1, 1}, {1})
      .Input<double>({1}, {1})
      .ExpectError(kInvalid);
}

TEST(MatrixSolveLs, RankIsThatOfTheRoundedElements) {
  // Rank 1 but for the rounding of the elements.
  OpTest("MatrixSolveLs")
      .Attr("fast", false)
      .Input<float>({2, 2}, {0.1f, 0.2f, 0.3f, 0.6f})
      .Input<float>({2, 1}, {0.1f, 0.3f})
      .Scalar<double>(0)
      .Within(1e-5, 1e-5)
      .Expect<float>({2, 1}, {0.2f, 0.4f});
}

TEST(MatrixSquareRoot, PrincipalRoot) {
  OpTest("MatrixSquareRoot")
      .Input<double>({2, 2, 2}, {33, 24, 48, 57, 4, 0, 0, 9})
      .Expect<double>({2, 2, 2}, {5, 2, 4, 7, 2, 0, 0, 3});
  OpTest("MatrixSquareRoot")
      .Input<C>({2, 2}, {C(-4), C(0), C(0), C(9)})
      .Expect<C>({2, 2}, {C(0, 2), C(0), C(0), C(3)});
  OpTest("MatrixSquareRoot").Input<float>({0, 3, 3}, {}).Expect<float>({0, 3, 3}, {});
}

TEST(MatrixSquareRoot, OfRealMatricesWithComplexEigenvaluesIsReal) {
  const double s = std::sqrt(0.75);  // half of a turn by 120 degrees is one by 60
  OpTest("MatrixSquareRoot")
      .Input<double>({2, 2}, {-0.5, -s, s, -0.5})
      .Expect<double>({2, 2}, {0.5, -s, s, 0.5});
}

TEST(MatrixSquareRoot, NoRootGivesNan) {
  OpTest("MatrixSquareRoot").Input<float>({1, 1}, {-1}).Expect<float>({1, 1}, {kNaN});
  OpTest("MatrixSquareRoot").Input<float>({1, 1}, {kInf}).Expect<float>({1, 1}, {kNaN});
  OpTest("MatrixSquareRoot").Input<float>({1, 2}, {1, 2}).ExpectError(kInvalid, "square");
}

}  // namespace
}  // namespace warpbeam
