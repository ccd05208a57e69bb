#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

// Rows below, at and above the length of a vector.
TEST(Softmax, AgreesWithTheDefinition) {
  for (const int64_t n : {1, 2, 7, 8, 10, 33, 100}) {
    constexpr int64_t kRows = 5;
    Tensor x = *Tensor::Allocate(DType::kFloat, Shape({kRows, n}));
    Tensor softmax = *x.Clone(), logarithm = *x.Clone();
    for (int64_t i = 0; i < kRows; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        x.data<float>()[i * n + j] = static_cast<float>((i * 31 + j * 17) % 23) * 8 - 90;
        sum += std::exp(static_cast<double>(x.data<float>()[i * n + j]));
      }
      for (int64_t j = 0; j < n; ++j) {
        const double logit = x.data<float>()[i * n + j];
        softmax.data<float>()[i * n + j] = static_cast<float>(std::exp(logit) / sum);
        logarithm.data<float>()[i * n + j] = static_cast<float>(logit - std::log(sum));
      }
    }
    OpTest("Softmax").Input(x).Expect(softmax).Within(1e-9, 1e-5);
    OpTest("LogSoftmax").Input(x).Expect(logarithm).Within(1e-5, 1e-6);
  }
}

TEST(Softmax, SpecialRows) {
  OpTest("Softmax")
      .Input<float>({3, 2}, {kInf, 1, kNaN, 1, 1e4f, -kInf})
      .Expect<float>({3, 2}, {kNaN, kNaN, kNaN, kNaN, 1, 0});
  OpTest("Softmax")
      .Input<Half>({2}, {Half(0.0f), Half(0.0f)})
      .Expect<Half>({2}, {Half(0.5f), Half(0.5f)});
  OpTest("Softmax").Input<float>({2, 0}, {}).Expect<float>({2, 0}, {});
  OpTest("Softmax").Scalar<float>(1).ExpectError(kInvalid);
}

TEST(SoftmaxCrossEntropy, LossAndBackprop) {
  OpTest("SoftmaxCrossEntropyWithLogits")
      .Input<float>({1, 2}, {1, 2})
      .Input<float>({2, 2}, {0, 1, 0.3f, 0.3f})
      .Expect<float>({2}, {0.31326166f, 0.487957f})
      .Expect<float>({2, 2}, {0.26894143f, -0.26894143f, -0.03105858f, 0.4310586f})
      .Within(1e-6, 1e-6);
  OpTest("SoftmaxCrossEntropyWithLogits")
      .Input<float>({1, 3}, {0, 0, 0})
      .Input<float>({1, 1}, {1})
      .Expect<float>({1}, {3.2958369f})
      .Expect<float>({1, 3}, {-0.6666667f, -0.6666667f, -0.6666667f})
      .Within(1e-6, 1e-6);
  OpTest("SoftmaxCrossEntropyWithLogits")
      .Input<float>({2, 3}, {0, 0, 0, 0, 0, 0})
      .Input<float>({2, 2}, {0, 0, 0, 0})
      .ExpectError(kInvalid);
  OpTest("SoftmaxCrossEntropyWithLogits")
      .Input<float>({2}, {0, 0})
      .Input<float>({2}, {0, 0})
      .ExpectError(kInvalid);
  OpTest("SoftmaxCrossEntropyWithLogits")
      .Input<float>({0, 2}, {})
      .Input<float>({0, 2}, {})
      .Expect<float>({0}, {})
      .Expect<float>({0, 2}, {});
}

TEST(SoftmaxCrossEntropy, Sparse) {
  const auto logits = OpTest::Make<float>({2, 2}, {1, 2, 3, 1});
  OpTest("SparseSoftmaxCrossEntropyWithLogits")
      .Input(logits)
      .Input<int32_t>({2}, {0, 1})
      .Expect<float>({2}, {1.3132616f, 2.126928f})
      .Expect<float>({2, 2}, {-0.7310586f, 0.7310586f, 0.880797f, -0.8807971f})
      .Within(1e-6, 1e-6);
  const auto refused = [&](Tensor x, Tensor labels, const char* why = "") {
    OpTest("SparseSoftmaxCrossEntropyWithLogits").Input(x).Input(labels).ExpectError(kInvalid, why);
  };
  refused(logits, OpTest::Make<int64_t>({2}, {0, 2}),
          "Received a label value of 2 which is outside the valid range of [0, 2)");
  refused(logits, OpTest::Make<int64_t>({2}, {0, -1}));
  refused(logits, OpTest::Make<int64_t>({1}, {0}));
  refused(OpTest::Make<float>({2, 0}, {}), OpTest::Make<int64_t>({2}, {0, 0}));
}

TEST(L2Loss, HalfTheSumOfSquares) {
  OpTest("L2Loss").Input<float>({2, 2}, {1, 2, 3, 4}).ExpectScalar<float>(15);
  OpTest("L2Loss").Input<float>({0}, {}).ExpectScalar<float>(0);
  OpTest("L2Loss").Input<BFloat16>({1}, {BFloat16(3.0f)}).ExpectScalar<BFloat16>(BFloat16(4.5f));
}

TEST(InTopK, CountsBetterClasses) {
  const auto p = OpTest::Make<float>({3, 3}, {1, 2, 3, 1, 2, kInf, 1, 1, 1});
  const auto targets = OpTest::Make<int32_t>({3}, {1, 2, 2});
  OpTest("InTopKV2")
      .Input(p)
      .Input(targets)
      .Scalar<int32_t>(2)
      .Expect<bool>({3}, {true, false, true});
  OpTest("InTopK")
      .Attr("k", int64_t{1})
      .Input(p)
      .Input(targets)
      .Expect<bool>({3}, {false, false, true});
  OpTest("InTopKV2")
      .Input<float>({1, 2}, {1, 2})
      .Input<int64_t>({1}, {5})
      .Scalar<int64_t>(2)
      .Expect<bool>({1}, {false});
  OpTest("InTopKV2").Input(p).Input<int32_t>({1}, {0}).Scalar<int32_t>(1).ExpectError(kInvalid);
}

TEST(TopK, GreatestFirst) {
  const auto x = OpTest::Make<float>({2, 4}, {1, 3, 3, 2, 9, 8, 7, 6});
  OpTest("TopKV2")
      .Input(x)
      .Scalar<int32_t>(3)
      .Expect<float>({2, 3}, {3, 3, 2, 9, 8, 7})
      .Expect<int32_t>({2, 3}, {1, 2, 3, 0, 1, 2});
  OpTest("TopK")
      .Attr("k", int64_t{1})
      .Input(x)
      .Expect<float>({2, 1}, {3, 9})
      .Expect<int32_t>({2, 1}, {1, 0});
  OpTest("TopKV2")
      .Attr("index_type", DType::kInt16)
      .Input<uint8_t>({3}, {4, 5, 6})
      .Scalar<int64_t>(0)
      .Expect<uint8_t>({0}, {})
      .Expect<int16_t>({0}, {});
  OpTest("TopKV2").Input(x).Scalar<int32_t>(5).ExpectError(kInvalid);
  OpTest("TopKV2").Input(x).Scalar<int32_t>(-1).ExpectError(kInvalid, "Need k >= 0, got -1");
}

}  // namespace
}  // namespace warpbeam
