// Ops that place, order and number the elements of sparse tensors.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

OpTest& ToDense(OpTest&& test, Tensor indices, Tensor shape, Tensor values) {
  return test.Input(std::move(indices)).Input(std::move(shape)).Input(std::move(values));
}
Tensor Indices(std::initializer_list<int64_t> shape, std::initializer_list<int64_t> values) {
  return OpTest::Make<int64_t>(shape, values);
}
Tensor Floats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }
Tensor Numbers(std::initializer_list<int64_t> values) { return Tensor::Vector<int64_t>(values); }

TEST(SparseToDense, PlacesValues) {
  ToDense(OpTest("SparseToDense"), Indices({2, 2}, {0, 1, 1, 0}), Numbers({2, 2}), Floats({5, 6}))
      .Scalar<float>(-1)
      .Expect<float>({2, 2}, {-1, 5, 6, -1});
  ToDense(OpTest("SparseToDense"), Tensor::Scalar<int64_t>(1), Numbers({3}),
          Tensor::Scalar<float>(5))
      .Scalar<float>(0)
      .Expect<float>({3}, {0, 5, 0});
  ToDense(OpTest("SparseToDense"), Numbers({0, 2}), Numbers({3}), Tensor::Scalar<float>(5))
      .Scalar<float>(0)
      .Expect<float>({3}, {5, 0, 5});
  OpTest("SparseToDense")
      .Input<int32_t>({1, 1}, {1})
      .Input<int32_t>({1}, {2})
      .Input<std::string>({1}, {"x"})
      .Scalar<std::string>("none")
      .Expect<std::string>({2}, {"none", "x"});
}

TEST(SparseToDense, RefusesWhatDoesNotFit) {
  const auto refused = [](Tensor indices, Tensor shape, Tensor values, const char* why) {
    ToDense(OpTest("SparseToDense"), std::move(indices), std::move(shape), std::move(values))
        .Scalar<float>(0)
        .ExpectError(Code::kInvalidArgument, why);
  };
  refused(Indices({1, 2}, {0, 2}), Numbers({2, 2}), Floats({1}),
          "indices[0] = [0,2] is out of bounds: need 0 <= index < [2,2]");
  refused(Indices({1, 2}, {-1, 0}), Numbers({2, 2}), Floats({1}), "out of bounds");
  refused(Indices({2, 1}, {1, 0}), Numbers({2}), Floats({1, 2}),
          "indices[1] = [0] is out of order");
  refused(Indices({2, 1}, {1, 1}), Numbers({2}), Floats({1, 2}), "indices[1] = [1] is repeated");
  refused(Indices({2, 1}, {0, 1}), Numbers({2}), Floats({1, 2, 3}),
          "sparse_values has incorrect shape [3], should be [] or [2]");
  refused(Indices({2, 1}, {0, 1}), Numbers({2, 2}), Floats({1, 2}),
          "output_shape has incorrect number of elements: 2 should be: 1");
  refused(Indices({1, 1, 1}, {0}), Numbers({2}), Floats({1}), "matrix");
  refused(Indices({1, 1}, {0}), Numbers({-2}), Floats({1}), "");
  refused(Indices({1, 2}, {0, 0}), Numbers({int64_t{1} << 40, int64_t{1} << 40}), Floats({1}), "");
}

TEST(SparseToDense, WithoutValidationTheLastValueStays) {
  ToDense(OpTest("SparseToDense"), Indices({3, 1}, {1, 0, 1}), Numbers({2}), Floats({1, 2, 3}))
      .Attr("validate_indices", false)
      .Scalar<float>(0)
      .Expect<float>({2}, {2, 3});
  ToDense(OpTest("SparseToDense"), Indices({1, 1}, {2}), Numbers({2}), Floats({1}))
      .Attr("validate_indices", false)
      .Scalar<float>(0)
      .ExpectError(Code::kInvalidArgument, "out of bounds");
}

TEST(SparseReorder, OrdersRowsAndKeepsEqualOnes) {
  OpTest("SparseReorder")
      .Input<int64_t>({4, 2}, {1, 0, 0, 1, 1, 0, 0, 0})
      .Input<std::string>({4}, {"a", "b", "c", "d"})
      .Input<int64_t>({2}, {2, 2})
      .Expect<int64_t>({4, 2}, {0, 0, 0, 1, 1, 0, 1, 0})
      .Expect<std::string>({4}, {"d", "b", "a", "c"});
  OpTest("SparseReorder")
      .Input<int64_t>({0, 2}, {})
      .Input<float>({0}, {})
      .Input<int64_t>({2}, {2, 2})
      .Expect<int64_t>({0, 2}, {})
      .Expect<float>({0}, {});
}

TEST(SparseReorder, RefusesTensorsThatDoNotBelongTogether) {
  OpTest("SparseReorder")
      .Input<int64_t>({1, 2}, {0, 0})
      .Input<float>({2}, {1, 2})
      .Input<int64_t>({2}, {2, 2})
      .ExpectError(Code::kInvalidArgument);
  OpTest("SparseReorder")
      .Input<int64_t>({1, 2}, {0, 0})
      .Input<float>({1}, {1})
      .Input<int64_t>({3}, {2, 2, 2})
      .ExpectError(Code::kInvalidArgument);
  OpTest("SparseReorder")
      .Input<int64_t>({1, 2}, {0, 0})
      .Input<float>({1}, {1})
      .Input<int64_t>({2}, {2, -2})
      .ExpectError(Code::kInvalidArgument, "negative extent");
}

}  // namespace
}  // namespace warpbeam
