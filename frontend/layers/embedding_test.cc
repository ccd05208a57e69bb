// Embeddings: rows of whole and partitioned tables, weighted lists of rows, their gradients.
#include "frontend/layers/embedding.h"

#include <cmath>

#include "absl/strings/string_view.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/control.h"
#include "frontend/gradients.h"
#include "frontend/math.h"
#include "frontend/variables/variable_scope.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

// Row i of a table of seven rows is [i, i / 10], however the table is cut.
struct Tables {
  Variable Part(const char* name, const std::vector<int>& rows) const {
    std::vector<double> values;
    for (int row : rows) {
      values.push_back(row);
      values.push_back(row / 10.0);
    }
    return GetVariable(root, name, {static_cast<int64_t>(rows.size()), 2},
                       ConstantInitializer(values));
  }
  std::vector<float> Run(const Output& x) const {
    EXPECT_TRUE(root.ok()) << root.status();
    if (!root.ok()) return {};
    const Operation init = GlobalVariablesInitializer(root);
    ClientSession session(root);
    EXPECT_TRUE(session.Run({init}).ok());
    const auto out = session.Run({x});
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) return {};
    const float* data = (*out)[0].data<float>();
    return std::vector<float>(data, data + (*out)[0].num_elements());
  }

  const Scope root = Scope::NewRoot();
};

TEST(EmbeddingTest, LooksUpRows) {
  const Tables t;
  const Variable table = t.Part("table", {0, 1, 2, 3, 4, 5, 6});
  const Output x = EmbeddingLookup(t.root, {table}, {5, 0});
  EXPECT_EQ(x.shape(), PartialShape({2, 2}));
  EXPECT_EQ(t.Run(x), (std::vector<float>{5, 0.5f, 0, 0}));
}

TEST(EmbeddingTest, PartsGiveTheSameRows) {
  const Tables t;
  const std::vector<Variable> by_mod = {t.Part("a", {0, 3, 6}), t.Part("b", {1, 4}),
                                        t.Part("c", {2, 5})};
  const std::vector<Variable> by_div = {t.Part("d", {0, 1, 2}), t.Part("e", {3, 4}),
                                        t.Part("f", {5, 6})};
  const Output ids = Reshape(t.root, Constant(t.root, {6, 0, 1, 2, 3, 4, 5, 5}), {2, 4});
  const Output mod = EmbeddingLookup(t.root, InputList(by_mod), ids);
  const Output div = EmbeddingLookup(t.root, InputList(by_div), ids, PartitionStrategy::kDiv);
  EXPECT_EQ(mod.shape(), PartialShape({2, 4, 2}));
  std::vector<float> want;
  for (float row : {6, 0, 1, 2, 3, 4, 5, 5}) {
    want.push_back(row);
    want.push_back(row / 10);
  }
  EXPECT_EQ(t.Run(mod), want);
  EXPECT_EQ(t.Run(div), want);
}

TEST(EmbeddingTest, GradientsAreOfTheRowsRead) {
  const Tables t;
  const std::vector<Variable> parts = {t.Part("a", {0, 2}), t.Part("b", {1, 3})};
  const Output x = EmbeddingLookup(t.root, InputList(parts), {2, 2, 3});
  const auto gradients = Gradients(t.root, {ReduceSum(t.root, x)}, InputList(parts));
  EXPECT_TRUE(gradients[0].is_slices());
  EXPECT_EQ(t.Run(gradients[0].dense()), (std::vector<float>{0, 0, 2, 2}));
  EXPECT_EQ(t.Run(gradients[1].dense()), (std::vector<float>{0, 0, 1, 1}));
}

TEST(EmbeddingTest, CombinesTheRowsOfLists) {
  const Tables t;
  const Variable table = t.Part("table", {0, 1, 2, 3, 4, 5, 6});
  const std::vector<int64_t> at = {0, 0, 0, 1, 1, 0};
  const SparseIds ids{Constant(t.root, at, DType::kInt64, {3, 2}),
                      Constant(t.root, std::vector<int64_t>{4, 2, 2})};
  const auto first = [&](const Output& x) { return t.Run(x)[0]; };
  const auto look_up = [&](const std::optional<Input>& weights, Combiner combiner) {
    return EmbeddingLookupSparse(t.root, {table}, ids, weights, combiner);
  };
  EXPECT_EQ(t.Run(look_up(std::nullopt, Combiner::kMean)), (std::vector<float>{3, 0.3f, 2, 0.2f}));
  EXPECT_EQ(first(look_up(std::nullopt, Combiner::kSum)), 6);
  EXPECT_FLOAT_EQ(first(look_up(std::nullopt, Combiner::kSqrtN)), 6 / std::sqrt(2.0f));
  const Input weights = Constant(t.root, {0.5f, 2.0f, 1.0f});
  EXPECT_EQ(first(look_up(weights, Combiner::kSum)), 6);
  EXPECT_FLOAT_EQ(first(look_up(weights, Combiner::kMean)), 6 / 2.5f);
  EXPECT_FLOAT_EQ(first(look_up(weights, Combiner::kSqrtN)), 6 / std::sqrt(4.25f));
}

TEST(EmbeddingTest, BadTablesAreErrors) {
  const Tables t;
  const Output unknown = Placeholder(t.root, DType::kFloat, {-1, 2});
  EmbeddingLookup(t.root, {unknown, unknown}, {1}, PartitionStrategy::kDiv);
  EXPECT_NE(t.root.status().message().find("how many rows a part has"), absl::string_view::npos);
  const Tables none;
  EmbeddingLookup(none.root, {}, {1});
  EXPECT_EQ(none.root.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
