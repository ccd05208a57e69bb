#include <cmath>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

TEST(NthElement, CountsFromEitherEnd) {
  const auto x = OpTest::Make<float>({2, 3}, {3, 1, 2, 9, 7, 8});
  OpTest("NthElement").Input(x).Scalar<int32_t>(1).Expect<float>({2}, {2, 8});
  OpTest("NthElement").Attr("reverse", true).Input(x).Scalar<int32_t>(0).Expect<float>({2}, {3, 9});
  OpTest("NthElement").Input<uint8_t>({2}, {200, 5}).Scalar<int32_t>(1).ExpectScalar<uint8_t>(200);
  OpTest("NthElement").Input<float>({3}, {3, NAN, 1}).Scalar<int32_t>(1).ExpectScalar<float>(3);
  OpTest("NthElement").Input<float>({0, 2}, {}).Scalar<int32_t>(0).Expect<float>({0}, {});
}

TEST(NthElement, RefusesPlacesThatRowsLack) {
  const auto x = OpTest::Make<float>({3}, {3, 1, 2});
  OpTest("NthElement").Input(x).Scalar<int32_t>(3).ExpectError(kInvalid, "place 3");
  OpTest("NthElement").Input(x).Scalar<int32_t>(-1).ExpectError(kInvalid, "negative");
  OpTest("NthElement").Input(x).Input<int32_t>({1}, {1}).ExpectError(kInvalid);
  OpTest("NthElement").Scalar<float>(3).Scalar<int32_t>(0).ExpectError(kInvalid);
  OpTest("NthElement").Input<float>({2, 0}, {}).Scalar<int32_t>(0).ExpectError(kInvalid);
}

TEST(IsotonicRegression, PoolsWhatRises) {
  OpTest("IsotonicRegression")
      .Input<float>({2, 5}, {3, 1, 2, 4, 5, 5, 4, 3, 2, 1})
      .Expect<float>({2, 5}, {3, 3, 3, 3, 3, 5, 4, 3, 2, 1})
      .Expect<int32_t>({2, 5}, {0, 1, 1, 1, 1, 0, 1, 2, 3, 4});
  // Equal elements are runs of their own unless they are pooled with others.
  OpTest("IsotonicRegression")
      .Attr("output_dtype", DType::kDouble)
      .Input<int32_t>({1, 7}, {2, 2, 1, 1, 2, 0, 0})
      .Expect<double>({1, 7}, {2, 2, 4.0 / 3, 4.0 / 3, 4.0 / 3, 0, 0})
      .Expect<int32_t>({1, 7}, {0, 1, 2, 2, 2, 3, 4});
  OpTest("IsotonicRegression")
      .Input<float>({4}, {3, NAN, 2, 4})
      .Expect<float>({4}, {3, NAN, 3, 3})
      .Expect<int32_t>({4}, {0, 1, 2, 2});
  OpTest("IsotonicRegression").Scalar<float>(3).ExpectScalar<float>(3).ExpectScalar<int32_t>(0);
  OpTest("IsotonicRegression")
      .Input<float>({2, 0}, {})
      .Expect<float>({2, 0}, {})
      .Expect<int32_t>({2, 0}, {});
}

TEST(ComputeAccidentalHits, NamesRowAndPlace) {
  const float weight = -3.4028235e38f;
  OpTest("ComputeAccidentalHits")
      .Attr("num_true", 2)
      .Input<int64_t>({2, 2}, {1, 2, 3, 3})
      .Input<int64_t>({4}, {3, 1, 3, 5})
      .Expect<int32_t>({3}, {0, 1, 1})
      .Expect<int64_t>({3}, {1, 2, 2})
      .Expect<float>({3}, {weight, weight, weight});
  OpTest("ComputeAccidentalHits")
      .Attr("num_true", 0)
      .Input<int64_t>({2, 0}, {})
      .Input<int64_t>({1}, {3})
      .Expect<int32_t>({0}, {})
      .Expect<int64_t>({0}, {})
      .Expect<float>({0}, {});
  OpTest("ComputeAccidentalHits")
      .Attr("num_true", 1)
      .Input<int64_t>({1, 2}, {1, 2})
      .Input<int64_t>({1}, {3})
      .ExpectError(kInvalid, "num_true");
  OpTest("ComputeAccidentalHits")
      .Attr("num_true", 1)
      .Input<int64_t>({1, 1}, {1})
      .Input<int64_t>({1, 1}, {3})
      .ExpectError(kInvalid);
}

// As TensorFlow 2.21 has it on CPUs.
TEST(ApproxTopK, IsExact) {
  const Tensor x = OpTest::Make<float>({2, 8}, {3, 1, 4, 1, 5, 9, 2, 6, 2, 7, 1, 8, 2, 8, 1, 8});
  OpTest("ApproxTopK")
      .Attr("k", 3)
      .Attr("recall_target", 0.5f)
      .Input(x)
      .Expect<float>({2, 3}, {9, 6, 5, 8, 8, 8})
      .Expect<int32_t>({2, 3}, {5, 7, 4, 3, 5, 7});
  const auto code = StatusCode::kInvalidArgument;
  OpTest("ApproxTopK").Attr("k", 9).Input(x).ExpectError(code);
  OpTest("ApproxTopK").Attr("k", 1).Scalar<float>(3).ExpectError(code);
  for (const char* attr : {"is_max_k", "reduction_dimension"}) {
    OpTest test("ApproxTopK");
    test.Attr("k", 1).Input(x);
    if (std::string(attr) == "is_max_k") {
      test.Attr(attr, false);
    } else {
      test.Attr(attr, 0);
    }
    test.ExpectError(StatusCode::kUnimplemented, attr);
  }
}

}  // namespace
}  // namespace warpbeam
