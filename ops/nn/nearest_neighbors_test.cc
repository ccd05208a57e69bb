// NearestNeighbors, against what TensorFlow 2.21 gives.
#include <limits>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Points() { return OpTest::Make<float>({3, 2}, {1, 1, 2, 3, 10, 0}); }
Tensor Centers() { return OpTest::Make<float>({4, 2}, {0, 0, 1, 2, 9, 0, 2, 2}); }

OpTest& Nearest(OpTest&& test, Tensor points, Tensor centers, int64_t k) {
  return test.Input(std::move(points)).Input(std::move(centers)).Scalar<int64_t>(k);
}

TEST(NearestNeighbors, NearestFirst) {
  Nearest(OpTest("NearestNeighbors"), Points(), Centers(), 1)
      .Expect<int64_t>({3, 1}, {1, 3, 2})
      .Expect<float>({3, 1}, {1, 1, 1});
  Nearest(OpTest("NearestNeighbors"), Points(), Centers(), 9)
      .Expect<int64_t>({3, 4}, {1, 0, 3, 2, 3, 1, 0, 2, 2, 3, 1, 0})
      .Expect<float>({3, 4}, {1, 2, 2, 65, 1, 2, 13, 58, 1, 68, 85, 100});
  Nearest(OpTest("NearestNeighbors"), Points(), Centers(), 0)
      .Expect<int64_t>({3, 0}, {})
      .Expect<float>({3, 0}, {});
  Nearest(OpTest("NearestNeighbors"), Points(), OpTest::Make<float>({0, 2}, {}), 1)
      .Expect<int64_t>({3, 0}, {})
      .Expect<float>({3, 0}, {});
  Nearest(OpTest("NearestNeighbors"), OpTest::Make<float>({2, 0}, {}),
          OpTest::Make<float>({int64_t{1} << 40, 0}, {}), 2)
      .Expect<int64_t>({2, 2}, {0, 1, 0, 1})
      .Expect<float>({2, 2}, {0, 0, 0, 0});
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  Nearest(OpTest("NearestNeighbors"), OpTest::Make<float>({1, 2}, {kNaN, 0}), Centers(), 2)
      .Expect<int64_t>({1, 2}, {0, 1})
      .Expect<float>({1, 2}, {kNaN, kNaN});
}

TEST(NearestNeighbors, Refused) {
  const auto refused = [](Tensor points, Tensor centers, int64_t k, const char* why) {
    Nearest(OpTest("NearestNeighbors"), std::move(points), std::move(centers), k)
        .ExpectError(kInvalid, why);
  };
  refused(Points(), Centers(), -1, "negative");
  refused(Points(), OpTest::Make<float>({4, 1}, {1, 2, 3, 4}), 1,
          "Expected point_dimensions == center_dimensions");
  refused(Tensor::Vector<float>({1, 1}), Centers(), 1, "");
  refused(Points(), Tensor::Vector<float>({1, 1}), 1, "");
  refused(OpTest::Make<float>({0, 2}, {}), Centers(), 1, "points.rows() > 0");
}

}  // namespace
}  // namespace warpbeam
