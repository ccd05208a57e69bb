// Conditional random fields and the loss of sequences give what the formulas give in TensorFlow's
// operations, where each path of tags is counted out; and their gradients.
#include "frontend/contrib/crf.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/contrib/sequence_loss.h"
#include "frontend/nn.h"
#include "frontend/values/expected_values.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace {

using seq2seq::SequenceLossOptions;

SequenceLossOptions Averages(bool steps, bool batch) {
  return SequenceLossOptions().average_across_timesteps(steps).average_across_batch(batch);
}

std::vector<ValueRow> CrfRows() {
  return {
      {"crf_unary_score", [](S s, X x) { return crf::CrfUnaryScore(s, x[1], x[2], x[0]); }},
      {"crf_binary_score", [](S s, X x) { return crf::CrfBinaryScore(s, x[0], x[1], x[2]); }},
      {"crf_sequence_score",
       [](S s, X x) { return crf::CrfSequenceScore(s, x[0], x[1], x[2], x[3]); }},
      {"crf_log_norm", [](S s, X x) { return crf::CrfLogNorm(s, x[0], x[1], x[2]); }},
      {"crf_log_likelihood",
       [](S s, X x) {
         return crf::CrfLogLikelihood(s, x[0], x[1], x[2], Input(x[3])).log_likelihood;
       }},
      {"crf_decode",
       [](S s, X x) {
         const crf::CrfDecoded best = crf::CrfDecode(s, x[0], x[2], x[1]);
         return Built{best.decode_tags, best.best_score};
       }},
      {"crf_decode_one_step",
       [](S s, X x) {
         const crf::CrfDecoded best = crf::CrfDecode(s, x[0], Zeros(s, {3, 3}), {1, 1, 1});
         return Built{best.decode_tags, best.best_score};
       }},
  };
}

std::vector<ValueRow> LossRows() {
  return {
      {"sequence_loss", [](S s, X x) { return seq2seq::SequenceLoss(s, x[0], x[1], x[2]); }},
      {"sequence_loss_by_sequence",
       [](S s, X x) { return seq2seq::SequenceLoss(s, x[0], x[1], x[2], Averages(true, false)); }},
      {"sequence_loss_by_step",
       [](S s, X x) { return seq2seq::SequenceLoss(s, x[0], x[1], x[2], Averages(false, true)); }},
      {"sequence_loss_each",
       [](S s, X x) {
         auto options = Averages(false, false);
         options.softmax_loss_function([](const Scope& inside, const Output& y, const Output& z) {
           return nn::SparseSoftmaxCrossEntropyWithLogits(inside, y, z);
         });
         return seq2seq::SequenceLoss(s, x[0], x[1], x[2], options);
       }},
      {"sequence_loss_sum",
       [](S s, X x) {
         const auto options = Averages(false, false).sum_over_timesteps(true).sum_over_batch(true);
         return seq2seq::SequenceLoss(s, x[0], x[1], x[2], options);
       }},
      {"sequence_loss_sum_over_batch",
       [](S s, X x) {
         const auto options = Averages(false, false).sum_over_batch(true);
         return seq2seq::SequenceLoss(s, x[0], x[1], x[2], options);
       }},
  };
}

TEST(ContribValuesTest, AreThoseOfTheFormulas) {
  std::vector<ValueRow> rows = CrfRows();
  for (const ValueRow& row : LossRows()) rows.push_back(row);
  ExpectTensorFlowsValues("contrib", rows);
}

TEST(CrfTest, MakesTransitionsWhereNoneAreGiven) {
  const Scope root = Scope::NewRoot();
  const Output scores = Placeholder(root, DType::kFloat, {-1, 4, 3});
  const Output tags = Placeholder(root, DType::kInt32, {-1, 4});
  const auto result = crf::CrfLogLikelihood(root.VariableScope("crf"), scores, tags, {4, 2});
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(result.transition_params.op().name(), "crf/transitions/read");
  EXPECT_EQ(result.transition_params.shape(), PartialShape({3, 3}));
}

TEST(CrfTest, ScoresOfOtherShapesAreErrors) {
  const Scope root = Scope::NewRoot();
  const Output steps = Placeholder(root.Named("steps"), DType::kFloat, {-1, -1, 3});
  EXPECT_FALSE(crf::CrfLogNorm(root, steps, {1}, Zeros(root, {3, 3})).valid());
  EXPECT_THAT(std::string(root.status().message()), ::testing::HasSubstr("'steps:0'"));
  const Scope none = Scope::NewRoot();
  EXPECT_FALSE(crf::CrfDecode(none, Output(), Zeros(none, {3, 3}), {1}).decode_tags.valid());
  EXPECT_EQ(none.status().code(), StatusCode::kInvalidArgument);
}

TEST(CrfTest, ViterbiDecodesOneSequence) {
  // Step by step the last tag would be best; the transitions forbid it after the first.
  const Tensor score = Tensor::FromValues<float>(Shape({3, 2}), {1, 3, 0, 1, 2, 2.5f});
  const Tensor transitions = Tensor::FromValues<float>(Shape({2, 2}), {0, 0, 0, -9});
  const auto best = crf::ViterbiDecode(score, transitions);
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ(best->viterbi, (std::vector<int32_t>{1, 0, 1}));
  EXPECT_FLOAT_EQ(best->viterbi_score, 5.5f);
  EXPECT_TRUE(IsInvalidArgument(crf::ViterbiDecode(transitions, score).status()));
  EXPECT_TRUE(IsInvalidArgument(crf::ViterbiDecode(Tensor(), Tensor()).status()));
}

TEST(SequenceLossTest, RefusesWhatItCannotUse) {
  const auto fails = [](const std::vector<int64_t>& shape, const SequenceLossOptions& options) {
    const Scope root = Scope::NewRoot();
    const Output logits = Placeholder(root, DType::kFloat, PartialShape(shape));
    const Output targets = Placeholder(root, DType::kInt32, {2, 3});
    seq2seq::SequenceLoss(root, logits, targets, Placeholder(root, DType::kFloat, {2, 3}), options);
    return root.status().code();
  };
  const auto invalid = StatusCode::kInvalidArgument;
  EXPECT_EQ(fails({2, 3, 4}, SequenceLossOptions()), StatusCode::kOk);
  EXPECT_EQ(fails({6, 4}, SequenceLossOptions()), invalid);
  EXPECT_EQ(fails({2, 3, 4}, SequenceLossOptions().sum_over_batch(true)), invalid);
}

}  // namespace
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
