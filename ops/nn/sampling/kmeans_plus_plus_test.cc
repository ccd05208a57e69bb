// Draws of centers: the same as TensorFlow 2.21's for the same seeds.
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Points() {
  std::vector<float> values;
  for (int i = 0; i < 23; ++i) {
    values.push_back(static_cast<float>(i * i % 17));
    values.push_back(static_cast<float>(i * 7 % 11));
  }
  return Tensor::FromValues<float>(Shape({23, 2}), values);
}

OpTest& Draw(OpTest&& test, Tensor points, int64_t count, int64_t seed, int64_t retries) {
  return test.Input(std::move(points))
      .Scalar<int64_t>(count)
      .Scalar<int64_t>(seed)
      .Scalar<int64_t>(retries);
}

TEST(KmeansPlusPlusInitialization, DrawsOfASeed) {
  const char* op = "KmeansPlusPlusInitialization";
  Draw(OpTest(op), Points(), 5, 0, -1).Expect<float>({5, 2}, {1, 7, 15, 4, 8, 7, 2, 0, 8, 2});
  Draw(OpTest(op), Points(), 5, 1, 0).Expect<float>({5, 2}, {1, 5, 16, 4, 9, 10, 0, 0, 8, 7});
  Draw(OpTest(op), Points(), 5, 2, 1).Expect<float>({5, 2}, {1, 7, 15, 5, 8, 7, 1, 2, 8, 0});
  Draw(OpTest(op), Points(), 5, 4, 3).Expect<float>({5, 2}, {8, 2, 1, 5, 16, 4, 9, 10, 2, 0});
  Draw(OpTest(op), Points(), 4, 1099511627781, -1).Expect<float>({4, 2}, {9, 8, 1, 7, 15, 4, 0, 0});
  Draw(OpTest(op), Points(), 4, -3, -1).Expect<float>({4, 2}, {4, 3, 15, 5, 4, 6, 9, 8});
  // More than there are places.
  const Tensor same = OpTest::Make<float>({3, 2}, {1, 1, 1, 1, 1, 1});
  Draw(OpTest(op), same, 3, 1, 0).Expect(same);
  Draw(OpTest(op), OpTest::Make<float>({3, 0}, {}), 2, 1, 0).Expect<float>({2, 0}, {});
}

TEST(KmeansPlusPlusInitialization, Refused) {
  const char* op = "KmeansPlusPlusInitialization";
  Draw(OpTest(op), Points(), 0, 1, 0).ExpectError(kInvalid, "Expected num_to_sample > 0.");
  Draw(OpTest(op), Points(), 24, 1, 0)
      .ExpectError(kInvalid, "Expected num_to_sample <= points.rows(). 24 vs 23.");
  Draw(OpTest(op), OpTest::Make<float>({0, 2}, {}), 1, 1, 0)
      .ExpectError(kInvalid, "Expected points.rows() > 0.");
  Draw(OpTest(op), OpTest::Make<float>({2}, {1, 2}), 1, 1, 0)
      .ExpectError(kInvalid, "Input points should be a matrix");
}

TEST(KMC2ChainInitialization, LastStates) {
  const Tensor distances = OpTest::Make<float>({10}, {90, 80, 50, 30, 20, 10, 5, 3, 1, .5f});
  const std::vector<std::pair<int64_t, int64_t>> states = {
      {0, 4}, {1, 5}, {2, 4}, {3, 1}, {6, 4}, {7, 3}, {8, 8}, {9, 7}, {int64_t{1} << 33, 7},
      {-7, 1}};
  for (const auto& [seed, state] : states) {
    OpTest("KMC2ChainInitialization")
        .Input(distances)
        .Scalar<int64_t>(seed)
        .ExpectScalar<int64_t>(state);
  }
  OpTest("KMC2ChainInitialization")
      .Input<float>({0}, {})
      .Scalar<int64_t>(1)
      .ExpectError(kInvalid, "Expected distances_tensor.size() > 0.");
  OpTest("KMC2ChainInitialization")
      .Input<float>({1, 2}, {1, 2})
      .Scalar<int64_t>(1)
      .ExpectError(kInvalid, "Input distances should be a vector");
}

}  // namespace
}  // namespace warpbeam
