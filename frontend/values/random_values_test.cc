// Random draws with a seed are TensorFlow's.
#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

const std::vector<int32_t> kSeed = {1, 2};

std::vector<ValueRow> DrawnRows() {
  return {
      {"uniform", [](S s, X x) { return random::Uniform(s, std::vector<int>{5}); }},
      {"uniform_integers",
       [](S s, X x) { return random::Uniform(s, std::vector<int>{5}, 0, 10, DType::kInt32); }},
      {"normal", [](S s, X x) { return random::Normal(s, std::vector<int>{5}, 1, 2); }},
      {"truncated_normal",
       [](S s, X x) { return random::TruncatedNormal(s, std::vector<int>{5}); }},
      {"gamma",
       [](S s, X x) {
         return random::Gamma(s, std::vector<int>{3}, {0.5f, 2.0f}, {3.0f, 4.0f}, DType::kFloat, 3);
       }},
      {"poisson",
       [](S s, X x) {
         return random::Poisson(s, {0.5f, 12.0f}, std::vector<int>{4});
       }},
      {"multinomial", [](S s, X x) { return random::Multinomial(s, x[0], 4); }},
      {"categorical", [](S s, X x) { return random::Categorical(s, x[0], 4, DType::kInt32, 5); }},
      {"shuffle", [](S s, X x) { return random::Shuffle(s, x[0]); }},
      {"index_shuffle",
       [](S s, X x) {
         const Output seed = Constant(s, std::vector<int32_t>{1, 2, 3}, DType::kUInt32);
         return RandomIndexShuffle(s, {0, 1, 2, 3}, seed, 9);
       }},
  };
}

std::vector<ValueRow> StatelessRows() {
  return {
      {"stateless_uniform",
       [](S s, X x) { return random::StatelessUniform(s, std::vector<int>{5}, kSeed, 2, 4); }},
      {"stateless_uniform_integers",
       [](S s, X x) {
         return random::StatelessUniform(s, std::vector<int>{5}, kSeed, 0, 100, DType::kInt32);
       }},
      {"stateless_normal",
       [](S s, X x) { return random::StatelessNormal(s, std::vector<int>{5}, kSeed, 1, 3); }},
      {"stateless_truncated_normal",
       [](S s, X x) { return random::StatelessTruncatedNormal(s, std::vector<int>{5}, kSeed); }},
      {"stateless_parameterized_truncated_normal",
       [](S s, X x) {
         return random::StatelessParameterizedTruncatedNormal(s, std::vector<int>{5}, kSeed, 0.0f,
                                                              1.0f, -1.0f, 2.0f);
       }},
      {"stateless_gamma",
       [](S s, X x) {
         return random::StatelessGamma(s, {3, 2}, kSeed, {0.5f, 2.0f}, 3.0f);
       }},
      {"stateless_poisson",
       [](S s, X x) {
         return random::StatelessPoisson(s, {3, 2}, kSeed, {0.5f, 12.0f});
       }},
      {"stateless_binomial",
       [](S s, X x) {
         return random::StatelessBinomial(s, std::vector<int>{4}, kSeed, 10.0f, 0.3f);
       }},
      {"stateless_categorical",
       [](S s, X x) { return random::StatelessCategorical(s, x[0], 4, kSeed); }},
      {"stateless_multinomial",
       [](S s, X x) { return random::StatelessMultinomial(s, x[0], 4, kSeed, DType::kInt32); }},
      {"split", [](S s, X x) { return random::Split(s, kSeed, 3); }},
      {"fold_in", [](S s, X x) { return random::FoldIn(s, kSeed, 5); }},
  };
}

TEST(RandomValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows = DrawnRows();
  for (ValueRow& row : StatelessRows()) rows.push_back(std::move(row));
  ExpectTensorFlowsValues("random", rows);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
