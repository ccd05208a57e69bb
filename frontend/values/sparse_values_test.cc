// Sparse tensors and sets give TensorFlow's numbers and gradients.
#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

Output Places(S s, const std::vector<int64_t>& numbers) {
  return Constant(s, numbers, DType::kInt64, Shape({static_cast<int64_t>(numbers.size() / 2), 2}));
}

SparseTensor Made(S s, const std::vector<int64_t>& places, const Output& values, int64_t rows,
                  int64_t columns) {
  return {Places(s, places), values, Constant(s, std::vector<int64_t>{rows, columns})};
}

SparseTensor A(S s, const Output& values) { return Made(s, {0, 0, 0, 2, 1, 1}, values, 2, 3); }
SparseTensor B(S s, const Output& values) { return Made(s, {0, 1, 0, 2, 1, 0}, values, 2, 3); }
Built Parts(const SparseTensor& x) { return {x.indices, x.values, x.dense_shape}; }

std::vector<ValueRow> SparseRows() {
  return {
      {"add", [](S s, X x) { return Parts(SparseAdd(s, A(s, x[0]), B(s, x[1]))); }},
      {"add_dense", [](S s, X x) { return SparseAdd(s, A(s, x[0]), x[1]); }},
      {"maximum", [](S s, X x) { return Parts(sparse::Maximum(s, A(s, x[0]), B(s, x[1]))); }},
      {"minimum", [](S s, X x) { return Parts(sparse::Minimum(s, A(s, x[0]), B(s, x[1]))); }},
      {"concat",
       [](S s, X x) {
         return Parts(sparse::Concat(s, 1, {A(s, x[0]), B(s, x[1])}));
       }},
      {"split",
       [](S s, X x) {
         std::vector<Output> all;
         for (const SparseTensor& part : sparse::Split(s, A(s, x[0]), 3, 1)) {
           all.insert(all.end(), {part.indices, part.values, part.dense_shape});
         }
         return all;
       }},
      {"bincount", [](S s, X x) { return Parts(sparse::Bincount(s, x[0])); }},
      {"bincount_rows",
       [](S s, X x) {
         const auto rows = SparseBincountOptions().axis(-1).minlength(9).maxlength(12);
         return Parts(sparse::Bincount(s, x[0], rows, x[1]));
       }},
      {"bincount_binary",
       [](S s, X x) {
         const auto binary = SparseBincountOptions().axis(-1).binary_output(true).maxlength(3);
         return Parts(sparse::Bincount(s, x[0], binary));
       }},
      {"bincount_sparse",
       [](S s, X x) {
         return Parts(sparse::Bincount(s, A(s, x[0]), SparseBincountOptions(), A(s, x[1])));
       }},
      {"bincount_sparse_rows",
       [](S s, X x) {
         const auto rows = SparseBincountOptions().axis(-1);
         return Parts(sparse::Bincount(s, A(s, x[0]), rows, A(s, x[1])));
       }},
      {"fill_empty_rows",
       [](S s, X x) {
         const auto [tensor, empty] =
             sparse::FillEmptyRows(s, Made(s, {0, 1, 2, 0, 2, 1}, x[0], 4, 2), 9);
         return Built{tensor.indices, tensor.values, tensor.dense_shape, empty};
       }},
      {"reduce_sum", [](S s, X x) { return sparse::ReduceSum(s, A(s, x[0])); }},
      {"reduce_sum_rows", [](S s, X x) { return SparseReduceSum(s, A(s, x[0]), Input(1), true); }},
      {"reduce_max", [](S s, X x) { return sparse::ReduceMax(s, A(s, x[0]), Input(0)); }},
      {"reduce_sum_sparse",
       [](S s, X x) { return Parts(sparse::ReduceSumSparse(s, A(s, x[0]), Input(1))); }},
      {"reduce_max_sparse",
       [](S s, X x) { return Parts(sparse::ReduceMaxSparse(s, A(s, x[0]), Input(1))); }},
      {"reorder",
       [](S s, X x) {
         return Parts(sparse::Reorder(s, Made(s, {1, 0, 0, 2, 0, 1}, x[0], 2, 3)));
       }},
  };
}

std::vector<ValueRow> FormRows() {
  return {
      {"reshape",
       [](S s, X x) {
         return Parts(sparse::Reshape(s, A(s, x[0]), {3, -1}));
       }},
      {"reset_shape",
       [](S s, X x) {
         return Parts(sparse::ResetShape(s, Made(s, {0, 0, 0, 2, 1, 1}, x[0], 5, 5)));
       }},
      {"reset_shape_to",
       [](S s, X x) {
         return Parts(sparse::ResetShape(s, A(s, x[0]), Input({4, 4})));
       }},
      {"retain",
       [](S s, X x) {
         Tensor keep = *Tensor::Allocate(DType::kBool, Shape({3}));
         keep.data<bool>()[0] = keep.data<bool>()[2] = true;
         keep.data<bool>()[1] = false;
         return Parts(sparse::Retain(s, A(s, x[0]), keep));
       }},
      {"slice",
       [](S s, X x) {
         return Parts(sparse::Slice(s, A(s, x[0]), {0, 1}, {2, 2}));
       }},
      {"transpose", [](S s, X x) { return Parts(sparse::Transpose(s, A(s, x[0]))); }},
      {"softmax", [](S s, X x) { return Parts(sparse::Softmax(s, A(s, x[0]))); }},
      {"dense_matmul", [](S s, X x) { return sparse::SparseDenseMatmul(s, A(s, x[0]), x[1]); }},
      {"dense_matmul_adjoint",
       [](S s, X x) { return SparseTensorDenseMatMul(s, A(s, x[0]), x[1], true); }},
      {"to_dense", [](S s, X x) { return sparse::ToDense(s, A(s, x[0]), Input(7)); }},
      {"to_dense_strings", [](S s, X x) { return SparseTensorToDense(s, A(s, x[0])); }},
      {"sparse_to_dense",
       [](S s, X x) {
         return SparseToDense(s, Places(s, {0, 0, 0, 2, 1, 1}),
                              Constant(s, std::vector<int64_t>{2, 3}), x[0]);
       }},
      {"to_indicator", [](S s, X x) { return sparse::ToIndicator(s, A(s, x[0]), 5); }},
      {"merge", [](S s, X x) { return Parts(sparse::Merge(s, A(s, x[0]), A(s, x[1]), 5)); }},
      {"mask",
       [](S s, X x) {
         const IndexedSlices slices = {x[0], Constant(s, {3, 5, 7}), Output()};
         const IndexedSlices left = sparse::Mask(s, slices, std::vector<int>{5});
         return Built{left.values, left.indices};
       }},
      {"from_dense", [](S s, X x) { return Parts(sparse::FromDense(s, x[0])); }},
      {"eye", [](S s, X x) { return Parts(sparse::Eye(s, 2, 3)); }},
      {"expand_dims", [](S s, X x) { return Parts(sparse::ExpandDims(s, A(s, x[0]), 1)); }},
      {"cross",
       [](S s, X x) {
         return Parts(sparse::Cross(
             s, {Made(s, {0, 0, 1, 0, 1, 1}, x[0], 2, 2), Made(s, {0, 0, 1, 0}, x[1], 2, 1)}));
       }},
      {"cross_hashed",
       [](S s, X x) {
         return Parts(sparse::CrossHashed(
             s, {Made(s, {0, 0, 1, 0, 1, 1}, x[0], 2, 2), Made(s, {0, 0, 1, 0}, x[1], 2, 1)}, 100));
       }},
  };
}

std::vector<ValueRow> SetRows() {
  return {
      {"set_size", [](S s, X x) { return sets::Size(s, A(s, x[0])); }},
      {"intersection", [](S s, X x) { return Parts(sets::Intersection(s, x[0], x[1])); }},
      {"union", [](S s, X x) { return Parts(sets::Union(s, x[0], x[1])); }},
      {"difference", [](S s, X x) { return Parts(sets::Difference(s, x[0], x[1])); }},
      {"difference_back", [](S s, X x) { return Parts(sets::Difference(s, x[0], x[1], false)); }},
      {"union_sparse", [](S s, X x) { return Parts(sets::Union(s, A(s, x[0]), B(s, x[1]))); }},
      {"intersection_mixed",
       [](S s, X x) { return Parts(sets::Intersection(s, x[0], B(s, x[1]))); }},
  };
}

TEST(SparseValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows = SparseRows();
  for (const auto& more : {FormRows(), SetRows()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  ExpectTensorFlowsValues("sparse", rows);
}

TEST(SparseValuesTest, APlaceholderIsFedInParts) {
  const Scope root = Scope::NewRoot();
  const SparseTensor x = SparsePlaceholder(root, DType::kFloat, {2, 3});
  EXPECT_EQ(x.rank(), 2);
  EXPECT_EQ(x.values.name(), "Placeholder/values:0");
  ClientSession session(root);
  const auto sum = session.Run({{x.indices, Tensor::FromValues<int64_t>(Shape({1, 2}), {1, 2})},
                                {x.values, Tensor::Vector<float>({5})}},
                               {SparseTensorToDense(root, x)});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ((*sum)[0].data<float>()[5], 5);
}

TEST(SparseValuesTest, BadArgumentsAreErrorsOfTheScope) {
  for (const auto& build : std::vector<std::function<void(S)>>{
           [](S s) { SparseConcat(s, 0, {}); },
           [](S s) { SparseSplit(s, A(s, Zeros(s, {3})), 0); },
           [](S s) {
             SparseTranspose(s, A(s, Zeros(s, {3})), {0, 0});
           },
           [](S s) { sparse::Eye(s, -1); },
           [](S s) { sparse::ExpandDims(s, A(s, Zeros(s, {3})), 4); },
           [](S s) { sparse::Cross(s, {}); },
       }) {
    const Scope root = Scope::NewRoot();
    build(root);
    EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument) << root.status();
  }
}

TEST(SparseValuesTest, NothingDereferencesATensorThatIsNotValid) {
  const Scope root = Scope::NewRoot();
  root.Fail(InvalidArgument("first"));
  const SparseTensor none;
  EXPECT_EQ(none.rank(), -1);
  SparseAdd(root, none, none);
  SparseReduceSum(root, none);
  SparseTensorToDense(root, none);
  SparseToIndicator(root, none, 3);
  SparseTranspose(root, none);
  SparseResetShape(root, none, Input({1}));
  sparse::FromDense(root, Output());
  sparse::ExpandDims(root, none);
  EXPECT_EQ(root.status().message().find("first"), 0u) << root.status();
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
