#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

class InitializeTableFromDataset : public ::testing::Test {
 protected:
  void SetUp() override {
    table_ = *OpRunner("HashTableV2")
                  .Attr("shared_name", std::string("t"))
                  .Attr("key_dtype", DType::kInt64)
                  .Attr("value_dtype", DType::kFloat)
                  .Resources(&store_)
                  .RunOne();
  }
  // Its elements are the rows of the components.
  static Tensor Dataset(std::vector<Tensor> components) {
    std::vector<PartialShape> shapes(components.size(), PartialShape(Shape()));
    auto dataset = OpRunner("TensorSliceDataset")
                       .Attr("output_shapes", shapes)
                       .InputList(std::move(components))
                       .RunOne();
    EXPECT_TRUE(dataset.ok()) << dataset.status();
    return dataset.ok() ? *dataset : Tensor();
  }
  Status Initialize(std::vector<Tensor> components) {
    return OpRunner("InitializeTableFromDataset")
        .Resources(&store_)
        .Input(table_)
        .Input(Dataset(std::move(components)))
        .Run()
        .status();
  }
  StatusOr<Tensor> Find(Tensor keys) {
    return OpRunner("LookupTableFindV2")
        .Resources(&store_)
        .Input(table_)
        .Input(std::move(keys))
        .Input(Tensor::Scalar<float>(-1))
        .RunOne();
  }
  static Tensor Keys(std::vector<int64_t> keys) { return Tensor::Vector<int64_t>(keys); }
  static Tensor Values(std::vector<float> values) { return Tensor::Vector<float>(values); }

  ResourceStore store_;
  Tensor table_;
};

TEST_F(InitializeTableFromDataset, PairsOfKeyAndValue) {
  ASSERT_TRUE(Initialize({Keys({1, 2, 1}), Values({10, 20, 10})}).ok());
  const auto found = Find(Keys({2, 3, 1}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->data<float>()[0], 20);
  EXPECT_EQ(found->data<float>()[1], -1);
  EXPECT_EQ(found->data<float>()[2], 10);
}

TEST_F(InitializeTableFromDataset, Refusals) {
  EXPECT_EQ(Initialize({Keys({1, 1}), Values({10, 20})}).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Initialize({Keys({}), Values({})}).code(), Code::kOutOfRange);
  EXPECT_EQ(Initialize({Keys({1})}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Initialize({Keys({1}), Values({1}), Values({1})}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Initialize({Values({1}), Values({1})}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Initialize({Keys({1}), Keys({1})}).code(), Code::kInvalidArgument);
  EXPECT_EQ(OpRunner("InitializeTableFromDataset")
                .Resources(&store_)
                .Input(table_)
                .Input(Tensor::Scalar(Variant()))
                .Run()
                .status()
                .code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Find(Keys({1})).status().code(), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace warpbeam
