#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "ops/math/einsum/einsum_equation.h"

namespace warpbeam {
namespace {

class Einsum : public ::testing::Test {
 protected:
  const Tensor matrix_ = OpTest::Make<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor square_ = OpTest::Make<float>({2, 2}, {1, 2, 3, 4});

  static void Check(const std::string& equation, std::vector<Tensor> inputs, Tensor want) {
    SCOPED_TRACE(equation);
    OpTest("Einsum").Attr("equation", equation).InputList(std::move(inputs)).Expect(want);
  }
};

TEST_F(Einsum, OneOperand) {
  Check("ij->ji", {matrix_}, OpTest::Make<float>({3, 2}, {1, 4, 2, 5, 3, 6}));
  Check("ij->i", {matrix_}, OpTest::Make<float>({2}, {6, 15}));
  Check("ij->", {matrix_}, Tensor::Scalar<float>(21));
  Check("ii->i", {square_}, OpTest::Make<float>({2}, {1, 4}));
  Check("ii->", {square_}, Tensor::Scalar<float>(5));
  Check("i->ii", {OpTest::Make<float>({2}, {7, 8})}, OpTest::Make<float>({2, 2}, {7, 0, 0, 8}));
  Check("...ij->...ji", {OpTest::Make<float>({1, 1, 2}, {1, 2})},
        OpTest::Make<float>({1, 2, 1}, {1, 2}));
}

TEST_F(Einsum, TwoOperands) {
  Check("ij,jk->ik", {square_, matrix_}, OpTest::Make<float>({2, 3}, {9, 12, 15, 19, 26, 33}));
  Check("ij,jk->ki", {square_, matrix_}, OpTest::Make<float>({3, 2}, {9, 19, 12, 26, 15, 33}));
  Check("ji,kj->ik", {square_, square_}, OpTest::Make<float>({2, 2}, {7, 15, 10, 22}));
  Check("i,j->ij", {OpTest::Make<float>({2}, {1, 2}), OpTest::Make<float>({2}, {3, 4})},
        OpTest::Make<float>({2, 2}, {3, 4, 6, 8}));
  Check("ij,ij->", {matrix_, matrix_}, Tensor::Scalar<float>(91));
  Check("ij,k->ik", {square_, OpTest::Make<float>({1}, {2})}, OpTest::Make<float>({2, 1}, {6, 14}));
  Check(
      "bij,bjk->bik",
      {OpTest::Make<float>({2, 1, 2}, {1, 2, 3, 4}), OpTest::Make<float>({2, 2, 1}, {5, 6, 7, 8})},
      OpTest::Make<float>({2, 1, 1}, {17, 53}));
  Check("...ij,...jk->...ik",
        {OpTest::Make<float>({1, 1, 2}, {1, 2}), OpTest::Make<float>({2, 2, 1}, {5, 6, 7, 8})},
        OpTest::Make<float>({2, 1, 1}, {17, 23}));
  Check("->...", {Tensor::Scalar<float>(2)}, Tensor::Scalar<float>(2));
  Check("i->...i", {OpTest::Make<float>({2}, {1, 2})}, OpTest::Make<float>({2}, {1, 2}));
  Check("ij,jk->ik", {OpTest::Make<int32_t>({1, 2}, {1, 2}), OpTest::Make<int32_t>({2, 1}, {3, 4})},
        OpTest::Make<int32_t>({1, 1}, {11}));
  Check("ij,jk->ik", {OpTest::Make<float>({2, 0}, {}), OpTest::Make<float>({0, 1}, {})},
        OpTest::Make<float>({2, 1}, {0, 0}));
}

TEST_F(Einsum, EquationsThatDoNotFit) {
  const auto refused = [&](const std::string& equation, std::vector<Tensor> inputs) {
    OpTest("Einsum").Attr("equation", equation).InputList(std::move(inputs)).ExpectError(kInvalid);
  };
  refused("ij", {matrix_});
  refused("ij->k", {matrix_});
  refused("ijk->i", {matrix_});
  refused("i->i", {matrix_});
  refused("ij,jk->ik", {matrix_});
  refused("ij,jk->ik", {matrix_, matrix_});
  refused("i1->i", {matrix_});
  refused("...i->i", {matrix_});
  refused("...ij,...jk->ik", {OpTest::Make<float>({1, 1, 2}, {1, 2}), matrix_});
}

TEST(EinsumEquationTest, EllipsesAreAlignedFromTheRight) {
  const auto e = EinsumEquation::Parse("a...,...b->...", 2);
  ASSERT_TRUE(e.ok()) << e.status();
  const auto labels = e->Bind({2, 3});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(labels->inputs[0], LabelList({'a', -1}));
  EXPECT_EQ(labels->inputs[1], LabelList({-2, -1, 'b'}));
  EXPECT_EQ(labels->output, LabelList({-2, -1}));
}

}  // namespace
}  // namespace warpbeam
